/** Conversations by their newest messages, without the DOM. */

import type { Message } from '../contract/index.js';
import { type Conversation, getMessageConversation, makeConversationKey } from '../core/index.js';

/** The facts of a message that the list needs. */
interface RecentMessageEntry {
  readonly conversation: Conversation;
  readonly senderId: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

type RecentMessageFields = Pick<
  Message,
  'id' | 'sender_id' | 'timestamp' | 'display_recipient' | 'stream_id' | 'subject'
>;

export interface RecentConversation {
  readonly key: string;
  readonly conversation: Conversation;
  readonly newestMessageId: number;
  readonly timestamp: number;
  /** Senders among the known messages, the last one first. */
  readonly participantIds: readonly number[];
}

/** Conditions of the reader; a conversation is shown if all of them hold. */
export interface RecentFilter {
  readonly text: string;
  readonly unread: boolean;
  readonly participated: boolean;
  readonly muted: boolean;
}

/** Facts that decide, beside the messages, whether a conversation is shown. */
export interface RecentFilterFacts {
  readonly myUserId: number;
  formatName(of: Conversation): string;
  /** False for topics of a stream that the user can no longer see, such as an archived one. */
  isVisible(of: Conversation): boolean;
  isUnread(of: Conversation): boolean;
  isMuted(of: Conversation): boolean;
}

/** The newest messages by conversation: `putMessage` by a fetch or an event, then `listConversations()`. */
export class RecentMessages {
  readonly #entryByMessageId = new Map<number, RecentMessageEntry>();

  get oldestMessageId(): number | undefined {
    return this.#entryByMessageId.size === 0 ? undefined : Math.min(...this.#entryByMessageId.keys());
  }

  get messageCount(): number {
    return this.#entryByMessageId.size;
  }

  putMessage(message: RecentMessageFields, me: number): void {
    const { id, sender_id: sender, timestamp } = message;
    this.#entryByMessageId.set(id, { conversation: getMessageConversation(message, me), senderId: sender, timestamp });
  }

  /** Messages that moved to another topic or stream. */
  moveMessages(ids: readonly number[], stream: number, topic: string | undefined): void {
    for (const id of ids) {
      const entry = this.#entryByMessageId.get(id);
      if (!entry || 'users' in entry.conversation) continue;
      this.#entryByMessageId.set(id, { ...entry, conversation: { stream, topic: topic ?? entry.conversation.topic } });
    }
  }

  deleteMessages(ids: readonly number[]): void {
    for (const id of ids) this.#entryByMessageId.delete(id);
  }

  deleteAllMessages(): void {
    this.#entryByMessageId.clear();
  }

  /** @returns the conversations, the one with the newest message first */
  listConversations(): readonly RecentConversation[] {
    const byKey = new Map<string, RecentConversation & { readonly participantIds: number[] }>();
    for (const id of [...this.#entryByMessageId.keys()].sort((a, b) => b - a)) {
      const { conversation, senderId, timestamp } = this.#entryByMessageId.get(id)!;
      const key = makeConversationKey(conversation);
      const known = byKey.get(key);
      if (!known)
        byKey.set(key, { key, conversation: conversation, newestMessageId: id, timestamp, participantIds: [senderId] });
      else if (!known.participantIds.includes(senderId)) known.participantIds.push(senderId);
    }
    return [...byKey.values()];
  }
}

/** @returns the conversations that the reader wants to see, in the same order */
export function filterRecentConversations(
  all: readonly RecentConversation[],
  filter: RecentFilter,
  facts: RecentFilterFacts,
): readonly RecentConversation[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ conversation, participantIds }) => {
    if (!facts.isVisible(conversation)) return false;
    if (!filter.muted && facts.isMuted(conversation)) return false;
    if (filter.unread && !facts.isUnread(conversation)) return false;
    if (filter.participated && !participantIds.includes(facts.myUserId)) return false;
    const name = words.length === 0 ? '' : facts.formatName(conversation).toLowerCase();
    return words.every((word) => name.includes(word));
  });
}
