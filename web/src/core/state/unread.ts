import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Snapshot } from '../../contract/index.js';
import { type Conversation, type ConversationKey, conversationKey, othersOf } from '../narrow.js';
import type { MutingState } from './muting.js';
import type { Slice } from './slice.js';

type UnreadMsgs = Snapshot['unread_msgs'];

export type Mention = 'personal' | 'wildcard';

const isMuted = (muting: MutingState, of: Conversation | undefined): boolean =>
  of !== undefined && 'stream' in of && muting.isMuted(of.stream, of.topic);

/** The unread messages of one conversation. */
interface Group {
  readonly of: Conversation;
  readonly key: ConversationKey;
  readonly ids: Set<number>;
}

export interface UnreadConversation {
  readonly of: Conversation;
  readonly key: ConversationKey;
  readonly count: number;
  readonly newest: number;
  readonly mentions: number;
  readonly muted: boolean;
}

/**
 * Unread messages by conversation. Ids stand in mutable sets; `version` changes with them, and what is asked for is
 * computed, so that a row of the sidebar renders again only when its own number changes.
 *
 *     unread.countOf(conversation).value    signal of one conversation's number
 *     unread.streamCount(id).value          of a stream, without its muted topics
 *     unread.conversations.value            all with unread messages, newest first: the inbox
 *     unread.total.value                    what title and icon show: direct messages and topics that are not muted
 *     unread.mentions.value                 ids of unread messages that mention the user
 *     unread.incomplete.value               more than the server lists: numbers are lower bounds
 */
export class UnreadState implements Slice {
  readonly version = signal(0);
  readonly incomplete = signal(false);
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<number, Group>();
  /** Wildcards count unless their place is muted now. */
  readonly #mentions = new Map<number, Mention>();
  readonly #numbers = new Map<string, ReadonlySignal<number>>();
  #me = 0;

