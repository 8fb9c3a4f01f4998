/**
 * EventLog: what happened in a realm, in one total order per realm, kept for a while.
 *
 * Contract (test/contract/log.ts runs it against every implementation):
 * - `append` resolves when the entry is durable, with its position. Positions of a realm only grow; they may skip
 *   numbers (JetStream numbers a stream of many realms).
 * - A rejected append has an unknown outcome; the caller appends again and readers drop what they have seen (entries
 *   name their actor and versions).
 * - A subscriber gets every entry after the position it names, in order, once, across reconnects, slow-consumer drops
 *   and restarts of the backing service; live entries wait until the older ones were delivered.
 * - Entries are trimmed by age and bytes. A subscription that starts below what is kept gets `gap`.
 */
import type { Json } from '#base';
import type { RealmId, Seq } from '#model';

export class LogUnavailable extends Error {
  override name = 'LogUnavailable';
}

export interface LogPosition {
  /** Last position stored for the realm; 0 when nothing ever was. */
  readonly end: Seq;
  /** Smallest position from which a reader misses nothing: entries above it are all still kept. */
  readonly trimmed: Seq;
  /** Changes when the log was lost or recreated: positions of another incarnation mean nothing. */
  readonly incarnation: string;
}

export interface LogReader {
  /** In order; a throwing reader is a bug and ends the process loudly. Values are shared: never change them. */
  entry(seq: Seq, value: Json): void;
  /** Transient value sent with `publish`: no position, may be lost, never repeated. */
  transient(value: Json): void;
  /** Entries between the position asked for and this one were trimmed: they can't be had any more. */
  gap(trimmed: Seq): void;
}

export interface LogSubscription {
  /** Resolves when everything up to the end of the log at the time of the call was delivered. */
  caughtUp(): Promise<Seq>;
  /** Last position delivered (or passed over as other realms' entries). */
  readonly position: Seq;
  close(): void;
}

export interface LogLimits {
  /** Entries older than this may be dropped, milliseconds. */
  readonly maxAgeMs: number;
  /** Per realm (embedded) or in all (JetStream), bytes. */
  readonly maxBytes: number;
}

export interface EventLog {
  /** Entries are split before, to some 400 KiB; over 1 MiB encoded is the caller's error, which JetStream refuses. */
  append(realm: RealmId, value: Json): Promise<Seq>;
  /** To present subscribers only, never stored. */
  publish(realm: RealmId, value: Json): void;
  position(realm: RealmId): Promise<LogPosition>;
  /** Deliver entries after `after`, then live ones. */
  subscribe(realm: RealmId, after: Seq, reader: LogReader): LogSubscription;
  close(): Promise<void>;
}
