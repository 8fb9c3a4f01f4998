/**
 * Runs that many ask for are made once for all who asked before they began: at most one is under way for each key, and one waits.
 * Without it every made-up API key would have the end of a log asked for.
 */
export class SharedRuns<K, T = void> {
  readonly #running = new Map<K, Promise<T>>();
  readonly #next = new Map<K, Promise<T>>();

  /** @param turns those who ask in one turn of the loop share a run: for what hundreds may ask together */
  constructor(private readonly turns = false) {}

  /** A run that begins now or later: this one or another's of the same key. Rejects with what it rejects with. */
  ask(key: K, run: () => Promise<T>): Promise<T> {
    const known = this.#next.get(key);
    if (known) return known;
    const running = this.#running.get(key);
    if (!running && !this.turns) return this.#begin(key, run);
    const before: Promise<unknown> = running
      ? running.catch(() => undefined)
      : new Promise((resolve) => setImmediate(resolve));
    const next = before.then(() => {
      this.#next.delete(key);
      return this.#begin(key, run);
    });
    this.#next.set(key, next);
    return next;
  }

  #begin(key: K, run: () => Promise<T>): Promise<T> {
    const running = run().finally(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    });
    this.#running.set(key, running);
    return running;
  }
}
