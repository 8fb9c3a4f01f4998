/**
 * Placement over many hosts, each with an even share of the partitions. There is no leader: every host reads all keys,
 * computes the desired owners, and performs its own part (docs/decisions/014-placement.md):
 *
 * - takes partitions that the table assigns to it, and claims unowned ones and those of dead hosts that it should own;
 * - hands over partitions that another host should own, in small batches;
 * - ends the key of a host that was silent for a whole lease.
 */
import { randomBytes } from 'node:crypto';
import type { Clock, TimerHandle } from '#base/clock';
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
  isHostRecordChangedBeyondHeartbeat,
  type PartitionSharing,
  parseHostRecord,
} from './host-record.js';
import type { KeyValueEntry, KeyValueStore } from './kv.js';
import { HOST_LEASE_TIMES, HostLease, type HostLeaseTimes } from './lease.js';
import { type ClusterMember, ClusterMembers } from './members.js';
import { OwnedPartitions } from './owned-partitions.js';
import { PartitionTableCopy } from './ownership-table.js';
import { PARTITION_TABLE_KEY, PartitionTable } from './partition-table.js';
import type { PartitionOwnershipListener, PlacementStatus, ReportingPartitionPlacement } from './placement.js';
import type { PartitionEpochStore } from './placement-single.js';
import { makePlacementStatus } from './placement-status.js';
import { PlacementReconcileLoop } from './reconcile-loop.js';
import { StoreHealthWatch } from './store-watch.js';
import { PartitionTakeover } from './takeover.js';

/** Minimum pause before the next round of the reconcile loop, milliseconds. A loop that is woken runs at once. */
const MIN_ROUND_PAUSE_MS = 10;
/** Time for which the records of dead hosts are kept, so that operators can see them, milliseconds. */
const KEEP_DEAD_HOST_RECORD_MS = 60_000;
/**
 * The same for a silent host that was asked to drain, milliseconds: a machine that is suspended for a while continues
 * as drained, because the request is kept as long as the record.
 */
const KEEP_SILENT_DRAINED_HOST_RECORD_MS = 86_400_000;
/**
 * Time for which a host that shuts down hands over in batches, milliseconds; after that the host hands over all
 * partitions at once.
 */
const BATCHED_LEAVE_TIMEOUT_MS = 8_000;
/** Time after which a host that shuts down ends, milliseconds, even if it still owns partitions. */
const LEAVE_TIMEOUT_MS = 20_000;
const LEASE_LAPSED_WARNING =
  'the lease lapsed, and other hosts may take the partitions: look for a lack of CPU, swapping or a slow NATS (conclave_event_loop_delay_seconds)';

interface ClusterPlacementOptions extends HostDescription {
  readonly times?: HostLeaseTimes;
  /** Checks whether the Store answers; absent: the Store counts as always available. */
  readonly pingStore?: () => Promise<void>;
  /**
   * Rule by which this host shares partitions out; default: 'even'. Tests use the other one for hosts of an earlier
   * version.
   */
  readonly sharing?: PartitionSharing;
  /** Id of this process; default: a random one. */
  readonly id?: string;
  /** Called with errors; the work that failed is tried again later. */
  readonly onError?: (error: unknown) => void;
  /** Logs what the placement does. */
  readonly logInfo?: (context: object, message: string) => void;
  /** Logs what an operator should look into. */
  readonly logWarning?: (context: object, message: string) => void;
}

