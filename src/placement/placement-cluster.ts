/**
 * Many hosts, each with the partitions that rendezvous hashing gives it. There is no leader: every host looks at all
 * keys, works out by itself what should be whose, and does what is its own to do (docs/decisions/014-placement.md):
 *
 * - take what the table names as its own, and what is nobody's or a dead host's and should be its own;
 * - hand over what it owns and should be another's, in small batches;
 * - end the key of a host that was silent for a whole lease.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock/index.js';
import type { Partition } from '../core/index.js';
import { type Candidate, DesiredOwners } from './desired-owners.js';
import { Handover } from './handover.js';
import {
  baseOf,
  drainKey,
  type HostFacts,
  type HostFlags,
  hostKey,
  hostOfKey,
  isDrainKey,
  isNews,
  parseHost,
} from './host-record.js';
import type { KeyValue, KvEntry } from './kv.js';
import { HostLease, LEASE_TIMES, type LeaseTimes } from './lease.js';
import { type Member, Members } from './members.js';
import { OwnedPartitions } from './owned-partitions.js';
import { OwnershipTable } from './ownership-table.js';
import { PartitionTable, TABLE_KEY } from './partition-table.js';
import type { PartitionOwner, PlacementStatus, ReportingPlacement } from './placement.js';
import type { EpochSource } from './placement-single.js';
import { placementStatus } from './placement-status.js';
import { ReconcileLoop } from './reconcile-loop.js';
import { StoreWatch } from './store-watch.js';
import { Takeover } from './takeover.js';

/** Between two looks that nothing but time has caused. */
const MIN_WAIT_MS = 10;
/** Keys of the dead stay this long for people to see. */
const KEEP_DEAD_MS = 60_000;
/** A host that ends hands over batch by batch for this long, then everything at once. */
const LEAVE_MS = 8_000;
/** Then it ends, whatever is left. */
const LEAVE_HARD_MS = 20_000;
const LAPSED =
  'the lease lapsed, and other hosts may take the partitions: look for a lack of CPU, swapping or a slow NATS (conclave_event_loop_delay_seconds)';

export interface ClusterPlacementOptions extends HostFacts {
  readonly times?: LeaseTimes;
  /** Asks the Store whether it is there; absent: it always is. */
  readonly ping?: () => Promise<void>;
  /** Id of this process; default: random. */
  readonly id?: string;
  /** Told what went wrong and is tried again later. */
  readonly onError?: (error: unknown) => void;
  /** Told what happens, in words. */
  readonly info?: (context: object, message: string) => void;
  /** Told what somebody should look after. */
  readonly warn?: (context: object, message: string) => void;
}

export class ClusterPlacement implements ReportingPlacement {
  readonly #kv: KeyValue;
  readonly #clock: Clock;
  readonly #store: EpochSource;
  readonly #base: string;
  readonly #facts: HostFacts;
  readonly #times: LeaseTimes;
  readonly #onError: (error: unknown) => void;
  readonly #logInfo: (context: object, message: string) => void;
  readonly #warn: (context: object, message: string) => void;
  readonly #lease: HostLease;
  readonly #members: Members;
  readonly #table: OwnershipTable;
  #joining: Promise<void> | undefined;
  #owned: OwnedPartitions | undefined;
  #takeover: Takeover | undefined;
  #handover: Handover | undefined;
  readonly #loop: ReconcileLoop;
  readonly #storeWatch: StoreWatch;
  /** Takes and hand-overs under way. */
  readonly #tasks = new Set<Promise<void>>();
  #draining = false;
  #leaving = false;
  #late = false;
  #unreachable = false;
  #unwatch: (() => void) | undefined;
  #changed: () => void = () => {};

