/**
 * Messages that this activation has changed. Commits are pipelined: what a command's needs read from the Store may be
 * older than what the command before it has decided. Whatever is newer here counts.
 */
import type { MessageRecord } from '#model/records';

interface RecentChange {
  readonly rev: number;
  /** null = deleted. */
  readonly record: MessageRecord | null;
  /** Wall time of the change, ms. */
  readonly at: number;
  /** The change before it, where that was kept. */
  readonly before?: Omit<RecentChange, 'before'>;
}

/** Longer than any command waits between its look into the Store and its turn: requests are given up before. */
const REMEMBER_MS = 120_000;

export class RecentMessages {
  /** In order of change. */
  readonly #changes = new Map<number, RecentChange>();

  /** The newest of what the Store had and what was decided since. */
  latest(id: number, stored: MessageRecord | null): MessageRecord | null {
    const change = this.#changes.get(id);
    if (!change || (stored && revOf(stored) > change.rev)) return stored;
    return change.record;
  }

  /** Messages changed here that are still there, wherever they are now. */
  *records(): Generator<MessageRecord> {
    for (const { record } of this.#changes.values()) if (record) yield record;
  }

  isDeleted(id: number): boolean {
    return this.#changes.get(id)?.record === null;
  }

  note(id: number, rev: number, record: MessageRecord | null, now: number): void {
    const known = this.#changes.get(id);
    const before = known && { rev: known.rev, record: known.record, at: known.at };
    this.#changes.delete(id);
    this.#changes.set(id, { rev, record, at: now, ...(before && { before }) });
    for (const [old, { at }] of this.#changes) {
      if (at > now - REMEMBER_MS) break;
      this.#changes.delete(old);
    }
  }

  /** The change that was noted last of this message is not made. */
  takeBack(id: number, rev: number): void {
    const change = this.#changes.get(id);
    if (change?.rev !== rev) return;
    if (change.before) this.#changes.set(id, change.before);
    else this.#changes.delete(id);
  }
}

export const revOf = (record: MessageRecord): number => record.body.rev as number;
