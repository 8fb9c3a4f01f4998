/**
 * The lease of one host, renewed by compare-and-set heartbeats on a key of its own. The lease covers all partitions of
 * the host.
 *
 * The lease needs no wall clock and no TTL. The holder counts from *sending* its last successful renewal, less a
 * margin. A host that wants to take over waits until it has seen no change of the key for a whole lease by its own
 * monotonic clock. It then ends the key by compare-and-set on exactly that revision, so that the holder's next renewal
 * fails. So the holder stops before another host can start, and learns when another host did. (Linux doesn't count time
 * during which the whole machine is suspended; the epochs in the Store fence that case.)
 */
import { randomBytes } from 'node:crypto';
import { type Clock, runPeriodically, type TimerHandle } from '#base/clock';
import {
  type HostDescription,
  type HostPlacementFlags,
  type HostRecord,
  hostIncarnationId,
  hostRecordKey,
  type PartitionSharing,
  parseHostRecord,
} from './host-record.js';
import type { KeyValueStore } from './kv.js';

export interface HostLeaseTimes {
  /** Interval between two heartbeats, and between two reads of the keys; milliseconds. */
  readonly renewMs: number;
  /** A host whose key doesn't change for this long counts as dead; milliseconds. */
  readonly leaseMs: number;
  /** Fraction of the lease at its end that the holder does not use. */
  readonly margin: number;
}

export const HOST_LEASE_TIMES: HostLeaseTimes = { renewMs: 500, leaseMs: 2_000, margin: 0.2 };

interface HostLeaseListener {
  /** Called when `isValid` has become false, because no heartbeat was written in time: other hosts may end our key. */
  onLapsed(): void;
  /** Called when another host has ended our key, after `id` has changed: nothing that the former id owned is ours. */
  onEnded(): void;
  /**
   * Called when `isValid` has become true again. If the id is the same, no other host has taken any of our partitions.
   */
  onRegained(): void;
}

interface HostLeaseOptions {
  /** Random id of this process, which all its incarnations contain. */
  readonly baseHostId: string;
  readonly hostDescription: HostDescription;
  readonly sharing: PartitionSharing;
  readonly leaseTimes: HostLeaseTimes;
  /** Returns the flags for the next heartbeat. */
  readFlags(): HostPlacementFlags;
}

export class HostLease {
  readonly #kv: KeyValueStore;
  readonly #clock: Clock;
  readonly #leaseOptions: HostLeaseOptions;
  readonly #processToken = randomBytes(12).toString('hex');
  #leaseListener: HostLeaseListener | undefined;
  #incarnationNumber = 1;
  #hostKeyRevision = 0;
  #lastHeartbeatNumber = 0;
  /** Time at which the last heartbeat was sent, monotonic ms. */
  #lastHeartbeatSentAt = 0;
  #isHoldingLease = false;
  #leaseValidUntil = 0;
  #stopHeartbeats: () => void = () => {};
  #lapseTimer: TimerHandle | undefined;
  #isStopped = true;
  #isSendingHeartbeat = false;
  #mustSendAgain = false;
  #heartbeatInProgress: Promise<void> = Promise.resolve();

  constructor(kv: KeyValueStore, clock: Clock, options: HostLeaseOptions) {
    this.#kv = kv;
    this.#clock = clock;
    this.#leaseOptions = options;
  }

  /** Id of this host; changes when another host ended our key. */
  get id(): string {
    return hostIncarnationId(this.#leaseOptions.baseHostId, this.#incarnationNumber);
  }

  get isValid(): boolean {
    return this.#isHoldingLease && this.#clock.monotonic() < this.#leaseValidUntil;
  }

  /** Milliseconds for which `isValid` will stay true without another heartbeat. */
  get remainingMs(): number {
    return this.#isHoldingLease ? Math.max(0, this.#leaseValidUntil - this.#clock.monotonic()) : 0;
  }

  /** Starts the heartbeats. Rejects if the first one can't be written. */
  async start(events: HostLeaseListener): Promise<void> {
    this.#isStopped = false;
    for (let attempts = 0; !this.#isHoldingLease; attempts++) {
      // The next attempt uses another id if another process has this one.
      if (attempts === 3) throw new Error('no heartbeat could be written');
      try {
        await this.#renewLease();
      } catch (error) {
        this.#isStopped = true;
        throw error;
      }
    }
    this.#leaseListener = events;
    this.#stopHeartbeats = runPeriodically(
      this.#clock,
      this.#leaseOptions.leaseTimes.renewMs,
      () => void this.sendHeartbeat(),
    );
  }

