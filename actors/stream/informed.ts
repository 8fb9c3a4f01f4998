/** Receivers whose actors were informed of a conversation's missed messages. */
import { readUserSettingByUserId } from '#domain/people';
import type { UserId } from '#model';
import type { DirectoryView } from '#model/records';

/** Maximum number of receivers and topics that are remembered. */
const MAX_REMEMBERED_RECEIVER_TOPICS = 10_000;
/** Shortest batching period for which a receiver is remembered, ms. */
const MIN_REMEMBERED_BATCHING_PERIOD_MS = 20_000;

/**
 * Memory of the receivers whose actors know that the conversation has missed messages. These actors look for further
 * messages when the batching period ends, so a command for each message is needless. The memory is lost with the
 * activation; a second command for a receiver changes nothing.
 */
export class MissedMessageNoticeMemory {
  readonly #informedUntilMsByReceiverAndTopic = new Map<string, number>();

  /** True if the receiver was informed of the topic recently; otherwise records that a command is sent now. */
  wasInformedElseRecord(user: UserId, topic: string, directory: DirectoryView, now: number): boolean {
    const key = `${user}/${topic}`;
    if ((this.#informedUntilMsByReceiverAndTopic.get(key) ?? 0) > now) return true;
    const period = 1_000 * readUserSettingByUserId(directory, user, 'email_notifications_batching_period_seconds');
    if (period < MIN_REMEMBERED_BATCHING_PERIOD_MS) return false;
    if (this.#informedUntilMsByReceiverAndTopic.size >= MAX_REMEMBERED_RECEIVER_TOPICS)
      this.#informedUntilMsByReceiverAndTopic.clear();
    // Only half the batching period counts, because the clock of the receiver's host may differ.
    this.#informedUntilMsByReceiverAndTopic.set(key, now + period / 2);
    return false;
  }

  /** Empties the memory, because the outcome of a command was dropped. */
  clear(): void {
    this.#informedUntilMsByReceiverAndTopic.clear();
  }
}
