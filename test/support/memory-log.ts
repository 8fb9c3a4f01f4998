import { randomUUID } from 'node:crypto';
import type { Json } from '#base';
import type { Clock } from '#base/clock';
import { type LogSeq, type RealmId, toLogSeq } from '#model';
import {
  type EventLog,
  type EventLogBounds,
  type EventLogReader,
  type EventLogRetentionLimits,
  type EventLogSubscription,
  EventLogUnavailableError,
  type PreparedLogAppend,
} from '#ports/log';
import { packJsonToBuffer, unpackJson } from '#ports/store';

export type LogStep = 'before:append' | 'after:append' | 'before:position' | 'before:publish';
/**
 * Awaited around a step. Before: nothing is stored yet. After: the entry is stored and on its way to subscribers, but
 * the caller doesn't know it.
 */
export type LogGate = (step: LogStep, realm: RealmId) => Promise<void> | void;
/**
 * Runs a delivery later. Deliveries to different subscribers may run in any order, those to one subscriber keep theirs.
 */
export type LogScheduler = (deliver: () => void) => void;

interface Entry {
  readonly seq: number;
  readonly value: Json;
  readonly bytes: number;
  readonly at: number;
}

interface RealmContents {
  end: number;
  trimmed: number;
  bytes: number;
  entries: Entry[];
}

/** Contents that several MemoryLogs (one per simulated host) share. */
export class MemoryLogContents {
  incarnation: string = randomUUID();
  readonly realms = new Map<RealmId, RealmContents>();
  readonly subscriptions = new Set<Subscription>();

  realm(realm: RealmId): RealmContents {
    let of = this.realms.get(realm);
    if (!of) {
      of = { end: 0, trimmed: 0, bytes: 0, entries: [] };
      this.realms.set(realm, of);
    }
    return of;
  }

  /** Retained entries of a realm, oldest first. */
  entries(realm: RealmId): { seq: number; value: Json }[] {
    return this.realm(realm).entries.map(({ seq, value }) => ({ seq, value }));
  }

  /** Drops entries up to and including `upTo`. */
  trim(realm: RealmId, upTo: number): void {
    const of = this.realm(realm);
    while (of.entries[0] && of.entries[0].seq <= upTo) {
      const dropped = of.entries.shift() as Entry;
      of.trimmed = dropped.seq;
      of.bytes -= dropped.bytes;
    }
  }

  /** Simulates the loss of the log service's data: a new incarnation that starts from sequence 1. */
  lose(): void {
    this.realms.clear();
    this.incarnation = randomUUID();
  }

  wake(realm: RealmId): void {
    for (const s of this.subscriptions) if (s.realm === realm) s.wake();
  }
}

export interface MemoryLogOptions {
  readonly limits?: EventLogRetentionLimits;
  /** Required for trimming by age. */
  readonly clock?: Clock;
  readonly gate?: LogGate;
  readonly schedule?: LogScheduler;
  readonly contents?: MemoryLogContents;
  /** Whether entries can be appended in the transaction of a Store commit. */
  readonly joinsCommits?: boolean;
}

/** Append that calls `store` in the transaction of a commit. */
export function makePreparedAppend(store: () => LogSeq, settle: () => void): PreparedLogAppend {
  let position = toLogSeq(0);
  return {
    get position() {
      return position;
    },
    write: () => {
      position = store();
    },
    settle,
  };
}

/** EventLog over arrays, for tests and the simulator. Values are deep-frozen, so a reader that modifies one throws. */
export class MemoryLog implements EventLog {
  readonly contents: MemoryLogContents;
  gate: LogGate | undefined;
  schedule: LogScheduler;
  readonly #options: MemoryLogOptions;
  readonly #mine = new Set<Subscription>();
  readonly prepareAppend: EventLog['prepareAppend'];
  #closed = false;

  constructor(options: MemoryLogOptions = {}) {
    this.#options = options;
    this.prepareAppend = options.joinsCommits ? (realm, value) => this.#prepareAppend(realm, value) : undefined;
    this.contents = options.contents ?? new MemoryLogContents();
    this.gate = options.gate;
    this.schedule = options.schedule ?? queueMicrotask;
  }

  /** MemoryLog of another simulated host: shared contents, its own gate and scheduler. */
  peer(own: { gate?: LogGate; schedule?: LogScheduler } = {}): MemoryLog {
    const { limits, clock, joinsCommits = false } = this.#options;
    const shared = { ...(limits && { limits }), ...(clock && { clock }), contents: this.contents, joinsCommits };
    return new MemoryLog({ ...shared, ...own });
  }

  async append(realm: RealmId, value: Json): Promise<LogSeq> {
    if (this.#closed) throw new EventLogUnavailableError('closed');
    const packed = packJsonToBuffer(value);
    if (this.gate) await this.gate('before:append', realm);
    const seq = this.#store(realm, packed);
    this.contents.wake(realm);
    if (this.gate) await this.gate('after:append', realm);
    return seq;
  }

  #store(realm: RealmId, packed: Buffer): LogSeq {
    const of = this.contents.realm(realm);
    const at = this.#options.clock?.now() ?? 0;
    const entry = { seq: of.end + 1, value: freeze(unpackJson(packed)), bytes: packed.length, at };
    of.end = entry.seq;
    of.bytes += entry.bytes;
    of.entries.push(entry);
    this.#trim(realm, of, at);
    return toLogSeq(entry.seq);
  }

