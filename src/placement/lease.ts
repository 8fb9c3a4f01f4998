/**
 * The heartbeat of one host, by compare-and-set on a key of its own. It holds for all that the host owns.
 *
 * No wall clock and no TTL. The holder counts from *sending* its last successful renewal, less a margin; whoever wants
 * to take over waits a whole lease of its own monotonic clock since it saw the key change, and then ends the key by
 * compare-and-set on that very revision, so that the next renewal fails. So the holder stops before anybody else can
 * start, and knows when somebody did. (Linux does not count the time in which a whole machine is suspended; the
 * epochs in the Store fence that case.)
 */
import { randomBytes } from 'node:crypto';
import { type Clock, every, type TimerHandle } from '../clock/index.js';
import { type HostFacts, type HostFlags, type HostRecord, hostKey, incarnation, parseHost } from './host-record.js';
import type { KeyValue } from './kv.js';

export interface LeaseTimes {
  /** Between two heartbeats, and between two looks at the keys; milliseconds. */
  readonly renewMs: number;
  /** Without a change for this long, a host counts as dead. */
  readonly leaseMs: number;
  /** Part of the lease that the holder does not use. */
  readonly margin: number;
}

export const LEASE_TIMES: LeaseTimes = { renewMs: 500, leaseMs: 2_000, margin: 0.2 };

export interface LeaseEvents {
  /** Others may have taken what we own; `valid` is false. Also when that is certain: then `id` is another one. */
  lapsed(): void;
  /** `valid` again. Under the same id nobody has taken anything meanwhile. */
  regained(): void;
}

export interface LeaseOptions {
  /** Of this process, random. */
  readonly base: string;
  readonly facts: HostFacts;
  readonly times: LeaseTimes;
  /** For the next heartbeat. */
  flags(): HostFlags;
}

export class HostLease {
  readonly #kv: KeyValue;
  readonly #clock: Clock;
  readonly #options: LeaseOptions;
  readonly #token = randomBytes(12).toString('hex');
  #events: LeaseEvents | undefined;
  #incarnation = 1;
  #revision = 0;
  #beat = 0;
  /** When the last heartbeat was sent; monotonic. */
  #sent = 0;
  #holding = false;
  #validUntil = 0;
  #stopBeats: () => void = () => {};
  #lapse: TimerHandle | undefined;
  #stopped = true;
  #busy = false;
  #again = false;
  #work: Promise<void> = Promise.resolve();

  constructor(kv: KeyValue, clock: Clock, options: LeaseOptions) {
    this.#kv = kv;
    this.#clock = clock;
    this.#options = options;
  }

  /** Changes when somebody ended our key. */
  get id(): string {
    return incarnation(this.#options.base, this.#incarnation);
  }

  get valid(): boolean {
    return this.#holding && this.#clock.monotonic() < this.#validUntil;
  }

  /** How long `valid` will hold without another heartbeat; milliseconds. */
  get msLeft(): number {
    return this.#holding ? Math.max(0, this.#validUntil - this.#clock.monotonic()) : 0;
  }

  /** Rejects when the first heartbeat can't be written. */
  async start(events: LeaseEvents): Promise<void> {
    this.#stopped = false;
    for (let attempts = 0; !this.#holding; attempts++) {
      // An id that somebody else has is left alone.
      if (attempts === 3) throw new Error('no heartbeat could be written');
      try {
        await this.#renew();
      } catch (error) {
        this.#stopped = true;
        throw error;
      }
    }
    this.#events = events;
    this.#stopBeats = every(this.#clock, this.#options.times.renewMs, () => void this.beat());
  }

  /** A heartbeat at once: what it says has changed. Resolves when it was tried. */
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

  /** The last word: nothing is ours any more. */
  async release(): Promise<void> {
    this.#stopped = true;
    this.#stopBeats();
    // A heartbeat under way would change the revision that we name.
    await this.#work;
    this.#holding = false;
    if (this.#lapse) this.#clock.clearTimeout(this.#lapse);
    try {
      if (this.#revision > 0) await this.#kv.put(hostKey(this.id), this.#value('released'), this.#revision);
    } catch {
      // Then it expires by itself.
    }
  }

  async #renew(): Promise<void> {
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        if (await this.#put()) return;
      } catch {
        // Unknown outcome: it may have been written, at another revision.
      }
      const entry = await this.#kv.get(hostKey(this.id));
      const value = entry && parseHost(entry.value);
      if (value?.token === this.#token && value.end === null) {
        this.#revision = entry!.revision;
        if (value.beat === this.#beat) return this.#extend();
      }
      // Never written, as far as can be seen: once more under the same id.
      else if (!entry && this.#revision === 0) continue;
      else this.#ended();
    }
  }

  /** @returns false when somebody else wrote the key */
  async #put(): Promise<boolean> {
    this.#sent = this.#clock.monotonic();
    const revision = await this.#kv.put(hostKey(this.id), this.#value(null), this.#revision);
    if (revision === undefined) return false;
    this.#revision = revision;
    this.#extend();
    return true;
  }

  /** The last heartbeat was written. */
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

  /** Somebody found us silent: whatever this id owned is no longer ours. */
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
