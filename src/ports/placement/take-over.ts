/** Taking partitions: those that the table names as ours, and those that are nobody's and should be ours. */
import type { Clock } from '#base/clock';
import type { Partition } from '#model';
import type { HostLease } from './lease.js';
import type { Members } from './members.js';
import type { EpochSource } from './placement-single.js';
import type { SharedTable } from './shared-table.js';
import { allPartitions, type Table } from './table.js';
import type { Targets } from './targets.js';
import type { Tenures } from './tenures.js';

/** After a take-over that failed (the Store is away, say) others may try first; milliseconds. */
const PAUSE_MS = 1_000;
/** What a takeover takes, with all that has waited for it, on a busy host; milliseconds. */
const RECOVERY_MS = 3_000;

export interface Taker {
  readonly clock: Clock;
  readonly store: EpochSource;
  readonly lease: HostLease;
  readonly members: Members;
  readonly table: SharedTable;
  /** Its way to the Store is cut, and others have the Store. */
  suspended(): boolean;
  /** It ends: it takes nothing more. */
  leaving(): boolean;
  targets(): Targets;
  failed(error: unknown): void;
  note(context: object, message: string): void;
}

export class TakeOver {
  /** Monotonic; nothing is taken before. */
  #unableUntil = 0;
  #claimed = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly of: Taker,
    private readonly tenures: Tenures,
  ) {}

  /** A take-over failed lately, or would. */
  get unable(): boolean {
    return this.of.suspended() || this.of.clock.monotonic() < this.#unableUntil;
  }

  /** Something was nobody's, and became ours, not long ago: its actors come back, and those who waited for them. */
  get recovering(): boolean {
    return this.of.clock.monotonic() < this.#claimed + RECOVERY_MS;
  }

  /** Make ours what is nobody's and should be ours. */
  async claim(): Promise<void> {
    const { members, table } = this.of;
    if (this.of.leaving() || this.unable || members.tableLost) return;
    const free = allPartitions.filter((p) => this.#isFree(table.now, p));
    if (free.length === 0) return;
    const { id } = this.of.lease;
    const targets = this.of.targets();
    const wanted = free.filter((p) => targets.taker(p) === id);
    if (wanted.length > 0) this.#claimed = this.of.clock.monotonic();
    await table.assign(wanted, (now, p) => (this.#isFree(now, p) ? id : now.owner(p)));
  }

  #isFree(table: Table, p: Partition): boolean {
    const owner = table.owner(p);
    // A host of which we have not heard yet is none that is dead.
    return owner === undefined || (this.of.members.get(owner)?.value.end ?? null) !== null;
  }

  /** Begins to take what is ours by the table, or passes it on where we can't. @returns what was begun */
  async takeNamed(): Promise<{ readonly taking: Promise<void> } | undefined> {
    const { lease, table } = this.of;
    const { id } = lease;
    const named = table.now.ownedBy(id).filter((p) => !this.tenures.has(p));
    if (named.length === 0) return undefined;
    const leaving = this.of.leaving();
    if (!leaving && !this.unable) return { taking: this.#take(named) };
    const targets = this.of.targets();
    await table.assign(named, (now, p) => {
      if (now.owner(p) !== id || this.tenures.has(p)) return now.owner(p);
      const taker = targets.taker(p);
      return leaving || (taker !== undefined && targets.ready(taker)) ? taker : id;
    });
    return undefined;
  }

  async #take(named: readonly Partition[]): Promise<void> {
    const { clock, lease, table } = this.of;
    const begun = this.tenures.begin(named);
    const { id } = lease;
    const began = clock.monotonic();
    try {
      const epochs = await this.of.store.raiseEpochs(new Map(named.map((p) => [p, table.now.epoch(p)])));
      // This write also proves that they are still ours: it fails when anybody has changed the table.
      const ours = await table.raise(epochs, (now, p) => now.owner(p) === id);
      const fencedMs = Math.round(clock.monotonic() - began);
      this.tenures.forget(this.tenures.still(begun).filter((p) => lease.id !== id || !ours.has(p)));
      await this.tenures.take(begun, epochs);
      const ms = Math.round(clock.monotonic() - began);
      const taken = this.tenures.still(begun).length;
      if (taken > 0) this.of.note({ id, partitions: taken, ms, fencedMs }, 'took over');
    } catch (error) {
      this.of.failed(error);
      this.#unableUntil = clock.monotonic() + PAUSE_MS;
      await this.tenures.abandon(begun);
      await lease.beat();
    }
  }
}
