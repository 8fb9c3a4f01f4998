export type { Clock, TimerHandle } from './clock.js';
export { RealClock } from './clock-real.js';
export { type Deadline, Deadlines, wheelOf } from './deadlines.js';
export { Slices } from './slices.js';
export { SPREAD, spread } from './spread.js';
export { wait } from './wait.js';
