/**
 * Time, passed in. Nothing outside this folder calls Date.now, performance.now or setTimeout for behaviour that a
 * test may have to move, so that tests move one fake clock and never sleep.
 */
export interface TimerHandle {
  readonly cancelled: boolean;
}

export interface Clock {
  /** Wall time, milliseconds since 1970. For what users see; never for measuring or for leases. */
  now(): number;
  /** Monotonic milliseconds from an arbitrary start; unaffected by wall-clock changes. */
  monotonic(): number;
  /** Call `fn` once, at least `ms` milliseconds of monotonic time from now. */
  setTimeout(fn: () => void, ms: number): TimerHandle;
  /** Cancelling twice, or after the timer fired, does nothing. */
  clearTimeout(handle: TimerHandle): void;
}
