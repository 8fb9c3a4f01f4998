/** Periodic tasks share one timer wheel: an idle process wakes at most twice a second, however many tasks it has. */
import type { Clock } from './clock.js';
import { type Deadline, wheelOf } from './deadlines.js';

/**
 * Calls `fn` at each multiple of `ms` in monotonic time, or later.
 * @param ms a multiple of the wheel's grain of 500 ms
 * @param fn gets the delay of its call, ms
 * @returns stops the task
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
