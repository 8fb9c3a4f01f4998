/** Takes partitions: those that the table assigns to this host, and unowned ones that it should own. */
import type { Clock } from '#base/clock';
import type { Partition } from '#model';
import type { DesiredPartitionOwners } from './desired-owners.js';
import type { HostLease } from './lease.js';
import type { ClusterMembers } from './members.js';
import type { OwnedPartitions } from './owned-partitions.js';
import type { PartitionTableCopy } from './ownership-table.js';
import { ALL_PARTITIONS, type PartitionTable } from './partition-table.js';
import type { EpochSource } from './placement-single.js';

/**
 * Milliseconds for which other hosts may try first after a failed takeover of this host (for example without the
 * Store).
 */
const PAUSE_MS = 1_000;
/** Duration of a takeover on a busy host, including the work that waits for the takeover, milliseconds. */
const RECOVERY_MS = 3_000;

interface TakeoverContext {
  readonly clock: Clock;
  readonly store: EpochSource;
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
  #claimed = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly context: TakeoverContext,
    private readonly owned: OwnedPartitions,
  ) {}

  /** True if a takeover failed recently, or would fail because this host has lost the Store. */
  get unable(): boolean {
    return this.context.isSuspended() || this.context.clock.monotonic() < this.#unableUntil;
  }

  /** True if this host recently claimed partitions: their actors are loading, and waiting clients retry. */
  get recovering(): boolean {
    return this.context.clock.monotonic() < this.#claimed + RECOVERY_MS;
  }

  /** Claims unowned partitions that this host should own. */
  async claim(): Promise<void> {
    const { members, table } = this.context;
    if (this.context.isLeaving() || this.unable || members.tableLost) return;
    const free = ALL_PARTITIONS.filter((p) => this.#isFree(table.now, p));
    if (free.length === 0) return;
    const { id } = this.context.lease;
    const desired = this.context.desiredOwners();
    const wanted = free.filter((p) => desired.takerOf(p) === id);
    if (wanted.length > 0) this.#claimed = this.context.clock.monotonic();
    await table.assign(wanted, (now, p) => (this.#isFree(now, p) ? id : now.owner(p)));
  }

  #isFree(table: PartitionTable, p: Partition): boolean {
    const owner = table.owner(p);
    // A host without a known record may still be alive.
    return owner === undefined || (this.context.members.get(owner)?.value.end ?? null) !== null;
  }

  /**
   * Starts to take the partitions that the table assigns to this host, or passes them on if it can't. Returns the
   * takeover, if one was started.
   */
  async takeNamed(): Promise<{ readonly done: Promise<void> } | undefined> {
    const { lease, table } = this.context;
    const { id } = lease;
    const named = table.now.ownedBy(id).filter((p) => !this.owned.has(p));
    if (named.length === 0) return undefined;
    const leaving = this.context.isLeaving();
    if (!leaving && !this.unable) return { done: this.#take(named) };
    const desired = this.context.desiredOwners();
    await table.assign(named, (now, p) => {
      if (now.owner(p) !== id || this.owned.has(p)) return now.owner(p);
      const taker = desired.takerOf(p);
      return leaving || (taker !== undefined && desired.canTake(taker)) ? taker : id;
    });
    return undefined;
  }

  async #take(named: readonly Partition[]): Promise<void> {
    const { clock, lease, table } = this.context;
    const taking = this.owned.begin(named);
    const { id } = lease;
    const began = clock.monotonic();
    try {
      const epochs = await this.context.store.raiseEpochs(new Map(named.map((p) => [p, table.now.epoch(p)])));
      // The write also proves that the partitions are still ours: it leaves out those that the table now assigns to
      // another host.
      const ours = await table.raise(epochs, (now, p) => now.owner(p) === id);
      const fencedMs = Math.round(clock.monotonic() - began);
      this.owned.forget(this.owned.stillOwned(taking).filter((p) => lease.id !== id || !ours.has(p)));
      await this.owned.take(taking, epochs);
      const ms = Math.round(clock.monotonic() - began);
      const taken = this.owned.stillOwned(taking).length;
      if (taken > 0) this.context.logInfo({ id, partitions: taken, ms, fencedMs }, 'took over');
    } catch (error) {
      this.context.onError(error);
      this.#unableUntil = clock.monotonic() + PAUSE_MS;
      await this.owned.abandon(taking);
      await lease.beat();
    }
  }
}
