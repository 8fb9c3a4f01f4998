/**
 * Limits the cost of slow clients: answers that a client does not read, and bodies that do not arrive. A transfer
 * without enough progress is cut off. When all transfers together hold too much memory, those that began first are cut
 * off as well.
 */
import type { Clock, TimerHandle } from '#base/clock';

interface SlowClientLimits {
  /** Maximum of bytes held by all waiting transfers; memory that several transfers share counts once. */
  readonly maxHeldBytes: number;
  /** Time without any progress after which a transfer is cut off, ms. */
  readonly stallMs: number;
  /** Milliseconds that each transfer may take, plus a second for each `minBytesPerSecond` of its bytes. */
  readonly graceMs: number;
  readonly minBytesPerSecond: number;
}

export const DEFAULT_SLOW_CLIENT_LIMITS: SlowClientLimits = {
  maxHeldBytes: 256 * 1_048_576,
  stallMs: 15_000,
  graceMs: 30_000,
  minBytesPerSecond: 16 * 1024,
};

export interface SlowClientGuardedTransfer {
  /**
   * Bytes that determine the transfer's time limit: those of the whole answer, or those of a body that have arrived.
   * Any change is progress.
   */
  readonly timeLimitBytes: number;
  /**
   * Bytes that the transfer holds in memory now. Any change is progress; bytes of a body may arrive without one, in
   * memory that is reserved for them.
   */
  readonly heldBytes: number;
  /**
   * Buffers that contain the held bytes, as other transfers may do at the same time: their size counts instead of
   * `heldBytes`, once for all transfers. 16 clients that open an organization of 100,000 accounts wait for 55 MB each,
   * nearly all of it the same memory. Absent: no other transfer holds these bytes.
   */
  readonly sharedBuffers?: ReadonlySet<ArrayBufferLike>;
  /** Closes the connection; the guard has already removed the transfer. */
  cutOff(): void;
}

interface TransferProgress {
  readonly startedAtMs: number;
  lastProgressAtMs: number;
  timeLimitBytes: number;
  heldBytes: number;
  readonly sharedBuffers: ReadonlySet<ArrayBufferLike> | undefined;
}

const SWEEP_INTERVAL_MS = 1_000;

export class SlowClientGuard {
  /** Number of connections that the guard has cut off. */
  cutOffCount = 0;
  #totalHeldBytes = 0;
  #sweepTimer: TimerHandle | undefined;
  /** Waiting transfers, in the order in which they began to wait. */
  readonly #progressByTransfer = new Map<SlowClientGuardedTransfer, TransferProgress>();
  /** Number of waiting transfers that hold a shared buffer. */
  readonly #holderCountByBuffer = new Map<ArrayBufferLike, number>();

  constructor(
    private readonly clock: Clock,
    private readonly limits: SlowClientLimits = DEFAULT_SLOW_CLIENT_LIMITS,
  ) {}

  get waitingTransferCount(): number {
    return this.#progressByTransfer.size;
  }

  get totalHeldBytes(): number {
    return this.#totalHeldBytes;
  }

  /** Records that a transfer begins to wait or has made progress. */
  noteWaitOrProgress(transfer: SlowClientGuardedTransfer): void {
    const now = this.clock.monotonic();
    const { timeLimitBytes, heldBytes, sharedBuffers } = transfer;
    const known = this.#progressByTransfer.get(transfer);
    if (known) {
      if (heldBytes !== known.heldBytes || timeLimitBytes !== known.timeLimitBytes) known.lastProgressAtMs = now;
      if (!known.sharedBuffers) this.#totalHeldBytes += heldBytes - known.heldBytes;
      known.heldBytes = heldBytes;
      known.timeLimitBytes = timeLimitBytes;
    } else {
      const times = { startedAtMs: now, lastProgressAtMs: now };
      this.#progressByTransfer.set(transfer, { ...times, timeLimitBytes, heldBytes, sharedBuffers });
      if (sharedBuffers) this.#countSharedBuffers(sharedBuffers, 1);
      else this.#totalHeldBytes += heldBytes;
      this.#sweepTimer ??= this.clock.setTimeout(() => this.#cutOffSlowTransfers(), SWEEP_INTERVAL_MS);
    }
    if (this.#totalHeldBytes <= this.limits.maxHeldBytes) return;
    for (const [oldest] of this.#progressByTransfer) {
      this.#cutOff(oldest);
      if (this.#totalHeldBytes <= this.limits.maxHeldBytes) break;
    }
  }

  /** Removes a transfer that is complete, or whose client has disconnected. */
  removeTransfer(transfer: SlowClientGuardedTransfer): void {
    const known = this.#progressByTransfer.get(transfer);
    if (!known) return;
    if (known.sharedBuffers) this.#countSharedBuffers(known.sharedBuffers, -1);
    else this.#totalHeldBytes -= known.heldBytes;
    this.#progressByTransfer.delete(transfer);
  }

  /** Adds one transfer to the holders of these buffers, or removes one. */
  #countSharedBuffers(buffers: ReadonlySet<ArrayBufferLike>, change: 1 | -1): void {
    for (const buffer of buffers) {
      const before = this.#holderCountByBuffer.get(buffer) ?? 0;
      const after = before + change;
      if (after === 0) this.#holderCountByBuffer.delete(buffer);
      else this.#holderCountByBuffer.set(buffer, after);
      if (before === 0 || after === 0) this.#totalHeldBytes += change * buffer.byteLength;
    }
  }

  #cutOff(transfer: SlowClientGuardedTransfer): void {
    this.removeTransfer(transfer);
    this.cutOffCount++;
    transfer.cutOff();
  }

  #cutOffSlowTransfers(): void {
    this.#sweepTimer = undefined;
    const now = this.clock.monotonic();
    const { stallMs, graceMs, minBytesPerSecond } = this.limits;
    for (const [transfer, { startedAtMs, lastProgressAtMs }] of [...this.#progressByTransfer]) {
      const allowed = graceMs + (transfer.timeLimitBytes / minBytesPerSecond) * 1000;
      if (now - lastProgressAtMs >= stallMs || now - startedAtMs >= allowed) this.#cutOff(transfer);
    }
    if (this.#progressByTransfer.size > 0)
      this.#sweepTimer = this.clock.setTimeout(() => this.#cutOffSlowTransfers(), SWEEP_INTERVAL_MS);
  }
}
