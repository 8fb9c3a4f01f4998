/**
 * Operations of a driver that may never settle when connections break. The MongoDB driver (7.8), for one, waits for 'drain' or 'error'
 * of a socket that it destroyed itself. To its actor such a write would be under way for ever.
 */
import type { Clock } from '#base/clock';
import { StoreUnavailable } from './store.js';

/** After connections broke, operations on others may still come through. */
const GRACE_MS = 4_000;

interface Operation {
  giveUp(): void;
}

export class UnderWay {
  readonly #operations = new Set<Operation>();
  #quiet: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  /** Settles as the operation does, or rejects some time after connections broke: whether it was carried out is open then. */
  run<T>(operation: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const entry: Operation = {
        giveUp: () => {
          this.#over(entry);
          reject(new StoreUnavailable('MongoDB is not available: no answer since connections broke'));
        },
      };
      this.#operations.add(entry);
      operation()
        .then(resolve, reject)
        .finally(() => this.#over(entry));
    });
  }

  /** Connections broke: what is under way now gets some time to settle. */
  broken(): void {
    const concerned = [...this.#operations];
    if (concerned.length === 0) return;
    this.clock.setTimeout(() => {
      for (const one of concerned) if (this.#operations.has(one)) one.giveUp();
    }, GRACE_MS);
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    if (this.#operations.size > 0) await new Promise<void>((resolve) => this.#quiet.push(resolve));
  }

  #over(entry: Operation): void {
    this.#operations.delete(entry);
    if (this.#operations.size === 0) for (const resolve of this.#quiet.splice(0)) resolve();
  }
}
