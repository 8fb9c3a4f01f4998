/** The user actor: account, API key, personal side of subscriptions, and what the user may read. */

import { DRAFT_PART, MARK_PART, READ_PART, SCHEDULED_PART } from '#domain/messages';
import { STORAGE_PART } from '#domain/people';
import { TOPIC_PART } from '#domain/streams';
import { apiError } from '#model/errors';
import type { ActorKind } from '#runtime';
import type { ActorServices } from '../services.js';
import { create, newest, sealedKey } from './commands/account/account.js';
import { deactivated, reactivated } from './commands/account/activity.js';
import { botStorage, putStorage, removeStorage } from './commands/account/bot-storage.js';
import { checkPassword, fetchKey, setKey, setPassword } from './commands/account/login.js';
import { ownState } from './commands/account/own-state.js';
import { addPushToken, removePushToken } from './commands/account/push-tokens.js';
import { markHotspot, setTutorial } from './commands/account/tutorial.js';
import { due } from './commands/due.js';
import { fileAccess, fileExists, filePublic, filesAccessible } from './commands/files/file-access.js';
import { attachments, fileBegin, fileDone, fileLinked, fileRemove, fileUnlinked } from './commands/files/files.js';
import { scheduledFailed, scheduledSent } from './commands/later/delivery.js';
import { createDrafts, deleteDraft, drafts, dropDrafts, editDraft } from './commands/later/drafts.js';
import { deleteScheduled, editScheduled, schedule, scheduledMessages } from './commands/later/scheduled.js';
import { publicMessage, publicMessages, publicTopics } from './commands/messages/anonymous.js';
import { setFlags, setFlagsInNarrow } from './commands/messages/flags.js';
import { lostMessage } from './commands/messages/lost-messages.js';
import { giveCopy, makeCopy } from './commands/messages/made-copy.js';
import { markAllRead } from './commands/messages/mark-all-read.js';
import { markStreamRead, readStream } from './commands/messages/mark-stream-read.js';
import { markTopicRead } from './commands/messages/mark-topic-read.js';
import { deleteMessage, deleteTopic, editMessage, history, moveMessage } from './commands/messages/message-changes.js';
import { fetchMessage, fetchMessages, matchesNarrow, render } from './commands/messages/messages.js';
import { muteUser } from './commands/messages/mute-user.js';
import { onMessage } from './commands/messages/on-message.js';
import { readReceipts } from './commands/messages/read-receipts.js';
import { sendAgain } from './commands/messages/send-again.js';
import { typing } from './commands/messages/typing.js';
import { streamTopics } from './commands/streams/stream-topics.js';
import { streamById, subscribersOf, subscriptionStatus } from './commands/streams/streams.js';
import { subscriptionSettings } from './commands/streams/subscription-settings.js';
import { streamIdByName, streams, subscribed, subscriptions } from './commands/streams/subscriptions.js';
import { moveTopicPolicy, muteTopic, setTopicPolicy } from './commands/streams/topics.js';
import { unsubscribed } from './commands/streams/unsubscribed.js';
import { FILE_PART } from './files.js';
import { userMachine } from './machine.js';
import { PUSH_TOKEN_PART } from './push-tokens.js';
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
  commands: {
    create,
    'fetch-key': fetchKey,
    'check-password': checkPassword,
    'set-password': setPassword,
    'set-key': setKey,
    'add-push-token': addPushToken,
    'remove-push-token': removePushToken,
    'sealed-key': sealedKey,
    newest,
    deactivated,
    reactivated,
    subscribed,
    unsubscribed,
    'subscription-settings': subscriptionSettings,
    stream: streamById,
    subscribers: subscribersOf,
    'subscription-status': subscriptionStatus,
    'own-state': ownState,
    'mute-user': muteUser,
    subscriptions,
    streams,
    messages: fetchMessages,
    'matches-narrow': matchesNarrow,
    message: fetchMessage,
    'public-messages': publicMessages,
    'public-message': publicMessage,
    'public-topics': publicTopics,
    'edit-message': editMessage,
    'move-message': moveMessage,
    'delete-message': deleteMessage,
    'message-history': history,
    'delete-topic': deleteTopic,
    topics: streamTopics,
    render,
    'stream-id': streamIdByName,
    'file-begin': fileBegin,
    'file-done': fileDone,
    'file-remove': fileRemove,
    'file-linked': fileLinked,
    'file-unlinked': fileUnlinked,
    'file-exists': fileExists,
    'file-access': fileAccess,
    'file-public': filePublic,
    'files-accessible': filesAccessible,
    attachments,
    'made-copy': makeCopy,
    'give-copy': giveCopy,
    'lost-message': lostMessage,
    'send-again': sendAgain,
    react: onMessage('react'),
    unreact: onMessage('unreact'),
    submessage: onMessage('submessage'),
    'read-receipts': readReceipts,
    'set-flags': setFlags,
    'set-flags-in-narrow': setFlagsInNarrow,
    'mark-all-read': markAllRead,
    'mark-stream-read': markStreamRead,
    'mark-topic-read': markTopicRead,
    'read-stream': readStream,
    typing,
    'mark-hotspot': markHotspot,
    'set-tutorial': setTutorial,
    drafts,
    'create-drafts': createDrafts,
    'edit-draft': editDraft,
    'delete-draft': deleteDraft,
    'drop-drafts': dropDrafts,
    'bot-storage': botStorage,
    'put-storage': putStorage,
    'remove-storage': removeStorage,
    'scheduled-messages': scheduledMessages,
    schedule,
    'edit-scheduled': editScheduled,
    'delete-scheduled': deleteScheduled,
    due,
    'scheduled-sent': scheduledSent,
    'scheduled-failed': scheduledFailed,
    'set-topic-policy': setTopicPolicy,
    'mute-topic': muteTopic,
    'move-topic-policy': moveTopicPolicy,
  },
  initial: () => ({ phase: 'active', passwordHash: null, keySealed: '' }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
};
