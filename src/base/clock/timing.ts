/** Helpers on a clock: waiting, jitter, periodic tasks, and times that a wrong clock has stored. */
import type { Clock } from './clock.js';
import { sharedTimerWheel, type TimerWheelEntry } from './timer-wheel.js';

/** Returns a promise that resolves after `ms` of the clock. */
export const waitOnClock = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.setTimeout(resolve, ms));

/** Largest share of a time that jitter adds to it, so that timers which start together don't end together. */
export const MAX_JITTER_SHARE = 0.2;

/** A time in ms, prolonged by a random share of up to 20 %. @param random returns a number in [0, 1) */
export const addJitter = (ms: number, random: () => number): number => ms * (1 + random() * MAX_JITTER_SHARE);

/**
 * A stored time, wall time, ms; now if it lies further ahead than any time is set, because the clock was ahead when the
 * time was stored.
 *
 * @param maxAheadMs longest time ahead for which the time is set
 */
export const correctTimeFromAhead = (at: number, maxAheadMs: number, now: number): number =>
  at > now + maxAheadMs ? now : at;

/**
 * Calls `fn` at each multiple of `ms` in monotonic time, or later; a late call skips the multiples that have passed.
 * All periodic tasks of a process share one timer wheel: an idle process wakes at most twice a second, however many
 * tasks it has.
 *
 * @param ms a multiple of the wheel's grain of 500 ms
 * @param fn gets the delay of its call, ms
 * @returns function that stops the task
 */
export function runPeriodically(clock: Clock, ms: number, fn: (lateMs: number) => void): () => void {
  const wheel = sharedTimerWheel(clock);
  let due = 0;
  const arm = (now: number): void => {
    due = (Math.floor(now / ms) + 1) * ms;
    wheel.addAt(entry, due);
  };
  const entry: TimerWheelEntry = {
    timerWheelBucket: undefined,
    expire: () => {
      const now = clock.monotonic();
      const late = now - due;
      arm(now);
      fn(late);
    },
  };
  arm(clock.monotonic());
  return () => wheel.removeAndStopTimerIfEmpty(entry);
}
