/**
 * The clock that is passed to everything with timed behaviour. Code outside this folder calls no Date.now,
 * performance.now or setTimeout for it, so tests move one fake clock and never sleep.
 */
export interface TimerHandle {
  readonly cancelled: boolean;
}

export interface Clock {
  /** Wall time, ms since 1970: for times that users see, never for measuring or leases. */
  now(): number;
  /** Monotonic ms from an arbitrary start; changes of the wall clock don't affect it. */
  monotonic(): number;
  /** Calls `fn` once, at least `ms` of monotonic time from now. */
  setTimeout(fn: () => void, ms: number): TimerHandle;
  /** Cancelling twice, or after the timer fired, does nothing. */
  clearTimeout(handle: TimerHandle): void;
}
