/** By how much the timers of this process are late: the one sign that it has more to do than it can. */
import { every, REAL_CLOCK } from '#base/clock';

/** Calls back again and again, and says by how many milliseconds it is late; returns how to stop. */
export type LoopTimer = (ms: number, fn: (lateMs: number) => void) => () => void;

/** Real time, also where the server runs on a clock that tests move. */
const realTimer: LoopTimer = (ms, fn) => every(REAL_CLOCK, ms, fn);

const EVERY_MS = 500;
/** Some seconds: one long pause (a collection, a large parse) says nothing, always being late does. */
const KEPT = 8;

export class LoopDelay {
  readonly #late: number[] = [];
  readonly #stop: () => void;

  constructor(timer: LoopTimer = realTimer) {
    this.#stop = timer(EVERY_MS, (lateMs) => this.#ring(lateMs));
  }

  /** Median, milliseconds. */
  get median(): number {
    const sorted = [...this.#late].sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }

  close(): void {
    this.#stop();
  }

  #ring(lateMs: number): void {
    this.#late.push(lateMs);
    if (this.#late.length > KEPT) this.#late.shift();
  }
}
