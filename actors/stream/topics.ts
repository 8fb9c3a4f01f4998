/**
 * Topics of a stream, and users who have a policy (muted, followed) for one of them. Topics follow from the messages: a
 * part per topic keeps its newest message id and the spelling of the name in that message.
 */

import { IdSet, type Json, type JsonObject, memoizeByObject } from '#base';
import {
  NEWEST_ANCHOR_MESSAGE_ID,
  type StoredMessage,
  storeNameOfStreamConversation,
  toStoredMessage,
} from '#domain/messages';
import { hashTopicIgnoringCase, toComparableTopicKey } from '#domain/streams';
import { type ActorKey, type ActorParts, parseActorKey, type RealmId, toUserId, userActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, userActorCommands } from '#model/commands';
import type { MessageRecord } from '#model/records';
import type { Store } from '#ports/store';
import type { CommandContext } from '#runtime';
import type { ConversationActorView } from './state.js';

export const STREAM_TOPIC_PART_PREFIX = 'topic/';

export const streamIdOfActorKey = (key: ActorKey): number => Number(parseActorKey(key).idWithinRealm);

/**
 * Maximum number of newest messages that are read to find the newest one that stays in a topic. Fewer messages than
 * this are changed by commands in flight.
 */
export const MAX_NEWEST_TOPIC_MESSAGES_READ = 64;

interface StoredTopic extends JsonObject {
  readonly name: string;
  /** Id of the topic's newest message. */
  readonly max: number;
}

type PartChanges = Readonly<Record<string, Json>>;

export const findStoredTopic = (parts: ActorParts, key: string): StoredTopic | undefined =>
  parts.get(`${STREAM_TOPIC_PART_PREFIX}${key}`) as StoredTopic | undefined;

const makeTopicPart = (key: string, topic: StoredTopic | null): PartChanges => ({
  [`${STREAM_TOPIC_PART_PREFIX}${key}`]: topic,
});

/** Topics of the stream, those with the newest messages first, as the API lists them. */
export function listTopicsOfStream(parts: ActorParts): { readonly name: string; readonly max_id: number }[] {
  const topics: { name: string; max_id: number }[] = [];
  for (const [name, value] of parts) {
    if (!name.startsWith(STREAM_TOPIC_PART_PREFIX)) continue;
    const topic = value as StoredTopic;
    topics.push({ name: topic.name, max_id: topic.max });
  }
  return topics.sort((a, b) => b.max_id - a.max_id);
}

/** Parts of the topic with this message added. */
export function makeTopicChangesForAddedMessage(parts: ActorParts, name: string, id: number): PartChanges {
  const key = toComparableTopicKey(name);
  const before = findStoredTopic(parts, key);
  return before && before.max > id ? {} : makeTopicPart(key, { name, max: id });
}

/** Input of `makeTopicChangesAfterRemovals`: the newest messages of a topic. */
export function readNewestMessagesOfTopic(
  store: Store,
  realm: RealmId,
  stream: number,
  key: string,
): Promise<MessageRecord[]> {
  const index = { by: 'topic', conversation: storeNameOfStreamConversation(stream), topicKey: key } as const;
  return store.scanMessages({
    realm,
    index,
    from: NEWEST_ANCHOR_MESSAGE_ID,
    direction: 'older',
    limit: MAX_NEWEST_TOPIC_MESSAGES_READ,
  });
}

const isMessageInTopic = (message: StoredMessage, stream: number, key: string): boolean =>
  message.body.stream === stream && toComparableTopicKey(message.body.topic) === key;

/** Messages that this activation has changed and that are in the topic now. */
export function listChangedMessagesInTopic(view: ConversationActorView, stream: number, key: string): StoredMessage[] {
  return [...view.volatile.recentlyChangedMessages.iterateUndeletedChangedRecords()]
    .map(toStoredMessage)
    .filter((message) => isMessageInTopic(message, stream, key));
}

/** Newest versions of these records, without messages that have left the topic since they were read. */
export function filterMessagesStillInTopic(
  view: ConversationActorView,
  records: readonly MessageRecord[],
  stream: number,
  key: string,
): StoredMessage[] {
  const messages: StoredMessage[] = [];
  for (const stored of records) {
    const record = view.volatile.recentlyChangedMessages.pickNewerRecord(stored.id, stored);
    const message = record ? toStoredMessage(record) : undefined;
    if (message && isMessageInTopic(message, stream, key)) messages.push(message);
  }
  return messages;
}

/**
 * Parts of the topic after some of its messages leave it, or may have left it.
 * @param newest newest messages of the topic; one of them is the newest that stays, if any stays
 */
