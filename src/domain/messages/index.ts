export {
  type CopyState,
  copyAfterMoves,
  copyOf,
  decidingStreams,
  type ReadableMessage,
} from './access/message-access.js';
export { plainViewer, type Viewer } from './access/viewer.js';
export { flagsAtCreation, flagsFromText } from './flags/creation-flags.js';
export {
  EDITABLE_FLAGS,
  type EditableFlag,
  type FlagUpdate,
  markRead,
  markUnread,
  readingParts,
  setMark,
  unsetMark,
  withRead,
  withUnread,
} from './flags/flag-changes.js';
export { readersOf, showsReading } from './flags/read-receipts.js';
export {
  DIRECT_ORIGIN,
  MARK_PART,
  MARKS,
  type MarkName,
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
export { MAX_UNREAD, type UnreadView, unreadSummary } from './flags/unread-summary.js';
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
export { editFields, messageHistory } from './presenting/edit-history.js';
export { type EncodedRow, MessageEncoder } from './presenting/encoded.js';
export {
  KNOWN_FLAGS,
  type MessageVariant,
  type NeutralMessage,
  orderFlags,
  presentNeutral,
  presentVariant,
} from './presenting/present.js';
export {
  fetchPackedWindow,
  fetchWindow,
  type MessageWindow,
  NEWEST,
  presentWindow,
  Reader,
  type WindowArgs,
  type WindowSpec,
  windowSpec,
} from './reading/fetch.js';
export { type NewcomerHistory, newcomerHistory } from './reading/newcomer.js';
export { type NewestMessageState, newestMessage, newestMessageState } from './reading/newest.js';
export { type RecentConversation, recentConversations } from './reading/recent-conversations.js';
export { matchOf, type SearchMatch } from './search/highlight.js';
export type { SearchQuery } from './search/query.js';
export { STOP_WORDS } from './search/words.js';
export {
  activeSender,
  checkContent,
  checkDirect,
  checkPosting,
  checkTopicPresent,
  checkWildcard,
  type IsSubscribed,
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
export { factTags, RESOLVED_PREFIX, recordOf, tagOf, tagsOf } from './stored/record.js';
