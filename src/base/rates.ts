/** How often something may be done: limits, and the times at which it was done. Pure. */

/** So many times within so many milliseconds. */
export type Limit = readonly [windowMs: number, most: number];

/** Milliseconds after which a time counts no more. */
const longest = (limits: readonly Limit[]): number => Math.max(...limits.map(([window]) => window));

/** Any of them still counts. */
export const stillCounts = (limits: readonly Limit[], times: readonly number[], now: number): boolean =>
  times.some((at) => at + longest(limits) > now);

/** Milliseconds until it may be done again; 0: now. @param times ms, ascending */
export function waitFor(limits: readonly Limit[], times: readonly number[], now: number): number {
  const waits = limits.map(([window, most]) => {
    const first = times.at(-most);
    return first === undefined ? 0 : first + window - now;
  });
  return Math.max(0, ...waits);
}

/** How a rate limit stands after a call; answers show it in their headers. */
export interface RateStanding {
  readonly limit: number;
  /** Calls that may follow. */
  readonly remaining: number;
  /** Seconds since 1970: all of them may be made again, or, of a refused call, it may be repeated. */
  readonly reset: number;
}

/** By the limit that leaves least. @param times ms since 1970, ascending; refused ones are not among them */
export function standingOf(limits: readonly Limit[], times: readonly number[], now: number): RateStanding {
  const [limit = 0, remaining = 0] = limits
    .map(([window, most]) => [most, Math.max(0, most - times.filter((at) => at + window > now).length)] as const)
    .reduce((least, one) => (one[1] < least[1] ? one : least));
  const newest = times.at(-1);
  const until =
    remaining === 0 ? now + waitFor(limits, times, now) : newest === undefined ? now : newest + longest(limits);
  return { limit, remaining, reset: Math.ceil(until / 1000) };
}

/** With one more; only those that still count. */
export function withTime(limits: readonly Limit[], times: readonly number[], now: number): number[] {
  const window = longest(limits);
  const most = Math.max(...limits.map(([, n]) => n));
  return [...times.filter((at) => at + window > now), now].slice(-most);
}
