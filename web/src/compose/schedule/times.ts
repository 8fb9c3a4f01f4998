/** Times of day in a time zone, without a library: `Intl` knows the offset of each moment. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The moment as a clock on a wall of that zone shows it, counted as if it were UTC. */
function wallMs(ms: number, zone: string): number {
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
function momentOf(wall: number, zone: string): number {
  const guess = wall - (wallMs(wall, zone) - wall);
  return guess - (wallMs(guess, zone) - wall);
}

/** Text of a date-time field. */
export const fieldOf = (ms: number, zone: string): string => new Date(wallMs(ms, zone)).toISOString().slice(0, 16);

/** A moment whose local form is the wall time of the zone, for formats of this browser. */
export const shownIn = (ms: number, zone: string): number =>
  ms + wallMs(ms, zone) - wallMs(ms, new Intl.DateTimeFormat().resolvedOptions().timeZone);

/** The moment of a date-time field; undefined while it is not filled in. */
export function momentOfField(field: string, zone: string): number | undefined {
  const wall = Date.parse(`${field}Z`);
  return Number.isNaN(wall) ? undefined : momentOf(wall, zone);
}

export type Choice = 'hour' | 'evening' | 'morning' | 'monday';

/** Quick choices that lie ahead: in an hour, this evening at 6, tomorrow at 9, Monday at 9. */
export function quickChoices(now: number, zone: string): { readonly choice: Choice; readonly at: number }[] {
  const wall = wallMs(now, zone);
  const midnight = wall - (wall % DAY_MS);
  const weekday = new Date(wall).getUTCDay();
  const days = (8 - weekday) % 7 || 7;
  const at = (day: number, hour: number): number => momentOf(midnight + day * DAY_MS + hour * 3_600_000, zone);
  const hour = now + 3_600_000;
  const choices = [
    { choice: 'hour' as const, at: hour - (hour % (5 * MINUTE_MS)) },
    { choice: 'evening' as const, at: at(0, 18) },
    { choice: 'morning' as const, at: at(1, 9) },
    { choice: 'monday' as const, at: at(days, 9) },
  ];
  return choices.filter(({ choice, at: time }) => time > now + 10 * MINUTE_MS && !(choice === 'monday' && days === 1));
}
