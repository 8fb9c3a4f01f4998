/**
 * Tracks for how long a host has been without its Store, which the host's refusals report to the senders of commands.
 */
import type { Clock } from '#base/clock';
import type { RetryReason } from '#model';
import { StoreUnavailable } from '#ports/store';
import { continueOutage } from './outage.js';

export class StoreOutage {
  #trouble: ReturnType<typeof continueOutage> | undefined;

  constructor(private readonly clock: Clock) {}

  worked(): void {
    this.#trouble = undefined;
  }

  failed(error: unknown): void {
    if (error instanceof StoreUnavailable) this.#trouble = continueOutage(this.#trouble, this.clock.monotonic());
  }

  refusal(retry: RetryReason): { readonly retry: RetryReason; readonly awayMs?: number } {
    if (retry !== 'unavailable' || !this.#trouble) return { retry };
    return { retry, awayMs: this.clock.monotonic() - this.#trouble.since };
  }
}
