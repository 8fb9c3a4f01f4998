/**
 * Messages that this activation has changed lately. Commits are pipelined: a command's inputs may have read a message
 * from the Store before the previous command's change was written. The newer of the two versions counts.
 */
import type { MessageRecord } from '#model/records';

interface RecentChange {
  readonly rev: number;
  /** The changed record; null: the message was deleted. */
  readonly record: MessageRecord | null;
  /** Wall time at which the message was changed, ms. */
  readonly at: number;
  /** The change of the same message before this one, if it was still remembered. */
  readonly before?: Omit<RecentChange, 'before'>;
}

/**
 * Time for which changes are remembered, ms: longer than any command waits between its read of the Store and its turn,
 * as requests time out before.
 */
const CHANGE_REMEMBERED_MS = 120_000;

export class RecentlyChangedMessages {
  /** Changes by message id, in order of change. */
  readonly #changesByMessageId = new Map<number, RecentChange>();

  /** The newer of a message's stored version and its last change by this activation; null: deleted or absent. */
  pickNewerRecord(id: number, stored: MessageRecord | null): MessageRecord | null {
    const change = this.#changesByMessageId.get(id);
    if (!change || (stored && revisionOf(stored) > change.rev)) return stored;
    return change.record;
  }

  /** Newest versions of the changed messages, deleted ones left out, also of those that moved to another stream. */
  *newestChangedRecords(): Generator<MessageRecord> {
    for (const { record } of this.#changesByMessageId.values()) if (record) yield record;
  }

  isDeleted(id: number): boolean {
    return this.#changesByMessageId.get(id)?.record === null;
  }

  recordChange(id: number, rev: number, record: MessageRecord | null, now: number): void {
    const known = this.#changesByMessageId.get(id);
    const before = known && { rev: known.rev, record: known.record, at: known.at };
    this.#changesByMessageId.delete(id);
    this.#changesByMessageId.set(id, { rev, record, at: now, ...(before && { before }) });
    for (const [old, { at }] of this.#changesByMessageId) {
      if (at > now - CHANGE_REMEMBERED_MS) break;
      this.#changesByMessageId.delete(old);
    }
  }

  /** Forgets the change of this message that `recordChange` has recorded, because its commit failed. */
  forgetFailedChange(id: number, rev: number): void {
    const change = this.#changesByMessageId.get(id);
    if (change?.rev !== rev) return;
    if (change.before) this.#changesByMessageId.set(id, change.before);
    else this.#changesByMessageId.delete(id);
  }
}

const revisionOf = (record: MessageRecord): number => record.body.rev as number;
