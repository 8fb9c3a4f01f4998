/**
 * Rate limits over sliding windows, computed from the times of past calls. The functions have no side effects.
 *
 * Times later than now don't count: the clock was ahead when they were stored, and is corrected by now. They would
 * refuse calls for as long as the clock was ahead.
 */

/** A rate limit: at most `most` calls within the last `windowMs` milliseconds. */
export type RateLimit = readonly [windowMs: number, most: number];

/** The longest window of the limits, ms: calls before it no longer matter. */
const longestWindowMs = (limits: readonly RateLimit[]): number => Math.max(...limits.map(([window]) => window));

/** True if a call counts against a limit of this window. */
const isCallCounted = (at: number, windowMs: number, now: number): boolean => at <= now && at + windowMs > now;

/** True if a call at one of the times still counts against a limit. */
export function isAnyCallStillCounted(limits: readonly RateLimit[], times: readonly number[], now: number): boolean {
  const window = longestWindowMs(limits);
  return times.some((at) => isCallCounted(at, window, now));
}

/** Milliseconds until the limits allow the next call; 0: now. @param times of past calls, ms, ascending */
export function msUntilCallAllowed(limits: readonly RateLimit[], times: readonly number[], now: number): number {
  const past = times.filter((at) => at <= now);
  const waits = limits.map(([window, most]) => {
    const first = past.at(-most);
    return first === undefined ? 0 : first + window - now;
  });
  return Math.max(0, ...waits);
}

/** State of a rate limit after a call, as the X-RateLimit headers show it. */
export interface RateLimitStatus {
  readonly limit: number;
  /** Number of calls that the limit still allows. */
  readonly remaining: number;
  /** Unix seconds at which the full quota is back; for a refused call, when to retry. */
  readonly reset: number;
}

/**
 * State of that one of the limits which allows the fewest further calls.
 *
 * @param times of the calls that were not refused, ms since 1970, ascending
 */
export function computeRateLimitStatus(
  limits: readonly RateLimit[],
  times: readonly number[],
  now: number,
): RateLimitStatus {
  const [limit = 0, remaining = 0] = limits
    .map(
      ([window, most]) =>
        [most, Math.max(0, most - times.filter((at) => isCallCounted(at, window, now)).length)] as const,
    )
    .reduce((least, one) => (one[1] < least[1] ? one : least));
  const newest = times.findLast((at) => at <= now);
  const until =
    remaining === 0
      ? now + msUntilCallAllowed(limits, times, now)
      : newest === undefined
        ? now
        : newest + longestWindowMs(limits);
  return { limit, remaining, reset: Math.ceil(until / 1000) };
}

/** The times of the calls that still count, with a call at `now` added; at most as many as the largest limit allows. */
export function addRateLimitedCallTime(limits: readonly RateLimit[], times: readonly number[], now: number): number[] {
  const window = longestWindowMs(limits);
  const most = Math.max(...limits.map(([, n]) => n));
  return [...times.filter((at) => isCallCounted(at, window, now)), now].slice(-most);
}
