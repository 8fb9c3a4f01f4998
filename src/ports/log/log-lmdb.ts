import { randomUUID } from 'node:crypto';
import type { Json } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import { type LogSeq, type RealmId, toLogSeq } from '#model';
import { type LmdbEnvironment, packJsonToBuffer, unpackJson } from '#ports/store';
import {
  type EventLog,
  type EventLogBounds,
  type EventLogReader,
  type EventLogRetentionLimits,
  type EventLogSubscription,
  EventLogUnavailableError,
  type PreparedLogAppend,
} from './log.js';
import { LmdbEventLogTables } from './log-lmdb-entries.js';
import { LmdbEventLogSubscription } from './log-lmdb-subscription.js';

const LOG_META_TABLE_NAME = 'log-meta';

/**
 * Gives a restored environment a new incarnation of the log. Entries that clients have seen since the backup are
 * missing, so log positions get another meaning, and every earlier event queue ends.
 */
export const renewEventLogIncarnation = (environment: LmdbEnvironment): Promise<void> =>
  environment.runWriteTransaction(() => {
    environment.openTable(LOG_META_TABLE_NAME).put('incarnation', packJsonToBuffer(randomUUID()));
  });

/** Number of realms whose logs are trimmed in one transaction, before other work gets its turn. */
const MAX_REALMS_TRIMMED_AT_ONCE = 16;

/** An append from its encoding to the delivery of its entry. */
class LmdbLogAppend implements PreparedLogAppend {
  readonly bytes: Buffer;
  /** Position of the entry; 0 until the append's transaction has run. */
  #at = 0;
  /** Outcome of the append's transaction; undefined until that is settled. */
  isDone: boolean | undefined;

  constructor(
    private readonly log: LmdbLogAppendOwner,
    readonly realm: RealmId,
    readonly value: Json,
    readonly resolve: ((at: LogSeq) => void) | undefined,
    readonly reject: ((error: Error) => void) | undefined,
  ) {
    // The value is encoded now, so that later changes by its caller have no effect.
    this.bytes = packJsonToBuffer(value);
  }

  get position(): LogSeq {
    return toLogSeq(this.#at);
  }

  setPosition(at: number): void {
    this.#at = at;
  }

  write(): void {
    this.log.writeAppends([this]);
  }

  settle(done: boolean): void {
    this.isDone = done;
    this.log.scheduleDelivery();
  }
}

/** The methods of the log that its appends call. */
interface LmdbLogAppendOwner {
  writeAppends(appends: readonly LmdbLogAppend[]): void;
  scheduleDelivery(): void;
}

/** The event log of the embedded server, in the Store's environment. Positions of a realm count 1, 2, 3 … */
export class LmdbEventLog implements EventLog, LmdbLogAppendOwner {
  readonly #environment: LmdbEnvironment;
  readonly #logTables: LmdbEventLogTables;
  readonly #clock: Clock;
  readonly #limits: EventLogRetentionLimits;
  readonly #incarnation: string;
  readonly #subscriptionsByRealm = new Map<RealmId, Set<LmdbEventLogSubscription>>();
  #queuedAppends: LmdbLogAppend[] = [];
  /** Appends whose transactions have run, in the order of their positions, until their entries are delivered. */
  readonly #undeliveredAppends: LmdbLogAppend[] = [];
  #isDeliveryScheduled = false;
  #isDelivering = false;
  #lastBatchWrite: Promise<void> = Promise.resolve();
  #trimTimer: TimerHandle | undefined;
  /**
   * Time in ms after which the oldest entry of a realm is too old; Infinity without entries, missing if not known. A
   * server of many quiet realms would otherwise read the oldest entry of each of them every minute.
   */
  readonly #trimDueMsByRealm = new Map<RealmId, number>();
  #closed = false;

  private constructor(
    environment: LmdbEnvironment,
    entries: LmdbEventLogTables,
    clock: Clock,
    limits: EventLogRetentionLimits,
    incarnation: string,
  ) {
    this.#environment = environment;
    this.#logTables = entries;
    this.#clock = clock;
    this.#limits = limits;
    this.#incarnation = incarnation;
    this.#scheduleTrimming();
  }

