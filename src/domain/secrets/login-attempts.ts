/**
 * How often a password may be tried (conventions.md § Rate limits: 5 failed logins per 30 minutes). The times of failed
 * attempts are kept with the account, so that neither a restart nor another host gives new ones. Pure.
 */

import { type Limit, standingOf, waitFor, withTime } from '#base';
import { type ApiError, apiError } from '#model/errors';

const LIMITS: readonly Limit[] = [[30 * 60_000, 5]];

/** Milliseconds until the next attempt is allowed; 0: it is. @param failures times of failed attempts, ms, ascending */
export const waitForAttempt = (failures: readonly number[], now: number): number => waitFor(LIMITS, failures, now);

/** Of an attempt before its time. @param wait ms */
export const attemptTooEarly = (failures: readonly number[], wait: number, now: number): ApiError =>
  apiError('RATE_LIMIT_HIT', { 'retry-after': wait / 1000 }).withRate(standingOf(LIMITS, failures, now));

/** Of one that failed. @param failures this one among them */
export const wrongPassword = (failures: readonly number[], now: number): ApiError =>
  apiError('AUTHENTICATION_FAILED').withRate(standingOf(LIMITS, failures, now));

/** With one more; only those that still count. */
export const withFailure = (failures: readonly number[], now: number): number[] => withTime(LIMITS, failures, now);
