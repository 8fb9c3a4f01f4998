/** Limits how many asynchronous jobs run at a time; the others wait in order. */
export class Semaphore {
  #freePermits: number;
  readonly #waitingResolvers: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#freePermits = atOnce;
  }

  async runWhenPermitted<T>(work: () => Promise<T>): Promise<T> {
    if (this.#freePermits > 0) this.#freePermits--;
    else await new Promise<void>((resolve) => this.#waitingResolvers.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waitingResolvers.shift();
      if (next) next();
      else this.#freePermits++;
    }
  }
}
