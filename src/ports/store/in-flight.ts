/**
 * Operations of a database driver that may never settle after its connections break. The MongoDB driver (7.8), for
 * example, waits for 'drain' or 'error' of a socket that it destroyed itself. Without a limit, an actor would wait for
 * such a write for ever.
 */
import type { Clock } from '#base/clock';
import { StoreUnavailableError } from './store.js';

/** Milliseconds for which operations on other connections may finish after some connections broke. */
const BROKEN_CONNECTION_GRACE_MS = 4_000;

interface InFlightOperation {
  giveUp(): void;
}

export class InFlightStoreOperations {
  readonly #operationsInFlight = new Set<InFlightOperation>();
  #idleWaiters: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  /**
   * Runs an operation. The result settles as the operation does, or rejects with StoreUnavailableError
   * `BROKEN_CONNECTION_GRACE_MS` after connections broke (unknown outcome).
   */
  runOperation<T>(operation: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const entry: InFlightOperation = {
        giveUp: () => {
          this.#removeOperation(entry);
          reject(new StoreUnavailableError('MongoDB is not available: no answer after connections broke'));
        },
      };
      this.#operationsInFlight.add(entry);
      operation()
        .then(resolve, reject)
        .finally(() => this.#removeOperation(entry));
    });
  }

  /** Gives the operations in flight `BROKEN_CONNECTION_GRACE_MS` to settle. Must be called when connections broke. */
  giveUpAfterBrokenConnections(): void {
    const concerned = [...this.#operationsInFlight];
    if (concerned.length === 0) return;
    this.clock.setTimeout(() => {
      for (const one of concerned) if (this.#operationsInFlight.has(one)) one.giveUp();
    }, BROKEN_CONNECTION_GRACE_MS);
  }

  /** Resolves when no operation is in flight. */
  async waitUntilIdle(): Promise<void> {
    if (this.#operationsInFlight.size > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  #removeOperation(entry: InFlightOperation): void {
    this.#operationsInFlight.delete(entry);
    if (this.#operationsInFlight.size === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
