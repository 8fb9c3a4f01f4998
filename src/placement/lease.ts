/**
 * A lease on one key: a heartbeat by compare-and-set, and the observation of somebody else's heartbeat.
 *
 * No wall clock and no TTL. Whoever waits measures on its own monotonic clock since it last saw the key change, and
 * takes over only by compare-and-set on that very revision. Whoever holds it counts from *sending* its last successful
 * renewal, less a margin, and so stops before anybody else can start. (Linux does not count the time in which a whole
 * machine is suspended; the epochs in the Store fence that case.)
 */
import { randomBytes } from 'node:crypto';
import type { Clock, TimerHandle } from '../clock/index.js';
import type { KeyValue, KvEntry } from './kv.js';

export interface LeaseTimes {
  /** Between two heartbeats, and between two looks at the key; milliseconds. */
  readonly renewMs: number;
  /** Without a change for this long, the key is free. */
  readonly leaseMs: number;
  /** Part of the lease that the holder does not use. */
  readonly margin: number;
}

export const LEASE_TIMES: LeaseTimes = { renewMs: 500, leaseMs: 2_500, margin: 0.2 };

export interface LeaseValue {
  readonly host: string;
  /** This very holder: a host that starts again is another one. */
  readonly holder: string;
  /** Largest epoch handed out under this lease or those before it. */
  readonly epoch: number;
  readonly beat: number;
  readonly released: boolean;
}

export interface LeaseEvents {
  /** The lease is ours from now on, as long as `valid`. */
  acquired(epoch: number): void;
  /** It may have become somebody else's; `valid` is false. Called once per acquisition, not after `release`. */
  lapsed(): void;
}

export class Lease {
  readonly #kv: KeyValue;
  readonly #clock: Clock;
  readonly #key: string;
  readonly #host: string;
  readonly #holder = randomBytes(12).toString('hex');
  readonly #times: LeaseTimes;
  #events: LeaseEvents | undefined;
  #timer: TimerHandle | undefined;
  #lapse: TimerHandle | undefined;
  #unwatch: (() => void) | undefined;
  #busy = false;
  #work: Promise<void> = Promise.resolve();
  #again = false;
  #stopped = true;
  #holding = false;
  #validUntil = 0;
  #revision = 0;
  /** When the revision was first seen, monotonic; while it is somebody else's. */
  #seenAt = 0;
  #seen = false;
  #epoch = 0;
  #beat = 0;
  #notBefore = 0;

  constructor(kv: KeyValue, clock: Clock, key: string, host: string, times: LeaseTimes = LEASE_TIMES) {
    this.#kv = kv;
    this.#clock = clock;
    this.#key = key;
    this.#host = host;
    this.#times = times;
  }

  get valid(): boolean {
    return this.#holding && this.#clock.monotonic() < this.#validUntil;
  }