  constructor(kv: KeyValue, clock: Clock, store: EpochSource, options: ClusterPlacementOptions) {
    const { name, version, address } = options;
    this.#kv = kv;
    this.#clock = clock;
    this.#store = store;
    this.#base = options.id ?? randomBytes(4).toString('hex');
    this.#facts = { name, version, address };
    this.#times = options.times ?? LEASE_TIMES;
    this.#onError = options.onError ?? (() => {});
    this.#logInfo = options.info ?? (() => {});
    this.#warn = options.warn ?? (() => {});
    this.#members = new Members(this.#times);
    this.#table = new OwnershipTable(kv);
    this.#storeWatch = new StoreWatch(clock, options.ping ?? (async () => {}));
    this.#lease = new HostLease(kv, clock, {
      base: this.#base,
      facts: this.#facts,
      times: this.#times,
      flags: () => this.#flags(),
    });
    this.#loop = new ReconcileLoop(clock, {
      work: () => this.#round(),
      ended: (error) => this.#ended(error),
      wait: () => this.#wait(),
    });
  }

  /** Resolves when this host has joined, and answers for what was nobody's. Rejects when the keys can't be reached. */
  start(owner: PartitionOwner): Promise<void> {
    this.#joining = this.#join(owner);
    return this.#joining;
  }

  async #join(owner: PartitionOwner): Promise<void> {
    const owned = new OwnedPartitions(owner, this.#onError);
    this.#owned = owned;
    const shared = { isLeaving: () => this.#leaving, desiredOwners: () => this.#desiredOwners() };
    this.#takeover = new Takeover(
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
    this.#handover = new Handover(this.#clock, this.#table, owned, {
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
    // What is half begun can't be ended.
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
    return placementStatus({
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

  #flags(): HostFlags {
    return {
      draining: this.#draining,
      leaving: this.#leaving,
      unable: this.#takeover?.unable ?? false,
      store: this.#storeWatch.report(),
      serving: this.#owned?.serving().length ?? 0,
    };
  }

  /** Heartbeats of others are no news; what we wrote ourselves neither. */
  #hint(key: string, value: string): void {
    const host = hostOfKey(key);
    if (host === this.#lease.id) return;
    const known = host === undefined ? undefined : this.#members.get(host)?.value;
    if (host !== undefined && value !== '' && !isNews(known, parseHost(value))) return;
    if (key === TABLE_KEY && value === this.#table.lastWritten) return;
    if (host !== undefined || key === TABLE_KEY || isDrainKey(key)) this.#loop.wake();
  }

  #ended(error?: unknown): void {
    if (error !== undefined && !this.#unreachable) this.#onError(error);
    if (error === undefined && this.#unreachable) this.#logInfo({}, 'the keys of the cluster can be reached again');
    this.#unreachable = error !== undefined;
    this.#changed();
  }

  #wait(): number {
    const { renewMs, leaseMs } = this.#times;
    // Nobody's silence counts, and of what others write there are hints: this is for one that was lost.
    if (this.#isIdleAlone()) return leaseMs;
    // Who can do nothing about it need not hurry.
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
    let entries: ReadonlyMap<string, KvEntry>;
    try {
      entries = await this.#kv.all();
    } catch (error) {
      this.#members.observationFailed();
      throw error;
    }
    const table = PartitionTable.parse(entries.get(TABLE_KEY));
    this.#members.observe(entries, table, sent, this.#clock.monotonic());
    // What we wrote meanwhile is newer than what we read.
    if (this.#table.writes === writes) this.#table.now = table;
    else this.#loop.wake();
    this.#setDraining(entries.has(drainKey(this.#base)));
    if (!this.#lease.valid) return;
    await this.#judgeStore(sent);
    await this.#endSilent();
    await this.#takeover!.claim();
    const begun = await this.#takeover!.takeNamed();
    if (begun) this.#runTask(begun.done);
    this.#startHandover();
    await this.#forgetDead(entries);
  }

  /** Who has lost the Store alone lets go of everything at once: a hand-over would have to write what was begun. */
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
        'the Store works for others and not for this host: it lets go',
      );
      await this.#owned!.drop();
    } else this.#logInfo({ id, store: state, answerMs }, 'the Store works again: this host takes its share');
    void this.#lease.beat();
  }

  #setDraining(draining: boolean): void {
    if (this.#draining === draining) return;
    this.#draining = draining;
    this.#logInfo({ id: this.#lease.id }, draining ? 'asked to own nothing' : 'asked to take its share again');
    void this.#lease.beat();
  }

  *#everybody(): Iterable<Member> {
    yield { id: this.#lease.id, value: { ...this.#ownValue(), end: null }, revision: 0, silentMs: 0 };
    for (const member of this.#members.all()) if (member.id !== this.#lease.id) yield member;
  }

  #ownValue(): Member['value'] {
    return { ...this.#facts, ...this.#flags(), token: '', beat: 0, end: null };
  }

  #desiredOwners(): DesiredOwners {
    const candidates: Candidate[] = [];
    for (const { id, value, silentMs } of this.#everybody()) {
      candidates.push({ id, value, fresh: silentMs < this.#times.leaseMs / 2 });
    }
    return new DesiredOwners(candidates);
  }

  /** From then on nothing that they wake up to is theirs. */
  async #endSilent(): Promise<void> {
    for (const { id, value, revision, silentMs } of [...this.#members.all()]) {
      if (value.end !== null || id === this.#lease.id || silentMs < this.#times.leaseMs) continue;
      const ended = { ...value, end: 'expired' as const };
      const written = await this.#kv.put(hostKey(id), JSON.stringify(ended), revision);
      if (written === undefined) continue;
      this.#members.recordWrite(id, ended, written);
      this.#logInfo({ id, name: value.name }, 'a host is silent and counts as dead');
    }
  }

  #startHandover(): void {
    const next = this.#handover!.next(this.#late);
    if (next) this.#runTask(next);
  }

  /** Takes time; the next round goes on from its result. */
  #runTask(task: Promise<void>): void {
    const done: Promise<void> = task.catch(this.#onError).finally(() => {
      this.#tasks.delete(done);
      // It says how much we serve now.
      if (!this.#leaving) void this.#lease.beat();
      this.#changed();
      this.#loop.wake();
    });
    this.#tasks.add(done);
  }

  /** Forget a host that is long dead, and what was asked of it. */
  async #forgetDead(entries: ReadonlyMap<string, KvEntry>): Promise<void> {
    const owners = this.#table.now.hosts();
    for (const { id, value, revision, silentMs } of this.#members.all()) {
      if (value.end === null || silentMs < KEEP_DEAD_MS || owners.has(id)) continue;
      const base = baseOf(id);
      const wish = entries.get(drainKey(base));
      const back = [...this.#members.all()].some((other) => other.value.end === null && baseOf(other.id) === base);
      if (wish && !back) await this.#kv.delete(drainKey(base), wish.revision);
      await this.#kv.delete(hostKey(id), revision);
      return;
    }
  }
}
