/**
 * Messages that this activation has changed lately. Commits are pipelined: a command's inputs may have read a message
 * from the Store before the previous command's change was written. The newer of the two versions counts.
 */
import type { MessageRecord } from '#model/records';

interface RememberedMessageChange {
  readonly rev: number;
  /** The changed record; null: the message was deleted. */
  readonly record: MessageRecord | null;
  /** Wall time at which the message was changed, ms. */
  readonly at: number;
  /** The change of the same message before this one, if it was still remembered. */
  readonly before?: Omit<RememberedMessageChange, 'before'>;
}

/**
 * Time for which changes are remembered, ms: longer than any command waits between its read of the Store and its turn,
 * as requests time out before.
 */
const CHANGE_MEMORY_DURATION_MS = 120_000;

export class RecentlyChangedMessages {
  /** Changes by message id, in order of change. */
  readonly #lastChangeByMessageId = new Map<number, RememberedMessageChange>();

  /** The newer of a message's stored version and its last change by this activation; null: deleted or absent. */
  pickNewerRecord(id: number, stored: MessageRecord | null): MessageRecord | null {
    const change = this.#lastChangeByMessageId.get(id);
    if (!change || (stored && revisionOf(stored) > change.rev)) return stored;
    return change.record;
  }

  /** Newest versions of the changed messages, deleted ones left out, also of those that moved to another stream. */
  *iterateUndeletedChangedRecords(): Generator<MessageRecord> {
    for (const { record } of this.#lastChangeByMessageId.values()) if (record) yield record;
  }

  isRememberedAsDeleted(id: number): boolean {
    return this.#lastChangeByMessageId.get(id)?.record === null;
  }

  recordChangeAndForgetOld(id: number, rev: number, record: MessageRecord | null, now: number): void {
    const known = this.#lastChangeByMessageId.get(id);
    const before = known && { rev: known.rev, record: known.record, at: known.at };
    this.#lastChangeByMessageId.delete(id);
    this.#lastChangeByMessageId.set(id, { rev, record, at: now, ...(before && { before }) });
    for (const [old, { at }] of this.#lastChangeByMessageId) {
      if (at > now - CHANGE_MEMORY_DURATION_MS) break;
      this.#lastChangeByMessageId.delete(old);
    }
  }

  /** Forgets the change of this message that `recordChangeAndForgetOld` has recorded, because its commit failed. */
  forgetFailedChange(id: number, rev: number): void {
    const change = this.#lastChangeByMessageId.get(id);
    if (change?.rev !== rev) return;
    if (change.before) this.#lastChangeByMessageId.set(id, change.before);
    else this.#lastChangeByMessageId.delete(id);
  }
}

const revisionOf = (record: MessageRecord): number => record.body.rev as number;
