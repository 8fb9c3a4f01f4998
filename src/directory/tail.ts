/**
 * Reader of one realm's log, at most one per process. It calls its listeners in the order in which they were added. The
 * directory replica is added first, so that the event feed sees the directory with the changes of the entry.
 */

import type { Json } from '#base';
import {
  type ActorKey,
  type FreshLogItemGroups,
  type LogEntry,
  LogItemGroupDeduplicator,
  type LogSeq,
  type RealmId,
} from '#model';
import type { EventLog, EventLogSubscription } from '#ports/log';

export interface RealmLogTailListener {
  /** Called for each entry of the log, in order. */
  onLogEntry(seq: LogSeq, entry: LogEntry, fresh: FreshLogItemGroups): void;
  onTransientEvent(value: Json): void;
  /** Called when entries were trimmed before they were read: data derived from the log must be rebuilt. */
  onLogGap(trimmed: LogSeq): void;
}

export class RealmLogTail {
  readonly #listeners: RealmLogTailListener[] = [];
  readonly #deduplicator = new LogItemGroupDeduplicator();
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
        const fresh = this.#deduplicator.recordNewGroups(entry);
        for (const reader of this.#listeners) reader.onLogEntry(seq, entry, fresh);
      },
      onTransient: (value) => {
        for (const reader of this.#listeners) reader.onTransientEvent(value);
      },
      onGap: (trimmed) => {
        for (const reader of this.#listeners) reader.onLogGap(trimmed);
      },
    });
  }

  /** Log position of the last entry handed to the readers. */
  get lastEntryPosition(): LogSeq {
    return this.#position;
  }

  /** Log position up to which the subscription has read, including entries of other realms. */
  get reachedEnd(): LogSeq {
    return this.#subscription.position;
  }

  /** True once this version of the actor was read from the log. */
  hasReadCommit(actor: ActorKey, version: number): boolean {
    return this.#deduplicator.newestRecordedVersionOf(actor) >= version;
  }

  /** Adds a reader. Readers are called in the order of their addition. */
  addListener(reader: RealmLogTailListener): void {
    this.#listeners.push(reader);
  }

  waitUntilCaughtUp(): Promise<LogSeq> {
    return this.#subscription.waitUntilCaughtUp();
  }

  stopFollowing(): void {
    this.#subscription.close();
  }
}
