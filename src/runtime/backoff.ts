/** Delays before the runtime tries again, by reason and number of failures, ms. This table holds all retry policies. */
export const RETRY_DELAYS_MS = {
  /**
   * Delays before a command is sent again whose partition has no owner. Hundreds of commands may wait for a host that
   * died, and their attempts would hinder the hosts that take over; the bus announces new owners anyway.
   */
  moved: [10, 20, 40, 80, 160, 300, 500, 1_000],
  /**
   * Delays before a command is sent again whose host is silent or overloaded, or cannot reach its Store: many attempts
   * do not help.
   */
  trouble: [10, 20, 40, 80, 160, 320, 500],
  /** Delays before a failed append to the log is tried again. */
  append: [50, 100, 200, 400, 800, 1_600, 2_000],
  /** Delays before an actor is woken that a failed write or a crash has stopped. */
  wake: [250, 500, 1_000, 2_000, 4_000, 5_000],
} as const satisfies Readonly<Record<string, readonly number[]>>;

/** Returns the delay before the next attempt, ms. @param failures number of consecutive failures */
export const retryDelayMs = (steps: readonly number[], failures: number): number =>
  steps[Math.min(failures, steps.length - 1)]!;
