/** The two kinds of conversations: streams and direct messages. They share state and most commands. */

import { value } from '#actors/shared';
import { MEMBER_PART } from '#domain/streams';
import { conversationCommands, directCommands, streamCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, type ActorView, mapHandlersByName, type Outcome } from '#runtime';
import type { ActorServices } from '../services.js';
import { botReply, directBotReply } from './commands/bot-reply.js';
import { deleteMessage, deleteTopic } from './commands/delete.js';
import { edit, move, moveNextBatch } from './commands/edit.js';
import { archive, isMemberNow, join, leave, members, showSubscribers, suspend } from './commands/members.js';
import { directNotice, notice } from './commands/notice.js';
import { copyMade, react, unreact } from './commands/react.js';
import { retain } from './commands/retention.js';
import { noSuchStream, send, sendDirect } from './commands/send.js';
import { sendDirectScheduled, sendScheduled } from './commands/send-scheduled.js';
import { submessage } from './commands/submessage.js';
import { listAllTopics, topicChanged, topicNames, topicWatched, topicWatchers } from './commands/topics.js';
import { typing } from './commands/typing.js';
import { MOVING_PART } from './editing/move-batches.js';
import { streamMachine } from './machine.js';
import { RecentMessages } from './recent.js';
import type { StreamCommand, StreamState, StreamVolatile } from './state.js';
import { TOPIC_PART, WATCHERS_PART } from './topics.js';

const common = {
  directory: true,
  loadedParts: [MEMBER_PART, TOPIC_PART, MOVING_PART, WATCHERS_PART],
  initial: () => ({ phase: 'active', mv: 0, last: 0, participants: [], recipient: 0 }),
  volatile: (): StreamVolatile => ({ recent: new RecentMessages() }),
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
  handle: () => ({ reply: value(null) }),
};

/** Commands of both kinds. Changes of messages come by way of the caller's user actor. */
const shared = mapHandlersByName<typeof conversationCommands, StreamState, StreamVolatile, ActorServices>(
  conversationCommands,
  {
    edit,
    move,
    deleteMessage,
    react,
    unreact,
    submessage,
    due: retain,
    awaitPublished,
  },
);

export const streamKind: ActorKind<StreamState, StreamVolatile, ActorServices> = {
  ...common,
  name: 'stream',
  machine: streamMachine,
  refusals: { archived: (key) => ({ error: noSuchStream(key).toReply() }) },
  summary: 'A stream: its subscribers, its topics, and every change of its messages.',
  commands: {
    ...shared,
    ...mapHandlersByName<typeof streamCommands, StreamState, StreamVolatile, ActorServices>(streamCommands, {
      copyMade,
      send,
      sendScheduled,
      botReply,
      typing,
      notice,
      join,
      leave,
      suspend,
      showSubscribers,
      archive,
      members,
      isMember: isMemberNow,
      moveNextBatch,
      deleteTopic,
      listTopics: listAllTopics,
      topicNames,
      topicChanged,
      topicWatched,
      topicWatchers,
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
      sendDirect,
      sendDirectScheduled,
      directBotReply,
      directNotice,
    }),
  },
};
