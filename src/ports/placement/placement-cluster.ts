/**
 * Placement over many hosts, each with the partitions that rendezvous hashing assigns to it. There is no leader: every
 * host reads all keys, computes the desired owners, and performs its own part (docs/decisions/014-placement.md):
 *
 * - takes partitions that the table assigns to it, and claims unowned ones and those of dead hosts that it should own;
 * - hands over partitions that another host should own, in small batches;
 * - ends the key of a host that was silent for a whole lease.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '#base/clock';
import type { Partition } from '#model';
import { DesiredPartitionOwners, type PartitionOwnerCandidate } from './desired-owners.js';
import { PartitionHandover } from './handover.js';
import {
  baseIdOfHostIncarnation,
  type HostDescription,
  type HostPlacementFlags,
  hostDrainRequestKey,
  hostIdOfRecordKey,
  hostRecordKey,
  isHostDrainRequestKey,
  isHostRecordChanged,
  parseHostRecord,
} from './host-record.js';
import type { KeyValueEntry, KeyValueStore } from './kv.js';
import { HOST_LEASE_TIMES, HostLease, type HostLeaseTimes } from './lease.js';
import { type ClusterMember, ClusterMembers } from './members.js';
import { OwnedPartitions } from './owned-partitions.js';
import { PartitionTableCopy } from './ownership-table.js';
import { PARTITION_TABLE_KEY, PartitionTable } from './partition-table.js';
import type { PartitionOwnershipListener, PlacementStatus, ReportingPartitionPlacement } from './placement.js';
import type { EpochSource } from './placement-single.js';
import { makePlacementStatus } from './placement-status.js';
import { PlacementReconcileLoop } from './reconcile-loop.js';
import { StoreHealthWatch } from './store-watch.js';
import { PartitionTakeover } from './takeover.js';

/** Minimum pause between two rounds of the loop that only the timer starts, milliseconds. */
const MIN_WAIT_MS = 10;
/** Time for which the records of dead hosts are kept, so that operators can see them, milliseconds. */
const KEEP_DEAD_MS = 60_000;
/**
 * Time for which a host that shuts down hands over in batches, milliseconds; after that the host hands over all
 * partitions at once.
 */
const LEAVE_MS = 8_000;
/** Time after which a host that shuts down ends, milliseconds, even if it still owns partitions. */
const LEAVE_HARD_MS = 20_000;
const LAPSED =
  'the lease lapsed, and other hosts may take the partitions: look for a lack of CPU, swapping or a slow NATS (conclave_event_loop_delay_seconds)';

interface ClusterPlacementOptions extends HostDescription {
  readonly times?: HostLeaseTimes;
  /** Checks whether the Store answers; absent: the Store counts as always available. */
  readonly ping?: () => Promise<void>;
  /** Id of this process; default: a random one. */
  readonly id?: string;
  /** Called with errors; the work that failed is tried again later. */
  readonly onError?: (error: unknown) => void;
  /** Logs what the placement does. */
  readonly info?: (context: object, message: string) => void;
  /** Logs what an operator should look into. */
  readonly warn?: (context: object, message: string) => void;
}

export class ClusterPlacement implements ReportingPartitionPlacement {
  readonly #kv: KeyValueStore;
  readonly #clock: Clock;
  readonly #store: EpochSource;
  readonly #base: string;
  readonly #facts: HostDescription;
  readonly #times: HostLeaseTimes;
  readonly #onError: (error: unknown) => void;
  readonly #logInfo: (context: object, message: string) => void;
  readonly #warn: (context: object, message: string) => void;
  readonly #lease: HostLease;
  readonly #members: ClusterMembers;
  readonly #table: PartitionTableCopy;
  #joining: Promise<void> | undefined;
  #owned: OwnedPartitions | undefined;
  #takeover: PartitionTakeover | undefined;
  #handover: PartitionHandover | undefined;
  readonly #loop: PlacementReconcileLoop;
  readonly #storeWatch: StoreHealthWatch;
  /** Takeovers and handovers in progress. */
  readonly #tasks = new Set<Promise<void>>();
  #draining = false;
  #leaving = false;
  #late = false;
  #unreachable = false;
  #unwatch: (() => void) | undefined;
  #changed: () => void = () => {};

