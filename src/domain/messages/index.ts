/**
 * Messages: their stored form, who may read them, and every rule of sending, finding and flagging them. Most files are
 * pure; reading/ and the scans in flags/ query the Store, and sending/rendering.ts uses worker threads.
 *
 * - stored/      StoredMessage, its record and tags (record.ts), its digest, and the view of a packed message.
 * - access/      Which users have a copy (message-access.ts), and the user who reads (viewer.ts).
 * - sending/     checks → rendering → widgets → flags at creation (flags/) → record. Also drafts, scheduled messages.
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
 * - Memberships, moves and personal copies decide who has a copy (`findMessageCopy`): a move changes no user's state.
 * - Read state is kept by origin, the stream to which a message was sent (`originStream`). Stored states and log
 *   entries call the origin `home`.
 * - Ranges may hold too many messages, never too few: `NarrowPlan.matches` is the exact test.
 * - A decoded message and its digest give the same JSON. A change of `constantMessageFields` raises `DIGEST_VERSION`.
 *
 * Importers: actors, src/delivery, src/frontend, src/app and domain/webhooks. Of the domain, messages/ imports only
 * people, streams, files, emoji and markdown.
 */
export {
  findCopyAfterMoves,
  findMessageCopy,
  type ReadableMessage,
  streamsDecidingCopies,
} from './access/message-access.js';
export { type MessageViewer, viewerWithoutFlags } from './access/viewer.js';
export { flagsAtCreation, flagsFromText } from './flags/creation-flags.js';
export {
  addReadIds,
  addUnreadIds,
  EDITABLE_FLAGS,
  type EditableFlag,
  type FlagUpdate,
  markMessagesRead,
  markMessagesUnread,
  setMessageMark,
  unsetMessageMark,
} from './flags/flag-changes.js';
export { findMessageReaders } from './flags/read-receipts.js';
export {
  DIRECT_ORIGIN,
  encodeMarkedIds,
  encodeReadState,
  isMarkedRead,
  type MarkName,
  MESSAGE_MARK_PART_PREFIX,
  MESSAGE_MARKS,
  markedIdsOf,
  type OriginReadState,
  READ_STATE_PART_PREFIX,
  readStateOf,
  UserFlags,
} from './flags/read-state.js';
export { UnreadScan } from './flags/unread.js';
export { MAX_LISTED_UNREAD, makeUnreadSummary } from './flags/unread-summary.js';
export { directConversationName } from './narrow/conditions.js';
export { makeNarrowPlan, type NarrowPlan } from './narrow/plan.js';
export {
  checkAnonymousNarrow,
  MAX_NARROW_TERMS,
  type NarrowTerm,
  parseNarrow,
  type RawNarrowTerm,
  resolveNarrowTerms,
  searchesOfTerms,
} from './narrow/terms.js';
export { presentMessageHistory } from './presenting/edit-history.js';
export { MessageEncoder } from './presenting/encoded.js';
export {
  ALL_MESSAGE_FLAGS,
  type NeutralMessage,
  orderFlags,
  presentMessageVariant,
  presentNeutralMessage,
} from './presenting/present.js';
export {
  fetchMessageWindow,
  fetchPackedMessageWindow,
  MessageReader,
  type MessageWindow,
  NEWEST_ANCHOR,
  parseMessageWindow,
  presentMessageWindow,
} from './reading/fetch.js';
export { findNewcomerHistory, type NewcomerHistory } from './reading/newcomer.js';
export { findNewestMessageId, loadNewestMessageState, type NewestMessageState } from './reading/newest.js';
export { listRecentConversations } from './reading/recent-conversations.js';
export { presentSearchMatch, type SearchMatch } from './search/highlight.js';

export { STOP_WORDS } from './search/words.js';
export {
  checkMayMentionAll,
  checkMaySendDirect,
  checkMaySendToStream,
  checkMessageContent,
  checkTopicPresent,
  MAX_MESSAGE_CHARACTERS,
  requireActiveSender,
} from './sending/checks.js';
export { clientNameOf, isHumanClient } from './sending/client-name.js';
export {
  DRAFT_PART_PREFIX,
  type Draft,
  type DraftBody,
  draftPartName,
  MAX_DRAFTS_SHOWN,
  storedDraft,
  storedDrafts,
} from './sending/drafts.js';
export { MessageRenderer, makeRenderContext } from './sending/rendering.js';
export {
  type DeliveryReceipt,
  nextScheduledTime,
  parseScheduledRecipients,
  presentScheduled,
  SCHEDULED_PART_PREFIX,
  type ScheduledBody,
  type ScheduledMessage,
  scheduledDueNow,
  scheduledPartName,
  storedScheduled,
  undeliveredScheduled,
} from './sending/scheduled.js';
export { checkWidget, MAX_SUBMESSAGE_LENGTH, makeFirstSubmessage, makeNextSubmessage } from './sending/widgets.js';
export { makeDigest } from './stored/digest.js';
export {
  type MessageBody,
  type StoredEdit,
  type StoredMessage,
  type StoredReaction,
  type StoredSubmessage,
  type StreamMoveRecord,
  streamConversationName,
  toStoredMessage,
} from './stored/message.js';
export { messageTag, RESOLVED_TOPIC_PREFIX, toMessageRecord } from './stored/record.js';
