/**
 * Limits the cost of slow clients: answers that a client does not read, and bodies that do not arrive. A transfer
 * without enough progress is cut off. When all transfers together hold too much memory, those that began first are cut
 * off as well.
 */
import type { Clock, TimerHandle } from '#base/clock';

interface SlowClientLimits {
  /** Maximum of bytes held by all waiting transfers; memory that several transfers share counts for each. */
  readonly maxBytes: number;
  /** Time without any progress after which a transfer is cut off, ms. */
  readonly stallMs: number;
  /** Milliseconds that each transfer may take, plus a second for each `bytesPerSecond` of its bytes. */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
}

export const SLOW_CLIENT_LIMITS: SlowClientLimits = {
  maxBytes: 256 * 1_048_576,
  stallMs: 15_000,
  graceMs: 30_000,
  bytesPerSecond: 16 * 1024,
};

export interface SlowClientGuardedTransfer {
  /**
   * Bytes that determine the transfer's time limit: those of the whole answer, or those of a body that have arrived.
   */
  readonly bytes: number;
  /** Bytes that the transfer holds in memory now; any change is progress. */
  readonly held: number;
  /** Closes the connection; the guard has already removed the transfer. */
  cut(): void;
}

interface Progress {
  readonly since: number;
  progressAt: number;
  held: number;
}

const SWEEP_MS = 1_000;

export class SlowClientGuard {
  /** Number of connections that the guard has cut off. */
  cut = 0;
  #bytes = 0;
  #timer: TimerHandle | undefined;
  /** Waiting transfers, in the order in which they began to wait. */
  readonly #waiting = new Map<SlowClientGuardedTransfer, Progress>();

  constructor(
    private readonly clock: Clock,
    private readonly limits: SlowClientLimits = SLOW_CLIENT_LIMITS,
  ) {}

  get size(): number {
    return this.#waiting.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Records that a transfer begins to wait or has made progress. */
  progressed(transfer: SlowClientGuardedTransfer): void {
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

  /** Removes a transfer that is complete, or whose client has disconnected. */
  finished(transfer: SlowClientGuardedTransfer): void {
    const known = this.#waiting.get(transfer);
    if (!known) return;
    this.#bytes -= known.held;
    this.#waiting.delete(transfer);
  }

  #cut(transfer: SlowClientGuardedTransfer): void {
    this.finished(transfer);
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
