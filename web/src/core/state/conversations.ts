import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Snapshot } from '../../contract/index.js';
import { othersOf } from '../narrow.js';
import type { Slice } from './slice.js';

export interface DirectConversation {
  /** Ids of the others; the own id alone for notes to self. */
  readonly users: readonly number[];
  readonly newest: number;
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
  readonly byUsers = signal<ReadonlyMap<string, DirectConversation>>(new Map());
  readonly direct: ReadonlySignal<readonly DirectConversation[]> = computed(() =>
    [...this.byUsers.value.values()].sort((a, b) => b.newest - a.newest),
  );
  /** Streams whose topics are all known. */
  readonly complete = signal<ReadonlySet<number>>(new Set());
  readonly #topics = signal<ReadonlyMap<number, ReadonlyMap<string, Topic>>>(new Map());
  readonly #lists = new Map<number, ReadonlySignal<readonly Topic[]>>();
  #me = 0;

  load({ recent_private_conversations, user_id }: Snapshot): void {
    this.#me = user_id ?? 0;
    this.byUsers.value = new Map(
      (recent_private_conversations ?? []).map(({ user_ids, max_message_id }) => {
        const users = othersOf(user_ids, this.#me);
        return [users.join(), { users, newest: max_message_id }];
      }),
    );
    this.complete.value = new Set();
    this.#topics.value = new Map();
  }

  save(): Partial<Snapshot> {
    return {
      recent_private_conversations: this.direct.peek().map(({ users, newest }) => ({
        max_message_id: newest,
        user_ids: users.filter((id) => id !== this.#me),
      })),
    };
  }

  topicsOf(stream: number): ReadonlySignal<readonly Topic[]> {
    const known = this.#lists.get(stream);
    if (known) return known;
    const list = computed(() =>
      [...(this.#topics.value.get(stream)?.values() ?? [])].sort((a, b) => b.max_id - a.max_id),
    );
    this.#lists.set(stream, list);
    return list;
  }

  arriveDirect(participants: readonly number[], id: number): void {
    const users = othersOf(participants, this.#me);
    const newest = Math.max(id, this.byUsers.peek().get(users.join())?.newest ?? 0);
    this.byUsers.value = new Map(this.byUsers.peek()).set(users.join(), { users, newest });
  }

  /** A message in a topic: it may be new, moved there, or only have been fetched. */
  arriveTopic(stream: number, name: string, id: number): void {
    const before = this.#topics.peek().get(stream)?.get(name.toLowerCase());
    if (before && before.max_id >= id) return;
    this.#putTopics(stream, [...(this.#topics.peek().get(stream)?.values() ?? []), { name, max_id: id }]);
  }

  /** All topics of a stream, as the server lists them. */
  putAll(stream: number, topics: readonly Topic[]): void {
    this.#putTopics(stream, topics);
    this.complete.value = new Set(this.complete.peek()).add(stream);
  }

  /** No event says which messages a topic has left: the list is fetched again when it is next asked for. */
  forget(stream: number): void {
    const complete = new Set(this.complete.peek());
    if (complete.delete(stream)) this.complete.value = complete;
  }

  /** The whole topic moved. */
  removeTopic(stream: number, name: string): void {
    const topics = [...(this.#topics.peek().get(stream)?.values() ?? [])];
    this.#putTopics(
      stream,
      topics.filter((topic) => topic.name.toLowerCase() !== name.toLowerCase()),
    );
  }

  #putTopics(stream: number, topics: readonly Topic[]): void {
    const byName = new Map(topics.map((topic) => [topic.name.toLowerCase(), topic]));
    this.#topics.value = new Map(this.#topics.peek()).set(stream, byName);
  }
}