  /** Resolves after the first look at the key (and taking it, if it was free); rejects when it can't be looked at. */
  async start(events: LeaseEvents): Promise<void> {
    this.#events = events;
    this.#stopped = false;
    this.#busy = true;
    try {
      await this.#look();
    } catch (error) {
      this.#stopped = true;
      throw error;
    } finally {
      this.#busy = false;
    }
    this.#unwatch = this.#kv.watch(this.#key, () => {
      if (!this.#holding) this.#step();
    });
    this.#arm();
  }

  /** Carried in the key from the next heartbeat on, for whoever comes after us. */
  raiseEpoch(epoch: number): void {
    this.#epoch = Math.max(this.#epoch, epoch);
  }

  /** Give the lease back at once, and don't ask for it again for a while (0: at all, stop). */
  async release(pauseMs = 0): Promise<void> {
    if (pauseMs === 0) {
      this.#stopped = true;
      this.#unwatch?.();
      if (this.#timer) this.#clock.clearTimeout(this.#timer);
    }
    this.#notBefore = this.#clock.monotonic() + pauseMs;
    // A heartbeat under way would change the revision that we name.
    await this.#work;
    if (this.#holding) await this.#giveBack();
  }

  async #giveBack(): Promise<void> {
    this.#holding = false;
    if (this.#lapse) this.#clock.clearTimeout(this.#lapse);
    try {
      await this.#put(true);
    } catch {
      // Then it expires by itself.
    }
  }

  #arm(): void {
    if (this.#stopped) return;
    if (this.#timer) this.#clock.clearTimeout(this.#timer);
    const now = this.#clock.monotonic();
    const free = this.#holding ? Number.POSITIVE_INFINITY : this.#seenAt + this.#times.leaseMs - now;
    const wait = free > 0 ? Math.min(Math.ceil(free), this.#times.renewMs) : this.#times.renewMs;
    this.#timer = this.#clock.setTimeout(() => this.#step(), wait);
  }

  /** One heartbeat or one look at a time; what comes meanwhile is done once afterwards. */
  #step(): void {
    if (this.#stopped) return;
    if (this.#busy) {
      this.#again = true;
      return;
    }
    this.#busy = true;
    this.#again = false;
    // The next beat is due a fixed time after this one was begun, however long it takes.
    this.#arm();
    this.#work = (this.#holding ? this.#renew() : this.#look())
      .catch(() => {})
      .finally(() => {
        this.#busy = false;
        if (this.#again) this.#step();
        else if (!this.#holding) this.#arm();
      });
  }

  async #look(): Promise<void> {
    this.#observe(await this.#kv.get(this.#key));
    if (this.#stopped || this.#holding) return;
    const now = this.#clock.monotonic();
    if (now < this.#notBefore || now < this.#seenAt + this.#times.leaseMs) return;
    // Whatever comes of it, not again at once: our own write also wakes us.
    this.#notBefore = now + this.#times.renewMs;
    const acquired = await this.#put(false);
    if (!acquired) this.#seen = false;
    else if (this.#stopped) await this.#giveBack();
    else this.#events?.acquired(this.#epoch);
  }

  async #renew(): Promise<void> {
    for (let attempt = 0; attempt < 2 && this.#holding; attempt++) {
      try {
        if (await this.#put(false)) return;
      } catch {
        // Unknown outcome: it may have been written, at another revision.
      }
      const entry = await this.#kv.get(this.#key);
      if (!this.#holding) return;
      if (entry && parse(entry).holder === this.#holder) this.#revision = entry.revision;
      else this.#lost();
    }
  }

  /** @returns false when another write came first */
  async #put(released: boolean): Promise<boolean> {
    const sent = this.#clock.monotonic();
    const value: LeaseValue = {
      host: this.#host,
      holder: this.#holder,
      epoch: this.#epoch,
      beat: ++this.#beat,
      released,
    };
    const wasHolding = this.#holding;
    const revision = await this.#kv.put(this.#key, JSON.stringify(value), this.#revision);
    if (revision === undefined) return false;
    this.#revision = revision;
    if (released) return true;
    // It lapsed, or was given back, while the answer was under way.
    if (wasHolding && !this.#holding) return true;
    const until = sent + this.#times.leaseMs * (1 - this.#times.margin);
    if (this.#clock.monotonic() >= until) {
      if (this.#holding) this.#lost();
      return this.#holding;
    }
    this.#holding = true;
    this.#validUntil = until;
    if (this.#lapse) this.#clock.clearTimeout(this.#lapse);
    this.#lapse = this.#clock.setTimeout(() => this.#lost(), until - this.#clock.monotonic());
    return true;
  }

  #lost(): void {
    if (!this.#holding) return;
    this.#holding = false;
    if (this.#lapse) this.#clock.clearTimeout(this.#lapse);
    this.#seen = false;
    this.#events?.lapsed();
    this.#arm();
  }

  #observe(entry: KvEntry | undefined): void {
    const value = entry && parse(entry);
    if (value) this.#epoch = Math.max(this.#epoch, value.epoch);
    const revision = entry?.revision ?? 0;
    if (revision !== this.#revision || !this.#seen) {
      this.#revision = revision;
      this.#seen = true;
      this.#seenAt = this.#clock.monotonic();
    }
    // Nobody holds it, or we did and nobody came after us: no need to wait.
    if (!value || value.released || value.holder === this.#holder) this.#seenAt = Number.NEGATIVE_INFINITY;
  }
}

function parse(entry: KvEntry): LeaseValue {
  const read = JSON.parse(entry.value) as Partial<LeaseValue>;
  return {
    host: read.host ?? '',
    holder: read.holder ?? '',
    epoch: read.epoch ?? 0,
    beat: read.beat ?? 0,
    released: read.released ?? false,
  };
}
