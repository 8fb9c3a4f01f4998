/**
 * Operations of a driver that may never settle when connections break. The MongoDB driver (7.8), for one, waits for 'drain' or 'error'
 * of a socket that it destroyed itself. To its actor such a write would be under way for ever.
 */
import type { Clock } from '../clock/index.js';
import { StoreUnavailable } from './store.js';

/** After connections broke, operations on others may still come through. */
const GRACE_MS = 4_000;

interface InFlightOperation {
  giveUp(): void;
}

export class InFlightOperations {
  readonly #operations = new Set<InFlightOperation>();
  #idleWaiters: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  /** Settles as the operation does, or rejects some time after connections broke: whether it was carried out is open then. */
  run<T>(operation: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const entry: InFlightOperation = {
        giveUp: () => {
          this.#remove(entry);
          reject(new StoreUnavailable('MongoDB is not available: no answer since connections broke'));
        },
      };
      this.#operations.add(entry);
      operation()
        .then(resolve, reject)
        .finally(() => this.#remove(entry));
    });
  }

  /** Connections broke: what is under way now gets some time to settle. */
  connectionsBroken(): void {
    const concerned = [...this.#operations];
    if (concerned.length === 0) return;
    this.clock.setTimeout(() => {
      for (const one of concerned) if (this.#operations.has(one)) one.giveUp();
    }, GRACE_MS);
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    if (this.#operations.size > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  #remove(entry: InFlightOperation): void {
    this.#operations.delete(entry);
    if (this.#operations.size === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