  readonly conversations: ReadonlySignal<readonly UnreadConversation[]> = computed(() => {
    this.version.value;
    const merged = new Map<ConversationKey, UnreadConversation>();
    for (const { of, key, ids } of this.#groups.values()) {
      const other = merged.get(key);
      let newest = other?.newest ?? 0;
      let mentions = other?.mentions ?? 0;
      const muted = isMuted(this.muting, of);
      for (const id of ids) {
        if (id > newest) newest = id;
        if (this.#counts(id, muted)) mentions++;
      }
      merged.set(key, { of, key, count: ids.size + (other?.count ?? 0), newest, mentions, muted });
    }
    return [...merged.values()].sort((a, b) => b.newest - a.newest);
  });

  readonly total: ReadonlySignal<number> = computed(() =>
    this.conversations.value.reduce((sum, { count, muted }) => (muted ? sum : sum + count), 0),
  );

  readonly mentions: ReadonlySignal<readonly number[]> = computed(() => {
    this.version.value;
    const of = (id: number): Conversation | undefined => this.#groupOf.get(id)?.of;
    return [...this.#mentions.keys()]
      .filter((id) => this.#counts(id, isMuted(this.muting, of(id))))
      .sort((a, b) => a - b);
  });

  /** Number of unread messages in all direct conversations. */
  readonly direct: ReadonlySignal<number> = computed(() =>
    this.conversations.value.reduce((sum, { of, count }) => ('users' in of ? sum + count : sum), 0),
  );

  constructor(private readonly muting: MutingState) {}

  load({ unread_msgs, user_id }: Snapshot): void {
    this.#groups.clear();
    this.#groupOf.clear();
    this.#mentions.clear();
    this.#me = user_id ?? 0;
    const { streams = [], pms = [], huddles = [], mentions = [], old_unreads_missing = false } = unread_msgs ?? {};
    const add = (of: Conversation, ids: readonly number[]): void => {
      for (const id of ids) this.#put(id, of);
    };
    for (const { stream_id, topic, unread_message_ids } of streams)
      add({ stream: stream_id, topic }, unread_message_ids);
    for (const { other_user_id, unread_message_ids } of pms) add({ users: [other_user_id] }, unread_message_ids);
    for (const { user_ids_string, unread_message_ids } of huddles) {
      add({ users: othersOf(user_ids_string.split(',').map(Number), this.#me) }, unread_message_ids);
    }
    // The snapshot leaves out those that don't count, and says nothing of the kind.
    for (const id of mentions) this.#mentions.set(id, 'personal');
    this.incomplete.value = old_unreads_missing;
    this.version.value++;
  }

  save(): Partial<Snapshot> {
    const sorted = (ids: Iterable<number>): number[] => [...ids].sort((a, b) => a - b);
    const streams: UnreadMsgs['streams'][number][] = [];
    const pms: UnreadMsgs['pms'][number][] = [];
    const huddles: UnreadMsgs['huddles'][number][] = [];
    for (const { of, ids } of this.#groups.values()) {
      const unread_message_ids = sorted(ids);
      if ('stream' in of) streams.push({ stream_id: of.stream, topic: of.topic, unread_message_ids });
      else if (of.users.length === 1) {
        pms.push({ other_user_id: of.users[0]!, sender_id: of.users[0]!, unread_message_ids });
      } else huddles.push({ user_ids_string: sorted([...of.users, this.#me]).join(), unread_message_ids });
    }
    const unread_msgs = {
      streams: streams.sort((a, b) => a.stream_id - b.stream_id || (a.topic < b.topic ? -1 : 1)),
      pms: pms.sort((a, b) => a.other_user_id - b.other_user_id),
      huddles: huddles.sort((a, b) => (a.user_ids_string < b.user_ids_string ? -1 : 1)),
      mentions: [...this.mentions.peek()],
      count: this.total.peek(),
      old_unreads_missing: this.incomplete.peek(),
    };
    return { unread_msgs };
  }

  countOf(of: Conversation): ReadonlySignal<number> {
    const key = conversationKey(of);
    return this.#counted(key, () => this.conversations.value.find((one) => one.key === key)?.count ?? 0);
  }

  streamCount(stream: number): ReadonlySignal<number> {
    return this.#counted(`stream ${stream}`, () =>
      this.conversations.value.reduce(
        (sum, { of, count, muted }) => ('stream' in of && of.stream === stream && !muted ? sum + count : sum),
        0,
      ),
    );
  }

  has(id: number): boolean {
    return this.#groupOf.has(id);
  }

  /** Ids of a conversation's unread messages, in no order. */
  idsOf(of: Conversation): readonly number[] {
    this.version.value;
    const key = conversationKey(of);
    return [...this.#groups.values()].filter((group) => group.key === key).flatMap(({ ids }) => [...ids]);
  }

  conversationOf(id: number): Conversation | undefined {
    return this.#groupOf.get(id)?.of;
  }

  add(id: number, of: Conversation, mention: Mention | undefined): void {
    this.#put(id, of);
    if (mention) this.#mentions.set(id, mention);
    else this.#mentions.delete(id);
    this.version.value++;
  }

  remove(ids: Iterable<number>): void {
    let changed = false;
    for (const id of ids) changed = this.#take(id) || changed;
    if (changed) this.version.value++;
  }

  removeAll(): void {
    this.remove([...this.#groupOf.keys()]);
    this.incomplete.value = false;
  }

  removeStream(stream: number): void {
    const gone = [...this.#groups.values()].filter(({ of }) => 'stream' in of && of.stream === stream);
    this.remove(gone.flatMap(({ ids }) => [...ids]));
  }

  /** Messages that moved. */
  move(ids: readonly number[], stream: number, topic: string | undefined): void {
    for (const id of ids) {
      const group = this.#groupOf.get(id);
      if (!group || !('stream' in group.of)) continue;
      this.add(id, { stream, topic: topic ?? group.of.topic }, this.#mentions.get(id));
    }
  }

  setMention(id: number, mention: Mention | undefined): void {
    const of = this.#groupOf.get(id)?.of;
    if (of) this.add(id, of, mention);
  }

  #counts(id: number, muted: boolean): boolean {
    const mention = this.#mentions.get(id);
    return mention === 'personal' || (mention === 'wildcard' && !muted);
  }

  #counted(name: string, count: () => number): ReadonlySignal<number> {
    const known = this.#numbers.get(name);
    if (known) return known;
    const made = computed(count);
    this.#numbers.set(name, made);
    return made;
  }

  #put(id: number, of: Conversation): void {
    this.#take(id, true);
    // Spellings of a topic are groups of their own, as in the snapshot; the key unites them.
    const exact = 'stream' in of ? `${of.stream}/${of.topic}` : conversationKey(of);
    const group = this.#groups.get(exact) ?? { of, key: conversationKey(of), ids: new Set<number>() };
    group.ids.add(id);
    this.#groups.set(exact, group);
    this.#groupOf.set(id, group);
  }

  #take(id: number, keepMention = false): boolean {
    const group = this.#groupOf.get(id);
    if (!group) return false;
    group.ids.delete(id);
    if (group.ids.size === 0) {
      this.#groups.delete('stream' in group.of ? `${group.of.stream}/${group.of.topic}` : group.key);
    }
    this.#groupOf.delete(id);
    if (!keepMention) this.#mentions.delete(id);
    return true;
  }
}
