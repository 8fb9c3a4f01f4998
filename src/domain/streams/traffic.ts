/**
 * Message counts of a stream (streams.md § Stream objects, `stream_weekly_traffic`). The functions have no side
 * effects.
 */
import type { JsonObject } from '#base';

const DAY_MS = 86_400_000;
const TRAFFIC_WINDOW_DAYS = 28;
/** Age in days below which a stream has no `stream_weekly_traffic`. */
const MIN_STREAM_AGE_FOR_TRAFFIC_DAYS = 7;

/** Numbers of messages in a stream by day (UTC). */
export interface DailyMessageCounts extends JsonObject {
  /** Day (since 1970, UTC) of the first number in `counts`. */
  readonly day: number;
  /** Message counts of `day` and of the days before it, newest first, at most TRAFFIC_WINDOW_DAYS. */
  readonly counts: readonly number[];
}

const utcDayNumberOf = (now: number): number => Math.floor(now / DAY_MS);

/** Returns the message counts of today and of the days before it, at most TRAFFIC_WINDOW_DAYS. */
function countsByDayEndingToday(before: DailyMessageCounts | undefined, now: number): readonly number[] {
  if (!before) return [];
  const gone = Math.max(0, utcDayNumberOf(now) - before.day);
  return [...Array<number>(Math.min(gone, TRAFFIC_WINDOW_DAYS)).fill(0), ...before.counts].slice(
    0,
    TRAFFIC_WINDOW_DAYS,
  );
}

/** Returns the daily counts of a stream with one more message. @param now wall time, ms */
export function withMessageAddedToDailyCounts(before: DailyMessageCounts | undefined, now: number): DailyMessageCounts {
  const [today = 0, ...earlier] = countsByDayEndingToday(before, now);
  return { day: Math.max(utcDayNumberOf(now), before?.day ?? 0), counts: [today + 1, ...earlier] };
}

/** Returns the number of messages in a stream during the last 28 days. */
export const countMessagesInTrafficWindow = (counts: DailyMessageCounts | undefined, now: number): number =>
  countsByDayEndingToday(counts, now).reduce((sum, n) => sum + n, 0);

/** Rounds a number to two significant digits, half to even. */
function roundToTwoSignificantDigits(n: number): number {
  const unit = 10 ** Math.max(0, String(n).length - 2);
  const down = Math.floor(n / unit);
  const rest = n - down * unit;
  const up = rest * 2 > unit || (rest * 2 === unit && down % 2 === 1);
  return (up ? down + 1 : down) * unit;
}

/**
 * Time from which the same number of messages may give another estimate, because the stream is a day older. The time is
 * infinite for a stream that is older than the counted days. @param created as in `estimateWeeklyStreamTraffic`
 */
export function nextWeeklyTrafficChangeMs(created: number, now: number): number {
  const age = Math.floor((now - created * 1000) / DAY_MS);
  return age >= TRAFFIC_WINDOW_DAYS ? Number.POSITIVE_INFINITY : created * 1000 + (age + 1) * DAY_MS;
}

/**
 * Estimates the messages per week in a stream; null for a stream younger than a week.
 * @param recent number of messages in the last 28 days
 * @param created creation time of the stream, seconds since 1970
 */
export function estimateWeeklyStreamTraffic(recent: number, created: number, now: number): number | null {
  const age = Math.floor((now - created * 1000) / DAY_MS);
  if (age < MIN_STREAM_AGE_FOR_TRAFFIC_DAYS) return null;
  const weekly = age >= TRAFFIC_WINDOW_DAYS ? Math.floor(recent / 4) : Math.floor((recent * 7) / age);
  return weekly === 0 && recent > 0 ? 1 : roundToTwoSignificantDigits(weekly);
}
