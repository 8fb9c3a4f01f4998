/** Times of day in a time zone, without a library: `Intl` knows the offset of each moment. */
import { toWallClockMs } from '../text/index.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * The time at which a clock in the zone shows `wall`. A wall time that a change of the clock skips gives the one after
 * it.
 */
function fromWallClockMs(wall: number, zone: string): number {
  const guess = wall - (toWallClockMs(wall, zone) - wall);
  return guess - (toWallClockMs(guess, zone) - wall);
}

/** Text of a date-time field. */
export const formatDateTimeField = (ms: number, zone: string): string =>
  new Date(toWallClockMs(ms, zone)).toISOString().slice(0, 16);

/** The time in a date-time field; undefined while it is incomplete. */
export function parseDateTimeField(field: string, zone: string): number | undefined {
  const wall = Date.parse(`${field}Z`);
  return Number.isNaN(wall) ? undefined : fromWallClockMs(wall, zone);
}

export type QuickTimeChoice = 'hour' | 'evening' | 'morning' | 'monday';

/** Quick choices that lie ahead: in an hour, this evening at 6, tomorrow at 9, Monday at 9. */
export function listFutureQuickChoices(
  now: number,
  zone: string,
): { readonly choice: QuickTimeChoice; readonly at: number }[] {
  const wall = toWallClockMs(now, zone);
  const midnight = wall - (wall % DAY_MS);
  const weekday = new Date(wall).getUTCDay();
  const days = (8 - weekday) % 7 || 7;
  const at = (day: number, hour: number): number => fromWallClockMs(midnight + day * DAY_MS + hour * 3_600_000, zone);
  const hour = now + 3_600_000;
  const choices = [
    { choice: 'hour' as const, at: hour - (hour % (5 * MINUTE_MS)) },
    { choice: 'evening' as const, at: at(0, 18) },
    { choice: 'morning' as const, at: at(1, 9) },
    { choice: 'monday' as const, at: at(days, 9) },
  ];
  return choices.filter(({ choice, at: time }) => time > now + 10 * MINUTE_MS && !(choice === 'monday' && days === 1));
}
