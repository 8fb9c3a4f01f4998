/** The two kinds of conversations: streams and direct messages. They share state and most commands. */

import { makeValueReply } from '#actors/shared';
import { STREAM_MEMBER_PART_PREFIX } from '#domain/streams';
import { conversationActorCommands, directMessageActorCommands, streamActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKindDefinition, type ActorView, type CommandOutcome, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import { sendBotReplyHandler, sendDirectBotReplyHandler } from './commands/bot-reply.js';
import { deleteMessageHandler, deleteTopicBatchHandler } from './commands/delete.js';
import { editMessageTextHandler, moveMessagesHandler, moveNextMessageBatchHandler } from './commands/edit.js';
import { showLinkPreviewsHandler } from './commands/link-previews.js';
import {
  addStreamSubscribersHandler,
  endSubscriptionsOnArchiveHandler,
  isStreamSubscriberHandler,
  publishSubscribersToUserHandler,
  readStreamSubscribersHandler,
  removeStreamSubscribersHandler,
  suspendStreamSubscribersHandler,
} from './commands/members.js';
import { postDirectNoticeHandler, postStreamNoticeHandler } from './commands/notice.js';
import { addReactionHandler, recordMessageCopyHolderHandler, removeReactionHandler } from './commands/react.js';
import { MAX_RETENTION_CHECK_DELAY_MS, removeExpiredMessagesHandler } from './commands/retention.js';
import { noSuchStreamError, sendDirectMessageHandler, sendOrRedirectStreamMessageHandler } from './commands/send.js';
import { sendScheduledDirectMessageHandler, sendScheduledStreamMessageHandler } from './commands/send-scheduled.js';
import { addSubmessageHandler } from './commands/submessage.js';
import {
  forwardStreamShownOrHiddenHandler,
  listAllTopicsHandler,
  readTopicPolicyHoldersHandler,
  readTopicsForActorsHandler,
  recordNotifiedSubscriberHandler,
  recordTopicPolicyHolderHandler,
  refreshNewestMessageOfTopicHandler,
} from './commands/topics.js';
import { publishStreamTypingHandler } from './commands/typing.js';
import { MESSAGE_MOVE_PART_PREFIX } from './editing/move-batches.js';
import { MissedMessageNoticeMemory } from './informed.js';
import { streamStateMachine } from './machine.js';
import { NOTIFIED_SUBSCRIBERS_PART_PREFIX } from './missed.js';
import { RecentlyChangedMessages } from './recent.js';
import type { ConversationActorState, ConversationCommandHandler, ConversationMemoryState } from './state.js';
import { STREAM_TOPIC_PART_PREFIX, TOPIC_WATCHERS_PART_PREFIX } from './topics.js';

const commonConversationKindDefinition = {
  usesDirectory: true,
  maxDueDelayMs: MAX_RETENTION_CHECK_DELAY_MS,
  loadedParts: [
    STREAM_MEMBER_PART_PREFIX,
    STREAM_TOPIC_PART_PREFIX,
    MESSAGE_MOVE_PART_PREFIX,
    TOPIC_WATCHERS_PART_PREFIX,
    NOTIFIED_SUBSCRIBERS_PART_PREFIX,
  ],
  makeInitialState: () => ({ phase: 'active', mv: 0, last: 0, participants: [], recipient: 0 }),
  makeVolatile: (): ConversationMemoryState => ({
    recentlyChangedMessages: new RecentlyChangedMessages(),
    missedNoticeMemory: new MissedMessageNoticeMemory(),
  }),
  takeBack(
    { volatile }: ActorView<ConversationActorState, ConversationMemoryState>,
    { messages = [] }: CommandOutcome<ConversationActorState>,
  ) {
    for (const { id, rev } of messages) volatile.recentlyChangedMessages.forgetFailedChange(id, rev);
    volatile.missedNoticeMemory.clear();
  },
  makeMissingActorReply: () => ({ error: apiError('INVALID_STREAM_ID').toReply() }),
} as const;

/**
 * Replies once the log has everything that this actor has committed. An actor that read a message from the Store sends
 * this command before it emits an event of its own about the message: the message's own event must come first.
 */
const awaitPublishedHandler: ConversationCommandHandler<typeof conversationActorCommands.awaitPublished> = {
  lane: 'told',
  read: true,
  logged: true,
  creates: true,
  handle: () => ({ reply: makeValueReply(null) }),
};

/** Commands of both kinds. Changes of messages come by way of the caller's user actor. */
const commonConversationCommandHandlers = mapHandlersByName<
  typeof conversationActorCommands,
  ConversationActorState,
  ConversationMemoryState,
  ActorServices
>(conversationActorCommands, {
  edit: editMessageTextHandler,
  move: moveMessagesHandler,
  deleteMessage: deleteMessageHandler,
  react: addReactionHandler,
  unreact: removeReactionHandler,
  submessage: addSubmessageHandler,
  showLinkPreviews: showLinkPreviewsHandler,
  due: removeExpiredMessagesHandler,
  awaitPublished: awaitPublishedHandler,
});

export const streamActorKind: ActorKindDefinition<ConversationActorState, ConversationMemoryState, ActorServices> = {
  ...commonConversationKindDefinition,
  name: 'stream',
  phaseMachine: streamStateMachine,
  refusalByPhase: { archived: (key) => ({ error: noSuchStreamError(key).toReply() }) },
  summary: 'A stream: its subscribers, its topics, and every change of its messages.',
  commands: {
    ...commonConversationCommandHandlers,
    ...mapHandlersByName<typeof streamActorCommands, ConversationActorState, ConversationMemoryState, ActorServices>(
      streamActorCommands,
      {
        copyMade: recordMessageCopyHolderHandler,
        send: sendOrRedirectStreamMessageHandler,
        sendScheduled: sendScheduledStreamMessageHandler,
        botReply: sendBotReplyHandler,
        typing: publishStreamTypingHandler,
        notice: postStreamNoticeHandler,
        join: addStreamSubscribersHandler,
        leave: removeStreamSubscribersHandler,
        suspend: suspendStreamSubscribersHandler,
        showSubscribers: publishSubscribersToUserHandler,
        archive: endSubscriptionsOnArchiveHandler,
        members: readStreamSubscribersHandler,
        isMember: isStreamSubscriberHandler,
        moveNextBatch: moveNextMessageBatchHandler,
        deleteTopic: deleteTopicBatchHandler,
        listTopics: listAllTopicsHandler,
        topicNames: readTopicsForActorsHandler,
        setNotified: recordNotifiedSubscriberHandler,
        topicChanged: refreshNewestMessageOfTopicHandler,
        shownOrHidden: forwardStreamShownOrHiddenHandler,
        topicWatched: recordTopicPolicyHolderHandler,
        topicWatchers: readTopicPolicyHoldersHandler,
      },
    ),
  },
};

export const directMessageActorKind: ActorKindDefinition<
  ConversationActorState,
  ConversationMemoryState,
  ActorServices
> = {
  ...commonConversationKindDefinition,
  name: 'dm',
  summary: 'The direct messages of a set of users; they are never archived.',
  commands: {
    ...commonConversationCommandHandlers,
    ...mapHandlersByName<
      typeof directMessageActorCommands,
      ConversationActorState,
      ConversationMemoryState,
      ActorServices
    >(directMessageActorCommands, {
      sendDirect: sendDirectMessageHandler,
      sendDirectScheduled: sendScheduledDirectMessageHandler,
      directBotReply: sendDirectBotReplyHandler,
      directNotice: postDirectNoticeHandler,
    }),
  },
};