export class ClusterPlacement implements ReportingPartitionPlacement {
  readonly #kv: KeyValueStore;
  readonly #clock: Clock;
  readonly #epochStore: PartitionEpochStore;
  readonly #baseHostId: string;
  readonly #hostDescription: HostDescription;
  readonly #sharing: PartitionSharing;
  readonly #leaseTimes: HostLeaseTimes;
  readonly #onError: (error: unknown) => void;
  readonly #logInfo: (context: object, message: string) => void;
  readonly #logWarning: (context: object, message: string) => void;
  readonly #hostLease: HostLease;
  readonly #clusterMembers: ClusterMembers;
  readonly #partitionTableCopy: PartitionTableCopy;
  #joinOutcome: Promise<void> | undefined;
  #ownedPartitions: OwnedPartitions | undefined;
  #takeover: PartitionTakeover | undefined;
  #handover: PartitionHandover | undefined;
  readonly #reconcileLoop: PlacementReconcileLoop;
  readonly #storeHealthWatch: StoreHealthWatch;
  /** Takeovers and handovers in progress. */
  readonly #tasksInProgress = new Set<Promise<void>>();
  #isDraining = false;
  #isLeaving = false;
  #isBatchedLeaveOverdue = false;
  #areKeysUnreachable = false;
  #stopWatchingKeys: (() => void) | undefined;
  /**
   * Timer of a lapsed lease. Until it fires, the partitions stay in memory and no request for them is answered. A
   * process that only stood still finds its key unchanged, and continues with them instead of loading all actors again.
   */
  #lapseGraceTimer: TimerHandle | undefined;
  #checkLeaveCompleted: () => void = () => {};

