/** The kind of user actors: its commands, phases and loaded parts. */

import {
  DRAFT_PART_PREFIX,
  MESSAGE_MARK_PART_PREFIX,
  READ_STATE_PART_PREFIX,
  SCHEDULED_MESSAGE_PART_PREFIX,
} from '#domain/messages';
import { BOT_STORAGE_PART_PREFIX } from '#domain/people';
import { USER_TOPIC_PART_PREFIX } from '#domain/streams';
import {
  type AddReactionArgs,
  type AddSubmessageArgs,
  conversationActorCommands,
  type RemoveReactionArgs,
  userActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKindDefinition, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import {
  createAccountHandler,
  readNewestMessageOfUserHandler,
  readSealedApiKeyHandler,
} from './commands/account/account.js';
import { leaveStreamsOnDeactivationHandler, rejoinStreamsOnReactivationHandler } from './commands/account/activity.js';
import {
  putBotStorageHandler,
  readBotStorageHandler,
  removeBotStorageHandler,
} from './commands/account/bot-storage.js';
import {
  checkPasswordHandler,
  fetchApiKeyHandler,
  fetchApiKeyWithoutPasswordHandler,
  setApiKeyHandler,
  setPasswordHandler,
} from './commands/account/login.js';
import { noteLogInHandler } from './commands/account/note-log-in.js';
import { readOwnStateSectionsHandler } from './commands/account/own-state.js';
import { dropMobilePushTokensHandler, readPushReceiverFactsHandler } from './commands/account/push-facts.js';
import { addPushTokenHandler, PUSH_TOKEN_PART_PREFIX, removePushTokenHandler } from './commands/account/push-tokens.js';
import { markHotspotReadHandler, setTutorialStatusHandler } from './commands/account/tutorial.js';
import { planDigestHandler } from './commands/digest/plan.js';
import {
  checkFileAccessHandler,
  checkFileExistsHandler,
  checkFileIsPublicHandler,
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
  recordScheduledMessageFailedHandler,
  recordScheduledMessageSentHandler,
  runDueUserTasksHandler,
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
import {
  addBotMessageCopiesHandler,
  addReadMessageCopiesHandler,
  setMessageFlagsHandler,
  setMessageFlagsInNarrowHandler,
} from './commands/messages/flags.js';
import { warnBotOwnerOfLostMessageHandler } from './commands/messages/lost-messages.js';
import { markAllReadHandler } from './commands/messages/mark-all-read.js';
import { markLeftStreamReadHandler, markStreamReadHandler } from './commands/messages/mark-stream-read.js';
import { markTopicReadHandler } from './commands/messages/mark-topic-read.js';
import {
  deleteTopicHandler,
  fetchEditHistoryHandler,
  redirectMessageDeleteHandler,
  redirectMessageEditHandler,
  redirectMessageMoveHandler,
} from './commands/messages/message-changes.js';
import {
  fetchMessageHandler,
  fetchMessagesHandler,
  matchMessagesToNarrowHandler,
  renderMessagePreviewHandler,
} from './commands/messages/messages.js';
import { muteUserHandler } from './commands/messages/mute-user.js';
import { makeMessageOwnerRedirectHandler } from './commands/messages/on-message.js';
import { listReadReceiptsHandler } from './commands/messages/read-receipts.js';
import { retrySendAfterSubscribingHandler } from './commands/messages/retry-after-join.js';
import { publishDirectTypingHandler } from './commands/messages/typing.js';
import { pushMissedMessageHandler, removePushesOfDeletedMessagesHandler } from './commands/missed/push.js';
import { recordMissedMessageHandler } from './commands/missed/record.js';
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
  listSubscriptionsHandler,
  listVisibleStreamsHandler,
} from './commands/streams/subscriptions.js';
import {
  moveTopicVisibilityPolicyHandler,
  muteTopicHandler,
  setTopicVisibilityPolicyHandler,
} from './commands/streams/topics.js';
import { OWN_FILE_PART_PREFIX } from './files.js';
import { userStateMachine } from './machine.js';
import { MISSED_CONVERSATION_PART_PREFIX } from './missed.js';
import { wrapToRemovePushesOfReadMessages } from './pushed.js';
import { SUBSCRIPTION_PART_PREFIX, type UserActorState } from './state.js';
import { WEEKLY_DIGEST_PART_PREFIX } from './weekly-digest.js';

export const userActorKind: ActorKindDefinition<UserActorState, undefined, ActorServices> = {
  name: 'user',
  summary: 'An account: its secrets, its side of the subscriptions, and what its user may read.',
  phaseMachine: userStateMachine,
  usesDirectory: true,
  loadedParts: [
    SUBSCRIPTION_PART_PREFIX,
    READ_STATE_PART_PREFIX,
    MESSAGE_MARK_PART_PREFIX,
    USER_TOPIC_PART_PREFIX,
    DRAFT_PART_PREFIX,
    SCHEDULED_MESSAGE_PART_PREFIX,
    OWN_FILE_PART_PREFIX,
    BOT_STORAGE_PART_PREFIX,
    PUSH_TOKEN_PART_PREFIX,
    MISSED_CONVERSATION_PART_PREFIX,
    WEEKLY_DIGEST_PART_PREFIX,
  ],
  commands: mapHandlersByName(userActorCommands, {
    create: createAccountHandler,
    fetchKey: fetchApiKeyHandler,
    fetchKeyTrusted: fetchApiKeyWithoutPasswordHandler,
    checkPassword: checkPasswordHandler,
    noteLogIn: noteLogInHandler,
    setPassword: setPasswordHandler,
    setKey: setApiKeyHandler,
    addPushToken: addPushTokenHandler,
    removePushToken: removePushTokenHandler,
    dropPushTokens: dropMobilePushTokensHandler,
    pushFacts: readPushReceiverFactsHandler,
    sealedKey: readSealedApiKeyHandler,
    newest: readNewestMessageOfUserHandler,
    deactivated: leaveStreamsOnDeactivationHandler,
    reactivated: rejoinStreamsOnReactivationHandler,
    subscribed: addSubscriptionsHandler,
    unsubscribed: endSubscriptionsHandler,
    subscriptionSettings: updateSubscriptionSettingsHandler,
    streamById: fetchStreamHandler,
    subscribersOf: listSubscribersHandler,
    subscriptionStatus: readSubscriptionStatusHandler,
    ownState: readOwnStateSectionsHandler,
    muteUser: wrapToRemovePushesOfReadMessages(muteUserHandler),
    subscriptions: listSubscriptionsHandler,
    streams: listVisibleStreamsHandler,
    fetchMessages: fetchMessagesHandler,
    matchesNarrow: matchMessagesToNarrowHandler,
    fetchMessage: fetchMessageHandler,
    publicMessages: fetchPublicMessagesHandler,
    publicMessage: fetchPublicMessageHandler,
    publicTopics: listPublicTopicsHandler,
    editMessage: redirectMessageEditHandler,
    moveMessage: redirectMessageMoveHandler,
    deleteMessage: redirectMessageDeleteHandler,
    history: fetchEditHistoryHandler,
    deleteTopic: deleteTopicHandler,
    streamTopics: listStreamTopicsHandler,
    render: renderMessagePreviewHandler,
    streamIdByName: findStreamIdByNameHandler,
    fileBegin: beginUploadHandler,
    fileDone: completeUploadHandler,
    fileRemove: removeAttachmentHandler,
    fileLinked: recordFileLinkedHandler,
    fileUnlinked: recordFileUnlinkedHandler,
    fileExists: checkFileExistsHandler,
    fileAccess: checkFileAccessHandler,
    filePublic: checkFileIsPublicHandler,
    filesAccessible: listAccessibleFilesHandler,
    attachments: listAttachmentsHandler,
    mayPush: pushMissedMessageHandler,
    pushedGone: removePushesOfDeletedMessagesHandler,
    missed: recordMissedMessageHandler,
    planDigest: planDigestHandler,
    makeCopy: addReadMessageCopiesHandler,
    giveCopy: addBotMessageCopiesHandler,
    lostMessage: warnBotOwnerOfLostMessageHandler,
    retryAfterJoin: retrySendAfterSubscribingHandler,
    react: makeMessageOwnerRedirectHandler<AddReactionArgs>(conversationActorCommands.react),
    unreact: makeMessageOwnerRedirectHandler<RemoveReactionArgs>(conversationActorCommands.unreact),
    submessage: makeMessageOwnerRedirectHandler<AddSubmessageArgs>(conversationActorCommands.submessage),
    readReceipts: listReadReceiptsHandler,
    setFlags: wrapToRemovePushesOfReadMessages(setMessageFlagsHandler),
    setFlagsInNarrow: wrapToRemovePushesOfReadMessages(setMessageFlagsInNarrowHandler),
    markAllRead: wrapToRemovePushesOfReadMessages(markAllReadHandler),
    markStreamRead: wrapToRemovePushesOfReadMessages(markStreamReadHandler),
    markTopicRead: wrapToRemovePushesOfReadMessages(markTopicReadHandler),
    readStream: wrapToRemovePushesOfReadMessages(markLeftStreamReadHandler),
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
    due: runDueUserTasksHandler,
    scheduledSent: recordScheduledMessageSentHandler,
    scheduledFailed: recordScheduledMessageFailedHandler,
    setTopicPolicy: setTopicVisibilityPolicyHandler,
    muteTopic: muteTopicHandler,
    moveTopicPolicy: moveTopicVisibilityPolicyHandler,
  }),
  makeInitialState: () => ({ phase: 'active', passwordHash: null, keySealed: '' }),
  makeVolatile: () => undefined,
  makeMissingActorReply: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
};
