import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Snapshot } from '../../contract/index.js';
import { getOtherOrOwnUserIds } from '../narrow.js';
import type { StateSlice } from './slice.js';

export interface DirectConversation {
  /** Ids of the others; the own id alone for notes to self. */
  readonly users: readonly number[];
  readonly newestMessageId: number;
}

export interface KnownTopic {
  readonly name: string;
  readonly max_id: number;
}

/**
 * Known conversations.
 *
 *     conversations.directNewestFirst.value    direct conversations
 *     conversations.getTopicsSignal(stream)    signal of the topics seen so far, newest first;
 *                                              `Core.loadAllTopicsOnce(stream)` fetches all of them once
 */
export class ConversationsState implements StateSlice {
  readonly directByOtherUserIds = signal<ReadonlyMap<string, DirectConversation>>(new Map());
  readonly directNewestFirst: ReadonlySignal<readonly DirectConversation[]> = computed(() =>
    [...this.directByOtherUserIds.value.values()].sort((a, b) => b.newestMessageId - a.newestMessageId),
  );
  /** Streams whose topics are all known. */
  readonly streamIdsWithAllTopicsKnown = signal<ReadonlySet<number>>(new Set());
  readonly #topicsByStreamId = signal<ReadonlyMap<number, ReadonlyMap<string, KnownTopic>>>(new Map());
  readonly #topicListSignalByStreamId = new Map<number, ReadonlySignal<readonly KnownTopic[]>>();
  #ownUserId = 0;

  loadFromSnapshot({ recent_private_conversations, user_id }: Snapshot): void {
    this.#ownUserId = user_id ?? 0;
    this.directByOtherUserIds.value = new Map(
      (recent_private_conversations ?? []).map(({ user_ids, max_message_id }) => {
        const users = getOtherOrOwnUserIds(user_ids, this.#ownUserId);
        return [users.join(), { users, newestMessageId: max_message_id }];
      }),
    );
    this.streamIdsWithAllTopicsKnown.value = new Set();
    this.#topicsByStreamId.value = new Map();
  }

  makeSnapshotFields(): Partial<Snapshot> {
    return {
      recent_private_conversations: this.directNewestFirst.peek().map(({ users, newestMessageId }) => ({
        max_message_id: newestMessageId,
        user_ids: users.filter((id) => id !== this.#ownUserId),
      })),
    };
  }

  getTopicsSignal(stream: number): ReadonlySignal<readonly KnownTopic[]> {
    const known = this.#topicListSignalByStreamId.get(stream);
    if (known) return known;
    const list = computed(() =>
      [...(this.#topicsByStreamId.value.get(stream)?.values() ?? [])].sort((a, b) => b.max_id - a.max_id),
    );
    this.#topicListSignalByStreamId.set(stream, list);
    return list;
  }

  noteDirectMessage(participants: readonly number[], id: number): void {
    const users = getOtherOrOwnUserIds(participants, this.#ownUserId);
    const newest = Math.max(id, this.directByOtherUserIds.peek().get(users.join())?.newestMessageId ?? 0);
    this.directByOtherUserIds.value = new Map(this.directByOtherUserIds.peek()).set(users.join(), {
      users,
      newestMessageId: newest,
    });
  }

  /** Notes that a topic has a message: a new one, one that was moved there, or one that was fetched. */
  noteTopicMessage(stream: number, name: string, id: number): void {
    const before = this.#topicsByStreamId.peek().get(stream)?.get(name.toLowerCase());
    if (before && before.max_id >= id) return;
    this.#replaceTopics(stream, [...(this.#topicsByStreamId.peek().get(stream)?.values() ?? []), { name, max_id: id }]);
  }

  /** All topics of a stream, as the server lists them. */
  replaceAllTopics(stream: number, topics: readonly KnownTopic[]): void {
    this.#replaceTopics(stream, topics);
    this.streamIdsWithAllTopicsKnown.value = new Set(this.streamIdsWithAllTopicsKnown.peek()).add(stream);
  }

  /**
   * Called when messages have left a topic: no event says which ones remain, so the topics are fetched again when they
   * are next needed.
   */
  markTopicsIncomplete(stream: number): void {
    const complete = new Set(this.streamIdsWithAllTopicsKnown.peek());
    if (complete.delete(stream)) this.streamIdsWithAllTopicsKnown.value = complete;
  }

  /** The whole topic moved. */
  removeTopic(stream: number, name: string): void {
    const topics = [...(this.#topicsByStreamId.peek().get(stream)?.values() ?? [])];
    this.#replaceTopics(
      stream,
      topics.filter((topic) => topic.name.toLowerCase() !== name.toLowerCase()),
    );
  }

  #replaceTopics(stream: number, topics: readonly KnownTopic[]): void {
    const byName = new Map(topics.map((topic) => [topic.name.toLowerCase(), topic]));
    this.#topicsByStreamId.value = new Map(this.#topicsByStreamId.peek()).set(stream, byName);
  }
}
