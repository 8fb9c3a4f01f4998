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
const MIN_HANDOVER_BATCH_SIZE = 4;
const MAX_HANDOVER_BATCH_SIZE = 32;
/**
 * Maximum time for which a batch should pause its partitions, milliseconds; a much faster batch makes the next one
 * larger.
 */
const MAX_HANDOVER_PAUSE_MS = 80;
/** Time limit for finishing work in progress when there is a successor, which finishes the rest, milliseconds. */
const FINISH_WORK_TIMEOUT_MS = 2_000;
/** Time limit for finishing work in progress when there is no successor, milliseconds. */
const FINISH_WORK_WITHOUT_SUCCESSOR_TIMEOUT_MS = 10_000;

interface HandoverContext {
  /** Returns the id of this host, which changes when another host has ended its record. */
  getHostId(): string;
  /** True if this host is shutting down: it hands over all partitions, to any host. */
  isLeaving(): boolean;
  /** True if this host is busy with a takeover, which has priority over balancing. */
  isRecovering(): boolean;
  desiredOwners(): DesiredPartitionOwners;
}

export class PartitionHandover {
  #batchSize = MIN_HANDOVER_BATCH_SIZE;
  #isHandingOver = false;
  /**
   * The last batch, until its successors have taken it: its size, the time that this host needed for it, and the time
   * of the assignment.
   */
  #lastBatch: { readonly size: number; readonly ms: number; readonly at: number } | undefined;
  /**
   * Partitions handed over and not taken yet: the successor, and the present epoch, which the successor exceeds by
   * taking the partition.
   */
  readonly #untakenPartitions = new Map<Partition, { readonly to: string; readonly epoch: number }>();

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
  startNextBatch(all: boolean): Promise<void> | undefined {
    const leaving = this.context.isLeaving();
    if (this.#isHandingOver || (this.context.isRecovering() && !leaving)) return undefined;
    const desired = this.context.desiredOwners();
    const serving = this.owned.listServing();
    const busy = all ? new Set<string>() : this.#adaptBatchSizeAndFindSlowTakers();
    const going = serving.filter((p) => {
      const to = this.#chooseSuccessor(desired, p);
      return to === undefined ? leaving : to !== this.context.getHostId() && !busy.has(to);
    });
    if (going.length === 0) return undefined;
    // Hosts that finish work without successors may need each other's actors for that work.
    const nobody = leaving && desired.chooseTakingHost(going[0]!) === undefined;
    const batch = all || nobody ? going : going.slice(0, this.#batchSize);
    return this.#handOverBatch(batch, nobody ? FINISH_WORK_WITHOUT_SUCCESSOR_TIMEOUT_MS : FINISH_WORK_TIMEOUT_MS);
  }

  #chooseSuccessor(desired: DesiredPartitionOwners, p: Partition): string | undefined {
    if (this.context.isLeaving()) return desired.chooseTakingHost(p);
    const home = desired.chooseHomeHost(p);
    return home !== undefined && desired.canTakePartitions(home) ? home : this.context.getHostId();
  }

  /** Hosts that have not taken all of their assigned partitions yet. */
  #adaptBatchSizeAndFindSlowTakers(): Set<string> {
    const { currentTable } = this.table;
    for (const [p, { to, epoch }] of this.#untakenPartitions) {
      if (currentTable.ownerOf(p) !== to || currentTable.epochOf(p) > epoch) this.#untakenPartitions.delete(p);
    }
    if (this.#lastBatch && this.#untakenPartitions.size === 0) {
      this.#adaptBatchSize(this.#lastBatch.size, this.#lastBatch.ms + this.clock.monotonic() - this.#lastBatch.at);
      this.#lastBatch = undefined;
    }
    return new Set([...this.#untakenPartitions.values()].map(({ to }) => to));
  }

  async #handOverBatch(batch: readonly Partition[], withinMs: number): Promise<void> {
    this.#isHandingOver = true;
    let left: Map<Partition, OwnedPartitionState> = new Map();
    try {
      const id = this.context.getHostId();
      const began = this.clock.monotonic();
      left = await this.owned.releasePartitions(batch, withinMs);
      // A partition whose lease has lapsed during the drain is no longer ours to assign.
      const ours = this.owned.filterStillOwned(left);
      if (ours.length === 0) return;
      const desired = this.context.desiredOwners();
      await this.table.assignOwners(ours, (table, p) =>
        table.ownerOf(p) === id ? this.#chooseSuccessor(desired, p) : table.ownerOf(p),
      );
      for (const p of ours) {
        const to = this.table.currentTable.ownerOf(p);
        if (to !== undefined && to !== id)
          this.#untakenPartitions.set(p, { to, epoch: this.table.currentTable.epochOf(p) });
      }
      const at = this.clock.monotonic();
      this.#lastBatch = { size: batch.length, ms: at - began, at };
    } finally {
      // If the assignment failed, the table still names this host, and the next round takes the partitions again.
      this.owned.removeFromOwned(this.owned.filterStillOwned(left));
      this.#isHandingOver = false;
    }
  }

  #adaptBatchSize(size: number, ms: number): void {
    if (ms > MAX_HANDOVER_PAUSE_MS)
      this.#batchSize = Math.max(MIN_HANDOVER_BATCH_SIZE, Math.min(this.#batchSize, size) >> 1);
    else if (ms < MAX_HANDOVER_PAUSE_MS / 2 && size >= this.#batchSize)
      this.#batchSize = Math.min(MAX_HANDOVER_BATCH_SIZE, this.#batchSize * 2);
  }
}
