import type { Clock, TimerHandle } from './clock.js';

interface RealHandle extends TimerHandle {
  cancelled: boolean;
  timer: NodeJS.Timeout;
}

/** Node delays are 32-bit: longer ones would fire at once. */
const LONGEST = 0x7fffffff;
/** The loop counts whole milliseconds, up to one less than have passed: so long a wait had better be longer by two than find that it is too early. */
const LONG_MS = 100;

class RealClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  setTimeout(fn: () => void, ms: number): TimerHandle {
    const handle: RealHandle = { cancelled: false, timer: undefined as unknown as NodeJS.Timeout };
    const arm = (left: number): void => {
      handle.timer = setTimeout(
        () => (left > LONGEST ? arm(left - LONGEST) : fn()),
        Math.min(Math.max(0, left), LONGEST),
      );
    };
    arm(ms < LONG_MS ? ms : Math.ceil(ms) + 1);
    return handle;
  }

  clearTimeout(handle: TimerHandle): void {
    const real = handle as RealHandle;
    real.cancelled = true;
    clearTimeout(real.timer);
  }
}

/** One for all of a process: what waits on the same clock shares its timers. */
export const REAL_CLOCK: Clock = new RealClock();
