/**
 * Hands partitions over to the hosts that should own them: one batch at a time. The size of a batch follows the time
 * that the last one took, and a host gets nothing more until it has taken its part of the last batch.
 */
import type { Clock } from '#base/clock';
import type { Partition } from '#model';
import type { DesiredPartitionOwners } from './desired-owners.js';
import type { OwnedPartitionState, OwnedPartitions } from './owned-partitions.js';
import type { PartitionTableCopy } from './ownership-table.js';

/** Minimum number of partitions in a batch; smaller batches would not be faster. */
const MIN_BATCH = 4;
const MAX_BATCH = 32;
/**
 * Maximum time for which a batch should pause its partitions, milliseconds; a much faster batch makes the next one
 * larger.
 */
const PAUSE_MS = 80;
/** Time limit for finishing work in progress when there is a successor, which finishes the rest, milliseconds. */
const FINISH_MS = 2_000;
/** Time limit for finishing work in progress when there is no successor, milliseconds. */
const LAST_FINISH_MS = 10_000;

interface HandoverContext {
  /** Returns the id of this host, which changes when another host has ended its record. */
  id(): string;
  /** True if this host is shutting down: it hands over all partitions, to any host. */
  isLeaving(): boolean;
  /** True if this host is busy with a takeover, which has priority over balancing. */
  isRecovering(): boolean;
  desiredOwners(): DesiredPartitionOwners;
}

export class PartitionHandover {
  #size = MIN_BATCH;
  #busy = false;
  /**
   * The last batch, until its successors have taken it: its size, the time it took this host, and the time of the
   * assignment.
   */
  #lastBatch: { readonly size: number; readonly ms: number; readonly at: number } | undefined;
  /**
   * Partitions handed over and not taken yet: the successor, and the present epoch, which the successor exceeds by
   * taking the partition.
   */
  readonly #untaken = new Map<Partition, { readonly to: string; readonly epoch: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly table: PartitionTableCopy,
    private readonly owned: OwnedPartitions,
    private readonly context: HandoverContext,
  ) {}

  /**
   * Starts the next batch. Returns undefined if there is nothing to hand over or a batch is in progress.
   * @param all true to hand over everything at once, without waiting for slow successors
   */
  next(all: boolean): Promise<void> | undefined {
    const leaving = this.context.isLeaving();
    if (this.#busy || (this.context.isRecovering() && !leaving)) return undefined;
    const desired = this.context.desiredOwners();
    const serving = this.owned.serving();
    const busy = all ? new Set<string>() : this.#slowTakers();
    const going = serving.filter((p) => {
      const to = this.#successor(desired, p);
      return to === undefined ? leaving : to !== this.context.id() && !busy.has(to);
    });
    if (going.length === 0) return undefined;
    // Hosts that finish work without successors may need each other's actors for that work.
    const nobody = leaving && desired.takerOf(going[0]!) === undefined;
    const batch = all || nobody ? going : going.slice(0, this.#size);
    return this.#handOver(batch, nobody ? LAST_FINISH_MS : FINISH_MS);
  }

  #successor(desired: DesiredPartitionOwners, p: Partition): string | undefined {
    if (this.context.isLeaving()) return desired.takerOf(p);
    const home = desired.homeOf(p);
    return home !== undefined && desired.canTake(home) ? home : this.context.id();
  }

  /** Hosts that have not taken all of their assigned partitions yet. */
  #slowTakers(): Set<string> {
    const { now } = this.table;
    for (const [p, { to, epoch }] of this.#untaken) {
      if (now.owner(p) !== to || now.epoch(p) > epoch) this.#untaken.delete(p);
    }
    if (this.#lastBatch && this.#untaken.size === 0) {
      this.#adapt(this.#lastBatch.size, this.#lastBatch.ms + this.clock.monotonic() - this.#lastBatch.at);
      this.#lastBatch = undefined;
    }
    return new Set([...this.#untaken.values()].map(({ to }) => to));
  }

  async #handOver(batch: readonly Partition[], withinMs: number): Promise<void> {
    this.#busy = true;
    let left: Map<Partition, OwnedPartitionState> = new Map();
    try {
      const id = this.context.id();
      const began = this.clock.monotonic();
      left = await this.owned.release(batch, withinMs);
      // A partition whose lease has lapsed during the drain is no longer ours to assign.
      const ours = this.owned.stillOwned(left);
      if (ours.length === 0) return;
      const desired = this.context.desiredOwners();
      await this.table.assign(ours, (table, p) =>
        table.owner(p) === id ? this.#successor(desired, p) : table.owner(p),
      );
      for (const p of ours) {
        const to = this.table.now.owner(p);
        if (to !== undefined && to !== id) this.#untaken.set(p, { to, epoch: this.table.now.epoch(p) });
      }
      const at = this.clock.monotonic();
      this.#lastBatch = { size: batch.length, ms: at - began, at };
    } finally {
      // If the assignment failed, the table still names this host, and the next round takes the partitions again.
      this.owned.forget(this.owned.stillOwned(left));
      this.#busy = false;
    }
  }

  #adapt(size: number, ms: number): void {
    if (ms > PAUSE_MS) this.#size = Math.max(MIN_BATCH, Math.min(this.#size, size) >> 1);
    else if (ms < PAUSE_MS / 2 && size >= this.#size) this.#size = Math.min(MAX_BATCH, this.#size * 2);
  }
}
