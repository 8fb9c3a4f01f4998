import { displayZone } from './formats.js';

/** Moments by zone, written as fields of a clock on a wall. */
const wallClockFormatByZone = new Map<string, Intl.DateTimeFormat>();

/** The moment as a clock on a wall of that zone shows it, counted as if it were UTC. @throws RangeError: no zone */
export function toWallClockMs(ms: number, zone: string): number {
  let format = wallClockFormatByZone.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
    wallClockFormatByZone.set(zone, format);
  }
  const parts: Readonly<Record<string, number>> = Object.fromEntries(
    format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute);
}

/** The zone of that name, else that of the browser: a name of another system may be unknown here. */
export function resolveTimeZone(wanted: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', wanted ? { timeZone: wanted } : {}).resolvedOptions().timeZone;
  } catch {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  }
}

/** Shows all times in this zone; '' and unknown ones: in the browser's. */
export function setDisplayZoneByName(wanted: string): void {
  const name = resolveTimeZone(wanted);
  displayZone.value =
    name === resolveTimeZone(undefined) ? undefined : { name, toWallClockMs: (ms) => toWallClockMs(ms, name) };
}
