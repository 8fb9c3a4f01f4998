export type { Clock, TimerHandle } from './clock.js';
export { RealClock } from './clock-real.js';
export { wait } from './wait.js';