  /** Sends a heartbeat now, because its flags have changed. Resolves after the attempt. */
  sendHeartbeat(): Promise<void> {
    if (this.#isSendingHeartbeat) {
      this.#mustSendAgain = true;
      return this.#heartbeatInProgress;
    }
    if (this.#isStopped) return Promise.resolve();
    this.#isSendingHeartbeat = true;
    this.#heartbeatInProgress = this.#renewLease()
      .catch(() => {})
      .then(() => {
        this.#isSendingHeartbeat = false;
        if (!this.#mustSendAgain || this.#isStopped) return undefined;
        this.#mustSendAgain = false;
        return this.sendHeartbeat();
      });
    return this.#heartbeatInProgress;
  }

  /** Ends the lease with a last heartbeat. */
  async release(): Promise<void> {
    this.#isStopped = true;
    this.#stopHeartbeats();
    // A heartbeat in flight would change the revision that the last write expects.
    await this.#heartbeatInProgress;
    this.#isHoldingLease = false;
    if (this.#lapseTimer) this.#clock.clearTimeout(this.#lapseTimer);
    try {
      if (this.#hostKeyRevision > 0)
        await this.#kv.put(hostRecordKey(this.id), this.#encodeHostRecord('released'), this.#hostKeyRevision);
    } catch {
      // If this last write fails, the lease simply expires.
    }
  }

  async #renewLease(): Promise<void> {
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        if (await this.#writeHeartbeat()) return;
      } catch {
        // The outcome of the heartbeat is unknown: it may have been written, at another revision.
      }
      const entry = await this.#kv.get(hostRecordKey(this.id));
      const value = entry && parseHostRecord(entry.value);
      if (value?.token === this.#processToken && value.end === null) {
        this.#hostKeyRevision = entry!.revision;
        if (value.beat === this.#lastHeartbeatNumber) return this.#extendLease();
      }
      // The first heartbeat was apparently not written, so it is tried once more under the same id.
      else if (!entry && this.#hostKeyRevision === 0) continue;
      else this.#startNextIncarnation();
    }
  }

  /** Writes the heartbeat. @returns false if another host wrote the key */
  async #writeHeartbeat(): Promise<boolean> {
    this.#lastHeartbeatSentAt = this.#clock.monotonic();
    const revision = await this.#kv.put(hostRecordKey(this.id), this.#encodeHostRecord(null), this.#hostKeyRevision);
    if (revision === undefined) return false;
    this.#hostKeyRevision = revision;
    this.#extendLease();
    return true;
  }

  /** Extends the lease after a heartbeat was written. */
  #extendLease(): void {
    const { leaseMs, margin } = this.#leaseOptions.leaseTimes;
    const until = this.#lastHeartbeatSentAt + leaseMs * (1 - margin);
    const now = this.#clock.monotonic();
    if (this.#isStopped || now >= until) return;
    this.#leaseValidUntil = until;
    if (this.#lapseTimer) this.#clock.clearTimeout(this.#lapseTimer);
    this.#lapseTimer = this.#clock.setTimeout(() => this.#handleLapse(), until - now);
    if (!this.#isHoldingLease) {
      this.#isHoldingLease = true;
      this.#leaseListener?.onRegained();
    }
  }

  #encodeHostRecord(end: HostRecord['end']): string {
    const { hostDescription, sharing, readFlags } = this.#leaseOptions;
    return JSON.stringify({
      ...hostDescription,
      ...readFlags(),
      sharing,
      token: this.#processToken,
      beat: ++this.#lastHeartbeatNumber,
      end,
    } satisfies HostRecord);
  }

  /** Called when another host has ended our key: nothing that this id owned is ours any more. */
  #startNextIncarnation(): void {
    this.#incarnationNumber++;
    this.#hostKeyRevision = 0;
    this.#handleLapse();
    this.#leaseListener?.onEnded();
  }

  #handleLapse(): void {
    if (!this.#isHoldingLease) return;
    this.#isHoldingLease = false;
    if (this.#lapseTimer) this.#clock.clearTimeout(this.#lapseTimer);
    this.#leaseListener?.onLapsed();
  }
}
