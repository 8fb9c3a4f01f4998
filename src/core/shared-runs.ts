/**
 * Runs that many ask for are made once for all who asked before they began: at most one is under way for each key, and one waits.
 * Without it every made-up API key would have the end of a log asked for.
 */
export class SharedRuns<K> {
  readonly #running = new Map<K, Promise<void>>();
  readonly #next = new Map<K, Promise<void>>();

  /** A run that begins now or later: this one or another's of the same key. Rejects with what it rejects with. */
  ask(key: K, run: () => Promise<void>): Promise<void> {
    const running = this.#running.get(key);
    if (!running) return this.#begin(key, run);
    let next = this.#next.get(key);
    if (!next) {
      next = running
        .catch(() => undefined)
        .then(() => {
          this.#next.delete(key);
          return this.#begin(key, run);
        });
      this.#next.set(key, next);
    }
    return next;
  }

  #begin(key: K, run: () => Promise<void>): Promise<void> {
    const running = run().finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }
}
