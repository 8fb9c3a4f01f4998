import type { Json } from '#base';
import { type LogSeq, type RealmId, toLogSeq } from '#model';
import { type EventLogReader, type EventLogSubscription, EventLogUnavailableError } from './log.js';
import type { LmdbEventLogTables } from './log-lmdb-entries.js';

/** Maximum of entries read before other work of the process gets its turn; reading them takes some milliseconds. */
const READ_ENTRIES = 64;
const READ_BYTES = 512 * 1024;

/**
 * Reads from the tables up to the log's end, then takes live entries. The check for the end and the switch to live
 * entries happen in one turn of the event loop, so no entry is missed between them.
 */
export class LmdbEventLogSubscription implements EventLogSubscription {
  readonly #entries: LmdbEventLogTables;
  readonly #realm: RealmId;
  readonly #reader: EventLogReader;
  readonly #onClose: () => void;
  #position: number;
  #live = false;
  #closed = false;
  #waiting: { readonly until: number; readonly done: (at: LogSeq) => void; readonly failed: (error: Error) => void }[] =
    [];

  constructor(entries: LmdbEventLogTables, realm: RealmId, after: LogSeq, reader: EventLogReader, onClose: () => void) {
    this.#entries = entries;
    this.#realm = realm;
    this.#reader = reader;
    this.#onClose = onClose;
    this.#position = after;
    // Reading is deferred even if there is no entry: the caller gets its subscription before its reader is called.
    setImmediate(() => this.#readUp());
  }

  get position(): LogSeq {
    return toLogSeq(this.#position);
  }

  deliverLive(at: number, value: Json): void {
    if (!this.#live || at <= this.#position) return;
    this.#position = at;
    this.#call(() => this.#reader.entry(toLogSeq(at), value));
    this.#settle();
  }

  deliverTransient(value: Json): void {
    this.#call(() => this.#reader.transient(value));
  }

  caughtUp(): Promise<LogSeq> {
    if (this.#closed) return Promise.reject(new EventLogUnavailableError('the subscription is closed'));
    const until = this.#entries.end(this.#realm);
    if (this.#position >= until) return Promise.resolve(this.position);
    return new Promise((done, failed) => this.#waiting.push({ until, done, failed }));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onClose();
    for (const { failed } of this.#waiting.splice(0))
      failed(new EventLogUnavailableError('the subscription was closed'));
  }

  #readUp(): void {
    if (this.#closed) return;
    const end = this.#entries.end(this.#realm);
    const { trimmed } = this.#entries.state(this.#realm);
    if (this.#position < Math.min(trimmed, end)) this.#skip(Math.min(trimmed, end));
    for (const { at, value } of this.#entries.read(this.#realm, this.#position, end, READ_ENTRIES, READ_BYTES)) {
      this.#position = at;
      this.#call(() => this.#reader.entry(toLogSeq(at), value));
    }
    // The reader may have appended or closed during the calls above, but `end` changes only in another turn of the
    // event loop.
    this.#live = this.#position >= end;
    this.#settle();
    if (!this.#live) setImmediate(() => this.#readUp());
  }

  #skip(trimmed: number): void {
    this.#position = trimmed;
    this.#call(() => this.#reader.gap(toLogSeq(trimmed)));
  }

  #settle(): void {
    if (this.#waiting.length === 0) return;
    const reached = this.#waiting.filter((w) => w.until <= this.#position);
    this.#waiting = this.#waiting.filter((w) => w.until > this.#position);
    for (const { done } of reached) done(this.position);
  }

  /** Calls the reader. An exception of the reader ends the process, but not in the middle of a delivery to others. */
  #call(read: () => void): void {
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
