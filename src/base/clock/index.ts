/**
 * Clock: time as a dependency. Everything with timed behaviour takes a `Clock`; tests pass one fake clock and move it.
 *
 * `TimerWheel` holds thousands of cancellable timeouts in one timer of Node; `sharedTimerWheel` is the wheel of a process
 * with a grain of 500 ms. `TimerRing` is cheaper and without removal. `every` runs periodic tasks on the shared wheel.
 * `jitter` prolongs a time by up to 20 %, so that timers which start together don't end together.
 *
 * Invariant: a timer never fires early; it may be late by its grain.
 */

export type { Clock, TimerHandle } from './clock.js';
export { REAL_CLOCK } from './clock-real.js';
export { type Deadline, Deadlines, wheelOf } from './deadlines.js';
export { every } from './every.js';
export { Slices } from './slices.js';
export { SPREAD, spread } from './spread.js';
export { wait } from './wait.js';
