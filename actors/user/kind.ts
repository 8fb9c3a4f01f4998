/** The kind of user actors: its commands, phases and loaded parts. */

import {
  DRAFT_PART_PREFIX,
  MESSAGE_MARK_PART_PREFIX,
  READ_STATE_PART_PREFIX,
  SCHEDULED_PART_PREFIX,
} from '#domain/messages';
import { STORAGE_PART_PREFIX } from '#domain/people';
import { USER_TOPIC_PART_PREFIX } from '#domain/streams';
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
import { createAccount, readNewestMessages, readSealedKey } from './commands/account/account.js';
import { leaveStreamsOnDeactivation, rejoinStreamsOnReactivation } from './commands/account/activity.js';
import { putBotStorage, readBotStorage, removeBotStorage } from './commands/account/bot-storage.js';
import { checkPassword, fetchApiKey, setApiKey, setPassword } from './commands/account/login.js';
import { readOwnSections } from './commands/account/own-state.js';
import { addPushToken, PUSH_TOKEN_PART_PREFIX, removePushToken } from './commands/account/push-tokens.js';
import { markHotspotRead, setTutorialStatus } from './commands/account/tutorial.js';
import {
  checkFileAccess,
  checkFileExists,
  checkFilePublic,
  listAccessibleFiles,
} from './commands/files/file-access.js';
import {
  beginUpload,
  completeUpload,
  listAttachments,
  recordFileLinked,
  recordFileUnlinked,
  removeAttachment,
} from './commands/files/files.js';
import { recordScheduledFailed, recordScheduledSent, runUserTimer } from './commands/later/delivery.js';
import { createDrafts, deleteAllDrafts, deleteDraft, editDraft, listDrafts } from './commands/later/drafts.js';
import {
  deleteScheduledMessage,
  editScheduledMessage,
  listScheduledMessages,
  scheduleMessage,
} from './commands/later/scheduled.js';
import { fetchPublicMessage, fetchPublicMessages, listPublicTopics } from './commands/messages/anonymous.js';
import { giveBotCopies, makeReadCopies, setFlags, setFlagsInNarrow } from './commands/messages/flags.js';
import { warnOfLostMessage } from './commands/messages/lost-messages.js';
import { markAllRead } from './commands/messages/mark-all-read.js';
import { markLeftStreamRead, markStreamRead } from './commands/messages/mark-stream-read.js';
import { markTopicRead } from './commands/messages/mark-topic-read.js';
import {
  deleteMessage,
  deleteTopic,
  editMessage,
  fetchEditHistory,
  moveMessage,
} from './commands/messages/message-changes.js';
import { fetchMessage, fetchMessages, matchMessagesToNarrow, renderPreview } from './commands/messages/messages.js';
import { muteUser } from './commands/messages/mute-user.js';
import { redirectToMessageOwner } from './commands/messages/on-message.js';
import { listReadReceipts } from './commands/messages/read-receipts.js';
import { retryAfterJoin } from './commands/messages/retry-after-join.js';
import { publishDirectTyping } from './commands/messages/typing.js';
import { listStreamTopics } from './commands/streams/stream-topics.js';
import { fetchStream, listSubscribers, readSubscriptionStatus } from './commands/streams/streams.js';
import { updateSubscriptionSettings } from './commands/streams/subscription-settings.js';
import {
  addSubscriptions,
  endSubscriptions,
  findStreamIdByName,
  listStreams,
  listSubscriptions,
} from './commands/streams/subscriptions.js';
import { moveTopicPolicy, muteTopic, setTopicPolicy } from './commands/streams/topics.js';
import { FILE_PART_PREFIX } from './files.js';
import { userMachine } from './machine.js';
import { SUBSCRIPTION_PART_PREFIX, type UserState } from './state.js';

export const userKind: ActorKind<UserState, undefined, ActorServices> = {
  name: 'user',
  summary: 'An account: its secrets, its side of the subscriptions, and what its user may read.',
  machine: userMachine,
  directory: true,
  loadedParts: [
    SUBSCRIPTION_PART_PREFIX,
    READ_STATE_PART_PREFIX,
    MESSAGE_MARK_PART_PREFIX,
    USER_TOPIC_PART_PREFIX,
    DRAFT_PART_PREFIX,
    SCHEDULED_PART_PREFIX,
    FILE_PART_PREFIX,
    STORAGE_PART_PREFIX,
    PUSH_TOKEN_PART_PREFIX,
  ],
  commands: mapHandlersByName(userCommands, {
    create: createAccount,
    fetchKey: fetchApiKey,
    checkPassword,
    setPassword,
    setKey: setApiKey,
    addPushToken,
    removePushToken,
    sealedKey: readSealedKey,
    newest: readNewestMessages,
    deactivated: leaveStreamsOnDeactivation,
    reactivated: rejoinStreamsOnReactivation,
    subscribed: addSubscriptions,
    unsubscribed: endSubscriptions,
    subscriptionSettings: updateSubscriptionSettings,
    streamById: fetchStream,
    subscribersOf: listSubscribers,
    subscriptionStatus: readSubscriptionStatus,
    ownState: readOwnSections,
    muteUser,
    subscriptions: listSubscriptions,
    streams: listStreams,
    fetchMessages,
    matchesNarrow: matchMessagesToNarrow,
    fetchMessage,
    publicMessages: fetchPublicMessages,
    publicMessage: fetchPublicMessage,
    publicTopics: listPublicTopics,
    editMessage,
    moveMessage,
    deleteMessage,
    history: fetchEditHistory,
    deleteTopic,
    streamTopics: listStreamTopics,
    render: renderPreview,
    streamIdByName: findStreamIdByName,
    fileBegin: beginUpload,
    fileDone: completeUpload,
    fileRemove: removeAttachment,
    fileLinked: recordFileLinked,
    fileUnlinked: recordFileUnlinked,
    fileExists: checkFileExists,
    fileAccess: checkFileAccess,
    filePublic: checkFilePublic,
    filesAccessible: listAccessibleFiles,
    attachments: listAttachments,
    makeCopy: makeReadCopies,
    giveCopy: giveBotCopies,
    lostMessage: warnOfLostMessage,
    retryAfterJoin,
    react: redirectToMessageOwner<AddReactionArgs>(conversationCommands.react),
    unreact: redirectToMessageOwner<RemoveReactionArgs>(conversationCommands.unreact),
    submessage: redirectToMessageOwner<SubmessageArgs>(conversationCommands.submessage),
    readReceipts: listReadReceipts,
    setFlags,
    setFlagsInNarrow,
    markAllRead,
    markStreamRead,
    markTopicRead,
    readStream: markLeftStreamRead,
    typing: publishDirectTyping,
    markHotspot: markHotspotRead,
    setTutorial: setTutorialStatus,
    drafts: listDrafts,
    createDrafts,
    editDraft,
    deleteDraft,
    dropDrafts: deleteAllDrafts,
    botStorage: readBotStorage,
    putStorage: putBotStorage,
    removeStorage: removeBotStorage,
    scheduledMessages: listScheduledMessages,
    schedule: scheduleMessage,
    editScheduled: editScheduledMessage,
    deleteScheduled: deleteScheduledMessage,
    due: runUserTimer,
    scheduledSent: recordScheduledSent,
    scheduledFailed: recordScheduledFailed,
    setTopicPolicy,
    muteTopic,
    moveTopicPolicy,
  }),
  initial: () => ({ phase: 'active', passwordHash: null, keySealed: '' }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
};
