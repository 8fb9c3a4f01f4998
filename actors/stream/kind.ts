/** The two kinds of conversations: streams and direct messages. They share state and most commands. */

import { valueReply } from '#actors/shared';
import { MEMBER_PART_PREFIX } from '#domain/streams';
import { conversationCommands, directCommands, streamCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, type ActorView, mapHandlersByName, type Outcome } from '#runtime';
import type { ActorServices } from '../services.js';
import { sendBotReplyHandler, sendDirectBotReplyHandler } from './commands/bot-reply.js';
import { deleteMessageHandler, deleteTopicBatchHandler } from './commands/delete.js';
import { editMessageTextHandler, moveMessagesHandler, moveNextBatchHandler } from './commands/edit.js';
import { showLinkPreviewsHandler } from './commands/link-previews.js';
import {
  archiveConversationHandler,
  isStreamMemberHandler,
  joinMembersHandler,
  publishSubscribersHandler,
  readMembersHandler,
  removeMembersHandler,
  suspendMembersHandler,
} from './commands/members.js';
import { postDirectNoticeHandler, postNoticeHandler } from './commands/notice.js';
import { addReactionHandler, recordCopyMadeHandler, removeReactionHandler } from './commands/react.js';
import { removeExpiredMessagesHandler } from './commands/retention.js';
import { noSuchStreamError, sendDirectMessageHandler, sendToStreamHandler } from './commands/send.js';
import { sendScheduledDirectHandler, sendScheduledToStreamHandler } from './commands/send-scheduled.js';
import { addSubmessageHandler } from './commands/submessage.js';
import {
  listAllTopicsHandler,
  readTopicNamesHandler,
  readTopicWatchersHandler,
  refreshTopicHandler,
  setNotifiedHandler,
  setTopicWatchedHandler,
} from './commands/topics.js';
import { publishStreamTypingHandler } from './commands/typing.js';
import { MOVE_PART_PREFIX } from './editing/move-batches.js';
import { InformedReceivers } from './informed.js';
import { streamMachine } from './machine.js';
import { NOTIFIED_PART_PREFIX } from './missed.js';
import { RecentlyChangedMessages } from './recent.js';
import type { StreamCommand, StreamState, StreamVolatile } from './state.js';
import { STREAM_TOPIC_PART_PREFIX, WATCHERS_PART_PREFIX } from './topics.js';

const common = {
  directory: true,
  loadedParts: [
    MEMBER_PART_PREFIX,
    STREAM_TOPIC_PART_PREFIX,
    MOVE_PART_PREFIX,
    WATCHERS_PART_PREFIX,
    NOTIFIED_PART_PREFIX,
  ],
  initial: () => ({ phase: 'active', mv: 0, last: 0, participants: [], recipient: 0 }),
  volatile: (): StreamVolatile => ({ recent: new RecentlyChangedMessages(), informed: new InformedReceivers() }),
  takeBack({ volatile }: ActorView<StreamState, StreamVolatile>, { messages = [] }: Outcome<StreamState>) {
    for (const { id, rev } of messages) volatile.recent.takeBack(id, rev);
    volatile.informed.clear();
  },
  missing: () => ({ error: apiError('INVALID_STREAM_ID').toReply() }),
} as const;

/**
 * Replies once the log has everything that this actor has committed. An actor that read a message from the Store sends
 * this command before it emits an event of its own about the message: the message's own event must come first.
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
    edit: editMessageTextHandler,
    move: moveMessagesHandler,
    deleteMessage: deleteMessageHandler,
    react: addReactionHandler,
    unreact: removeReactionHandler,
    submessage: addSubmessageHandler,
    showLinkPreviews: showLinkPreviewsHandler,
    due: removeExpiredMessagesHandler,
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
      copyMade: recordCopyMadeHandler,
      send: sendToStreamHandler,
      sendScheduled: sendScheduledToStreamHandler,
      botReply: sendBotReplyHandler,
      typing: publishStreamTypingHandler,
      notice: postNoticeHandler,
      join: joinMembersHandler,
      leave: removeMembersHandler,
      suspend: suspendMembersHandler,
      showSubscribers: publishSubscribersHandler,
      archive: archiveConversationHandler,
      members: readMembersHandler,
      isMember: isStreamMemberHandler,
      moveNextBatch: moveNextBatchHandler,
      deleteTopic: deleteTopicBatchHandler,
      listTopics: listAllTopicsHandler,
      topicNames: readTopicNamesHandler,
      setNotified: setNotifiedHandler,
      topicChanged: refreshTopicHandler,
      topicWatched: setTopicWatchedHandler,
      topicWatchers: readTopicWatchersHandler,
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
      sendDirect: sendDirectMessageHandler,
      sendDirectScheduled: sendScheduledDirectHandler,
      directBotReply: sendDirectBotReplyHandler,
      directNotice: postDirectNoticeHandler,
    }),
  },
};
