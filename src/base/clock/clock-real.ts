import type { Clock, TimerHandle } from './clock.js';

interface RealHandle extends TimerHandle {
  cancelled: boolean;
  timer: NodeJS.Timeout;
}

/** Longest delay of a Node timer, ms: delays are 32-bit, and a longer one would fire at once. */
const MAX_NODE_TIMEOUT_MS = 0x7fffffff;
/**
 * Minimum length of waits that are rounded up, ms, so that a timer never fires early: Node's loop clock truncates to
 * whole ms and can lag by one.
 */
const MIN_ROUNDED_DELAY_MS = 100;

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
        () => (left > MAX_NODE_TIMEOUT_MS ? arm(left - MAX_NODE_TIMEOUT_MS) : fn()),
        Math.min(Math.max(0, left), MAX_NODE_TIMEOUT_MS),
      );
    };
    arm(ms < MIN_ROUNDED_DELAY_MS ? ms : Math.ceil(ms) + 1);
    return handle;
  }

  clearTimeout(handle: TimerHandle): void {
    const real = handle as RealHandle;
    real.cancelled = true;
    clearTimeout(real.timer);
  }
}

/** The real clock, one object per process: all users of a clock share its timer wheel. */
export const REAL_CLOCK: Clock = new RealClock();
