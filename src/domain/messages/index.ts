/**
 * Messages: their stored form, who may read them, and every rule of sending, finding and flagging them. Most files are
 * pure; reading/ and the scans in flags/ query the Store, and sending/rendering.ts uses worker threads.
 *
 * - stored/      StoredMessage, its record and tags (record.ts), its digest, and the view of a packed message.
 * - access/      Which users have a copy (message-access.ts), and the user who reads (viewer.ts).
 * - sending/     checks → rendering → widgets → flags at creation (flags/) → record. Also drafts, saved
 *                snippets, scheduled messages.
 * - reading      raw narrow → terms → conditions → plan (narrow/) → ranges of the Store (narrow/sources.ts) → messages
 *                (reading/fetch.ts), each tested for access and by the plan → JSON (presenting/).
 * - presenting/  Message objects: present.ts as objects, encoded.ts straight to bytes; edit histories.
 * - flags/       Read state and marks of a user, changes of flags, unread messages, read receipts.
 * - search/      Words, stems, search operands, and the marking of matches.
 *
 * Editing and moving are commands of actors/stream: the permissions and time limits are in
 * `actors/stream/editing/checks.ts`; the rules of content, flags, and copies after a move are here.
 *
 * Invariants:
 * - Memberships, moves and personal copies decide who has a copy (`computeMessageCopyState`): a move changes no user's
 *   state.
 * - Read state is kept by origin, the stream to which a message was sent (`originStream`). Stored states and log
 *   entries call the origin `home`.
 * - Ranges may hold too many messages, never too few: `NarrowQueryPlan.matches` is the exact test.
 * - A decoded message and its digest give the same JSON. A change of `readerIndependentMessageFields` raises
 *   `MESSAGE_DIGEST_VERSION`.
 *
 * Importers: actors, src/delivery, src/frontend, src/app and domain/webhooks. Of the domain, messages/ imports only
 * people, streams, files, emoji and markdown.
 */
