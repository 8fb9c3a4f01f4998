/**
 * Protects data from a clock that is ahead, to which all data looks old. A deletion by age that comes days after its
 * planned time is put off by a day: either the server was off, or its clock is ahead. A clock that still shows the same
 * date after that day counts as right. If the server was off then, too, the deletion is put off only by an hour: some
 * servers never run for a day.
 */

/** Longest plausible delay of a deletion while the server runs, ms. */
const MAX_PLAUSIBLE_DELAY_MS = 2 * 86_400_000;
/** Longest time by which a deletion is put off, ms. */
export const LATE_DELETION_PAUSE_MS = 86_400_000;
/** Time by which a deletion is put off again, ms: with NTP a clock is right within minutes. */
const REPEATED_LATE_DELETION_PAUSE_MS = 3_600_000;

/** True if work comes so long after its planned time that the clock may be ahead. @param planned wall time, ms */
export const mayClockBeAhead = (planned: number, now: number): boolean => now > planned + MAX_PLAUSIBLE_DELAY_MS;

/**
 * Time until which a deletion by age is put off, ms; undefined: it takes place now.
 *
 * @param planned its planned time, ms
 * @param putOffUntil time until which it was put off last, ms; it counts only if that is the planned time
 */
export function findPauseOfLateDeletion(
  planned: number,
  putOffUntil: number | undefined,
  now: number,
): number | undefined {
  if (!mayClockBeAhead(planned, now)) return undefined;
  return now + (putOffUntil === planned ? REPEATED_LATE_DELETION_PAUSE_MS : LATE_DELETION_PAUSE_MS);
}
