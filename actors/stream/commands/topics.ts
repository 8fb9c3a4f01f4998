/** Topics of a stream (streams.md § GET /users/me/{stream_id}/topics), and reports of other actors about them. */

import { successReply, valueReply } from '#actors/shared';
import type { Json } from '#base';
import { type ActorKey, parseActorKey } from '#model';
import type { streamCommands } from '#model/commands';
import type { MessageRecord } from '#model/records';
import { writeNotifiedSubscriber } from '../missed.js';
import type { StreamCommand } from '../state.js';
import {
  listTopics,
  readNewestOfTopic,
  removeMessagesFromTopic,
  topicWatchersOf,
  writeTopicWatcher,
} from '../topics.js';
import { withRetentionTimer } from './retention.js';

const ownStream = (key: ActorKey): number => Number(parseActorKey(key).rest);

/** Lists all topics, for users who may read the whole stream; the user actor that redirects here has checked that. */
export const listAllTopicsHandler: StreamCommand<typeof streamCommands.listTopics> = {
  lane: 'topics',
  read: true,
  creates: true,
  handle: ({ parts }) => ({ reply: successReply({ topics: listTopics(parts) as unknown as Json }) }),
};

/** Replies with the names of topics, for the actor of a user who may read only part of the stream. */
export const readTopicNamesHandler: StreamCommand<typeof streamCommands.topicNames> = {
  lane: 'topics',
  read: true,
  creates: true,
  handle: ({ parts }) => ({ reply: valueReply(listTopics(parts) as unknown as Json) }),
};

/**
 * Finds a topic's newest message after messages came from another stream. The command is never refused and may be
 * repeated.
 */
export const refreshTopicHandler: StreamCommand<typeof streamCommands.topicChanged, readonly MessageRecord[]> = {
  creates: true,
  inputs: ({ topic }, { realm, key }, { store }) => readNewestOfTopic(store, realm, ownStream(key), topic),
  handle: (view, { topic }, newest, { key, now }) => ({
    reply: valueReply(null),
    ...withRetentionTimer(view.state, now),
    parts: removeMessagesFromTopic(view, ownStream(key), topic, newest, () => false),
  }),
};

/** Replies with the users whose actors keep a policy for the topic. */
export const readTopicWatchersHandler: StreamCommand<typeof streamCommands.topicWatchers> = {
  lane: 'topics',
  read: true,
  creates: true,
  handle: ({ parts }, { topic }) => ({ reply: valueReply(topicWatchersOf(parts, topic)) }),
};

/**
 * Records that a user's actor keeps a policy for the topic, or no longer does. The command is never refused and may be
 * repeated.
 */
export const setTopicWatchedHandler: StreamCommand<typeof streamCommands.topicWatched> = {
  creates: true,
  handle: ({ parts }, { topic, user, watches }) => ({
    reply: valueReply(null),
    parts: writeTopicWatcher(parts, topic, user, watches),
  }),
};

/** Records whether a subscriber wants mails or pushes of all messages. Never refuses; may be repeated. */
export const setNotifiedHandler: StreamCommand<typeof streamCommands.setNotified> = {
  creates: true,
  handle: ({ parts }, { user, notified }) => ({
    reply: valueReply(null),
    parts: writeNotifiedSubscriber(parts, user, notified),
  }),
};
