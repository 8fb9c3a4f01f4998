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
} from './log.js';
import { LmdbEventLogTables, type StoredLogPosition } from './log-lmdb-entries.js';
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

interface PendingAppend {
  readonly realm: RealmId;
  readonly value: Json;
  readonly bytes: Buffer;
  readonly resolve: (at: LogSeq) => void;
  readonly reject: (error: Error) => void;
}

/** The event log of the embedded server, in the Store's environment. Positions of a realm count 1, 2, 3 … */
export class LmdbEventLog implements EventLog {
  readonly #environment: LmdbEnvironment;
  readonly #logTables: LmdbEventLogTables;
  readonly #clock: Clock;
  readonly #limits: EventLogRetentionLimits;
  readonly #incarnation: string;
  readonly #subscriptionsByRealm = new Map<RealmId, Set<LmdbEventLogSubscription>>();
  #queuedAppends: PendingAppend[] = [];
  #lastBatchWrite: Promise<void> = Promise.resolve();
  #trimTimer: TimerHandle | undefined;
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
    // The value is encoded now, so that later changes by its caller have no effect.
    const bytes = packJsonToBuffer(value);
    return new Promise((resolve, reject) => {
      this.#queuedAppends.push({ realm, value, bytes, resolve, reject });
      if (this.#queuedAppends.length === 1) {
        queueMicrotask(() => {
          this.#lastBatchWrite = this.#writeAndDeliverAppendBatch(this.#queuedAppends.splice(0));
        });
      }
    });
  }

  /**
   * Writes all appends of one event-loop turn in one transaction. Transactions resolve in order, so deliveries are in
   * order, too.
   */
  async #writeAndDeliverAppendBatch(batch: readonly PendingAppend[]): Promise<void> {
    const before = this.#lastBatchWrite;
    let stored: readonly StoredLogPosition[];
    try {
      stored = await this.#environment.runWriteTransaction(() =>
        this.#logTables.appendEntries(batch, this.#clock.now(), this.#limits),
      );
    } catch (cause) {
      const error = new EventLogUnavailableError('the embedded log failed to write', { cause });
      for (const { reject } of batch) reject(error);
      return;
    }
    await before;
    for (const [i, { realm, value, resolve }] of batch.entries()) {
      const { at, end } = stored[i] as StoredLogPosition;
      this.#logTables.markDeliveredUpTo(realm, end);
      resolve(toLogSeq(at));
      for (const s of [...(this.#subscriptionsByRealm.get(realm) ?? [])]) s.deliverLive(at, value);
    }
  }

  publishTransient(realm: RealmId, value: Json): void {
    const present = this.#subscriptionsByRealm.get(realm);
    if (!present) return;
    const to = [...present];
    queueMicrotask(() => {
      for (const s of to) s.deliverTransient(value);
    });
  }

  async readBounds(realm: RealmId): Promise<EventLogBounds> {
    if (this.#closed) throw new EventLogUnavailableError('the log is closed');
    const { trimmed } = this.#logTables.readRealmState(realm);
    const end = this.#logTables.readDeliveredEnd(realm);
    return { end: toLogSeq(end), trimmed: toLogSeq(Math.min(trimmed, end)), incarnation: this.#incarnation };
  }

  subscribe(realm: RealmId, after: LogSeq, reader: EventLogReader): EventLogSubscription {
    if (this.#closed) throw new EventLogUnavailableError('the log is closed');
    const present = this.#subscriptionsByRealm.get(realm) ?? new Set();
    this.#subscriptionsByRealm.set(realm, present);
    const subscription = new LmdbEventLogSubscription(this.#logTables, realm, after, reader, () => {
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
    let realms = this.#logTables.listRealms();
    while (realms.length > 0 && !this.#closed) {
      const now = realms.slice(0, MAX_REALMS_TRIMMED_AT_ONCE);
      const unfinished = await this.#environment.runWriteTransaction(() =>
        now.filter((realm) => this.#logTables.trimRealm(realm, this.#clock.now(), this.#limits)),
      );
      realms = [...realms.slice(MAX_REALMS_TRIMMED_AT_ONCE), ...unfinished];
    }
  }
}
