import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Snapshot } from '../../contract/index.js';
import { type Conversation, type ConversationKey, conversationKey, getOtherUserIds } from '../narrow.js';
import type { MutingState } from './muting.js';
import type { Slice } from './slice.js';

type UnreadMsgs = Snapshot['unread_msgs'];

export type MentionKind = 'personal' | 'wildcard';

const isConversationMuted = (muting: MutingState, of: Conversation | undefined): boolean =>
  of !== undefined && 'stream' in of && muting.isTopicMuted(of.stream, of.topic);

/** The unread messages of one conversation. */
interface UnreadGroup {
  readonly conversation: Conversation;
  readonly key: ConversationKey;
  readonly ids: Set<number>;
}

export interface UnreadConversation {
  readonly conversation: Conversation;
  readonly key: ConversationKey;
  readonly count: number;
  readonly newestMessageId: number;
  readonly mentionCount: number;
  readonly muted: boolean;
}

/**
 * Unread messages by conversation. Ids stand in mutable sets; `version` changes with them, and what is asked for is
 * computed, so that a row of the sidebar renders again only when its own number changes.
 *
 *     unread.conversationCount(conversation).value    signal of one conversation's number
 *     unread.streamCount(id).value          of a stream, without its muted topics
 *     unread.conversations.value            all with unread messages, newest first: the inbox
 *     unread.total.value                    what title and icon show: direct messages and topics that are not muted
 *     unread.mentions.value                 ids of unread messages that mention the user
 *     unread.incomplete.value               more than the server lists: numbers are lower bounds
 */
export class UnreadState implements Slice {
  readonly version = signal(0);
  readonly incomplete = signal(false);
  readonly #groupByExactKey = new Map<string, UnreadGroup>();
  readonly #groupByMessageId = new Map<number, UnreadGroup>();
  /** Wildcards count unless their place is muted now. */
  readonly #mentionByMessageId = new Map<number, MentionKind>();
  readonly #countSignalByName = new Map<string, ReadonlySignal<number>>();
  #ownUserId = 0;

