export type { Clock, TimerHandle } from './clock.js';
export { REAL_CLOCK } from './clock-real.js';
export { type Deadline, Deadlines, wheelOf } from './deadlines.js';
export { every } from './every.js';
export { Slices } from './slices.js';
export { SPREAD, spread } from './spread.js';
export { wait } from './wait.js';