export {
  computeMessageCopyState,
  computeStreamMessageCopyState,
  type ReadableMessage,
  streamIdsDecidingMessageCopies,
} from './access/message-access.js';
export { type MessageViewerContext, makeViewerWithoutFlags } from './access/viewer.js';
export { computeFlagsAtMessageCreation, makeMentionAndAlertFlagsByUser } from './flags/creation-flags.js';
export {
  EDITABLE_MESSAGE_FLAGS,
  type EditableMessageFlag,
  type MessageFlagUpdate,
  makePersonalCopyParts,
  planMarkingMessagesRead,
  planMarkingMessagesUnread,
  planSettingMessageMark,
  planUnsettingMessageMark,
  withReadMessageIds,
  withUnreadMessageIds,
} from './flags/flag-changes.js';
export { findVisibleMessageReaderIds } from './flags/read-receipts.js';
export {
  DIRECT_MESSAGES_ORIGIN,
  decodeMarkedMessageIds,
  decodeOriginReadState,
  encodeMarkedMessageIdsPart,
  encodeOriginReadStatePart,
  isReadByMarkOrExceptions,
  MESSAGE_MARK_NAMES,
  MESSAGE_MARK_PART_PREFIX,
  type MessageMarkName,
  makeMarkedMessageIdsPart,
  makeOriginReadStatePart,
  type OriginReadState,
  PERSONAL_COPIES_AFTER_MOVES_PART,
  PERSONAL_COPY_PARTS,
  type PersonalCopyLookup,
  type PersonalCopyMarkName,
  READ_STATE_PART_PREFIX,
  UserMessageFlagsView,
} from './flags/read-state.js';
export { UnreadMessageScan } from './flags/unread.js';
export { MAX_LISTED_UNREAD_MESSAGES, makeUnreadMessagesSummary } from './flags/unread-summary.js';
export { storeNameOfDirectConversation } from './narrow/conditions.js';
export { makeNarrowQueryPlan, type NarrowQueryPlan } from './narrow/plan.js';
export {
  MAX_NARROW_TERMS,
  type NarrowDialect,
  parseDistinctNarrowTerms,
  type ResolvedNarrowTerm,
  requireAnonymousNarrow,
  resolveNarrowTerms,
  searchQueriesOfNarrowTerms,
  type UnresolvedNarrowTerm,
} from './narrow/terms.js';
export { replaceWithTerm } from './narrow/with-term.js';
export { listMessageVersionsForApi } from './presenting/edit-history.js';
export { MessageResponseEncoder } from './presenting/encoded.js';
export {
  API_MESSAGE_FLAGS_IN_ORDER,
  type ClientNeutralMessage,
  formatMessageForClientVariant,
  listKnownFlagsInApiOrder,
  makeClientNeutralMessage,
} from './presenting/present.js';
export {
  fetchMessageWindow,
  fetchPackedWindowRows,
  formatMessageWindowFieldsForApi,
  type MessageWindow,
  NEWEST_ANCHOR_MESSAGE_ID,
  toMessageWindowRequest,
  UserMessageReader,
} from './reading/fetch.js';
export { findNewUserHistoryBounds, type NewUserHistoryBounds } from './reading/newcomer.js';
export {
  findNewestMessageIdOfUser,
  findNewestMessageInRealm,
  loadNewestMessageTrackingState,
  type NewestMessageTrackingState,
} from './reading/newest.js';
export { type ListedTopic, listReceivedTopics } from './reading/received-topics.js';
export { listRecentDirectConversations } from './reading/recent-conversations.js';
export { readNewestCopiesInStreams } from './reading/stream-copies.js';
export { formatSearchMatchForApi, type SearchMatchFields } from './search/highlight.js';
export { indexedWordStemsOfMessage } from './search/query.js';
export { STOP_WORDS } from './search/words.js';
export {
  MAX_MESSAGE_CHARACTERS,
  requireActiveSender,
  requireMayMentionAll,
  requireMaySendDirectMessage,
  requireMaySendToStream,
  requireTopicIfMandatory,
  toCheckedMessageContent,
  truncateMessageContent,
} from './sending/checks.js';
export { clientNameOfRequest, isHumanClientName } from './sending/client-name.js';
export {
  DRAFT_PART_PREFIX,
  type Draft,
  type DraftBody,
  draftPartName,
  findStoredDraft,
  listStoredDrafts,
  MAX_DRAFTS_IN_REGISTER_RESPONSE,
  MAX_DRAFTS_PER_USER,
} from './sending/drafts.js';
export { MessageRenderer, makeMarkdownRenderContext } from './sending/rendering.js';
export {
  listSavedSnippets,
  MAX_SAVED_SNIPPET_TITLE_CHARACTERS,
  MAX_SAVED_SNIPPETS_PER_USER,
  SAVED_SNIPPET_PART_PREFIX,
  SAVED_SNIPPET_TABLE,
  type SavedSnippet,
} from './sending/saved-snippets.js';
export {
  EARLY_DELIVERY_RETRY_PAUSE_MS,
  findStoredScheduledMessage,
  formatScheduledMessageForApi,
  listScheduledMessagesToHandOver,
  listScheduledMessagesWithoutWaitFromAhead,
  listSentScheduledMessagesToDelete,
  listUnsentScheduledMessages,
  MAX_SCHEDULED_MESSAGES_PER_USER,
  MAX_SENT_SCHEDULED_MESSAGES_KEPT,
  nextScheduledHandOverTimeMs,
  parseScheduledMessageRecipients,
  SCHEDULED_MESSAGE_PART_PREFIX,
  type ScheduledMessage,
  type ScheduledMessageBody,
  type SentScheduledMessage,
  scheduledMessagePartName,
} from './sending/scheduled.js';
export {
  MAX_SUBMESSAGE_JSON_CHARACTERS,
  makeCheckedNextSubmessage,
  makeWidgetSubmessageIfAny,
  parseAndCheckZformWidget,
  WIDGET_SUBMESSAGE_TYPE,
  widgetTypeOfMessage,
} from './sending/widgets.js';
export { MESSAGE_CREATION_FLAG_BITS, makeMessageDigestIfPossible } from './stored/digest.js';
export {
  type MessageBody,
  placeWhereMessageWasSent,
  type StoredMessage,
  type StoredMessageEdit,
  type StoredMessageStreamMove,
  type StoredReaction,
  type StoredSubmessage,
  storeNameOfStreamConversation,
  toStoredMessage,
} from './stored/message.js';
export {
  creationFlagBitPairs,
  currentStreamIdOfMessage,
  hasWildcardMention,
  PackedMessageView,
  streamMovesOfMessage,
  type TextlessMessageBody,
} from './stored/packed-view.js';
export { hasMentionFlag, messageIndexTags, RESOLVED_TOPIC_PREFIX, toMessageRecord } from './stored/record.js';
