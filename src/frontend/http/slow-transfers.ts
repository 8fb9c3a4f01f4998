/**
 * Answers that wait for their clients to take them, and bodies of which the rest has not come. Whoever does nothing, or too little, is cut
 * off, and so are those that wait longest when all together need more memory than they may: a client that neither reads nor sends costs
 * nobody else anything.
 */
import type { Clock, TimerHandle } from '#base/clock';

export interface SlowLimits {
  /** Of all that wait, bytes: counted as if none shared anything. */
  readonly maxBytes: number;
  /** Without any progress. */
  readonly stallMs: number;
  /** Everything must be through within `graceMs`, and a second for each so many bytes. */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
}

export const SLOW_LIMITS: SlowLimits = {
  maxBytes: 256 * 1_048_576,
  stallMs: 15_000,
  graceMs: 30_000,
  bytesPerSecond: 16 * 1024,
};

export interface Transfer {
  /** For which it is given time: all of an answer; what has come of a body. */
  readonly bytes: number;
  /** Bytes that it keeps in our memory now: any change is progress. */
  readonly held: number;
  /** Ends the connection; it is forgotten before. */
  cut(): void;
}

interface Waiting {
  readonly since: number;
  progressAt: number;
  held: number;
}

const SWEEP_MS = 1_000;

export class SlowTransfers {
  /** Connections that were cut off. */
  cut = 0;
  #bytes = 0;
  #timer: TimerHandle | undefined;
  /** In the order in which they began to wait. */
  readonly #waiting = new Map<Transfer, Waiting>();

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

  /** It is not through; to be called again whenever it got on. */
  waits(transfer: Transfer): void {
    const now = this.clock.monotonic();
    const { held } = transfer;
    const known = this.#waiting.get(transfer);
    if (known) {
      if (held !== known.held) known.progressAt = now;
      this.#bytes += held - known.held;
      known.held = held;
    } else {
      this.#waiting.set(transfer, { since: now, progressAt: now, held });
      this.#bytes += held;
      this.#timer ??= this.clock.setTimeout(() => this.#sweep(), SWEEP_MS);
    }
    if (this.#bytes <= this.limits.maxBytes) return;
    for (const [oldest] of this.#waiting) {
      this.#cut(oldest);
      if (this.#bytes <= this.limits.maxBytes) break;
    }
  }

  /** It is through, or its client has gone. */
  over(transfer: Transfer): void {
    const known = this.#waiting.get(transfer);
    if (!known) return;
    this.#bytes -= known.held;
    this.#waiting.delete(transfer);
  }

  #cut(transfer: Transfer): void {
    this.over(transfer);
    this.cut++;
    transfer.cut();
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = this.clock.monotonic();
    const { stallMs, graceMs, bytesPerSecond } = this.limits;
    for (const [transfer, { since, progressAt }] of [...this.#waiting]) {
      const allowed = graceMs + (transfer.bytes / bytesPerSecond) * 1000;
      if (now - progressAt >= stallMs || now - since >= allowed) this.#cut(transfer);
    }
    if (this.#waiting.size > 0) this.#timer = this.clock.setTimeout(() => this.#sweep(), SWEEP_MS);
  }
}
