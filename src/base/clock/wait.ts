import type { Clock } from './clock.js';

/** Resolves after this many milliseconds of the clock. */
export const wait = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.setTimeout(resolve, ms));