export function makeTopicChangesAfterRemovals(
  view: ConversationActorView,
  stream: number,
  key: string,
  newest: readonly MessageRecord[],
  leaves: (id: number) => boolean,
): PartChanges {
  const before = findStoredTopic(view.parts, key);
  const left = [
    ...filterMessagesStillInTopic(view, newest, stream, key),
    ...listChangedMessagesInTopic(view, stream, key),
  ]
    .filter(({ id }) => !leaves(id))
    .reduce<StoredMessage | undefined>((max, one) => (max && max.id > one.id ? max : one), undefined);
  // The topic's newest message was sent after the Store was read, and it stays in the topic.
  if (
    before &&
    before.max > (left?.id ?? 0) &&
    !leaves(before.max) &&
    !hasMessageLeftTopic(view, before.max, stream, key)
  ) {
    return {};
  }
  if (left) return makeTopicPart(key, { name: left.body.topic, max: left.id });
  return before ? makeTopicPart(key, null) : {};
}

function hasMessageLeftTopic(view: ConversationActorView, id: number, stream: number, key: string): boolean {
  const record = view.volatile.recentlyChangedMessages.pickNewerRecord(id, null);
  if (record) return !isMessageInTopic(toStoredMessage(record), stream, key);
  return view.volatile.recentlyChangedMessages.isRememberedAsDeleted(id);
}

/**
 * Watchers: users whose actors keep a policy for the topic. A move of the topic is sent to these actors only. One part
 * per watched topic, named by a hash, because users may name topics that no message could have. Followers are the
 * watchers whom a message of the topic may notify.
 */
export const TOPIC_WATCHERS_PART_PREFIX = 'watchers/';

const topicWatchersPartName = (topic: string): string => `${TOPIC_WATCHERS_PART_PREFIX}${hashTopicIgnoringCase(topic)}`;

interface StoredTopicWatchers {
  readonly users: Uint8Array;
  /** Absent in parts of earlier versions: each of the users may follow the topic. */
  readonly followers?: Uint8Array;
}

interface TopicWatchers {
  readonly users: IdSet;
  readonly followers: IdSet;
}

const NO_TOPIC_WATCHERS: TopicWatchers = { users: IdSet.EMPTY, followers: IdSet.EMPTY };

const decodeTopicWatchers = memoizeByObject(({ users, followers }: StoredTopicWatchers): TopicWatchers => {
  const all = IdSet.decode(users);
  return { users: all, followers: followers ? IdSet.decode(followers) : all };
});

function readTopicWatchers(parts: ActorParts, topic: string): TopicWatchers {
  const stored = parts.get(topicWatchersPartName(topic)) as StoredTopicWatchers | undefined;
  return stored ? decodeTopicWatchers(stored) : NO_TOPIC_WATCHERS;
}

/** Ids of the topic's watchers, ascending. */
export const topicWatcherIdsOf = (parts: ActorParts, topic: string): readonly number[] =>
  readTopicWatchers(parts, topic).users.ids;

/** Ids of the users who watch any topic of the stream. */
function listTopicWatcherIds(parts: ActorParts): ReadonlySet<number> {
  const watchers = new Set<number>();
  for (const [name, stored] of parts) {
    if (!name.startsWith(TOPIC_WATCHERS_PART_PREFIX)) continue;
    for (const id of decodeTopicWatchers(stored as unknown as StoredTopicWatchers).users.ids) watchers.add(id);
  }
  return watchers;
}

/** Commands to the users with a topic policy: the stream may have become visible to them or hidden from them. */
export const makeStreamShownOrHiddenCommands = (
  parts: ActorParts,
  { key, realm, directory }: Pick<CommandContext, 'key' | 'realm' | 'directory'>,
): OutboxCommand[] =>
  [...listTopicWatcherIds(parts)].map((id) =>
    makeOutboxCommand({
      to: userActorKey(realm, toUserId(id)),
      name: userActorCommands.streamShownOrHidden,
      args: { stream: streamIdOfActorKey(key) },
      caller: 0,
      after: directory.version,
    }),
  );

/** Ids of the users who may follow the topic, ascending; each user's own actor knows. */
export const topicFollowerIdsOf = (parts: ActorParts, topic: string): readonly number[] =>
  readTopicWatchers(parts, topic).followers.ids;

const withIdAddedOrRemoved = ({ ids }: IdSet, id: number, isIn: boolean): IdSet =>
  IdSet.fromIds(isIn ? [...ids, id] : ids.filter((one) => one !== id));

/**
 * Parts that change when a user begins or ceases to watch a topic, or to follow it; none if nothing changes.
 * @param follows undefined: unknown, as an earlier version did not say it
 */
export function makeTopicWatcherChange(
  parts: ActorParts,
  topic: string,
  user: number,
  watches: boolean,
  follows: boolean = watches,
): Record<string, Json> {
  const { users, followers } = readTopicWatchers(parts, topic);
  if (users.has(user) === watches && followers.has(user) === follows) return {};
  const after = withIdAddedOrRemoved(users, user, watches);
  const following = withIdAddedOrRemoved(followers, user, follows);
  return {
    [topicWatchersPartName(topic)]:
      after.ids.length === 0 ? null : { users: after.encode(), followers: following.encode() },
  };
}