  #prepareAppend(realm: RealmId, value: Json): PreparedLogAppend {
    if (this.#closed) throw new EventLogUnavailableError('closed');
    const packed = packJsonToBuffer(value);
    return makePreparedAppend(
      () => this.#store(realm, packed),
      () => this.contents.wake(realm),
    );
  }

  #trim(realm: RealmId, of: RealmContents, now: number): void {
    const limits = this.#options.limits;
    if (!limits) return;
    let bytes = of.bytes;
    let upTo = 0;
    for (const e of of.entries) {
      const old = now - e.at > limits.maxAgeMs;
      // The newest entry stays whatever its size: otherwise no reader could ever get it.
      if (!old && (bytes <= limits.maxBytes || e.seq === of.end)) break;
      bytes -= e.bytes;
      upTo = e.seq;
    }
    this.contents.trim(realm, upTo);
  }

  publishTransient(realm: RealmId, value: Json): void {
    const sent = freeze(unpackJson(packJsonToBuffer(value)));
    const send = (): void => {
      for (const s of this.contents.subscriptions) if (s.realm === realm) s.transient(sent);
    };
    // A rejecting gate loses the value, as the contract allows.
    if (this.gate) Promise.resolve(this.gate('before:publish', realm)).then(send, () => undefined);
    else send();
  }

  async readBounds(realm: RealmId): Promise<EventLogBounds> {
    if (this.#closed) throw new EventLogUnavailableError('closed');
    if (this.gate) await this.gate('before:position', realm);
    const { end, trimmed } = this.contents.realm(realm);
    return { end: toLogSeq(end), trimmed: toLogSeq(trimmed), incarnation: this.contents.incarnation };
  }

  subscribe(realm: RealmId, after: LogSeq, reader: EventLogReader): EventLogSubscription {
    if (this.#closed) throw new EventLogUnavailableError('closed');
    const s = new Subscription(this.contents, realm, after, reader, (fn) => this.schedule(fn), this.#mine);
    s.wake();
    return s;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const s of [...this.#mine]) s.close();
  }
}

class Subscription implements EventLogSubscription {
  readonly realm: RealmId;
  readonly #contents: MemoryLogContents;
  readonly #reader: EventLogReader;
  readonly #schedule: LogScheduler;
  readonly #owner: Set<Subscription>;
  #position: number;
  #scheduled = false;
  #closed = false;
  #transients: Json[] = [];
  #waiting: { until: number; done: (at: LogSeq) => void; failed: (error: Error) => void }[] = [];

  constructor(
    contents: MemoryLogContents,
    realm: RealmId,
    after: LogSeq,
    reader: EventLogReader,
    schedule: LogScheduler,
    owner: Set<Subscription>,
  ) {
    this.#contents = contents;
    this.realm = realm;
    this.#position = after;
    this.#reader = reader;
    this.#schedule = schedule;
    this.#owner = owner;
    contents.subscriptions.add(this);
    owner.add(this);
  }

  get position(): LogSeq {
    return toLogSeq(this.#position);
  }

  transient(value: Json): void {
    this.#transients.push(value);
    this.wake();
  }

  wake(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    this.#schedule(() => {
      this.#scheduled = false;
      if (!this.#closed) this.#step();
    });
  }

  /** Delivers one entry per turn, so that a scheduler can run other work between two deliveries. */
  #step(): void {
    const of = this.#contents.realm(this.realm);
    if (this.#position < of.trimmed) {
      this.#position = of.trimmed;
      this.#reader.onGap(toLogSeq(of.trimmed));
    } else {
      const next = of.entries[this.#position - of.trimmed];
      if (next) {
        this.#position = next.seq;
        this.#reader.onEntry(toLogSeq(next.seq), next.value);
      } else {
        const value = this.#transients.shift();
        if (value !== undefined) this.#reader.onTransient(value);
      }
    }
    const reached = this.#waiting.filter((w) => w.until <= this.#position);
    this.#waiting = this.#waiting.filter((w) => w.until > this.#position);
    for (const w of reached) w.done(this.position);
    if (this.#position < of.end || this.#transients.length > 0) this.wake();
  }

  waitUntilCaughtUp(): Promise<LogSeq> {
    if (this.#closed) return Promise.reject(new EventLogUnavailableError('subscription closed'));
    const until = this.#contents.realm(this.realm).end;
    if (this.#position >= until) return Promise.resolve(this.position);
    return new Promise((done, failed) => this.#waiting.push({ until, done, failed }));
  }

  close(): void {
    this.#closed = true;
    this.#contents.subscriptions.delete(this);
    this.#owner.delete(this);
    for (const w of this.#waiting.splice(0)) w.failed(new EventLogUnavailableError('subscription closed'));
  }
}

function freeze(value: Json): Json {
  if (value !== null && typeof value === 'object' && !(value instanceof Uint8Array) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) if (inner !== undefined) freeze(inner);
  }
  return value;
}