  readonly conversations: ReadonlySignal<readonly UnreadConversation[]> = computed(() => {
    this.version.value;
    const merged = new Map<ConversationKey, UnreadConversation>();
    for (const { conversation, key, ids } of this.#groupByExactKey.values()) {
      const other = merged.get(key);
      let newest = other?.newestMessageId ?? 0;
      let mentions = other?.mentionCount ?? 0;
      const muted = isConversationMuted(this.muting, conversation);
      for (const id of ids) {
        if (id > newest) newest = id;
        if (this.#isCountedMention(id, muted)) mentions++;
      }
      merged.set(key, {
        conversation: conversation,
        key,
        count: ids.size + (other?.count ?? 0),
        newestMessageId: newest,
        mentionCount: mentions,
        muted,
      });
    }
    return [...merged.values()].sort((a, b) => b.newestMessageId - a.newestMessageId);
  });

  readonly totalCount: ReadonlySignal<number> = computed(() =>
    this.conversations.value.reduce((sum, { count, muted }) => (muted ? sum : sum + count), 0),
  );

  readonly mentioningIds: ReadonlySignal<readonly number[]> = computed(() => {
    this.version.value;
    const of = (id: number): Conversation | undefined => this.#groupByMessageId.get(id)?.conversation;
    return [...this.#mentionByMessageId.keys()]
      .filter((id) => this.#isCountedMention(id, isConversationMuted(this.muting, of(id))))
      .sort((a, b) => a - b);
  });

  /** Number of unread messages in all direct conversations. */
  readonly directCount: ReadonlySignal<number> = computed(() =>
    this.conversations.value.reduce((sum, { conversation, count }) => ('users' in conversation ? sum + count : sum), 0),
  );

  constructor(private readonly muting: MutingState) {}

  load({ unread_msgs, user_id }: Snapshot): void {
    this.#groupByExactKey.clear();
    this.#groupByMessageId.clear();
    this.#mentionByMessageId.clear();
    this.#ownUserId = user_id ?? 0;
    const { streams = [], pms = [], huddles = [], mentions = [], old_unreads_missing = false } = unread_msgs ?? {};
    const add = (of: Conversation, ids: readonly number[]): void => {
      for (const id of ids) this.#putInGroup(id, of);
    };
    for (const { stream_id, topic, unread_message_ids } of streams)
      add({ stream: stream_id, topic }, unread_message_ids);
    for (const { other_user_id, unread_message_ids } of pms) add({ users: [other_user_id] }, unread_message_ids);
    for (const { user_ids_string, unread_message_ids } of huddles) {
      add({ users: getOtherUserIds(user_ids_string.split(',').map(Number), this.#ownUserId) }, unread_message_ids);
    }
    // The snapshot leaves out those that don't count, and says nothing of the kind.
    for (const id of mentions) this.#mentionByMessageId.set(id, 'personal');
    this.incomplete.value = old_unreads_missing;
    this.version.value++;
  }

  save(): Partial<Snapshot> {
    const sorted = (ids: Iterable<number>): number[] => [...ids].sort((a, b) => a - b);
    const streams: UnreadMsgs['streams'][number][] = [];
    const pms: UnreadMsgs['pms'][number][] = [];
    const huddles: UnreadMsgs['huddles'][number][] = [];
    for (const { conversation, ids } of this.#groupByExactKey.values()) {
      const unread_message_ids = sorted(ids);
      if ('stream' in conversation)
        streams.push({ stream_id: conversation.stream, topic: conversation.topic, unread_message_ids });
      else if (conversation.users.length === 1) {
        pms.push({ other_user_id: conversation.users[0]!, sender_id: conversation.users[0]!, unread_message_ids });
      } else
        huddles.push({ user_ids_string: sorted([...conversation.users, this.#ownUserId]).join(), unread_message_ids });
    }
    const unread_msgs = {
      streams: streams.sort((a, b) => a.stream_id - b.stream_id || (a.topic < b.topic ? -1 : 1)),
      pms: pms.sort((a, b) => a.other_user_id - b.other_user_id),
      huddles: huddles.sort((a, b) => (a.user_ids_string < b.user_ids_string ? -1 : 1)),
      mentions: [...this.mentioningIds.peek()],
      count: this.totalCount.peek(),
      old_unreads_missing: this.incomplete.peek(),
    };
    return { unread_msgs };
  }

  conversationCount(of: Conversation): ReadonlySignal<number> {
    const key = conversationKey(of);
    return this.#findOrMakeCountSignal(key, () => this.conversations.value.find((one) => one.key === key)?.count ?? 0);
  }

  streamCount(stream: number): ReadonlySignal<number> {
    return this.#findOrMakeCountSignal(`stream ${stream}`, () =>
      this.conversations.value.reduce(
        (sum, { conversation, count, muted }) =>
          'stream' in conversation && conversation.stream === stream && !muted ? sum + count : sum,
        0,
      ),
    );
  }

  has(id: number): boolean {
    return this.#groupByMessageId.has(id);
  }

  /** Ids of a conversation's unread messages, in no order. */
  unreadIdsOf(of: Conversation): readonly number[] {
    this.version.value;
    const key = conversationKey(of);
    return [...this.#groupByExactKey.values()].filter((group) => group.key === key).flatMap(({ ids }) => [...ids]);
  }

  conversationOfMessage(id: number): Conversation | undefined {
    return this.#groupByMessageId.get(id)?.conversation;
  }

  add(id: number, of: Conversation, mention: MentionKind | undefined): void {
    this.#putInGroup(id, of);
    if (mention) this.#mentionByMessageId.set(id, mention);
    else this.#mentionByMessageId.delete(id);
    this.version.value++;
  }

  remove(ids: Iterable<number>): void {
    let changed = false;
    for (const id of ids) changed = this.#takeFromGroup(id) || changed;
    if (changed) this.version.value++;
  }

  removeAll(): void {
    this.remove([...this.#groupByMessageId.keys()]);
    this.incomplete.value = false;
  }

  removeStream(stream: number): void {
    const gone = [...this.#groupByExactKey.values()].filter(
      ({ conversation }) => 'stream' in conversation && conversation.stream === stream,
    );
    this.remove(gone.flatMap(({ ids }) => [...ids]));
  }

  /** Messages that moved. */
  moveMessages(ids: readonly number[], stream: number, topic: string | undefined): void {
    for (const id of ids) {
      const group = this.#groupByMessageId.get(id);
      if (!group || !('stream' in group.conversation)) continue;
      this.add(id, { stream, topic: topic ?? group.conversation.topic }, this.#mentionByMessageId.get(id));
    }
  }

  setMention(id: number, mention: MentionKind | undefined): void {
    const of = this.#groupByMessageId.get(id)?.conversation;
    if (of) this.add(id, of, mention);
  }

  #isCountedMention(id: number, muted: boolean): boolean {
    const mention = this.#mentionByMessageId.get(id);
    return mention === 'personal' || (mention === 'wildcard' && !muted);
  }

  #findOrMakeCountSignal(name: string, count: () => number): ReadonlySignal<number> {
    const known = this.#countSignalByName.get(name);
    if (known) return known;
    const made = computed(count);
    this.#countSignalByName.set(name, made);
    return made;
  }

  #putInGroup(id: number, of: Conversation): void {
    this.#takeFromGroup(id, true);
    // Spellings of a topic are groups of their own, as in the snapshot; the key unites them.
    const exact = 'stream' in of ? `${of.stream}/${of.topic}` : conversationKey(of);
    const group = this.#groupByExactKey.get(exact) ?? {
      conversation: of,
      key: conversationKey(of),
      ids: new Set<number>(),
    };
    group.ids.add(id);
    this.#groupByExactKey.set(exact, group);
    this.#groupByMessageId.set(id, group);
  }

  #takeFromGroup(id: number, keepMention = false): boolean {
    const group = this.#groupByMessageId.get(id);
    if (!group) return false;
    group.ids.delete(id);
    if (group.ids.size === 0) {
      this.#groupByExactKey.delete(
        'stream' in group.conversation ? `${group.conversation.stream}/${group.conversation.topic}` : group.key,
      );
    }
    this.#groupByMessageId.delete(id);
    if (!keepMention) this.#mentionByMessageId.delete(id);
    return true;
  }
}