  /** Opens the log in an environment. There must be only one log for each environment. */
  static async open(
    environment: LmdbEnvironment,
    clock: Clock,
    limits: EventLogRetentionLimits,
  ): Promise<LmdbEventLog> {
    const meta = environment.openTable(LOG_META_TABLE_NAME);
    const incarnation = await environment.runWriteTransaction(() => {
      const stored = meta.get('incarnation');
      if (stored) return unpackJson(stored) as string;
      const fresh = randomUUID();
      meta.put('incarnation', packJsonToBuffer(fresh));
      return fresh;
    });
    return new LmdbEventLog(environment, new LmdbEventLogTables(environment), clock, limits, incarnation);
  }

  append(realm: RealmId, value: Json): Promise<LogSeq> {
    if (this.#closed) return Promise.reject(new EventLogUnavailableError('the log is closed'));
    return new Promise((resolve, reject) => {
      this.#queuedAppends.push(new LmdbLogAppend(this, realm, value, resolve, reject));
      if (this.#queuedAppends.length === 1) {
        queueMicrotask(() => {
          this.#lastBatchWrite = this.#writeAppendBatch(this.#queuedAppends.splice(0));
        });
      }
    });
  }

  readonly prepareAppend = (realm: RealmId, value: Json): PreparedLogAppend => {
    if (this.#closed) throw new EventLogUnavailableError('the log is closed');
    return new LmdbLogAppend(this, realm, value, undefined, undefined);
  };

  /** Writes all appends of one event-loop turn in one transaction. */
  async #writeAppendBatch(batch: readonly LmdbLogAppend[]): Promise<void> {
    const before = this.#lastBatchWrite;
    try {
      await this.#environment.runWriteTransaction(() => this.writeAppends(batch));
      this.#settleBatch(batch, true);
    } catch (cause) {
      const error = new EventLogUnavailableError('the embedded log failed to write', { cause });
      this.#settleBatch(batch, false);
      for (const { reject } of batch) reject?.(error);
    }
    await before;
  }

  /** Stores the entries. Must be called inside a write transaction. @internal */
  writeAppends(appends: readonly LmdbLogAppend[]): void {
    const now = this.#clock.now();
    const positions = this.#logTables.appendEntries(appends, now, this.#limits);
    for (const [i, append] of appends.entries()) {
      append.setPosition(positions[i]!);
      if (this.#trimDueMsByRealm.get(append.realm) === Number.POSITIVE_INFINITY)
        this.#trimDueMsByRealm.set(append.realm, now + this.#limits.maxAgeMs);
      this.#undeliveredAppends.push(append);
    }
  }

  #settleBatch(batch: readonly LmdbLogAppend[], done: boolean): void {
    for (const append of batch) append.isDone = done;
    this.#deliverSettledAppends();
  }

  /**
   * Delivers after the replies to the commands of the commit: answering the polls of a large stream takes long. Readers
   * of the log's end do not wait for this: they cause the delivery.
   * @internal
   */
  scheduleDelivery(): void {
    if (this.#isDeliveryScheduled) return;
    this.#isDeliveryScheduled = true;
    setImmediate(() => {
      this.#isDeliveryScheduled = false;
      this.#deliverSettledAppends();
    });
  }

  /**
   * Delivers the entries of settled transactions. Transactions run in the order of positions; their callers learn of
   * the end in another order, so an entry waits for those before it.
   */
  #deliverSettledAppends(): void {
    // A reader that asks for the log's end during a delivery must not deliver a later entry to others first.
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      for (let next = this.#undeliveredAppends[0]; next?.isDone !== undefined; next = this.#undeliveredAppends[0]) {
        this.#undeliveredAppends.shift();
        if (!next.isDone) continue;
        const { position, realm, value } = next;
        this.#logTables.markDeliveredUpTo(realm, position);
        next.resolve?.(position);
        for (const s of [...(this.#subscriptionsByRealm.get(realm) ?? [])]) s.deliverLive(position, value);
      }
    } finally {
      this.#isDelivering = false;
    }
  }

  publishTransient(realm: RealmId, value: Json): void {
    const present = this.#subscriptionsByRealm.get(realm);
    if (!present) return;
    const to = [...present];
    queueMicrotask(() => {
      this.#deliverSettledAppends();
      for (const s of to) s.deliverTransient(value);
    });
  }

  async readBounds(realm: RealmId): Promise<EventLogBounds> {
    if (this.#closed) throw new EventLogUnavailableError('the log is closed');
    this.#deliverSettledAppends();
    const { trimmed } = this.#logTables.readRealmState(realm);
    const end = this.#logTables.readDeliveredEnd(realm);
    return { end: toLogSeq(end), trimmed: toLogSeq(Math.min(trimmed, end)), incarnation: this.#incarnation };
  }

  subscribe(realm: RealmId, after: LogSeq, reader: EventLogReader): EventLogSubscription {
    if (this.#closed) throw new EventLogUnavailableError('the log is closed');
    const present = this.#subscriptionsByRealm.get(realm) ?? new Set();
    this.#subscriptionsByRealm.set(realm, present);
    const deliver = (): void => this.#deliverSettledAppends();
    const subscription = new LmdbEventLogSubscription(this.#logTables, realm, after, reader, deliver, () => {
      present.delete(subscription);
      if (present.size === 0 && this.#subscriptionsByRealm.get(realm) === present)
        this.#subscriptionsByRealm.delete(realm);
    });
    present.add(subscription);
    return subscription;
  }

  /** Waits for appends in flight, then ends every subscription. Leaves the environment open. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#trimTimer) this.#clock.clearTimeout(this.#trimTimer);
    // The appends of this event-loop turn are written in a microtask of their own.
    await Promise.resolve();
    await this.#lastBatchWrite;
    this.#deliverSettledAppends();
    for (const present of [...this.#subscriptionsByRealm.values()]) for (const s of [...present]) s.close();
  }

  /** Schedules trimming for quiet realms, whose entries only grow old. A busy realm is trimmed when it appends. */
  #scheduleTrimming(): void {
    const every = Math.max(1_000, Math.min(60_000, this.#limits.maxAgeMs / 10));
    this.#trimTimer = this.#clock.setTimeout(() => {
      this.#trimAllRealms()
        // The next pass tries again; other operations report a Store that can't write.
        .catch(() => undefined)
        .then(() => {
          if (!this.#closed) this.#scheduleTrimming();
        });
    }, every);
  }

  async #trimAllRealms(): Promise<void> {
    const isDue = (realm: RealmId): boolean => this.#isTrimDue(realm);
    let realms = this.#logTables.listRealms().filter(isDue);
    while (realms.length > 0 && !this.#closed) {
      const some = realms.slice(0, MAX_REALMS_TRIMMED_AT_ONCE);
      await this.#trimRealms(some);
      realms = [...realms.slice(MAX_REALMS_TRIMMED_AT_ONCE), ...some.filter(isDue)];
    }
  }

  #isTrimDue(realm: RealmId): boolean {
    const now = this.#clock.now();
    const due = this.#trimDueMsByRealm.get(realm) ?? 0;
    // A due time beyond the maximum age was set while the clock was ahead.
    return due < now || (due > now + this.#limits.maxAgeMs && due !== Number.POSITIVE_INFINITY);
  }

  async #trimRealms(realms: readonly RealmId[]): Promise<void> {
    try {
      await this.#environment.runWriteTransaction(() => {
        // The times are set here, because the next transaction may append entries.
        for (const realm of realms)
          this.#trimDueMsByRealm.set(realm, this.#logTables.trimRealm(realm, this.#clock.now(), this.#limits));
      });
    } catch (error) {
      for (const realm of realms) this.#trimDueMsByRealm.delete(realm);
      throw error;
    }
  }
}