  constructor(kv: KeyValueStore, clock: Clock, store: PartitionEpochStore, options: ClusterPlacementOptions) {
    const { name, version, address } = options;
    this.#kv = kv;
    this.#clock = clock;
    this.#epochStore = store;
    this.#baseHostId = options.id ?? randomBytes(4).toString('hex');
    this.#hostDescription = { name, version, address };
    this.#sharing = options.sharing ?? 'even';
    this.#leaseTimes = options.times ?? HOST_LEASE_TIMES;
    this.#onError = options.onError ?? (() => {});
    this.#logInfo = options.logInfo ?? (() => {});
    this.#logWarning = options.logWarning ?? (() => {});
    this.#clusterMembers = new ClusterMembers(this.#leaseTimes);
    this.#partitionTableCopy = new PartitionTableCopy(kv);
    this.#storeHealthWatch = new StoreHealthWatch(clock, options.pingStore ?? (async () => {}));
    this.#hostLease = new HostLease(kv, clock, {
      baseHostId: this.#baseHostId,
      hostDescription: this.#hostDescription,
      sharing: this.#sharing,
      leaseTimes: this.#leaseTimes,
      readFlags: () => this.#makePlacementFlags(),
    });
    this.#reconcileLoop = new PlacementReconcileLoop(clock, {
      runRound: () => this.#runReconcileRound(),
      onRoundEnd: (error) => this.#handleRoundEnd(error),
      computePauseMs: () => this.#computeRoundPauseMs(),
    });
  }

  /**
   * Resolves when this host has joined and serves the partitions that had no owner. Rejects if the keys can't be
   * reached.
   */
  start(owner: PartitionOwnershipListener): Promise<void> {
    this.#joinOutcome = this.#joinCluster(owner);
    return this.#joinOutcome;
  }

  async #joinCluster(owner: PartitionOwnershipListener): Promise<void> {
    const owned = new OwnedPartitions(owner, this.#onError);
    this.#ownedPartitions = owned;
    const shared = { isLeaving: () => this.#isLeaving, desiredOwners: () => this.#computeDesiredOwners() };
    this.#takeover = new PartitionTakeover(
      {
        ...shared,
        clock: this.#clock,
        store: this.#epochStore,
        lease: this.#hostLease,
        members: this.#clusterMembers,
        table: this.#partitionTableCopy,
        isSuspended: () => this.#storeHealthWatch.isSuspended,
        onError: this.#onError,
        logInfo: this.#logInfo,
      },
      owned,
    );
    this.#handover = new PartitionHandover(this.#clock, this.#partitionTableCopy, owned, {
      ...shared,
      getHostId: () => this.#hostLease.id,
      isRecovering: () => this.#takeover?.hasClaimedRecently ?? false,
    });
    await this.#hostLease.start({
      onLapsed: () => {
        this.#logWarning({ id: this.#hostLease.id }, LEASE_LAPSED_WARNING);
        // A host that is leaving takes nothing back.
        if (this.#isLeaving) this.#loseLapsedPartitions();
        else
          this.#lapseGraceTimer = this.#clock.setTimeout(() => this.#loseLapsedPartitions(), this.#leaseTimes.leaseMs);
      },
      onEnded: () => this.#loseLapsedPartitions(),
      onRegained: () => {
        this.#clearLapseGrace();
        this.#reconcileLoop.requestRound();
      },
    });
    this.#storeHealthWatch.start();
    this.#stopWatchingKeys = this.#kv.watch((key, value) => this.#handleKeyChangeHint(key, value));
    try {
      await this.#reconcileLoop.start(() => Promise.all(this.#tasksInProgress));
    } catch (error) {
      await this.#stopAndReleaseLease();
      throw error;
    }
  }

  /** Loses all partitions, because the lease has lapsed for good, or long ago. */
  #loseLapsedPartitions(): void {
    this.#clearLapseGrace();
    void this.#ownedPartitions!.losePartitionsAtOnce();
  }

  #clearLapseGrace(): void {
    if (this.#lapseGraceTimer) this.#clock.clearTimeout(this.#lapseGraceTimer);
    this.#lapseGraceTimer = undefined;
  }

  mayAnswer(p: Partition): boolean {
    return (this.#ownedPartitions?.mayAnswerIfLeaseValid(p) ?? false) && this.#hostLease.isValid;
  }

  async stop(): Promise<void> {
    // A start in progress has to finish before `stop` can undo it.
    await this.#joinOutcome?.catch(() => {});
    const owned = this.#ownedPartitions;
    if (!owned || !this.#reconcileLoop.isRunning || this.#isLeaving) return;
    this.#isLeaving = true;
    if (!this.#hostLease.isValid) this.#loseLapsedPartitions();
    const over = (): boolean =>
      owned.ownedPartitionCount === 0 &&
      this.#tasksInProgress.size === 0 &&
      (!this.#hostLease.isValid ||
        this.#partitionTableCopy.currentTable.listPartitionsOwnedBy(this.#hostLease.id).length === 0);
    await this.#hostLease.sendHeartbeat();
    const late = this.#clock.setTimeout(() => {
      this.#isBatchedLeaveOverdue = true;
      this.#reconcileLoop.requestRound();
    }, BATCHED_LEAVE_TIMEOUT_MS);
    await new Promise<void>((resolve) => {
      const hard = this.#clock.setTimeout(resolve, LEAVE_TIMEOUT_MS);
      this.#checkLeaveCompleted = () => {
        if (!over()) return;
        this.#clock.clearTimeout(hard);
        resolve();
      };
      this.#reconcileLoop.requestRound();
    });
    this.#clock.clearTimeout(late);
    await owned.losePartitionsAtOnce();
    await this.#stopAndReleaseLease();
  }

  status(): PlacementStatus {
    return makePlacementStatus({
      id: this.#hostLease.id,
      members: this.#listAllHosts(),
      table: this.#partitionTableCopy.currentTable,
      leaseMsLeft: this.#hostLease.remainingMs,
      owned: this.#ownedPartitions?.getStatesByPartition() ?? new Map(),
      times: this.#leaseTimes,
    });
  }

  async #stopAndReleaseLease(): Promise<void> {
    this.#clearLapseGrace();
    this.#reconcileLoop.stop();
    this.#storeHealthWatch.stop();
    this.#stopWatchingKeys?.();
    await this.#hostLease.release();
  }

  #makePlacementFlags(): HostPlacementFlags {
    return {
      draining: this.#isDraining,
      leaving: this.#isLeaving,
      unable: this.#takeover?.isUnable ?? false,
      store: this.#storeHealthWatch.makeReport(),
      serving: this.#ownedPartitions?.listServing().length ?? 0,
    };
  }

  /** Wakes the loop for changes by other hosts, except mere heartbeats. */
  #handleKeyChangeHint(key: string, value: string): void {
    const host = hostIdOfRecordKey(key);
    if (host === this.#hostLease.id) return;
    const known = host === undefined ? undefined : this.#clusterMembers.findMember(host)?.value;
    if (host !== undefined && value !== '' && !isHostRecordChangedBeyondHeartbeat(known, parseHostRecord(value)))
      return;
    if (key === PARTITION_TABLE_KEY && value === this.#partitionTableCopy.lastWrittenText) return;
    if (host !== undefined || key === PARTITION_TABLE_KEY || isHostDrainRequestKey(key))
      this.#reconcileLoop.requestRound();
  }

  #handleRoundEnd(error?: unknown): void {
    if (error !== undefined && !this.#areKeysUnreachable) this.#onError(error);
    if (error === undefined && this.#areKeysUnreachable)
      this.#logInfo({}, 'the keys of the cluster can be reached again');
    this.#areKeysUnreachable = error !== undefined;
    this.#checkLeaveCompleted();
  }

  #computeRoundPauseMs(): number {
    const { renewMs, leaseMs } = this.#leaseTimes;
    // A host that is alone has no other host to time out, and writes arrive as hints: the slow round only covers a lost
    // hint.
    if (this.#isIdleAlone()) return leaseMs;
    // Without a valid lease, or without the keys, this host can't end the lease of another host, so there is no hurry.
    const expiry =
      this.#areKeysUnreachable || !this.#hostLease.isValid
        ? renewMs
        : this.#clusterMembers.msUntilNextExpiry(this.#hostLease.id);
    return Math.min(renewMs, Math.max(MIN_ROUND_PAUSE_MS, expiry));
  }

  #isIdleAlone(): boolean {
    if (
      this.#areKeysUnreachable ||
      !this.#hostLease.isValid ||
      this.#isLeaving ||
      this.#takeover!.isUnable ||
      this.#tasksInProgress.size > 0
    )
      return false;
    return this.#partitionTableCopy.currentTable.revision > 0 && this.#clusterMembers.isOnlyMember(this.#hostLease.id);
  }

  async #runReconcileRound(): Promise<void> {
    const sent = this.#clock.monotonic();
    const writes = this.#partitionTableCopy.ownWriteCount;
    let entries: ReadonlyMap<string, KeyValueEntry>;
    try {
      entries = await this.#kv.readAll();
    } catch (error) {
      this.#clusterMembers.recordFailedRead();
      throw error;
    }
    const table = PartitionTable.parse(entries.get(PARTITION_TABLE_KEY));
    this.#clusterMembers.recordRead(entries, table, sent, this.#clock.monotonic());
    // If this host wrote the table during the read, its own copy is newer than the table that was read.
    if (this.#partitionTableCopy.ownWriteCount === writes) this.#partitionTableCopy.currentTable = table;
    else this.#reconcileLoop.requestRound();
    this.#setDraining(entries.has(hostDrainRequestKey(this.#baseHostId)));
    if (!this.#hostLease.isValid) return;
    await this.#judgeAndActOnStoreHealth(sent);
    await this.#endSilentHosts();
    await this.#takeover!.claimFreePartitions();
    const begun = await this.#takeover!.takeOrPassOnAssignedPartitions();
    if (begun) this.#trackTaskInProgress(begun.done);
    this.#startNextHandoverBatch();
    await this.#removeOneDeadHostKey(entries);
  }

  /**
   * Gives up all partitions at once if only this host has lost the Store: a handover would have to write to the Store.
   * Draining hosts don't count as peers, because they would not take the partitions.
   */
  async #judgeAndActOnStoreHealth(sent: number): Promise<void> {
    const peers = [...this.#clusterMembers.listMembers()].filter(
      ({ id, value }) => id !== this.#hostLease.id && value.end === null && !value.draining,
    );
    const change = this.#storeHealthWatch.suspendOrReturnByPeerReports(peers, sent);
    if (!change) return;
    const { id } = this.#hostLease;
    const { state, answerMs } = this.#storeHealthWatch.makeReport();
    if (change === 'suspended') {
      const partitions = this.#ownedPartitions!.ownedPartitionCount;
      this.#logWarning(
        { id, store: state, answerMs, partitions },
        'this host lost the Store and others have it: it gives up its partitions',
      );
      await this.#ownedPartitions!.losePartitionsAtOnce();
    } else this.#logInfo({ id, store: state, answerMs }, 'the Store works again: this host takes partitions again');
    void this.#hostLease.sendHeartbeat();
  }

  #setDraining(draining: boolean): void {
    if (this.#isDraining === draining) return;
    this.#isDraining = draining;
    this.#logInfo({ id: this.#hostLease.id }, draining ? 'asked to own nothing' : 'asked to own partitions again');
    void this.#hostLease.sendHeartbeat();
  }

  *#listAllHosts(): Iterable<ClusterMember> {
    yield { id: this.#hostLease.id, value: { ...this.#makeOwnHostRecord(), end: null }, revision: 0, silentMs: 0 };
    for (const member of this.#clusterMembers.listMembers()) if (member.id !== this.#hostLease.id) yield member;
  }

  #makeOwnHostRecord(): ClusterMember['value'] {
    const sharing = this.#sharing;
    return { ...this.#hostDescription, ...this.#makePlacementFlags(), sharing, token: '', beat: 0, end: null };
  }

  #computeDesiredOwners(): DesiredPartitionOwners {
    const candidates: PartitionOwnerCandidate[] = [];
    for (const { id, value, silentMs } of this.#listAllHosts()) {
      candidates.push({ id, value, isFresh: silentMs < this.#leaseTimes.leaseMs / 2 });
    }
    return new DesiredPartitionOwners(candidates, this.#partitionTableCopy.currentTable);
  }

  /** Ends the keys of silent hosts. A silent host that continues later finds that it owns no partitions. */
  async #endSilentHosts(): Promise<void> {
    for (const { id, value, revision, silentMs } of [...this.#clusterMembers.listMembers()]) {
      if (value.end !== null || id === this.#hostLease.id || silentMs < this.#leaseTimes.leaseMs) continue;
      const ended = { ...value, end: 'expired' as const };
      const written = await this.#kv.put(hostRecordKey(id), JSON.stringify(ended), revision);
      if (written === undefined) continue;
      this.#clusterMembers.recordHostWrite(id, ended, written);
      this.#logInfo({ id, name: value.name }, 'a host is silent and counts as dead');
    }
  }

  #startNextHandoverBatch(): void {
    const next = this.#handover!.startNextBatch(this.#isBatchedLeaveOverdue);
    if (next) this.#trackTaskInProgress(next);
  }

  /** Runs a takeover or handover in parallel to the rounds, and wakes the loop when it is done. */
  #trackTaskInProgress(task: Promise<void>): void {
    const done: Promise<void> = task.catch(this.#onError).finally(() => {
      this.#tasksInProgress.delete(done);
      // The heartbeat reports the new number of partitions that this host serves.
      if (!this.#isLeaving) void this.#hostLease.sendHeartbeat();
      this.#checkLeaveCompleted();
      this.#reconcileLoop.requestRound();
    });
    this.#tasksInProgress.add(done);
  }

  /** Removes the keys of hosts that have been dead for long, and requests to drain them. */
  async #removeOneDeadHostKey(entries: ReadonlyMap<string, KeyValueEntry>): Promise<void> {
    const owners = this.#partitionTableCopy.currentTable.listOwnerHosts();
    for (const { id, value, revision, silentMs } of this.#clusterMembers.listMembers()) {
      if (value.end === null || silentMs < KEEP_DEAD_HOST_RECORD_MS || owners.has(id)) continue;
      const base = baseIdOfHostIncarnation(id);
      const wish = entries.get(hostDrainRequestKey(base));
      const back = [...this.#clusterMembers.listMembers()].some(
        (other) => other.value.end === null && baseIdOfHostIncarnation(other.id) === base,
      );
      if (wish && !back && value.end === 'expired' && silentMs < KEEP_SILENT_DRAINED_HOST_RECORD_MS) continue;
      if (wish && !back) await this.#kv.delete(hostDrainRequestKey(base), wish.revision);
      await this.#kv.delete(hostRecordKey(id), revision);
      return;
    }
  }
}
