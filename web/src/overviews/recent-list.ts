/** Conversations by their newest messages, without the DOM. */

import type { Message } from '../contract/index.js';
import { type Conversation, conversationKey, conversationOf } from '../core/index.js';

/** The facts that the list keeps of a message. */
interface Entry {
  readonly of: Conversation;
  readonly sender: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

type Placed = Pick<Message, 'id' | 'sender_id' | 'timestamp' | 'display_recipient' | 'stream_id' | 'subject'>;

export interface RecentConversation {
  readonly key: string;
  readonly of: Conversation;
  readonly newest: number;
  readonly timestamp: number;
  /** Senders among the known messages, the last one first. */
  readonly participants: readonly number[];
}

/** Conditions of the reader; a conversation is shown if all of them hold. */
export interface RecentFilter {
  readonly text: string;
  readonly unread: boolean;
  readonly participated: boolean;
  readonly muted: boolean;
}

/** Facts beside the messages. */
export interface RecentFacts {
  readonly me: number;
  nameOf(of: Conversation): string;
  isUnread(of: Conversation): boolean;
  isMuted(of: Conversation): boolean;
}

/** The newest messages by conversation: `put` by a fetch or an event, then `conversations()`. */
export class RecentMessages {
  readonly #entries = new Map<number, Entry>();

  get oldest(): number | undefined {
    return this.#entries.size === 0 ? undefined : Math.min(...this.#entries.keys());
  }

  get size(): number {
    return this.#entries.size;
  }

  put(message: Placed, me: number): void {
    const { id, sender_id: sender, timestamp } = message;
    this.#entries.set(id, { of: conversationOf(message, me), sender, timestamp });
  }

  /** Messages that moved to another topic or stream. */
  move(ids: readonly number[], stream: number, topic: string | undefined): void {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (!entry || 'users' in entry.of) continue;
      this.#entries.set(id, { ...entry, of: { stream, topic: topic ?? entry.of.topic } });
    }
  }

  delete(ids: readonly number[]): void {
    for (const id of ids) this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** @returns the conversations, the one with the newest message first */
  conversations(): readonly RecentConversation[] {
    const byKey = new Map<string, RecentConversation & { readonly participants: number[] }>();
    for (const id of [...this.#entries.keys()].sort((a, b) => b - a)) {
      const { of, sender, timestamp } = this.#entries.get(id)!;
      const key = conversationKey(of);
      const known = byKey.get(key);
      if (!known) byKey.set(key, { key, of, newest: id, timestamp, participants: [sender] });
      else if (!known.participants.includes(sender)) known.participants.push(sender);
    }
    return [...byKey.values()];
  }
}

/** @returns the conversations that the reader wants to see, in the same order */
export function filterRecent(
  all: readonly RecentConversation[],
  filter: RecentFilter,
  facts: RecentFacts,
): readonly RecentConversation[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ of, participants }) => {
    if (!filter.muted && facts.isMuted(of)) return false;
    if (filter.unread && !facts.isUnread(of)) return false;
    if (filter.participated && !participants.includes(facts.me)) return false;
    const name = words.length === 0 ? '' : facts.nameOf(of).toLowerCase();
    return words.every((word) => name.includes(word));
  });
}
