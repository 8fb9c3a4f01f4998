/**
 * Tracks for how long a host has been without its Store, which the host's refusals report to the senders of commands.
 */
import type { Clock } from '#base/clock';
import type { CommandRetryReason } from '#model';
import { StoreUnavailableError } from '#ports/store';
import { extendOutage } from './outage.js';

export class StoreOutageTracker {
  #trouble: ReturnType<typeof extendOutage> | undefined;

  constructor(private readonly clock: Clock) {}

  worked(): void {
    this.#trouble = undefined;
  }

  failed(error: unknown): void {
    if (error instanceof StoreUnavailableError) this.#trouble = extendOutage(this.#trouble, this.clock.monotonic());
  }

  refusal(retry: CommandRetryReason): { readonly retry: CommandRetryReason; readonly awayMs?: number } {
    if (retry !== 'unavailable' || !this.#trouble) return { retry };
    return { retry, awayMs: this.clock.monotonic() - this.#trouble.since };
  }
}
