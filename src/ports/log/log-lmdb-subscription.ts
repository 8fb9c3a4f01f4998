import type { Json } from '#base';
import { type LogSeq, type RealmId, toLogSeq } from '#model';
import { type EventLogReader, type EventLogSubscription, EventLogUnavailableError } from './log.js';
import type { LmdbEventLogTables } from './log-lmdb-entries.js';

/** Maximum of entries read before other work of the process gets its turn; reading them takes some milliseconds. */
const MAX_ENTRIES_PER_READ = 64;
const MAX_BYTES_PER_READ = 512 * 1024;

/**
 * Reads from the tables up to the log's end, then takes live entries. The check for the end and the switch to live
 * entries happen in one turn of the event loop, so no entry is missed between them.
 */
export class LmdbEventLogSubscription implements EventLogSubscription {
  readonly #logTables: LmdbEventLogTables;
  readonly #realm: RealmId;
  readonly #reader: EventLogReader;
  readonly #onClose: () => void;
  #position: number;
  #isLive = false;
  #closed = false;
  #caughtUpWaiters: {
    readonly until: number;
    readonly done: (at: LogSeq) => void;
    readonly failed: (error: Error) => void;
  }[] = [];

  /** Makes the subscription. @param deliver delivers entries that are durable and not yet handed to subscribers */
  constructor(
    entries: LmdbEventLogTables,
    realm: RealmId,
    after: LogSeq,
    reader: EventLogReader,
    private readonly deliver: () => void,
    onClose: () => void,
  ) {
    this.#logTables = entries;
    this.#realm = realm;
    this.#reader = reader;
    this.#onClose = onClose;
    this.#position = after;
    // Reading is deferred even if there is no entry: the caller gets its subscription before its reader is called.
    setImmediate(() => this.#readNextSliceTowardsEnd());
  }

  get position(): LogSeq {
    return toLogSeq(this.#position);
  }

  deliverLive(at: number, value: Json): void {
    if (!this.#isLive || at <= this.#position) return;
    this.#position = at;
    this.#callReader(() => this.#reader.onEntry(toLogSeq(at), value));
    this.#resolveCaughtUpWaiters();
  }

  deliverTransient(value: Json): void {
    this.#callReader(() => this.#reader.onTransient(value));
  }

  waitUntilCaughtUp(): Promise<LogSeq> {
    if (this.#closed) return Promise.reject(new EventLogUnavailableError('the subscription is closed'));
    this.deliver();
    const until = this.#logTables.readDeliveredEnd(this.#realm);
    if (this.#position >= until) return Promise.resolve(this.position);
    return new Promise((done, failed) => this.#caughtUpWaiters.push({ until, done, failed }));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onClose();
    for (const { failed } of this.#caughtUpWaiters.splice(0))
      failed(new EventLogUnavailableError('the subscription was closed'));
  }

  #readNextSliceTowardsEnd(): void {
    if (this.#closed) return;
    const end = this.#logTables.readDeliveredEnd(this.#realm);
    const { trimmed } = this.#logTables.readRealmState(this.#realm);
    if (this.#position < Math.min(trimmed, end)) this.#skipTrimmedEntries(Math.min(trimmed, end));
    for (const { at, value } of this.#logTables.readEntries(
      this.#realm,
      this.#position,
      end,
      MAX_ENTRIES_PER_READ,
      MAX_BYTES_PER_READ,
    )) {
      this.#position = at;
      this.#callReader(() => this.#reader.onEntry(toLogSeq(at), value));
    }
    // The reader may have appended or closed during the calls above, but `end` changes only in another turn of the
    // event loop.
    this.#isLive = this.#position >= end;
    this.#resolveCaughtUpWaiters();
    if (!this.#isLive) setImmediate(() => this.#readNextSliceTowardsEnd());
  }

  #skipTrimmedEntries(trimmed: number): void {
    this.#position = trimmed;
    this.#callReader(() => this.#reader.onGap(toLogSeq(trimmed)));
  }

  #resolveCaughtUpWaiters(): void {
    if (this.#caughtUpWaiters.length === 0) return;
    const reached = this.#caughtUpWaiters.filter((w) => w.until <= this.#position);
    this.#caughtUpWaiters = this.#caughtUpWaiters.filter((w) => w.until > this.#position);
    for (const { done } of reached) done(this.position);
  }

  /** Calls the reader. An exception of the reader ends the process, but not in the middle of a delivery to others. */
  #callReader(read: () => void): void {
    if (this.#closed) return;
    try {
      read();
    } catch (error) {
      setImmediate(() => {
        throw error;
      });
    }
  }
}
