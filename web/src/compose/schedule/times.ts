/** Times of day in a time zone, without a library: `Intl` knows the offset of each moment. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The moment as a clock on a wall of that zone shows it, counted as if it were UTC. */
function toWallClockMs(ms: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const parts: Readonly<Record<string, number>> = Object.fromEntries(
    format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute);
}

/** The moment at which a clock in the zone shows this. A time that a change of the clock skips is the one after it. */
function fromWallClockMs(wall: number, zone: string): number {
  const guess = wall - (toWallClockMs(wall, zone) - wall);
  return guess - (toWallClockMs(guess, zone) - wall);
}

/** Text of a date-time field. */
export const formatDateTimeField = (ms: number, zone: string): string =>
  new Date(toWallClockMs(ms, zone)).toISOString().slice(0, 16);

/** A moment whose local form is the wall time of the zone, for formats of this browser. */
export const shiftMsForZoneDisplay = (ms: number, zone: string): number =>
  ms + toWallClockMs(ms, zone) - toWallClockMs(ms, new Intl.DateTimeFormat().resolvedOptions().timeZone);

/** The moment of a date-time field; undefined while it is not filled in. */
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
