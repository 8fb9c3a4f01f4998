/** The two kinds of conversations: streams and direct messages. They share state and most commands. */

import { valueReply } from '#actors/shared';
import { MEMBER_PART_PREFIX } from '#domain/streams';
import { conversationCommands, directCommands, streamCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, type ActorView, mapHandlersByName, type Outcome } from '#runtime';
import type { ActorServices } from '../services.js';
import { sendBotReply, sendDirectBotReply } from './commands/bot-reply.js';
import { deleteMessage, deleteTopicBatch } from './commands/delete.js';
import { editMessageText, moveMessages, moveNextBatch } from './commands/edit.js';
import {
  archiveConversation,
  isStreamMember,
  joinMembers,
  publishSubscribers,
  readMembers,
  removeMembers,
  suspendMembers,
} from './commands/members.js';
import { postDirectNotice, postNotice } from './commands/notice.js';
import { addReaction, recordCopyMade, removeReaction } from './commands/react.js';
import { removeExpiredMessages } from './commands/retention.js';
import { noSuchStreamError, sendDirectMessage, sendToStream } from './commands/send.js';
import { sendScheduledDirect, sendScheduledToStream } from './commands/send-scheduled.js';
import { addSubmessage } from './commands/submessage.js';
import { listAllTopics, readTopicNames, readTopicWatchers, refreshTopic, setTopicWatched } from './commands/topics.js';
import { publishStreamTyping } from './commands/typing.js';
import { MOVE_PART_PREFIX } from './editing/move-batches.js';
import { streamMachine } from './machine.js';
import { RecentlyChangedMessages } from './recent.js';
import type { StreamCommand, StreamState, StreamVolatile } from './state.js';
import { STREAM_TOPIC_PART_PREFIX, WATCHERS_PART_PREFIX } from './topics.js';

const common = {
  directory: true,
  loadedParts: [MEMBER_PART_PREFIX, STREAM_TOPIC_PART_PREFIX, MOVE_PART_PREFIX, WATCHERS_PART_PREFIX],
  initial: () => ({ phase: 'active', mv: 0, last: 0, participants: [], recipient: 0 }),
  volatile: (): StreamVolatile => ({ recent: new RecentlyChangedMessages() }),
  takeBack({ volatile }: ActorView<StreamState, StreamVolatile>, { messages = [] }: Outcome<StreamState>) {
    for (const { id, rev } of messages) volatile.recent.takeBack(id, rev);
  },
  missing: () => ({ error: apiError('INVALID_STREAM_ID').toReply() }),
} as const;

/**
 * Answered once the log has everything that this actor has committed. An actor that read a message from the Store waits
 * for this before it emits an event of its own about the message: the message's own event must come first.
 */
const awaitPublished: StreamCommand<typeof conversationCommands.awaitPublished> = {
  lane: 'told',
  read: true,
  logged: true,
  creates: true,
  handle: () => ({ reply: valueReply(null) }),
};

/** Commands of both kinds. Changes of messages come by way of the caller's user actor. */
const shared = mapHandlersByName<typeof conversationCommands, StreamState, StreamVolatile, ActorServices>(
  conversationCommands,
  {
    edit: editMessageText,
    move: moveMessages,
    deleteMessage,
    react: addReaction,
    unreact: removeReaction,
    submessage: addSubmessage,
    due: removeExpiredMessages,
    awaitPublished,
  },
);

export const streamKind: ActorKind<StreamState, StreamVolatile, ActorServices> = {
  ...common,
  name: 'stream',
  machine: streamMachine,
  refusals: { archived: (key) => ({ error: noSuchStreamError(key).toReply() }) },
  summary: 'A stream: its subscribers, its topics, and every change of its messages.',
  commands: {
    ...shared,
    ...mapHandlersByName<typeof streamCommands, StreamState, StreamVolatile, ActorServices>(streamCommands, {
      copyMade: recordCopyMade,
      send: sendToStream,
      sendScheduled: sendScheduledToStream,
      botReply: sendBotReply,
      typing: publishStreamTyping,
      notice: postNotice,
      join: joinMembers,
      leave: removeMembers,
      suspend: suspendMembers,
      showSubscribers: publishSubscribers,
      archive: archiveConversation,
      members: readMembers,
      isMember: isStreamMember,
      moveNextBatch,
      deleteTopic: deleteTopicBatch,
      listTopics: listAllTopics,
      topicNames: readTopicNames,
      topicChanged: refreshTopic,
      topicWatched: setTopicWatched,
      topicWatchers: readTopicWatchers,
    }),
  },
};

export const directKind: ActorKind<StreamState, StreamVolatile, ActorServices> = {
  ...common,
  name: 'dm',
  summary: 'The direct messages of a set of users; they are never archived.',
  commands: {
    ...shared,
    ...mapHandlersByName<typeof directCommands, StreamState, StreamVolatile, ActorServices>(directCommands, {
      sendDirect: sendDirectMessage,
      sendDirectScheduled: sendScheduledDirect,
      directBotReply: sendDirectBotReply,
      directNotice: postDirectNotice,
    }),
  },
};
