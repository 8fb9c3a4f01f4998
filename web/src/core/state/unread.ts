import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Snapshot } from '../../contract/index.js';
import { type Conversation, type ConversationKey, getOtherOrOwnUserIds, makeConversationKey } from '../narrow.js';
import type { MutingState } from './muting.js';
import type { StateSlice } from './slice.js';

type UnreadMsgs = Snapshot['unread_msgs'];

export type MentionKind = 'personal' | 'wildcard';

/** Whether and how a message mentions the user, by its flags. */
export function findMentionKindInFlags(flags: readonly string[]): MentionKind | undefined {
  if (flags.includes('mentioned')) return 'personal';
  return flags.includes('wildcard_mentioned') ? 'wildcard' : undefined;
}

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
 * Unread messages by conversation. Ids are in mutable sets, and `changeVersion` is raised by each change. Counts are
 * computed signals, so that a row of the sidebar renders again only when its own number changes.
 *
 *     unread.getConversationCountSignal(conversation).value   number of one conversation
 *     unread.getStreamUnmutedCountSignal(id).value            number of a stream, without its muted topics
 *     unread.unreadConversations.value      all with unread messages, newest first: the inbox
 *     unread.totalUnmutedCount.value        number in title and icon: direct messages and topics that are not muted
 *     unread.unreadMentionIds.value         unread messages that mention the user
 *     unread.areCountsLowerBounds.value     true if there are more than the server lists
 */
export class UnreadState implements StateSlice {
  readonly changeVersion = signal(0);
  readonly areCountsLowerBounds = signal(false);
  readonly #groupByExactTopicKey = new Map<string, UnreadGroup>();
  readonly #groupByMessageId = new Map<number, UnreadGroup>();
  /** A wildcard mention counts unless its stream or topic is muted now. */
  readonly #mentionByMessageId = new Map<number, MentionKind>();
  readonly #countSignalByKey = new Map<string, ReadonlySignal<number>>();
  #ownUserId = 0;

