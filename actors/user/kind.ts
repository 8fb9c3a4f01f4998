/** The kind of user actors: its commands, phases and loaded parts. */

import { DRAFT_PART, MARK_PART, READ_PART, SCHEDULED_PART } from '#domain/messages';
import { STORAGE_PART } from '#domain/people';
import { TOPIC_PART } from '#domain/streams';
import {
  type AddReactionArgs,
  conversationCommands,
  type RemoveReactionArgs,
  type SubmessageArgs,
  userCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import { create, newest, sealedKey } from './commands/account/account.js';
import { deactivated, reactivated } from './commands/account/activity.js';
import { botStorage, putStorage, removeStorage } from './commands/account/bot-storage.js';
import { checkPassword, fetchKey, setKey, setPassword } from './commands/account/login.js';
import { ownState } from './commands/account/own-state.js';
import { addPushToken, PUSH_TOKEN_PART, removePushToken } from './commands/account/push-tokens.js';
import { markHotspot, setTutorial } from './commands/account/tutorial.js';
import { fileAccess, fileExists, filePublic, filesAccessible } from './commands/files/file-access.js';
import { attachments, fileBegin, fileDone, fileLinked, fileRemove, fileUnlinked } from './commands/files/files.js';
import { due, scheduledFailed, scheduledSent } from './commands/later/delivery.js';
import { createDrafts, deleteDraft, drafts, dropDrafts, editDraft } from './commands/later/drafts.js';
import { deleteScheduled, editScheduled, schedule, scheduledMessages } from './commands/later/scheduled.js';
import { publicMessage, publicMessages, publicTopics } from './commands/messages/anonymous.js';
import { giveCopy, makeCopy, setFlags, setFlagsInNarrow } from './commands/messages/flags.js';
import { lostMessage } from './commands/messages/lost-messages.js';
import { markAllRead } from './commands/messages/mark-all-read.js';
import { markStreamRead, readStream } from './commands/messages/mark-stream-read.js';
import { markTopicRead } from './commands/messages/mark-topic-read.js';
import { deleteMessage, deleteTopic, editMessage, history, moveMessage } from './commands/messages/message-changes.js';
import { fetchMessage, fetchMessages, matchesNarrow, render } from './commands/messages/messages.js';
import { muteUser } from './commands/messages/mute-user.js';
import { onMessage } from './commands/messages/on-message.js';
import { readReceipts } from './commands/messages/read-receipts.js';
import { retryAfterJoin } from './commands/messages/retry-after-join.js';
import { typing } from './commands/messages/typing.js';
import { streamTopics } from './commands/streams/stream-topics.js';
import { streamById, subscribersOf, subscriptionStatus } from './commands/streams/streams.js';
import { subscriptionSettings } from './commands/streams/subscription-settings.js';
import { streamIdByName, streams, subscribed, subscriptions, unsubscribed } from './commands/streams/subscriptions.js';
import { moveTopicPolicy, muteTopic, setTopicPolicy } from './commands/streams/topics.js';
import { FILE_PART } from './files.js';
import { userMachine } from './machine.js';
import { SUBSCRIPTION_PART, type UserState } from './state.js';

export const userKind: ActorKind<UserState, undefined, ActorServices> = {
  name: 'user',
  summary: 'An account: its secrets, its side of the subscriptions, and what its user may read.',
  machine: userMachine,
  directory: true,
  loadedParts: [
    SUBSCRIPTION_PART,
    READ_PART,
    MARK_PART,
    TOPIC_PART,
    DRAFT_PART,
    SCHEDULED_PART,
    FILE_PART,
    STORAGE_PART,
    PUSH_TOKEN_PART,
  ],
  commands: mapHandlersByName(userCommands, {
    create,
    fetchKey,
    checkPassword,
    setPassword,
    setKey,
    addPushToken,
    removePushToken,
    sealedKey,
    newest,
    deactivated,
    reactivated,
    subscribed,
    unsubscribed,
    subscriptionSettings,
    streamById,
    subscribersOf,
    subscriptionStatus,
    ownState,
    muteUser,
    subscriptions,
    streams,
    fetchMessages,
    matchesNarrow,
    fetchMessage,
    publicMessages,
    publicMessage,
    publicTopics,
    editMessage,
    moveMessage,
    deleteMessage,
    history,
    deleteTopic,
    streamTopics,
    render,
    streamIdByName,
    fileBegin,
    fileDone,
    fileRemove,
    fileLinked,
    fileUnlinked,
    fileExists,
    fileAccess,
    filePublic,
    filesAccessible,
    attachments,
    makeCopy,
    giveCopy,
    lostMessage,
    retryAfterJoin,
    react: onMessage<AddReactionArgs>(conversationCommands.react),
    unreact: onMessage<RemoveReactionArgs>(conversationCommands.unreact),
    submessage: onMessage<SubmessageArgs>(conversationCommands.submessage),
    readReceipts,
    setFlags,
    setFlagsInNarrow,
    markAllRead,
    markStreamRead,
    markTopicRead,
    readStream,
    typing,
    markHotspot,
    setTutorial,
    drafts,
    createDrafts,
    editDraft,
    deleteDraft,
    dropDrafts,
    botStorage,
    putStorage,
    removeStorage,
    scheduledMessages,
    schedule,
    editScheduled,
    deleteScheduled,
    due,
    scheduledSent,
    scheduledFailed,
    setTopicPolicy,
    muteTopic,
    moveTopicPolicy,
  }),
  initial: () => ({ phase: 'active', passwordHash: null, keySealed: '' }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
};
