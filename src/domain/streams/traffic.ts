/**
 * Message counts of a stream (streams.md § Stream objects, `stream_weekly_traffic`). The functions have no side
 * effects.
 */
import type { JsonObject } from '#base';

const DAY_MS = 86_400_000;
const COUNTED_DAYS = 28;
/** Age below which streams have no `stream_weekly_traffic`, days. */
const MIN_DAYS = 7;

/** Numbers of messages by day (UTC). */
export interface DailyCounts extends JsonObject {
  /** Day (since 1970, UTC) of the first number in `counts`. */
  readonly day: number;
  /** Counts of that day and of the days before it, at most COUNTED_DAYS. */
  readonly counts: readonly number[];
}

const dayOf = (now: number): number => Math.floor(now / DAY_MS);

/** Counts of today and of the days before it, at most COUNTED_DAYS. */
function upToNow(before: DailyCounts | undefined, now: number): readonly number[] {
  if (!before) return [];
  const gone = Math.max(0, dayOf(now) - before.day);
  return [...Array<number>(Math.min(gone, COUNTED_DAYS)).fill(0), ...before.counts].slice(0, COUNTED_DAYS);
}

/** The daily counts of a stream with one more message. @param now wall time, ms */
export function countMessage(before: DailyCounts | undefined, now: number): DailyCounts {
  const [today = 0, ...earlier] = upToNow(before, now);
  return { day: Math.max(dayOf(now), before?.day ?? 0), counts: [today + 1, ...earlier] };
}

/** Number of messages in a stream during the last 28 days. */
export const countRecentMessages = (counts: DailyCounts | undefined, now: number): number =>
  upToNow(counts, now).reduce((sum, n) => sum + n, 0);

/** Rounds a number to two significant digits, half to even. */
function rounded(n: number): number {
  const unit = 10 ** Math.max(0, String(n).length - 2);
  const down = Math.floor(n / unit);
  const rest = n - down * unit;
  const up = rest * 2 > unit || (rest * 2 === unit && down % 2 === 1);
  return (up ? down + 1 : down) * unit;
}

/**
 * Messages per week in a stream; null for a stream younger than a week.
 * @param recent messages in the last 28 days
 * @param created seconds since 1970
 */
export function estimateWeeklyTraffic(recent: number, created: number, now: number): number | null {
  const age = Math.floor((now - created * 1000) / DAY_MS);
  if (age < MIN_DAYS) return null;
  const weekly = age >= COUNTED_DAYS ? Math.floor(recent / 4) : Math.floor((recent * 7) / age);
  return weekly === 0 && recent > 0 ? 1 : rounded(weekly);
}
