/** Topics of a stream (streams.md § GET /users/me/{stream_id}/topics), and reports of other actors about them. */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import type { streamActorCommands } from '#model/commands';
import type { MessageRecord } from '#model/records';
import { makeNotifiedSubscriberChange } from '../missed.js';
import type { ConversationCommandHandler } from '../state.js';
import {
  listTopicsOfStream,
  makeStreamShownOrHiddenCommands,
  makeTopicChangesAfterRemovals,
  makeTopicWatcherChange,
  readNewestMessagesOfTopic,
  streamIdOfActorKey,
  topicWatcherIdsOf,
} from '../topics.js';
import { withRetentionTimerStarted } from './retention.js';

/**
 * Lists all topics, for users who may read the whole stream; the user actor that redirects to this command has checked
 * that right.
 */
export const listAllTopicsHandler: ConversationCommandHandler<typeof streamActorCommands.listTopics> = {
  lane: 'topics',
  read: true,
  creates: true,
  handle: ({ parts }) => ({ reply: makeSuccessReply({ topics: listTopicsOfStream(parts) as unknown as Json }) }),
};

/** Replies with the names of topics, for the actor of a user who may read only part of the stream. */
export const readTopicsForActorsHandler: ConversationCommandHandler<typeof streamActorCommands.topicNames> = {
  lane: 'topics',
  read: true,
  creates: true,
  handle: ({ parts }) => ({ reply: makeValueReply(listTopicsOfStream(parts) as unknown as Json) }),
};

/**
 * Finds a topic's newest message after messages came from another stream. The command is never refused and may be
 * repeated.
 */
export const refreshNewestMessageOfTopicHandler: ConversationCommandHandler<
  typeof streamActorCommands.topicChanged,
  readonly MessageRecord[]
> = {
  creates: true,
  inputs: ({ topic }, { realm, key }, { store }) =>
    readNewestMessagesOfTopic(store, realm, streamIdOfActorKey(key), topic),
  handle: (view, { topic }, newest, { key, now }) => ({
    reply: makeValueReply(null),
    ...withRetentionTimerStarted(view.state, now),
    parts: makeTopicChangesAfterRemovals(view, streamIdOfActorKey(key), topic, newest, () => false),
  }),
};

/** Replies with the users whose actors keep a policy for the topic. */
export const readTopicPolicyHoldersHandler: ConversationCommandHandler<typeof streamActorCommands.topicWatchers> = {
  lane: 'topics',
  read: true,
  creates: true,
  handle: ({ parts }, { topic }) => ({ reply: makeValueReply(topicWatcherIdsOf(parts, topic)) }),
};

/**
 * Records that a user's actor keeps a policy for the topic, or no longer does, and whether the user follows it. The
 * command is never refused and may be repeated.
 */
export const recordTopicPolicyHolderHandler: ConversationCommandHandler<typeof streamActorCommands.topicWatched> = {
  creates: true,
  handle: ({ parts }, { topic, user, watches, follows }) => ({
    reply: makeValueReply(null),
    parts: makeTopicWatcherChange(parts, topic, user, watches, follows),
  }),
};

/**
 * Tells the users with a topic policy that the stream may have become visible to them or hidden from them. The command
 * is never refused and may be repeated.
 */
export const forwardStreamShownOrHiddenHandler: ConversationCommandHandler<typeof streamActorCommands.shownOrHidden> = {
  creates: true,
  handle: ({ parts }, _args, _inputs, context) => ({
    reply: makeValueReply(null),
    commands: [makeStreamShownOrHiddenCommands(parts, context)],
  }),
};

/**
 * Records whether a subscriber wants mails or pushes of all messages. The command is never refused and may be repeated.
 */
export const recordNotifiedSubscriberHandler: ConversationCommandHandler<typeof streamActorCommands.setNotified> = {
  creates: true,
  handle: ({ parts }, { user, notified }) => ({
    reply: makeValueReply(null),
    parts: makeNotifiedSubscriberChange(parts, user, notified),
  }),
};
