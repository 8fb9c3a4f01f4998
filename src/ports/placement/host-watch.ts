/**
 * Watches whether any actor host is alive and able to take partitions, for processes that are not hosts: frontends and
 * the command line.
 */
import type { Clock, TimerHandle } from '#base/clock';
import { observeClusterStatus } from './cluster-view.js';
import type { KeyValueStore } from './kv.js';
import { NoPlacementBucketError } from './kv-nats.js';
import { HOST_LEASE_TIMES } from './lease.js';
import { ClusterMembers } from './members.js';
import { PARTITION_TABLE_KEY, PartitionTable } from './partition-table.js';

/**
 * Interval between two reads of all keys (one request for any number of hosts): the longest time that `ClusterMembers`
 * counts between two reads.
 */
const HOST_CHECK_INTERVAL_MS = 2 * HOST_LEASE_TIMES.renewMs;

/**
 * Milliseconds after the last sight of a host that can take partitions, during which such a host counts as known.
 * Without CPU, all hosts may at times be silent together for longer than a lease, and then continue.
 */
const ABLE_HOST_MEMORY_MS = 10_000;

/** Watches whether any actor host is alive, and since when there is none. */
export class HostAbsenceWatch {
  readonly #clusterMembers = new ClusterMembers(HOST_LEASE_TIMES);
  /** Number of hosts that wrote a heartbeat within a lease; undefined if the keys can't be reached. */
  #livingHostCount: number | undefined;
  #noLivingHostSince: number | undefined;
  /** Monotonic time (ms) of the last read that showed a host that can take partitions. */
  #hostWasAbleAt = Number.NEGATIVE_INFINITY;
  #nextReadTimer: TimerHandle | undefined;
  #isStopped = false;

  constructor(
    private readonly kv: KeyValueStore,
    private readonly clock: Clock,
  ) {}

  /** Resolves after the first read. Never rejects. */
  async start(): Promise<void> {
    await this.#readHosts();
    if (this.#isStopped) return;
    this.#nextReadTimer = this.clock.setTimeout(() => void this.start(), HOST_CHECK_INTERVAL_MS);
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#nextReadTimer) this.clock.clearTimeout(this.#nextReadTimer);
  }

  get isNoHostAlive(): boolean {
    return this.#livingHostCount === 0;
  }

  /**
   * True if a living host can take partitions, or could within the last `ABLE_HOST_MEMORY_MS`: it was not leaving, and
   * reported neither a failed takeover nor a failing Store.
   */
  get isHostAble(): boolean {
    return this.clock.monotonic() - this.#hostWasAbleAt < ABLE_HOST_MEMORY_MS;
  }

  /** Milliseconds for which no host has been alive; 0 if one is alive, or if that isn't known. */
  get noHostAliveMs(): number {
    return this.#noLivingHostSince === undefined ? 0 : this.clock.monotonic() - this.#noLivingHostSince;
  }

  /**
   * Reads until a host writes a heartbeat, or all hosts have been silent for long enough. Rejects if the keys can't be
   * reached.
   */
  async observeWhetherAnyHostIsAlive(): Promise<boolean> {
    try {
      const { hosts } = await observeClusterStatus(this.kv, this.clock);
      return hosts.some(({ state }) => state !== 'dead' && state !== 'silent');
    } catch (error) {
      if (error instanceof NoPlacementBucketError) return false;
      throw error;
    }
  }

  async #readHosts(): Promise<void> {
    const sent = this.clock.monotonic();
    try {
      const entries = await this.kv.readAll();
      this.#clusterMembers.recordRead(
        entries,
        PartitionTable.parse(entries.get(PARTITION_TABLE_KEY)),
        sent,
        this.clock.monotonic(),
      );
      const living = [...this.#clusterMembers.listMembers()].filter(
        ({ revision, value, silentMs }) => revision > 0 && value.end === null && silentMs < HOST_LEASE_TIMES.leaseMs,
      );
      this.#livingHostCount = living.length;
      if (living.some(({ value }) => !value.leaving && !value.unable && value.store?.state !== 'fails'))
        this.#hostWasAbleAt = this.clock.monotonic();
    } catch (error) {
      this.#clusterMembers.recordFailedRead();
      // If there is no bucket, no host has ever started.
      this.#livingHostCount = error instanceof NoPlacementBucketError ? 0 : undefined;
    }
    if (this.#livingHostCount !== 0) this.#noLivingHostSince = undefined;
    else this.#noLivingHostSince ??= this.clock.monotonic();
  }
}
