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
import { createAccountHandler, readNewestMessagesHandler, readSealedKeyHandler } from './commands/account/account.js';
import { leaveStreamsOnDeactivationHandler, rejoinStreamsOnReactivationHandler } from './commands/account/activity.js';
import {
  putBotStorageHandler,
  readBotStorageHandler,
  removeBotStorageHandler,
} from './commands/account/bot-storage.js';
import {
  checkPasswordHandler,
  fetchApiKeyHandler,
  fetchApiKeyTrustedHandler,
  setApiKeyHandler,
  setPasswordHandler,
} from './commands/account/login.js';
import { noteLogInHandler } from './commands/account/note-log-in.js';
import { readOwnSectionsHandler } from './commands/account/own-state.js';
import { addPushTokenHandler, PUSH_TOKEN_PART_PREFIX, removePushTokenHandler } from './commands/account/push-tokens.js';
import { markHotspotReadHandler, setTutorialStatusHandler } from './commands/account/tutorial.js';
import {
  checkFileAccessHandler,
  checkFileExistsHandler,
  checkFilePublicHandler,
  listAccessibleFilesHandler,
} from './commands/files/file-access.js';
import {
  beginUploadHandler,
  completeUploadHandler,
  listAttachmentsHandler,
  recordFileLinkedHandler,
  recordFileUnlinkedHandler,
  removeAttachmentHandler,
} from './commands/files/files.js';
import {
  recordScheduledFailedHandler,
  recordScheduledSentHandler,
  runUserTimerHandler,
} from './commands/later/delivery.js';
import {
  createDraftsHandler,
  deleteAllDraftsHandler,
  deleteDraftHandler,
  editDraftHandler,
  listDraftsHandler,
} from './commands/later/drafts.js';
import {
  deleteScheduledMessageHandler,
  editScheduledMessageHandler,
  listScheduledMessagesHandler,
  scheduleMessageHandler,
} from './commands/later/scheduled.js';
import {
  fetchPublicMessageHandler,
  fetchPublicMessagesHandler,
  listPublicTopicsHandler,
} from './commands/messages/anonymous.js';
import { giveBotCopies, makeReadCopies, setFlagsHandler, setFlagsInNarrowHandler } from './commands/messages/flags.js';
import { warnOfLostMessageHandler } from './commands/messages/lost-messages.js';
import { markAllReadHandler } from './commands/messages/mark-all-read.js';
import { markLeftStreamReadHandler, markStreamReadHandler } from './commands/messages/mark-stream-read.js';
import { markTopicReadHandler } from './commands/messages/mark-topic-read.js';
import {
  deleteMessage,
  deleteTopicHandler,
  editMessage,
  fetchEditHistoryHandler,
  moveMessage,
} from './commands/messages/message-changes.js';
import {
  fetchMessageHandler,
  fetchMessagesHandler,
  matchMessagesToNarrowHandler,
  renderPreviewHandler,
} from './commands/messages/messages.js';
import { muteUserHandler } from './commands/messages/mute-user.js';
import { redirectToMessageOwner } from './commands/messages/on-message.js';
import { listReadReceiptsHandler } from './commands/messages/read-receipts.js';
import { retryAfterJoinHandler } from './commands/messages/retry-after-join.js';
import { publishDirectTypingHandler } from './commands/messages/typing.js';
import { recordMissedHandler } from './commands/missed/record.js';
import { listStreamTopicsHandler } from './commands/streams/stream-topics.js';
import {
  fetchStreamHandler,
  listSubscribersHandler,
  readSubscriptionStatusHandler,
} from './commands/streams/streams.js';
import { updateSubscriptionSettingsHandler } from './commands/streams/subscription-settings.js';
import {
  addSubscriptionsHandler,
  endSubscriptionsHandler,
  findStreamIdByNameHandler,
  listStreamsHandler,
  listSubscriptionsHandler,
} from './commands/streams/subscriptions.js';
import { moveTopicPolicyHandler, muteTopicHandler, setTopicPolicyHandler } from './commands/streams/topics.js';
import { FILE_PART_PREFIX } from './files.js';
import { userMachine } from './machine.js';
import { MISSED_PART_PREFIX } from './missed.js';
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
    MISSED_PART_PREFIX,
  ],
  commands: mapHandlersByName(userCommands, {
    create: createAccountHandler,
    fetchKey: fetchApiKeyHandler,
    fetchKeyTrusted: fetchApiKeyTrustedHandler,
    checkPassword: checkPasswordHandler,
    noteLogIn: noteLogInHandler,
    setPassword: setPasswordHandler,
    setKey: setApiKeyHandler,
    addPushToken: addPushTokenHandler,
    removePushToken: removePushTokenHandler,
    sealedKey: readSealedKeyHandler,
    newest: readNewestMessagesHandler,
    deactivated: leaveStreamsOnDeactivationHandler,
    reactivated: rejoinStreamsOnReactivationHandler,
    subscribed: addSubscriptionsHandler,
    unsubscribed: endSubscriptionsHandler,
    subscriptionSettings: updateSubscriptionSettingsHandler,
    streamById: fetchStreamHandler,
    subscribersOf: listSubscribersHandler,
    subscriptionStatus: readSubscriptionStatusHandler,
    ownState: readOwnSectionsHandler,
    muteUser: muteUserHandler,
    subscriptions: listSubscriptionsHandler,
    streams: listStreamsHandler,
    fetchMessages: fetchMessagesHandler,
    matchesNarrow: matchMessagesToNarrowHandler,
    fetchMessage: fetchMessageHandler,
    publicMessages: fetchPublicMessagesHandler,
    publicMessage: fetchPublicMessageHandler,
    publicTopics: listPublicTopicsHandler,
    editMessage,
    moveMessage,
    deleteMessage,
    history: fetchEditHistoryHandler,
    deleteTopic: deleteTopicHandler,
    streamTopics: listStreamTopicsHandler,
    render: renderPreviewHandler,
    streamIdByName: findStreamIdByNameHandler,
    fileBegin: beginUploadHandler,
    fileDone: completeUploadHandler,
    fileRemove: removeAttachmentHandler,
    fileLinked: recordFileLinkedHandler,
    fileUnlinked: recordFileUnlinkedHandler,
    fileExists: checkFileExistsHandler,
    fileAccess: checkFileAccessHandler,
    filePublic: checkFilePublicHandler,
    filesAccessible: listAccessibleFilesHandler,
    attachments: listAttachmentsHandler,
    missed: recordMissedHandler,
    makeCopy: makeReadCopies,
    giveCopy: giveBotCopies,
    lostMessage: warnOfLostMessageHandler,
    retryAfterJoin: retryAfterJoinHandler,
    react: redirectToMessageOwner<AddReactionArgs>(conversationCommands.react),
    unreact: redirectToMessageOwner<RemoveReactionArgs>(conversationCommands.unreact),
    submessage: redirectToMessageOwner<SubmessageArgs>(conversationCommands.submessage),
    readReceipts: listReadReceiptsHandler,
    setFlags: setFlagsHandler,
    setFlagsInNarrow: setFlagsInNarrowHandler,
    markAllRead: markAllReadHandler,
    markStreamRead: markStreamReadHandler,
    markTopicRead: markTopicReadHandler,
    readStream: markLeftStreamReadHandler,
    typing: publishDirectTypingHandler,
    markHotspot: markHotspotReadHandler,
    setTutorial: setTutorialStatusHandler,
    drafts: listDraftsHandler,
    createDrafts: createDraftsHandler,
    editDraft: editDraftHandler,
    deleteDraft: deleteDraftHandler,
    dropDrafts: deleteAllDraftsHandler,
    botStorage: readBotStorageHandler,
    putStorage: putBotStorageHandler,
    removeStorage: removeBotStorageHandler,
    scheduledMessages: listScheduledMessagesHandler,
    schedule: scheduleMessageHandler,
    editScheduled: editScheduledMessageHandler,
    deleteScheduled: deleteScheduledMessageHandler,
    due: runUserTimerHandler,
    scheduledSent: recordScheduledSentHandler,
    scheduledFailed: recordScheduledFailedHandler,
    setTopicPolicy: setTopicPolicyHandler,
    muteTopic: muteTopicHandler,
    moveTopicPolicy: moveTopicPolicyHandler,
  }),
  initial: () => ({ phase: 'active', passwordHash: null, keySealed: '' }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
};
