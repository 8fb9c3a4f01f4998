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

interface LeaseEvents {
  /**
   * Called when `valid` has become false: other hosts may take our partitions. If another host ended our key, `id` has
   * changed too.
   */
  lapsed(): void;
  /**
   * Called when `valid` has become true again. If the id is the same, no other host has taken any of our partitions.
   */
  regained(): void;
}

interface LeaseOptions {
  /** Random id of this process, which all its incarnations contain. */
  readonly base: string;
  readonly facts: HostDescription;
  readonly times: HostLeaseTimes;
  /** Returns the flags for the next heartbeat. */
  flags(): HostPlacementFlags;
}

export class HostLease {
  readonly #kv: KeyValueStore;
  readonly #clock: Clock;
  readonly #options: LeaseOptions;
  readonly #token = randomBytes(12).toString('hex');
  #events: LeaseEvents | undefined;
  #incarnation = 1;
  #revision = 0;
  #beat = 0;
  /** Time at which the last heartbeat was sent, monotonic ms. */
  #sent = 0;
  #holding = false;
  #validUntil = 0;
  #stopBeats: () => void = () => {};
  #lapse: TimerHandle | undefined;
  #stopped = true;
  #busy = false;
  #again = false;
  #work: Promise<void> = Promise.resolve();

  constructor(kv: KeyValueStore, clock: Clock, options: LeaseOptions) {
    this.#kv = kv;
    this.#clock = clock;
    this.#options = options;
  }

  /** Id of this host; changes when another host ended our key. */
  get id(): string {
    return hostIncarnationId(this.#options.base, this.#incarnation);
  }

  get valid(): boolean {
    return this.#holding && this.#clock.monotonic() < this.#validUntil;
  }

  /** Milliseconds for which `valid` will stay true without another heartbeat. */
  get msLeft(): number {
    return this.#holding ? Math.max(0, this.#validUntil - this.#clock.monotonic()) : 0;
  }

  /** Starts the heartbeats. Rejects if the first one can't be written. */
  async start(events: LeaseEvents): Promise<void> {
    this.#stopped = false;
    for (let attempts = 0; !this.#holding; attempts++) {
      // The next attempt uses another id if another process has this one.
      if (attempts === 3) throw new Error('no heartbeat could be written');
      try {
        await this.#renew();
      } catch (error) {
        this.#stopped = true;
        throw error;
      }
    }
    this.#events = events;
    this.#stopBeats = runPeriodically(this.#clock, this.#options.times.renewMs, () => void this.beat());
  }

  /** Sends a heartbeat now, because its flags have changed. Resolves after the attempt. */
  beat(): Promise<void> {
    if (this.#busy) {
      this.#again = true;
      return this.#work;
    }
    if (this.#stopped) return Promise.resolve();
    this.#busy = true;
    this.#work = this.#renew()
      .catch(() => {})
      .then(() => {
        this.#busy = false;
        if (!this.#again || this.#stopped) return undefined;
        this.#again = false;
        return this.beat();
      });
    return this.#work;
  }

  /** Ends the lease with a last heartbeat. */
  async release(): Promise<void> {
    this.#stopped = true;
    this.#stopBeats();
    // A heartbeat in flight would change the revision that the last write expects.
    await this.#work;
    this.#holding = false;
    if (this.#lapse) this.#clock.clearTimeout(this.#lapse);
    try {
      if (this.#revision > 0) await this.#kv.put(hostRecordKey(this.id), this.#value('released'), this.#revision);
    } catch {
      // If this last write fails, the lease simply expires.
    }
  }

  async #renew(): Promise<void> {
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        if (await this.#put()) return;
      } catch {
        // The outcome of the heartbeat is unknown: it may have been written, at another revision.
      }
      const entry = await this.#kv.get(hostRecordKey(this.id));
      const value = entry && parseHostRecord(entry.value);
      if (value?.token === this.#token && value.end === null) {
        this.#revision = entry!.revision;
        if (value.beat === this.#beat) return this.#extend();
      }
      // The first heartbeat was apparently not written, so it is tried once more under the same id.
      else if (!entry && this.#revision === 0) continue;
      else this.#ended();
    }
  }

  /** Writes the heartbeat. @returns false if another host wrote the key */
  async #put(): Promise<boolean> {
    this.#sent = this.#clock.monotonic();
    const revision = await this.#kv.put(hostRecordKey(this.id), this.#value(null), this.#revision);
    if (revision === undefined) return false;
    this.#revision = revision;
    this.#extend();
    return true;
  }

  /** Extends the lease after a heartbeat was written. */
  #extend(): void {
    const { leaseMs, margin } = this.#options.times;
    const until = this.#sent + leaseMs * (1 - margin);
    const now = this.#clock.monotonic();
    if (this.#stopped || now >= until) return;
    this.#validUntil = until;
    if (this.#lapse) this.#clock.clearTimeout(this.#lapse);
    this.#lapse = this.#clock.setTimeout(() => this.#lapsed(), until - now);
    if (!this.#holding) {
      this.#holding = true;
      this.#events?.regained();
    }
  }

  #value(end: HostRecord['end']): string {
    const { facts, flags } = this.#options;
    return JSON.stringify({ ...facts, ...flags(), token: this.#token, beat: ++this.#beat, end } satisfies HostRecord);
  }

  /** Called when another host has ended our key: nothing that this id owned is ours any more. */
  #ended(): void {
    this.#incarnation++;
    this.#revision = 0;
    this.#lapsed();
  }

  #lapsed(): void {
    if (!this.#holding) return;
    this.#holding = false;
    if (this.#lapse) this.#clock.clearTimeout(this.#lapse);
    this.#events?.lapsed();
  }
}
