/**
 * EventLog: the events of a realm in one total order, kept for a limited time.
 *
 * Contract (test/contract/log.ts runs it against every implementation):
 * - `append` resolves with the entry's position when the entry is durable. Positions of a realm only grow; they may
 *   skip numbers (JetStream numbers one stream of many realms).
 * - A rejected append has an unknown outcome. The caller appends again, and readers drop repeats (entries name their
 *   actor and versions).
 * - A subscriber gets every entry after the position it names, in order, once, across reconnects, slow-consumer drops
 *   and restarts of the backing service. Live entries wait until the older ones are delivered.
 * - Entries are trimmed by age and bytes. A subscription that starts below the kept entries gets `onGap`.
 */
import type { Json } from '#base';
import type { LogSeq, RealmId } from '#model';
import type { StoreTransactionParticipant } from '#ports/store';

export class EventLogUnavailableError extends Error {
  override name = 'EventLogUnavailableError';
}

export interface EventLogBounds {
  /** Position of the realm's last entry; 0 if there never was one. */
  readonly end: LogSeq;
  /** Smallest position from which a reader misses no entry: all entries above it are still kept. */
  readonly trimmed: LogSeq;
  /**
   * Id of the log's incarnation, which changes when the log was lost or recreated: positions of another incarnation
   * have no meaning.
   */
  readonly incarnation: string;
}

export interface EventLogReader {
  /**
   * Receives an entry. Entries come in order. An exception of the reader is a bug and ends the process. Values are
   * shared: never change them.
   */
  onEntry(seq: LogSeq, value: Json): void;
  /**
   * Receives a transient value, sent with `publishTransient`: it has no position, may be lost, and is never repeated.
   */
  onTransient(value: Json): void;
  /** Receives the report that entries between the requested position and `trimmed` are no longer available. */
  onGap(trimmed: LogSeq): void;
}

export interface EventLogSubscription {
  /** Resolves when all entries up to the log's end at the time of the call have been delivered. */
  waitUntilCaughtUp(): Promise<LogSeq>;
  /** Position of the last entry that was delivered, or skipped because it belongs to another realm. */
  readonly position: LogSeq;
  close(): void;
}

export interface EventLogRetentionLimits {
  /** Age above which entries may be dropped, milliseconds. */
  readonly maxAgeMs: number;
  /**
   * Maximum size of the entries in bytes: of each realm (embedded server), or of all realms together (JetStream, where
   * each stream has an equal share).
   */
  readonly maxBytes: number;
}

/** An append that takes part in a commit of the Store: the log holds the entry exactly if the commit is done. */
export interface PreparedLogAppend extends StoreTransactionParticipant {
  /** Position of the entry; known once the commit is done. */
  readonly position: LogSeq;
}

export interface EventLog {
  /**
   * Appends an entry. Callers split entries at some 400 KiB. An entry over 1 MiB encoded is the caller's error;
   * JetStream refuses it.
   */
  append(realm: RealmId, value: Json): Promise<LogSeq>;
  /**
   * Makes an append for a commit of the Store (`ActorRootWrite.participants`), with the rules of `append`. The value is
   * encoded at once, and may be passed on to subscribers as it is. Absent where Store and log share no database.
   */
  readonly prepareAppend?: ((realm: RealmId, value: Json) => PreparedLogAppend) | undefined;
  /** Sends a value to present subscribers only, without storing it. */
  publishTransient(realm: RealmId, value: Json): void;
  readBounds(realm: RealmId): Promise<EventLogBounds>;
  /** Delivers the entries after the position `after`, then live ones. */
  subscribe(realm: RealmId, after: LogSeq, reader: EventLogReader): EventLogSubscription;
  close(): Promise<void>;
}
