/** The kind of user actors: its commands, phases and loaded parts. */

import {
  DRAFT_PART_PREFIX,
  MESSAGE_MARK_PART_PREFIX,
  READ_STATE_PART_PREFIX,
  SAVED_SNIPPET_PART_PREFIX,
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
import { type ActorKindDefinition, MAX_ACTOR_SLEEP_MS, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import {
  createAccountHandler,
  readNewestMessageStateHandler,
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
  fetchApiKeyByPasswordHandler,
  fetchApiKeyWithoutPasswordHandler,
  storeApiKeyAndDropPushTokensHandler,
  storePasswordHashHandler,
} from './commands/account/login.js';
import { recordLoginDeviceHandler } from './commands/account/note-log-in.js';
import { readOwnStateSectionsHandler } from './commands/account/own-state.js';
import { dropMobilePushTokensHandler, readPushAccountFactsHandler } from './commands/account/push-facts.js';
import {
  PUSH_TOKEN_PART_PREFIX,
  registerPushTokenHandler,
  removePushTokenHandler,
} from './commands/account/push-tokens.js';
import { markHotspotReadHandler, setTutorialStatusHandler } from './commands/account/tutorial.js';
import { planDigestHandler } from './commands/digest/plan.js';
import {
  checkFileAccessHandler,
  checkFileIsPublicHandler,
  filterAccessibleFilesHandler,
  readFileExistenceHandler,
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
  failOrRetryScheduledMessageHandler,
  recordScheduledMessageSentHandler,
  runDueUserTasksHandler,
} from './commands/later/delivery.js';
import {
  createDraftsHandler,
  deleteAllDraftsHandler,
  deleteDraftHandler,
  listDraftsHandler,
  replaceDraftHandler,
} from './commands/later/drafts.js';
import {
  createSavedSnippetHandler,
  deleteSavedSnippetHandler,
  editSavedSnippetHandler,
  listSavedSnippetsHandler,
} from './commands/later/saved-snippets.js';
import {
  deleteScheduledMessageHandler,
  editScheduledMessageHandler,
  listScheduledMessagesHandler,
  scheduleMessageHandler,
} from './commands/later/scheduled.js';
import {
  fetchMessageForVisitorHandler,
  fetchMessagesForVisitorHandler,
  listTopicsForVisitorHandler,
} from './commands/messages/anonymous.js';
import {
  addBotMessageCopiesHandler,
  addReadMessageCopiesHandler,
  changeFlagOfMessagesHandler,
  changeFlagOfMessagesInNarrowHandler,
} from './commands/messages/flags.js';
import { warnBotOwnerOfLostMessageHandler } from './commands/messages/lost-messages.js';
import { announceUnreadAfterMarkAllHandler, markAllReadHandler } from './commands/messages/mark-all-read.js';
import { markLeftStreamReadHandler, markStreamReadHandler } from './commands/messages/mark-stream-read.js';
import { markTopicReadHandler } from './commands/messages/mark-topic-read.js';
import {
  fetchEditHistoryHandler,
  redirectMessageDeleteHandler,
  redirectMessageEditHandler,
  redirectMessageMoveHandler,
  redirectTopicDeletionHandler,
} from './commands/messages/message-changes.js';
import {
  fetchMessageHandler,
  fetchMessagesHandler,
  matchMessagesToNarrowHandler,
  renderMessagePreviewHandler,
} from './commands/messages/messages.js';
import { markReadAndRedirectMuteHandler } from './commands/messages/mute-user.js';
import { makeMessageOwnerRedirectHandler } from './commands/messages/on-message.js';
import { listReadReceiptsHandler } from './commands/messages/read-receipts.js';
import { retrySendAfterSubscribingHandler } from './commands/messages/retry-after-join.js';
import { publishDirectTypingHandler } from './commands/messages/typing.js';
import {
  decidePushOfMessageHandler,
  recheckPushesOfChangedMessagesHandler,
  removePushesOfDeletedMessagesHandler,
} from './commands/missed/push.js';
import { recordMissedMessageHandler, shortenWaitForMailsHandler } from './commands/missed/record.js';
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
  changePolicyAfterParticipationHandler,
  moveTopicVisibilityPolicyHandler,
  muteOrUnmuteTopicHandler,
  publishTopicPoliciesOfShownOrHiddenStreamHandler,
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
  maxDueDelayMs: MAX_ACTOR_SLEEP_MS,
  loadedParts: [
    SUBSCRIPTION_PART_PREFIX,
    READ_STATE_PART_PREFIX,
    MESSAGE_MARK_PART_PREFIX,
    USER_TOPIC_PART_PREFIX,
    DRAFT_PART_PREFIX,
    SAVED_SNIPPET_PART_PREFIX,
    SCHEDULED_MESSAGE_PART_PREFIX,
    OWN_FILE_PART_PREFIX,
    BOT_STORAGE_PART_PREFIX,
    PUSH_TOKEN_PART_PREFIX,
    MISSED_CONVERSATION_PART_PREFIX,
    WEEKLY_DIGEST_PART_PREFIX,
  ],
  commands: mapHandlersByName(userActorCommands, {
    create: createAccountHandler,
    fetchKey: fetchApiKeyByPasswordHandler,
    fetchKeyTrusted: fetchApiKeyWithoutPasswordHandler,
    checkPassword: checkPasswordHandler,
    noteLogIn: recordLoginDeviceHandler,
    setPassword: storePasswordHashHandler,
    setKey: storeApiKeyAndDropPushTokensHandler,
    addPushToken: registerPushTokenHandler,
    removePushToken: removePushTokenHandler,
    dropPushTokens: dropMobilePushTokensHandler,
    pushFacts: readPushAccountFactsHandler,
    sealedKey: readSealedApiKeyHandler,
    newest: readNewestMessageStateHandler,
    deactivated: leaveStreamsOnDeactivationHandler,
    reactivated: rejoinStreamsOnReactivationHandler,
    subscribed: addSubscriptionsHandler,
    unsubscribed: endSubscriptionsHandler,
    subscriptionSettings: updateSubscriptionSettingsHandler,
    streamById: fetchStreamHandler,
    subscribersOf: listSubscribersHandler,
    subscriptionStatus: readSubscriptionStatusHandler,
    ownState: readOwnStateSectionsHandler,
    muteUser: wrapToRemovePushesOfReadMessages(markReadAndRedirectMuteHandler),
    subscriptions: listSubscriptionsHandler,
    streams: listVisibleStreamsHandler,
    fetchMessages: fetchMessagesHandler,
    matchesNarrow: matchMessagesToNarrowHandler,
    fetchMessage: fetchMessageHandler,
    publicMessages: fetchMessagesForVisitorHandler,
    publicMessage: fetchMessageForVisitorHandler,
    publicTopics: listTopicsForVisitorHandler,
    editMessage: redirectMessageEditHandler,
    moveMessage: redirectMessageMoveHandler,
    deleteMessage: redirectMessageDeleteHandler,
    history: fetchEditHistoryHandler,
    deleteTopic: redirectTopicDeletionHandler,
    streamTopics: listStreamTopicsHandler,
    render: renderMessagePreviewHandler,
    streamIdByName: findStreamIdByNameHandler,
    fileBegin: beginUploadHandler,
    fileDone: completeUploadHandler,
    fileRemove: removeAttachmentHandler,
    fileLinked: recordFileLinkedHandler,
    fileUnlinked: recordFileUnlinkedHandler,
    fileExists: readFileExistenceHandler,
    fileAccess: checkFileAccessHandler,
    filePublic: checkFileIsPublicHandler,
    filesAccessible: filterAccessibleFilesHandler,
    attachments: listAttachmentsHandler,
    mayPush: decidePushOfMessageHandler,
    pushedChanged: recheckPushesOfChangedMessagesHandler,
    mailPeriodChanged: shortenWaitForMailsHandler,
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
    setFlags: wrapToRemovePushesOfReadMessages(changeFlagOfMessagesHandler),
    setFlagsInNarrow: wrapToRemovePushesOfReadMessages(changeFlagOfMessagesInNarrowHandler),
    markAllRead: wrapToRemovePushesOfReadMessages(markAllReadHandler),
    announceUnreadAfterMarkAll: announceUnreadAfterMarkAllHandler,
    markStreamRead: wrapToRemovePushesOfReadMessages(markStreamReadHandler),
    markTopicRead: wrapToRemovePushesOfReadMessages(markTopicReadHandler),
    readStream: wrapToRemovePushesOfReadMessages(markLeftStreamReadHandler),
    typing: publishDirectTypingHandler,
    markHotspot: markHotspotReadHandler,
    setTutorial: setTutorialStatusHandler,
    drafts: listDraftsHandler,
    createDrafts: createDraftsHandler,
    editDraft: replaceDraftHandler,
    deleteDraft: deleteDraftHandler,
    dropDrafts: deleteAllDraftsHandler,
    savedSnippets: listSavedSnippetsHandler,
    createSavedSnippet: createSavedSnippetHandler,
    editSavedSnippet: editSavedSnippetHandler,
    deleteSavedSnippet: deleteSavedSnippetHandler,
    botStorage: readBotStorageHandler,
    putStorage: putBotStorageHandler,
    removeStorage: removeBotStorageHandler,
    scheduledMessages: listScheduledMessagesHandler,
    schedule: scheduleMessageHandler,
    editScheduled: editScheduledMessageHandler,
    deleteScheduled: deleteScheduledMessageHandler,
    due: runDueUserTasksHandler,
    scheduledSent: recordScheduledMessageSentHandler,
    scheduledFailed: failOrRetryScheduledMessageHandler,
    setTopicPolicy: setTopicVisibilityPolicyHandler,
    muteTopic: muteOrUnmuteTopicHandler,
    tookPartInTopic: changePolicyAfterParticipationHandler,
    moveTopicPolicy: moveTopicVisibilityPolicyHandler,
    streamShownOrHidden: publishTopicPoliciesOfShownOrHiddenStreamHandler,
  }),
  makeInitialState: () => ({ phase: 'active', passwordHash: null, keySealed: '' }),
  makeVolatile: () => undefined,
  makeMissingActorReply: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
};
