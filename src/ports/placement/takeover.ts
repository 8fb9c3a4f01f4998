/** Takes partitions: those that the table assigns to this host, and unowned ones that it should own. */
import type { Clock } from '#base/clock';
import type { Partition } from '#model';
import type { DesiredPartitionOwners } from './desired-owners.js';
import type { HostLease } from './lease.js';
import type { ClusterMembers } from './members.js';
import type { OwnedPartitions } from './owned-partitions.js';
import type { PartitionTableCopy } from './ownership-table.js';
import { ALL_PARTITIONS, type PartitionTable } from './partition-table.js';
import type { PartitionEpochStore } from './placement-single.js';

/**
 * Milliseconds for which other hosts may try first after a failed takeover of this host (for example without the
 * Store).
 */
const FAILED_TAKEOVER_PAUSE_MS = 1_000;
/** Duration of a takeover on a busy host, including the work that waits for the takeover, milliseconds. */
const TAKEOVER_RECOVERY_MS = 3_000;

interface TakeoverContext {
  readonly clock: Clock;
  readonly store: PartitionEpochStore;
  readonly lease: HostLease;
  readonly members: ClusterMembers;
  readonly table: PartitionTableCopy;
  /** True if this host has lost the Store while other hosts have it. */
  isSuspended(): boolean;
  /** True if this host is shutting down and takes no more partitions. */
  isLeaving(): boolean;
  desiredOwners(): DesiredPartitionOwners;
  onError(error: unknown): void;
  logInfo(context: object, message: string): void;
}

/** Claims free partitions for this host, and takes over the partitions that the table assigns to it. */
export class PartitionTakeover {
  /** Time before which this host takes no partitions; monotonic. */
  #unableUntil = 0;
  #lastClaimAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly context: TakeoverContext,
    private readonly owned: OwnedPartitions,
  ) {}

  /** True if a takeover failed recently, or would fail because this host has lost the Store. */
  get isUnable(): boolean {
    return this.context.isSuspended() || this.context.clock.monotonic() < this.#unableUntil;
  }

  /** True if this host recently claimed partitions: their actors are loading, and waiting clients retry. */
  get hasClaimedRecently(): boolean {
    return this.context.clock.monotonic() < this.#lastClaimAt + TAKEOVER_RECOVERY_MS;
  }

  /** Claims unowned partitions that this host should own. */
  async claimFreePartitions(): Promise<void> {
    const { members, table } = this.context;
    if (this.context.isLeaving() || this.isUnable || members.isTableRecentlyLost) return;
    const free = ALL_PARTITIONS.filter((p) => this.#isPartitionFree(table.currentTable, p));
    if (free.length === 0) return;
    const { id } = this.context.lease;
    const desired = this.context.desiredOwners();
    const wanted = free.filter((p) => desired.chooseTakingHost(p) === id);
    if (wanted.length > 0) this.#lastClaimAt = this.context.clock.monotonic();
    await table.assignOwners(wanted, (now, p) => (this.#isPartitionFree(now, p) ? id : now.ownerOf(p)));
  }

  #isPartitionFree(table: PartitionTable, p: Partition): boolean {
    const owner = table.ownerOf(p);
    // A host without a known record may still be alive.
    return owner === undefined || (this.context.members.findMember(owner)?.value.end ?? null) !== null;
  }

  /**
   * Starts to take the partitions that the table assigns to this host, or passes them on if it can't. Returns the
   * takeover, if one was started.
   */
  async takeOrPassOnAssignedPartitions(): Promise<{ readonly done: Promise<void> } | undefined> {
    const { lease, table } = this.context;
    const { id } = lease;
    const named = table.currentTable.listPartitionsOwnedBy(id).filter((p) => !this.owned.isOwned(p));
    if (named.length === 0) return undefined;
    const leaving = this.context.isLeaving();
    if (!leaving && !this.isUnable) return { done: this.#takePartitions(named) };
    const desired = this.context.desiredOwners();
    await table.assignOwners(named, (now, p) => {
      if (now.ownerOf(p) !== id || this.owned.isOwned(p)) return now.ownerOf(p);
      const taker = desired.chooseTakingHost(p);
      return leaving || (taker !== undefined && desired.canTakePartitions(taker)) ? taker : id;
    });
    return undefined;
  }

  async #takePartitions(named: readonly Partition[]): Promise<void> {
    const { clock, lease, table } = this.context;
    const taking = this.owned.reserveForTaking(named);
    const { id } = lease;
    const began = clock.monotonic();
    try {
      const epochs = await this.context.store.raiseEpochs(
        new Map(named.map((p) => [p, table.currentTable.epochOf(p)])),
      );
      // The write also proves that the partitions are still ours: it leaves out those that the table now assigns to
      // another host.
      const ours = await table.raiseRecordedEpochs(epochs, (now, p) => now.ownerOf(p) === id);
      const fencedMs = Math.round(clock.monotonic() - began);
      this.owned.removeFromOwned(this.owned.filterStillOwned(taking).filter((p) => lease.id !== id || !ours.has(p)));
      await this.owned.takePartitions(taking, epochs);
      const ms = Math.round(clock.monotonic() - began);
      const taken = this.owned.filterStillOwned(taking).length;
      if (taken > 0) this.context.logInfo({ id, partitions: taken, ms, fencedMs }, 'took over');
    } catch (error) {
      this.context.onError(error);
      this.#unableUntil = clock.monotonic() + FAILED_TAKEOVER_PAUSE_MS;
      await this.owned.abandonTake(taking);
      await lease.sendHeartbeat();
    }
  }
}
