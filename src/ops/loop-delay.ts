/** By how much the timers of this process are late: the one sign that it has more to do than it can. */

export interface LoopTimer {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Calls back again and again; returns how to stop. */
  every(ms: number, fn: () => void): () => void;
}

/** Real time, also where the server runs on a clock that tests move. It does not keep the process alive. */
export const realTimer: LoopTimer = {
  now: () => performance.now(),
  every(ms, fn) {
    const timer = setInterval(fn, ms).unref();
    return () => clearInterval(timer);
  },
};

const EVERY_MS = 250;
/** Some seconds: one long pause (a collection, a large parse) says nothing, always being late does. */
const KEPT = 15;

export class LoopDelay {
  readonly #late: number[] = [];
  readonly #stop: () => void;
  #expected: number;

  constructor(private readonly timer: LoopTimer = realTimer) {
    this.#expected = timer.now() + EVERY_MS;
    this.#stop = timer.every(EVERY_MS, () => this.#ring());
  }

  /** Median, milliseconds. */
  get median(): number {
    const sorted = [...this.#late].sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }

  close(): void {
    this.#stop();
  }

  #ring(): void {
    const now = this.timer.now();
    this.#late.push(Math.max(0, now - this.#expected));
    if (this.#late.length > KEPT) this.#late.shift();
    this.#expected = now + EVERY_MS;
  }
}
