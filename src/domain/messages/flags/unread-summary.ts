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

interface ConversationUnreadMessages {
  readonly key: JsonObject;
  readonly ids: number[];
}

class UnreadIdsByConversation<K> {
  readonly #unreadByConversation = new Map<K, ConversationUnreadMessages>();

  addUnread(name: K, key: JsonObject, id: number): void {
    const group = this.#unreadByConversation.get(name);
    if (group) group.ids.push(id);
    else this.#unreadByConversation.set(name, { key, ids: [id] });
  }

  /** The conversations or topics with their unread ids, as the API shows them. @param order compares two names */
  listForApi(order: (a: K, b: K) => number): JsonObject[] {
    return [...this.#unreadByConversation]
      .sort(([a], [b]) => order(a, b))
      .map(([, { key, ids }]) => ({ ...key, unread_message_ids: ids }));
  }
}

const comparePrimitives = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

const NO_FLAGS: readonly string[] = [];

/** Makes the section from the user's unread messages. @param unread in any order */
export function makeUnreadMessagesSummary(unread: readonly StoredMessage[], view: UnreadSummaryView): JsonObject {
  const counted = unread.filter(({ body }) => body.stream === 0 || view.subscribed(body.stream));
  const newest = counted.sort((a, b) => b.id - a.id).slice(0, MAX_LISTED_UNREAD_MESSAGES);
  const pms = new UnreadIdsByConversation<number>();
  const huddles = new UnreadIdsByConversation<string>();
  const streams = new UnreadIdsByConversation<string>();
  const mentions: number[] = [];
  let count = 0;
  for (const { id, participants, body } of newest.toReversed()) {
    const muted = body.stream !== 0 && view.muted(body.stream, body.topic);
    if (!muted) count++;
    const flags = body.flags[view.user] ?? NO_FLAGS;
    const isMentionedWithOthers = body.wildcard || flags.includes('wildcard_mentioned');
    if (flags.includes('mentioned') || (isMentionedWithOthers && !muted)) mentions.push(id);
    if (body.stream !== 0) {
      const key = { stream_id: body.stream, topic: body.topic };
      streams.addUnread(`${String(body.stream).padStart(16, '0')} ${body.topic}`, key, id);
    } else if (participants.length > 2) {
      const everybody = participants.join(',');
      huddles.addUnread(everybody, { user_ids_string: everybody }, id);
    } else {
      const other = participants.find((one) => one !== view.user) ?? view.user;
      pms.addUnread(other, { other_user_id: other, sender_id: other }, id);
    }
  }
  return {
    pms: pms.listForApi(comparePrimitives),
    streams: streams.listForApi(comparePrimitives),
    huddles: huddles.listForApi(comparePrimitives),
    mentions,
    count,
    old_unreads_missing: view.missing || counted.length > newest.length,
  };
}
