/** What is done again and again shares the turns of one wheel: a process that rests wakes up twice a second, however much of that there is. */
import type { Clock } from './clock.js';
import { type Deadline, wheelOf } from './deadlines.js';

/**
 * @param ms a multiple of the wheel's grain of 500: calls come when the monotonic time is a multiple of it, or later
 * @param fn is told by how many milliseconds later
 * @returns how to stop
 */
export function every(clock: Clock, ms: number, fn: (lateMs: number) => void): () => void {
  const wheel = wheelOf(clock);
  let due = 0;
  const arm = (now: number): void => {
    due = (Math.floor(now / ms) + 1) * ms;
    wheel.at(entry, due);
  };
  const entry: Deadline = {
    bucket: undefined,
    expire: () => {
      const now = clock.monotonic();
      const late = now - due;
      arm(now);
      fn(late);
    },
  };
  arm(clock.monotonic());
  return () => wheel.cancel(entry);
}
