/**
 * Clock: time as a dependency. Everything with timed behaviour takes a `Clock`; tests pass one fake clock and move
 * it.
 *
 * `TimerWheel` holds thousands of cancellable timeouts in one timer of Node; `sharedTimerWheel` is the wheel of a
 * clock, with a grain of 500 ms. `CoarseTimerRing` is cheaper and without removal. `runPeriodically` runs periodic
 * tasks on the shared wheel. `waitOnClock` is a promise of a timeout. `addJitter` prolongs a time by up to 20 %, so
 * that timers which start together don't end together.
 *
 * Invariant: a timer never fires early; it may be late by its grain.
 */

export type { Clock, TimerHandle } from './clock.js';
export { REAL_CLOCK } from './clock-real.js';
export { CoarseTimerRing } from './timer-ring.js';
export { sharedTimerWheel, TimerWheel, type TimerWheelEntry } from './timer-wheel.js';
export { addJitter, correctTimeFromAhead, MAX_JITTER_SHARE, runPeriodically, waitOnClock } from './timing.js';