  constructor(kv: KeyValueStore, clock: Clock, store: EpochSource, options: ClusterPlacementOptions) {
    const { name, version, address } = options;
    this.#kv = kv;
    this.#clock = clock;
    this.#store = store;
    this.#base = options.id ?? randomBytes(4).toString('hex');
    this.#facts = { name, version, address };
    this.#times = options.times ?? HOST_LEASE_TIMES;
    this.#onError = options.onError ?? (() => {});
    this.#logInfo = options.info ?? (() => {});
    this.#warn = options.warn ?? (() => {});
    this.#members = new ClusterMembers(this.#times);
    this.#table = new PartitionTableCopy(kv);
    this.#storeWatch = new StoreHealthWatch(clock, options.ping ?? (async () => {}));
    this.#lease = new HostLease(kv, clock, {
      base: this.#base,
      facts: this.#facts,
      times: this.#times,
      flags: () => this.#flags(),
    });
    this.#loop = new PlacementReconcileLoop(clock, {
      work: () => this.#round(),
      ended: (error) => this.#ended(error),
      wait: () => this.#wait(),
    });
  }

  /**
   * Resolves when this host has joined and serves the partitions that had no owner. Rejects if the keys can't be
   * reached.
   */
  start(owner: PartitionOwnershipListener): Promise<void> {
    this.#joining = this.#join(owner);
    return this.#joining;
  }

  async #join(owner: PartitionOwnershipListener): Promise<void> {
    const owned = new OwnedPartitions(owner, this.#onError);
    this.#owned = owned;
    const shared = { isLeaving: () => this.#leaving, desiredOwners: () => this.#desiredOwners() };
    this.#takeover = new PartitionTakeover(
      {
        ...shared,
        clock: this.#clock,
        store: this.#store,
        lease: this.#lease,
        members: this.#members,
        table: this.#table,
        isSuspended: () => this.#storeWatch.suspended,
        onError: this.#onError,
        logInfo: this.#logInfo,
      },
      owned,
    );
    this.#handover = new PartitionHandover(this.#clock, this.#table, owned, {
      ...shared,
      id: () => this.#lease.id,
      isRecovering: () => this.#takeover?.recovering ?? false,
    });
    await this.#lease.start({
      lapsed: () => {
        this.#warn({ id: this.#lease.id }, LAPSED);
        void owned.drop();
      },
      regained: () => this.#loop.wake(),
    });
    this.#storeWatch.start();
    this.#unwatch = this.#kv.watch((key, value) => this.#hint(key, value));
    try {
      await this.#loop.start(() => Promise.all(this.#tasks));
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  mayAnswer(p: Partition): boolean {
    return (this.#owned?.mayAnswer(p) ?? false) && this.#lease.valid;
  }

  async stop(): Promise<void> {
    // A start in progress has to finish before `stop` can undo it.
    await this.#joining?.catch(() => {});
    const owned = this.#owned;
    if (!owned || !this.#loop.running || this.#leaving) return;
    this.#leaving = true;
    const over = (): boolean =>
      owned.size === 0 &&
      this.#tasks.size === 0 &&
      (!this.#lease.valid || this.#table.now.ownedBy(this.#lease.id).length === 0);
    await this.#lease.beat();
    const late = this.#clock.setTimeout(() => {
      this.#late = true;
      this.#loop.wake();
    }, LEAVE_MS);
    await new Promise<void>((resolve) => {
      const hard = this.#clock.setTimeout(resolve, LEAVE_HARD_MS);
      this.#changed = () => {
        if (!over()) return;
        this.#clock.clearTimeout(hard);
        resolve();
      };
      this.#loop.wake();
    });
    this.#clock.clearTimeout(late);
    await owned.drop();
    await this.#end();
  }

  status(): PlacementStatus {
    return makePlacementStatus({
      id: this.#lease.id,
      members: this.#everybody(),
      table: this.#table.now,
      leaseMsLeft: this.#lease.msLeft,
      owned: this.#owned?.all() ?? new Map(),
      times: this.#times,
    });
  }

  async #end(): Promise<void> {
    this.#loop.stop();
    this.#storeWatch.stop();
    this.#unwatch?.();
    await this.#lease.release();
  }

  #flags(): HostPlacementFlags {
    return {
      draining: this.#draining,
      leaving: this.#leaving,
      unable: this.#takeover?.unable ?? false,
      store: this.#storeWatch.report(),
      serving: this.#owned?.serving().length ?? 0,
    };
  }

  /** Wakes the loop for changes by other hosts, except mere heartbeats. */
  #hint(key: string, value: string): void {
    const host = hostIdOfRecordKey(key);
    if (host === this.#lease.id) return;
    const known = host === undefined ? undefined : this.#members.get(host)?.value;
    if (host !== undefined && value !== '' && !isHostRecordChanged(known, parseHostRecord(value))) return;
    if (key === PARTITION_TABLE_KEY && value === this.#table.lastWritten) return;
    if (host !== undefined || key === PARTITION_TABLE_KEY || isHostDrainRequestKey(key)) this.#loop.wake();
  }

  #ended(error?: unknown): void {
    if (error !== undefined && !this.#unreachable) this.#onError(error);
    if (error === undefined && this.#unreachable) this.#logInfo({}, 'the keys of the cluster can be reached again');
    this.#unreachable = error !== undefined;
    this.#changed();
  }

  #wait(): number {
    const { renewMs, leaseMs } = this.#times;
    // A host that is alone has no other host to time out, and writes arrive as hints: the slow round only covers a lost
    // hint.
    if (this.#isIdleAlone()) return leaseMs;
    // Without a valid lease, or without the keys, this host can't end the lease of another host, so there is no hurry.
    const expiry = this.#unreachable || !this.#lease.valid ? renewMs : this.#members.nextExpiry(this.#lease.id);
    return Math.min(renewMs, Math.max(MIN_WAIT_MS, expiry));
  }

  #isIdleAlone(): boolean {
    if (this.#unreachable || !this.#lease.valid || this.#leaving || this.#takeover!.unable || this.#tasks.size > 0)
      return false;
    return this.#table.now.revision > 0 && this.#members.isAlone(this.#lease.id);
  }

  async #round(): Promise<void> {
    const sent = this.#clock.monotonic();
    const writes = this.#table.writes;
    let entries: ReadonlyMap<string, KeyValueEntry>;
    try {
      entries = await this.#kv.all();
    } catch (error) {
      this.#members.observationFailed();
      throw error;
    }
    const table = PartitionTable.parse(entries.get(PARTITION_TABLE_KEY));
    this.#members.observe(entries, table, sent, this.#clock.monotonic());
    // If this host wrote the table during the read, its own copy is newer than the table that was read.
    if (this.#table.writes === writes) this.#table.now = table;
    else this.#loop.wake();
    this.#setDraining(entries.has(hostDrainRequestKey(this.#base)));
    if (!this.#lease.valid) return;
    await this.#judgeStore(sent);
    await this.#endSilent();
    await this.#takeover!.claim();
    const begun = await this.#takeover!.takeNamed();
    if (begun) this.#runTask(begun.done);
    this.#startHandover();
    await this.#forgetDead(entries);
  }

  /**
   * Gives up all partitions at once if only this host has lost the Store: a handover would have to write to the Store.
   */
  async #judgeStore(sent: number): Promise<void> {
    const peers = [...this.#members.all()].filter(({ id, value }) => id !== this.#lease.id && value.end === null);
    const change = this.#storeWatch.judge(peers, sent);
    if (!change) return;
    const { id } = this.#lease;
    const { state, answerMs } = this.#storeWatch.report();
    if (change === 'suspended') {
      const partitions = this.#owned!.size;
      this.#warn(
        { id, store: state, answerMs, partitions },
        'this host lost the Store and others have it: it gives up its partitions',
      );
      await this.#owned!.drop();
    } else this.#logInfo({ id, store: state, answerMs }, 'the Store works again: this host takes partitions again');
    void this.#lease.beat();
  }

  #setDraining(draining: boolean): void {
    if (this.#draining === draining) return;
    this.#draining = draining;
    this.#logInfo({ id: this.#lease.id }, draining ? 'asked to own nothing' : 'asked to own partitions again');
    void this.#lease.beat();
  }

  *#everybody(): Iterable<ClusterMember> {
    yield { id: this.#lease.id, value: { ...this.#ownValue(), end: null }, revision: 0, silentMs: 0 };
    for (const member of this.#members.all()) if (member.id !== this.#lease.id) yield member;
  }

  #ownValue(): ClusterMember['value'] {
    return { ...this.#facts, ...this.#flags(), token: '', beat: 0, end: null };
  }

  #desiredOwners(): DesiredPartitionOwners {
    const candidates: PartitionOwnerCandidate[] = [];
    for (const { id, value, silentMs } of this.#everybody()) {
      candidates.push({ id, value, fresh: silentMs < this.#times.leaseMs / 2 });
    }
    return new DesiredPartitionOwners(candidates);
  }

  /** Ends the keys of silent hosts. A silent host that continues later finds that it owns no partitions. */
  async #endSilent(): Promise<void> {
    for (const { id, value, revision, silentMs } of [...this.#members.all()]) {
      if (value.end !== null || id === this.#lease.id || silentMs < this.#times.leaseMs) continue;
      const ended = { ...value, end: 'expired' as const };
      const written = await this.#kv.put(hostRecordKey(id), JSON.stringify(ended), revision);
      if (written === undefined) continue;
      this.#members.recordWrite(id, ended, written);
      this.#logInfo({ id, name: value.name }, 'a host is silent and counts as dead');
    }
  }

  #startHandover(): void {
    const next = this.#handover!.next(this.#late);
    if (next) this.#runTask(next);
  }

  /** Runs a takeover or handover in parallel to the rounds, and wakes the loop when it is done. */
  #runTask(task: Promise<void>): void {
    const done: Promise<void> = task.catch(this.#onError).finally(() => {
      this.#tasks.delete(done);
      // The heartbeat reports the new number of partitions that this host serves.
      if (!this.#leaving) void this.#lease.beat();
      this.#changed();
      this.#loop.wake();
    });
    this.#tasks.add(done);
  }

  /** Removes the keys of hosts that have been dead for long, and requests to drain them. */
  async #forgetDead(entries: ReadonlyMap<string, KeyValueEntry>): Promise<void> {
    const owners = this.#table.now.hosts();
    for (const { id, value, revision, silentMs } of this.#members.all()) {
      if (value.end === null || silentMs < KEEP_DEAD_MS || owners.has(id)) continue;
      const base = baseIdOfHostIncarnation(id);
      const wish = entries.get(hostDrainRequestKey(base));
      const back = [...this.#members.all()].some(
        (other) => other.value.end === null && baseIdOfHostIncarnation(other.id) === base,
      );
      if (wish && !back) await this.#kv.delete(hostDrainRequestKey(base), wish.revision);
      await this.#kv.delete(hostRecordKey(id), revision);
      return;
    }
  }
}
