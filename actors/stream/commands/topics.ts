/** Topics of a stream (streams.md § GET /users/me/{stream_id}/topics), and reports of other actors about them. */

import { success, value } from '#actors/shared';
import type { Json } from '#base';
import { type ActorKey, parseKey } from '#model';
import type { streamCommands } from '#model/commands';
import type { MessageRecord } from '#model/records';
import type { StreamCommand } from '../state.js';
import { listTopics, newestOfTopic, topicWithout, watchersOf, withWatcher } from '../topics.js';
import { withRetentionTimer } from './retention.js';

const ownStream = (key: ActorKey): number => Number(parseKey(key).rest);

/** For users who may read the whole stream; the user actor that redirects here has checked that. */
export const listAllTopics: StreamCommand<typeof streamCommands.listTopics> = {
  lane: 'topics',
  read: true,
  creates: true,
  handle: ({ parts }) => ({ reply: success({ topics: listTopics(parts) as unknown as Json }) }),
};

/** For the actor of a user who may read only part of the stream. */
export const topicNames: StreamCommand<typeof streamCommands.topicNames> = {
  lane: 'topics',
  read: true,
  creates: true,
  handle: ({ parts }) => ({ reply: value(listTopics(parts) as unknown as Json) }),
};

/** Messages came from another stream: finds the topic's newest message. Never refuses; may be repeated. */
export const topicChanged: StreamCommand<typeof streamCommands.topicChanged, readonly MessageRecord[]> = {
  creates: true,
  inputs: ({ topic }, { realm, key }, { store }) => newestOfTopic(store, realm, ownStream(key), topic),
  handle: (view, { topic }, newest, { key, now }) => ({
    reply: value(null),
    ...withRetentionTimer(view.state, now),
    parts: topicWithout(view, ownStream(key), topic, newest, () => false),
  }),
};

/** Users whose actors keep a policy for the topic. */
export const topicWatchers: StreamCommand<typeof streamCommands.topicWatchers> = {
  lane: 'topics',
  read: true,
  creates: true,
  handle: ({ parts }, { topic }) => ({ reply: value(watchersOf(parts, topic)) }),
};

/** A user's actor keeps a policy for the topic, or no longer does. Never refuses; may be repeated. */
export const topicWatched: StreamCommand<typeof streamCommands.topicWatched> = {
  creates: true,
  handle: ({ parts }, { topic, user, watches }) => ({
    reply: value(null),
    parts: withWatcher(parts, topic, user, watches),
  }),
};
