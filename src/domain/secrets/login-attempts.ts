/**
 * Rate limit of failed logins (conventions.md § Rate limits: 5 per 30 minutes). The times of failed attempts are stored
 * with the account, or with the login guard of an address without an account, so a restart or another host doesn't
 * reset them. The functions have no side effects.
 */

import { addRateLimitedCallTime, computeRateLimitStatus, msUntilCallAllowed, type RateLimit } from '#base';
import { type ApiError, apiError } from '#model/errors';

const FAILED_LOGIN_RATE_LIMITS: readonly RateLimit[] = [[30 * 60_000, 5]];

/**
 * Milliseconds until the next attempt to log in is allowed; 0: now. @param failures times of failed attempts, ms,
 * ascending
 */
export const msUntilLoginAllowed = (failures: readonly number[], now: number): number =>
  msUntilCallAllowed(FAILED_LOGIN_RATE_LIMITS, failures, now);

/** Refusal of an attempt to log in that comes too early. @param wait ms */
export const loginRateLimitError = (failures: readonly number[], wait: number, now: number): ApiError =>
  apiError('RATE_LIMIT_HIT', { 'retry-after': wait / 1000 }).setRateLimitStatus(
    computeRateLimitStatus(FAILED_LOGIN_RATE_LIMITS, failures, now),
  );

/** Refusal of a wrong password. @param failures times of failed attempts, this one included */
export const wrongPasswordError = (failures: readonly number[], now: number): ApiError =>
  apiError('AUTHENTICATION_FAILED').setRateLimitStatus(computeRateLimitStatus(FAILED_LOGIN_RATE_LIMITS, failures, now));

/** Times of the failed attempts that still count, with one at `now` added. */
export const withLoginFailureAdded = (failures: readonly number[], now: number): number[] =>
  addRateLimitedCallTime(FAILED_LOGIN_RATE_LIMITS, failures, now);
