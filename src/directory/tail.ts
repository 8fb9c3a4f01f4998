/**
 * The end of one realm's log, followed once per process: the directory replica and the event feed of the realm both
 * read it, the replica first, so that the feed always sees the directory as of the entry.
 */

import type { Json } from '#base';
import { type ActorKey, LogDeduplicator, type LogEntry, type LogItemGroup, type LogSeq, type RealmId } from '#model';
import type { EventLog, EventLogSubscription } from '#ports/log';

export interface RealmLogTailListener {
  /** Called for each entry of the log, in order. @param fresh groups of the entry that are no repeats; may be empty */
  entry(seq: LogSeq, entry: LogEntry, fresh: readonly LogItemGroup[]): void;
  transient(value: Json): void;
  /** Called when entries were trimmed before they were read: data derived from the log must be rebuilt. */
  gap(trimmed: LogSeq): void;
}

export class RealmLogTail {
  readonly #readers: RealmLogTailListener[] = [];
  readonly #deduplicator = new LogDeduplicator();
  readonly #subscription: EventLogSubscription;
  #position: LogSeq;

  constructor(
    log: EventLog,
    readonly realm: RealmId,
    after: LogSeq,
  ) {
    this.#position = after;
    this.#subscription = log.subscribe(realm, after, {
      onEntry: (seq, value) => {
        this.#position = seq;
        const entry = value as unknown as LogEntry;
        const fresh = entry.groups.filter((group) => this.#deduplicator.recordIfNew(entry.actor, group));
        for (const reader of this.#readers) reader.entry(seq, entry, fresh);
      },
      onTransient: (value) => {
        for (const reader of this.#readers) reader.transient(value);
      },
      onGap: (trimmed) => {
        for (const reader of this.#readers) reader.gap(trimmed);
      },
    });
  }

  /** Log position of the last entry handed to the readers. */
  get position(): LogSeq {
    return this.#position;
  }

  /** Log position up to which the subscription has read, including entries of other realms. */
  get reachedEnd(): LogSeq {
    return this.#subscription.position;
  }

  /** True once this version of the actor was read from the log. */
  hasCommit(actor: ActorKey, version: number): boolean {
    return this.#deduplicator.newestVersionOf(actor) >= version;
  }

  /** Adds a reader. Readers are called in the order of their addition. */
  add(reader: RealmLogTailListener): void {
    this.#readers.push(reader);
  }

  caughtUp(): Promise<LogSeq> {
    return this.#subscription.waitUntilCaughtUp();
  }

  close(): void {
    this.#subscription.close();
  }
}
