import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Snapshot } from '../../contract/index.js';
import { getOtherUserIds } from '../narrow.js';
import type { Slice } from './slice.js';

export interface DirectConversation {
  /** Ids of the others; the own id alone for notes to self. */
  readonly users: readonly number[];
  readonly newestMessageId: number;
}

export interface Topic {
  readonly name: string;
  readonly max_id: number;
}

/**
 * Where people talk.
 *
 *     conversations.direct.value           direct messages, newest first
 *     conversations.topicsOf(stream)       signal of the topics seen so far, newest first; `Core.loadTopics(stream)`
 *                                          fetches all of them once
 */
export class ConversationsState implements Slice {
  readonly directByUserIds = signal<ReadonlyMap<string, DirectConversation>>(new Map());
  readonly directNewestFirst: ReadonlySignal<readonly DirectConversation[]> = computed(() =>
    [...this.directByUserIds.value.values()].sort((a, b) => b.newestMessageId - a.newestMessageId),
  );
  /** Streams whose topics are all known. */
  readonly completeStreamIds = signal<ReadonlySet<number>>(new Set());
  readonly #topicsByStreamId = signal<ReadonlyMap<number, ReadonlyMap<string, Topic>>>(new Map());
  readonly #topicListByStreamId = new Map<number, ReadonlySignal<readonly Topic[]>>();
  #ownUserId = 0;

  load({ recent_private_conversations, user_id }: Snapshot): void {
    this.#ownUserId = user_id ?? 0;
    this.directByUserIds.value = new Map(
      (recent_private_conversations ?? []).map(({ user_ids, max_message_id }) => {
        const users = getOtherUserIds(user_ids, this.#ownUserId);
        return [users.join(), { users, newestMessageId: max_message_id }];
      }),
    );
    this.completeStreamIds.value = new Set();
    this.#topicsByStreamId.value = new Map();
  }

  save(): Partial<Snapshot> {
    return {
      recent_private_conversations: this.directNewestFirst.peek().map(({ users, newestMessageId }) => ({
        max_message_id: newestMessageId,
        user_ids: users.filter((id) => id !== this.#ownUserId),
      })),
    };
  }

  topicsOf(stream: number): ReadonlySignal<readonly Topic[]> {
    const known = this.#topicListByStreamId.get(stream);
    if (known) return known;
    const list = computed(() =>
      [...(this.#topicsByStreamId.value.get(stream)?.values() ?? [])].sort((a, b) => b.max_id - a.max_id),
    );
    this.#topicListByStreamId.set(stream, list);
    return list;
  }

  noteDirectMessage(participants: readonly number[], id: number): void {
    const users = getOtherUserIds(participants, this.#ownUserId);
    const newest = Math.max(id, this.directByUserIds.peek().get(users.join())?.newestMessageId ?? 0);
    this.directByUserIds.value = new Map(this.directByUserIds.peek()).set(users.join(), {
      users,
      newestMessageId: newest,
    });
  }

  /** A message in a topic: it may be new, moved there, or only have been fetched. */
  noteTopicMessage(stream: number, name: string, id: number): void {
    const before = this.#topicsByStreamId.peek().get(stream)?.get(name.toLowerCase());
    if (before && before.max_id >= id) return;
    this.#putTopics(stream, [...(this.#topicsByStreamId.peek().get(stream)?.values() ?? []), { name, max_id: id }]);
  }

  /** All topics of a stream, as the server lists them. */
  putAllTopics(stream: number, topics: readonly Topic[]): void {
    this.#putTopics(stream, topics);
    this.completeStreamIds.value = new Set(this.completeStreamIds.peek()).add(stream);
  }

  /** No event says which messages a topic has left: the list is fetched again when it is next asked for. */
  markTopicsIncomplete(stream: number): void {
    const complete = new Set(this.completeStreamIds.peek());
    if (complete.delete(stream)) this.completeStreamIds.value = complete;
  }

  /** The whole topic moved. */
  removeTopic(stream: number, name: string): void {
    const topics = [...(this.#topicsByStreamId.peek().get(stream)?.values() ?? [])];
    this.#putTopics(
      stream,
      topics.filter((topic) => topic.name.toLowerCase() !== name.toLowerCase()),
    );
  }

  #putTopics(stream: number, topics: readonly Topic[]): void {
    const byName = new Map(topics.map((topic) => [topic.name.toLowerCase(), topic]));
    this.#topicsByStreamId.value = new Map(this.#topicsByStreamId.peek()).set(stream, byName);
  }
}
