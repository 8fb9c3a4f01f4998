/**
 * Tracks for how long a host has been without its Store, which the host's refusals report to the senders of commands.
 */
import type { Clock } from '#base/clock';
import type { CommandRetryReason } from '#model';
import { StoreUnavailableError } from '#ports/store';
import { extendOrStartOutage } from './outage.js';

/** Interval of log lines about an unavailable Store, ms: a line per actor and attempt would flood the log. */
const STORE_FAILURE_LOG_INTERVAL_MS = 60_000;

export class StoreOutageTracker {
  #currentOutage: ReturnType<typeof extendOrStartOutage> | undefined;
  /** Earliest monotonic time of the next log line, ms. */
  #nextFailureLogAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Clock) {}

  /** Records a successful write. Successful reads end no outage: a full disk can still be read. */
  recordSuccess(): void {
    this.#currentOutage = undefined;
  }

  recordFailure(error: unknown): void {
    if (error instanceof StoreUnavailableError)
      this.#currentOutage = extendOrStartOutage(this.#currentOutage, this.clock.monotonic());
  }

  /** True if a log line should show this failure. Failures of other causes than an unavailable Store are all shown. */
  isFailureLogDue(error: unknown): boolean {
    if (!(error instanceof StoreUnavailableError)) return true;
    const now = this.clock.monotonic();
    if (now < this.#nextFailureLogAt) return false;
    this.#nextFailureLogAt = now + STORE_FAILURE_LOG_INTERVAL_MS;
    return true;
  }

  makeRefusal(retry: CommandRetryReason): { readonly retry: CommandRetryReason; readonly awayMs?: number } {
    if (retry !== 'unavailable' || !this.#currentOutage) return { retry };
    return { retry, awayMs: this.clock.monotonic() - this.#currentOutage.startedAt };
  }
}
