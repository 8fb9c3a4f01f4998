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
 * - Memberships, moves and personal copies decide who has a copy (`copyOf`): a move changes no user's state.
 * - Read state is kept by origin, the stream to which a message was sent (`originStream`). Stored states and log
 *   entries call the origin `home`.
 * - Ranges may hold too many messages, never too few: `Plan.matches` is the exact test.
 * - A decoded message and its digest give the same JSON. A change of `constantFields` raises `DIGEST_VERSION`.
 *
 * Importers: actors, src/delivery, src/frontend, src/app and domain/webhooks. Of the domain, messages/ imports only
 * people, streams, files, emoji and markdown.
 */
export { copyAfterMoves, copyOf, decidingStreams, type ReadableMessage } from './access/message-access.js';
export { plainViewer, type Viewer } from './access/viewer.js';
export { flagsAtCreation, flagsFromText } from './flags/creation-flags.js';
export {
  EDITABLE_FLAGS,
  type EditableFlag,
  type FlagUpdate,
  markRead,
  markUnread,
  setMark,
  unsetMark,
  withRead,
  withUnread,
} from './flags/flag-changes.js';
export { readersOf } from './flags/read-receipts.js';
export {
  DIRECT_ORIGIN,
  MARK_PART,
  MARKS,
  markedOf,
  markedPart,
  markedRead,
  type OriginReadState,
  READ_PART,
  readingOf,
  readingPart,
  UserFlags,
} from './flags/read-state.js';
export { UnreadScan } from './flags/unread.js';
export { MAX_UNREAD, unreadSummary } from './flags/unread-summary.js';
export { directConversation } from './narrow/conditions.js';
export { makePlan, type Plan } from './narrow/plan.js';
export {
  checkAnonymousNarrow,
  MAX_OPERATORS,
  parseNarrow,
  type RawTerm,
  resolveTerms,
  searchesOf,
  type Term,
} from './narrow/terms.js';
export { messageHistory } from './presenting/edit-history.js';
export { MessageEncoder } from './presenting/encoded.js';
export { KNOWN_FLAGS, type NeutralMessage, orderFlags, presentNeutral, presentVariant } from './presenting/present.js';
export {
  fetchPackedWindow,
  fetchWindow,
  type MessageWindow,
  NEWEST,
  presentWindow,
  Reader,
  windowSpec,
} from './reading/fetch.js';
export { type NewcomerHistory, newcomerHistory } from './reading/newcomer.js';
export { type NewestMessageState, newestMessage, newestMessageState } from './reading/newest.js';
export { recentConversations } from './reading/recent-conversations.js';
export { matchOf, type SearchMatch } from './search/highlight.js';

export { STOP_WORDS } from './search/words.js';
export {
  activeSender,
  checkContent,
  checkDirect,
  checkPosting,
  checkTopicPresent,
  checkWildcard,
  MAX_MESSAGE,
} from './sending/checks.js';
export { clientName, isHumanClient } from './sending/client-name.js';
export {
  DRAFT_PART,
  type Draft,
  type DraftBody,
  draftOf,
  draftPart,
  draftsOf,
  MAX_DRAFTS_SHOWN,
} from './sending/drafts.js';
export { MessageRenderer, renderContext } from './sending/rendering.js';
export {
  type DeliveryReceipt,
  dueNow,
  nextDue,
  presentScheduled,
  SCHEDULED_PART,
  type ScheduledBody,
  type ScheduledMessage,
  scheduledOf,
  scheduledPart,
  scheduledRecipients,
  undelivered,
} from './sending/scheduled.js';
export { checkWidget, firstSubmessage, MAX_SUBMESSAGE, nextSubmessage } from './sending/widgets.js';
export { digestOf } from './stored/digest.js';
export {
  asStored,
  type MessageBody,
  type Move,
  type StoredEdit,
  type StoredMessage,
  type StoredReaction,
  type StoredSubmessage,
  streamConversation,
} from './stored/message.js';
export { RESOLVED_PREFIX, recordOf, tagOf } from './stored/record.js';
