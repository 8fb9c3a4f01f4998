/**
 * Tracks for how long a host has been without its Store, which the host's refusals report to the senders of commands.
 */
import type { Clock } from '#base/clock';
import type { CommandRetryReason } from '#model';
import { StoreUnavailableError } from '#ports/store';
import { extendOutage } from './outage.js';

export class StoreOutageTracker {
  #outage: ReturnType<typeof extendOutage> | undefined;

  constructor(private readonly clock: Clock) {}

  recordSuccess(): void {
    this.#outage = undefined;
  }

  recordFailure(error: unknown): void {
    if (error instanceof StoreUnavailableError) this.#outage = extendOutage(this.#outage, this.clock.monotonic());
  }

  makeRefusal(retry: CommandRetryReason): { readonly retry: CommandRetryReason; readonly awayMs?: number } {
    if (retry !== 'unavailable' || !this.#outage) return { retry };
    return { retry, awayMs: this.clock.monotonic() - this.#outage.startedAt };
  }
}
