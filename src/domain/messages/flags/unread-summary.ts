/** The `unread_msgs` section of POST /register (register.md § unread_msgs). The functions have no side effects. */
import type { JsonObject } from '#base';
import type { StoredMessage } from '../stored/message.js';

/** Maximum number of unread messages that the section lists; the newest ones. */
export const MAX_LISTED_UNREAD_MESSAGES = 50_000;

interface UnreadSummaryView {
  readonly user: number;
  /** True if the user is subscribed to a stream: messages in streams that the user left don't count. */
  subscribed(stream: number): boolean;
  /** True if the stream, or the topic in it, is muted. */
  muted(stream: number, topic: string): boolean;
  /** True if the scan stopped before it had all unread messages. */
  readonly missing: boolean;
}

/** Unread ids by conversation, and what the API shows of a conversation beside them. */
class UnreadIdsByConversation<K extends number | string> {
  readonly #idsByConversation = new Map<K, number[]>();

  addUnread(conversation: K, id: number): void {
    const ids = this.#idsByConversation.get(conversation);
    if (ids) ids.push(id);
    else this.#idsByConversation.set(conversation, [id]);
  }

  /** The conversations with their unread ids, as the API shows them; numbers ascending, texts by their code units. */
  listForApi(format: (conversation: K) => JsonObject): JsonObject[] {
    const sorted = [...this.#idsByConversation.keys()].sort(comparePrimitives);
    return sorted.map((conversation) => ({
      ...format(conversation),
      unread_message_ids: this.#idsByConversation.get(conversation)!,
    }));
  }
}

/** Unread ids of a topic, and whether the topic or its stream is muted. */
interface TopicUnreadMessages {
  readonly muted: boolean;
  readonly ids: number[];
}

const comparePrimitives = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

const NO_FLAGS: readonly string[] = [];

/** Makes the section from the user's unread messages. @param unread in any order */
export function makeUnreadMessagesSummary(unread: readonly StoredMessage[], view: UnreadSummaryView): JsonObject {
  const counted = unread.filter(({ body }) => body.stream === 0 || view.subscribed(body.stream));
  const newest = counted.sort((a, b) => b.id - a.id).slice(0, MAX_LISTED_UNREAD_MESSAGES);
  const pms = new UnreadIdsByConversation<number>();
  const huddles = new UnreadIdsByConversation<string>();
  const streams = new Map<number, Map<string, TopicUnreadMessages>>();
  const mentions: number[] = [];
  let count = 0;
  const addToTopic = (stream: number, topic: string, id: number): boolean => {
    const topics = streams.get(stream) ?? new Map<string, TopicUnreadMessages>();
    streams.set(stream, topics);
    const unreadOfTopic = topics.get(topic) ?? { muted: view.muted(stream, topic), ids: [] };
    topics.set(topic, unreadOfTopic);
    unreadOfTopic.ids.push(id);
    return unreadOfTopic.muted;
  };
  for (let i = newest.length - 1; i >= 0; i--) {
    const { id, participants, body } = newest[i]!;
    const muted = body.stream !== 0 && addToTopic(body.stream, body.topic, id);
    if (!muted) count++;
    const flags = body.flags[view.user] ?? NO_FLAGS;
    const isMentionedWithOthers = body.wildcard || flags.includes('wildcard_mentioned');
    if (flags.includes('mentioned') || (isMentionedWithOthers && !muted)) mentions.push(id);
    if (body.stream !== 0) continue;
    if (participants.length > 2) huddles.addUnread(participants.join(','), id);
    else pms.addUnread(participants.find((one) => one !== view.user) ?? view.user, id);
  }
  return {
    pms: pms.listForApi((other) => ({ other_user_id: other, sender_id: other })),
    streams: [...streams.keys()].sort(comparePrimitives).flatMap((stream_id) => {
      const topics = streams.get(stream_id)!;
      return [...topics.keys()]
        .sort(comparePrimitives)
        .map((topic) => ({ stream_id, topic, unread_message_ids: topics.get(topic)!.ids }));
    }),
    huddles: huddles.listForApi((everybody) => ({ user_ids_string: everybody })),
    mentions,
    count,
    old_unreads_missing: view.missing || counted.length > newest.length,
  };
}
