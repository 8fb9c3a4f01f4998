/**
 * Single-flight per key: callers share the run that starts after they asked; at most one run is in progress and one is
 * queued. Without this, every made-up API key would cause a request for the end of a realm's log.
 */
export class SingleFlight<K, T = void> {
  readonly #runningByKey = new Map<K, Promise<T>>();
  readonly #queuedRunByKey = new Map<K, Promise<T>>();

  /**
   * Makes a single-flight guard.
   *
   * @param deferred delays a run to the next turn of the event loop, so that hundreds of callers share it
   */
  constructor(private readonly deferred = false) {}

  /** Joins the queued run of the key, or starts `run`. Rejects as the run does. */
  joinQueuedRunOrStart(key: K, run: () => Promise<T>): Promise<T> {
    const known = this.#queuedRunByKey.get(key);
    if (known) return known;
    const running = this.#runningByKey.get(key);
    if (!running && !this.deferred) return this.#beginRun(key, run);
    const before: Promise<unknown> = running
      ? running.catch(() => undefined)
      : new Promise((resolve) => setImmediate(resolve));
    const next = before.then(() => {
      this.#queuedRunByKey.delete(key);
      return this.#beginRun(key, run);
    });
    this.#queuedRunByKey.set(key, next);
    return next;
  }

  #beginRun(key: K, run: () => Promise<T>): Promise<T> {
    const running = run().finally(() => {
      if (this.#runningByKey.get(key) === running) this.#runningByKey.delete(key);
    });
    this.#runningByKey.set(key, running);
    return running;
  }
}
