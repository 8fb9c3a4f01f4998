/**
 * Topics of a stream: one part for each, loaded with the actor. They follow from the messages; what is kept is the
 * newest message, whose spelling the topic has.
 */

import type { Json, JsonObject } from '#base';
import type { StoredMessage } from '#domain/messages';
import { asStored, NEWEST, streamConversation } from '#domain/messages';
import { topicKey } from '#domain/streams';
import type { Parts, RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import type { Store } from '#ports/store';
import type { StreamView } from './messages.js';

export const TOPIC_PART = 'topic/';

/** How many of the newest messages are looked at for the newest that remains: more than commands in flight change. */
export const LOOKED_AT = 64;

interface Topic extends JsonObject {
  readonly name: string;
  /** Id of its newest message. */
  readonly max: number;
}

type Changes = Readonly<Record<string, Json>>;

export const topicOf = (parts: Parts, key: string): Topic | undefined =>
  parts.get(`${TOPIC_PART}${key}`) as Topic | undefined;

const part = (key: string, topic: Topic | null): Changes => ({ [`${TOPIC_PART}${key}`]: topic });

/** Newest first, as the API lists them. */
export function listTopics(parts: Parts): { readonly name: string; readonly max_id: number }[] {
  const topics: { name: string; max_id: number }[] = [];
  for (const [name, value] of parts) {
    if (!name.startsWith(TOPIC_PART)) continue;
    const topic = value as Topic;
    topics.push({ name: topic.name, max_id: topic.max });
  }
  return topics.sort((a, b) => b.max_id - a.max_id);
}

/** A message with this id is in the topic now. */
export function arrivedIn(parts: Parts, name: string, id: number): Changes {
  const key = topicKey(name);
  const before = topicOf(parts, key);
  return before && before.max > id ? {} : part(key, { name, max: id });
}

/** Input of `topicWithout`: the newest messages of a topic. @param before only older ones */
export function newestOfTopic(
  store: Store,
  realm: RealmId,
  stream: number,
  key: string,
  before = NEWEST,
): Promise<MessageRecord[]> {
  const index = { by: 'topic', conversation: streamConversation(stream), topicKey: key } as const;
  return store.scanMessages({ realm, index, from: before, direction: 'older', limit: LOOKED_AT });
}

const isIn = (message: StoredMessage, stream: number, key: string): boolean =>
  message.body.stream === stream && topicKey(message.body.topic) === key;

/** All that this activation has changed and that is in the topic now. */
export function recentlyIn(view: StreamView, stream: number, key: string): StoredMessage[] {
  return [...view.volatile.recent.records()].map(asStored).filter((message) => isIn(message, stream, key));
}

/** Messages as they are now, of records that were in the topic when they were looked up. */
export function stillIn(
  view: StreamView,
  records: readonly MessageRecord[],
  stream: number,
  key: string,
): StoredMessage[] {
  const messages: StoredMessage[] = [];
  for (const stored of records) {
    const record = view.volatile.recent.latest(stored.id, stored);
    const message = record ? asStored(record) : undefined;
    if (message && isIn(message, stream, key)) messages.push(message);
  }
  return messages;
}

/**
 * The topic when some of its messages leave it, or may have left it.
 * @param newest of `newestOfTopic`
 */
export function topicWithout(
  view: StreamView,
  stream: number,
  key: string,
  newest: readonly MessageRecord[],
  leaves: (id: number) => boolean,
): Changes {
  const before = topicOf(view.parts, key);
  const left = [...stillIn(view, newest, stream, key), ...recentlyIn(view, stream, key)]
    .filter(({ id }) => !leaves(id))
    .reduce<StoredMessage | undefined>((max, one) => (max && max.id > one.id ? max : one), undefined);
  // A message that was sent after the look into the Store.
  if (before && before.max > (left?.id ?? 0) && !leaves(before.max) && !leftBefore(view, before.max, stream, key)) {
    return {};
  }
  if (left) return part(key, { name: left.body.topic, max: left.id });
  return before ? part(key, null) : {};
}

function leftBefore(view: StreamView, id: number, stream: number, key: string): boolean {
  const record = view.volatile.recent.latest(id, null);
  if (record) return !isIn(asStored(record), stream, key);
  return view.volatile.recent.isDeleted(id);
}
