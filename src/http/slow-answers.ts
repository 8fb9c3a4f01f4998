/**
 * Answers that wait for their clients to take them. Who takes nothing, or too little, is cut off, and so are those that wait longest when
 * all together need more memory than they may: a client that does not read costs nobody else anything.
 */
import type { Clock, TimerHandle } from '../clock/index.js';

export interface SlowLimits {
  /** Of all answers that wait, bytes: counted as if none shared anything. */
  readonly maxBytes: number;
  /** Without any progress. */
  readonly stallMs: number;
  /** An answer must be taken within `graceMs`, and a second for each so many bytes. */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
}

export const SLOW_LIMITS: SlowLimits = {
  maxBytes: 256 * 1_048_576,
  stallMs: 15_000,
  graceMs: 30_000,
  bytesPerSecond: 16 * 1024,
};

export interface SlowAnswer {
  readonly length: number;
  /** Bytes that are still ours. */
  readonly left: number;
  /** Ends the connection; the answer is removed before. */
  cut(): void;
}

interface Waiting {
  readonly since: number;
  progressAt: number;
  left: number;
}

const SWEEP_MS = 1_000;

export class SlowAnswers {
  /** Connections that were cut off. */
  cut = 0;
  #bytes = 0;
  #timer: TimerHandle | undefined;
  /** In the order in which they began to wait. */
  readonly #waiting = new Map<SlowAnswer, Waiting>();

  constructor(
    private readonly clock: Clock,
    private readonly limits: SlowLimits = SLOW_LIMITS,
  ) {}

  get size(): number {
    return this.#waiting.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Its client took less than was offered; to be called again whenever it took some. */
  waits(answer: SlowAnswer): void {
    const now = this.clock.monotonic();
    const known = this.#waiting.get(answer);
    if (known) {
      if (answer.left < known.left) known.progressAt = now;
      this.#bytes += answer.left - known.left;
      known.left = answer.left;
      return;
    }
    this.#waiting.set(answer, { since: now, progressAt: now, left: answer.left });
    this.#bytes += answer.left;
    this.#timer ??= this.clock.setTimeout(() => this.#sweep(), SWEEP_MS);
    for (const [oldest] of this.#waiting) {
      if (this.#bytes <= this.limits.maxBytes) break;
      this.#cut(oldest);
    }
  }

  /** It is out of our hands, or its client has gone. */
  over(answer: SlowAnswer): void {
    const known = this.#waiting.get(answer);
    if (!known) return;
    this.#bytes -= known.left;
    this.#waiting.delete(answer);
  }

  #cut(answer: SlowAnswer): void {
    this.over(answer);
    this.cut++;
    answer.cut();
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = this.clock.monotonic();
    const { stallMs, graceMs, bytesPerSecond } = this.limits;
    for (const [answer, { since, progressAt }] of [...this.#waiting]) {
      const allowed = graceMs + (answer.length / bytesPerSecond) * 1000;
      if (now - progressAt >= stallMs || now - since >= allowed) this.#cut(answer);
    }
    if (this.#waiting.size > 0) this.#timer = this.clock.setTimeout(() => this.#sweep(), SWEEP_MS);
  }

  /** No more of them; nobody is cut off. */
  close(): void {
    if (this.#timer) this.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting.clear();
    this.#bytes = 0;
  }
}
