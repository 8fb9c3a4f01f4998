/**
 * Rate limit of failed logins (conventions.md § Rate limits: 5 per 30 minutes). The times of failed attempts are stored
 * with the account, so a restart or another host doesn't reset them. The functions have no side effects.
 */

import { addCallTime, msUntilAllowed, type RateLimit, rateStanding } from '#base';
import { type ApiError, apiError } from '#model/errors';

const LIMITS: readonly RateLimit[] = [[30 * 60_000, 5]];

/**
 * Milliseconds until the next attempt to log in is allowed; 0: now. @param failures times of failed attempts, ms,
 * ascending
 */
export const msUntilLoginAllowed = (failures: readonly number[], now: number): number =>
  msUntilAllowed(LIMITS, failures, now);

/** Refusal of an attempt to log in that comes too early. @param wait ms */
export const loginTooEarlyError = (failures: readonly number[], wait: number, now: number): ApiError =>
  apiError('RATE_LIMIT_HIT', { 'retry-after': wait / 1000 }).withRate(rateStanding(LIMITS, failures, now));

/** Refusal of a wrong password. @param failures times of failed attempts, this one included */
export const wrongPasswordError = (failures: readonly number[], now: number): ApiError =>
  apiError('AUTHENTICATION_FAILED').withRate(rateStanding(LIMITS, failures, now));

/** Times of the failed attempts that still count, with one at `now` added. */
export const addLoginFailure = (failures: readonly number[], now: number): number[] =>
  addCallTime(LIMITS, failures, now);
