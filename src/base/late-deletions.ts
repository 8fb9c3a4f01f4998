/**
 * Protects data from a clock that is ahead, to which all data looks old. A deletion by age that comes days after its
 * planned time is put off by a day: either the server was off, or its clock is ahead. A clock that still shows the same
 * date after that day counts as right.
 */

/** Longest plausible delay of a deletion while the server runs, ms. */
const MAX_PLAUSIBLE_DELAY_MS = 2 * 86_400_000;
/** Time by which a deletion is put off, ms. */
export const LATE_DELETION_PAUSE_MS = 86_400_000;

/** True if work comes so long after its planned time that the clock may be ahead. @param planned wall time, ms */
export const mayClockBeAhead = (planned: number, now: number): boolean => now > planned + MAX_PLAUSIBLE_DELAY_MS;
