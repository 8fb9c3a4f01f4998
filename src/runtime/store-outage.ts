/**
 * Tracks for how long a host has been without its Store, which the host's refusals report to the senders of commands.
 */
import type { Clock } from '#base/clock';
import type { CommandRetryReason } from '#model';
import { StoreUnavailableError } from '#ports/store';
import { extendOrStartOutage } from './outage.js';

export class StoreOutageTracker {
  #currentOutage: ReturnType<typeof extendOrStartOutage> | undefined;

  constructor(private readonly clock: Clock) {}

  recordSuccess(): void {
    this.#currentOutage = undefined;
  }

  recordFailure(error: unknown): void {
    if (error instanceof StoreUnavailableError)
      this.#currentOutage = extendOrStartOutage(this.#currentOutage, this.clock.monotonic());
  }

  makeRefusal(retry: CommandRetryReason): { readonly retry: CommandRetryReason; readonly awayMs?: number } {
    if (retry !== 'unavailable' || !this.#currentOutage) return { retry };
    return { retry, awayMs: this.clock.monotonic() - this.#currentOutage.startedAt };
  }
}
