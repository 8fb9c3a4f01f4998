/**
 * Clock: time as a dependency. Everything with timed behaviour takes a `Clock`; tests pass one fake clock and move
 * it.
 *
 * `TimerWheel` holds thousands of cancellable timeouts in one timer of Node; `sharedTimerWheel` is the wheel of a
 * clock, with a grain of 500 ms. `TimerRing` is cheaper and without removal. `runEvery` runs periodic tasks on the
 * shared wheel. `wait` is a promise of a timeout. `addJitter` prolongs a time by up to 20 %, so that timers which start
 * together don't end together.
 *
 * Invariant: a timer never fires early; it may be late by its grain.
 */

export type { Clock, TimerHandle } from './clock.js';
export { REAL_CLOCK } from './clock-real.js';
export { TimerRing } from './timer-ring.js';
export { sharedTimerWheel, type TimerEntry, TimerWheel } from './timer-wheel.js';
export { addJitter, MAX_JITTER_SHARE, runEvery, wait } from './timing.js';