  readonly unreadConversations: ReadonlySignal<readonly UnreadConversation[]> = computed(() => {
    this.changeVersion.value;
    const merged = new Map<ConversationKey, UnreadConversation>();
    for (const { conversation, key, ids } of this.#groupByExactTopicKey.values()) {
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

  readonly totalUnmutedCount: ReadonlySignal<number> = computed(() =>
    this.unreadConversations.value.reduce((sum, { count, muted }) => (muted ? sum : sum + count), 0),
  );

  readonly unreadMentionIds: ReadonlySignal<readonly number[]> = computed(() => {
    this.changeVersion.value;
    const of = (id: number): Conversation | undefined => this.#groupByMessageId.get(id)?.conversation;
    return [...this.#mentionByMessageId.keys()]
      .filter((id) => this.#isCountedMention(id, isConversationMuted(this.muting, of(id))))
      .sort((a, b) => a - b);
  });

  /** Number of unread messages in all direct conversations. */
  readonly unreadDirectCount: ReadonlySignal<number> = computed(() =>
    this.unreadConversations.value.reduce(
      (sum, { conversation, count }) => ('users' in conversation ? sum + count : sum),
      0,
    ),
  );

  constructor(private readonly muting: MutingState) {}

  loadFromSnapshot({ unread_msgs, user_id }: Snapshot): void {
    this.#groupByExactTopicKey.clear();
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
      add({ users: getOtherOrOwnUserIds(user_ids_string.split(',').map(Number), this.#ownUserId) }, unread_message_ids);
    }
    // The snapshot lists only mentions that count, without their kind.
    for (const id of mentions) this.#mentionByMessageId.set(id, 'personal');
    this.areCountsLowerBounds.value = old_unreads_missing;
    this.changeVersion.value++;
  }

  makeSnapshotFields(): Partial<Snapshot> {
    const sorted = (ids: Iterable<number>): number[] => [...ids].sort((a, b) => a - b);
    const streams: UnreadMsgs['streams'][number][] = [];
    const pms: UnreadMsgs['pms'][number][] = [];
    const huddles: UnreadMsgs['huddles'][number][] = [];
    for (const { conversation, ids } of this.#groupByExactTopicKey.values()) {
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
      mentions: [...this.unreadMentionIds.peek()],
      count: this.totalUnmutedCount.peek(),
      old_unreads_missing: this.areCountsLowerBounds.peek(),
    };
    return { unread_msgs };
  }

  getConversationCountSignal(of: Conversation): ReadonlySignal<number> {
    const key = makeConversationKey(of);
    return this.#findOrMakeCountSignal(
      key,
      () => this.unreadConversations.value.find((one) => one.key === key)?.count ?? 0,
    );
  }

  getStreamUnmutedCountSignal(stream: number): ReadonlySignal<number> {
    return this.#findOrMakeCountSignal(`stream ${stream}`, () =>
      this.unreadConversations.value.reduce(
        (sum, { conversation, count, muted }) =>
          'stream' in conversation && conversation.stream === stream && !muted ? sum + count : sum,
        0,
      ),
    );
  }

  isUnread(id: number): boolean {
    return this.#groupByMessageId.has(id);
  }

  /** Ids of the unread messages of these conversations, in no order. */
  unreadIdsWhere(isMeant: (group: Pick<UnreadConversation, 'conversation' | 'key'>) => boolean): readonly number[] {
    return [...this.#groupByExactTopicKey.values()].filter(isMeant).flatMap(({ ids }) => [...ids]);
  }

  conversationOfUnreadMessage(id: number): Conversation | undefined {
    return this.#groupByMessageId.get(id)?.conversation;
  }

  putUnread(id: number, of: Conversation, mention: MentionKind | undefined): void {
    this.#putInGroup(id, of);
    if (mention) this.#mentionByMessageId.set(id, mention);
    else this.#mentionByMessageId.delete(id);
    this.changeVersion.value++;
  }

  removeMessages(ids: Iterable<number>): void {
    let changed = false;
    for (const id of ids) changed = this.#takeFromGroup(id) || changed;
    if (changed) this.changeVersion.value++;
  }

  /** Removes messages for now. @returns a function that puts them back */
  takeMessages(ids: readonly number[]): () => void {
    const taken = ids.map((id) => [id, this.#groupByMessageId.get(id), this.#mentionByMessageId.get(id)] as const);
    this.removeMessages(ids);
    return () => {
      for (const [id, group, mention] of taken) if (group) this.putUnread(id, group.conversation, mention);
    };
  }

  removeAll(): void {
    this.removeMessages([...this.#groupByMessageId.keys()]);
    this.areCountsLowerBounds.value = false;
  }

  removeMessagesOfStream(stream: number): void {
    this.removeMessages(
      this.unreadIdsWhere(({ conversation }) => 'stream' in conversation && conversation.stream === stream),
    );
  }

  /** Moves messages to another conversation. */
  moveMessages(ids: readonly number[], stream: number, topic: string | undefined): void {
    for (const id of ids) {
      const group = this.#groupByMessageId.get(id);
      if (!group || !('stream' in group.conversation)) continue;
      this.putUnread(id, { stream, topic: topic ?? group.conversation.topic }, this.#mentionByMessageId.get(id));
    }
  }

  setMentionIfUnread(id: number, mention: MentionKind | undefined): void {
    const of = this.#groupByMessageId.get(id)?.conversation;
    if (of) this.putUnread(id, of, mention);
  }

  #isCountedMention(id: number, muted: boolean): boolean {
    const mention = this.#mentionByMessageId.get(id);
    return mention === 'personal' || (mention === 'wildcard' && !muted);
  }

  #findOrMakeCountSignal(name: string, count: () => number): ReadonlySignal<number> {
    const known = this.#countSignalByKey.get(name);
    if (known) return known;
    const made = computed(count);
    this.#countSignalByKey.set(name, made);
    return made;
  }

  #putInGroup(id: number, of: Conversation): void {
    this.#takeFromGroup(id, true);
    // Each spelling of a topic is a group of its own, as in the snapshot. Their keys are equal.
    const exact = 'stream' in of ? `${of.stream}/${of.topic}` : makeConversationKey(of);
    const group = this.#groupByExactTopicKey.get(exact) ?? {
      conversation: of,
      key: makeConversationKey(of),
      ids: new Set<number>(),
    };
    group.ids.add(id);
    this.#groupByExactTopicKey.set(exact, group);
    this.#groupByMessageId.set(id, group);
  }

  #takeFromGroup(id: number, keepMention = false): boolean {
    const group = this.#groupByMessageId.get(id);
    if (!group) return false;
    group.ids.delete(id);
    if (group.ids.size === 0) {
      this.#groupByExactTopicKey.delete(
        'stream' in group.conversation ? `${group.conversation.stream}/${group.conversation.topic}` : group.key,
      );
    }
    this.#groupByMessageId.delete(id);
    if (!keepMention) this.#mentionByMessageId.delete(id);
    return true;
  }
}
