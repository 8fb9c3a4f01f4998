export { alertedBy, mutersOf } from './choices.js';
export { clientName, isHumanClient } from './client-name.js';
export { directConversation } from './conditions.js';
export { checkContent, MAX_MESSAGE } from './content.js';
export { type Copy, copyOf, decidingStreams, movedCopy } from './copies.js';
export { flagsAtCreation, meantBy } from './creation-flags.js';
export { digestOf } from './digest.js';
export { DRAFT_PART, type Draft, type DraftBody, draftOf, draftPart, draftsOf, MOST_DRAFTS_SHOWN } from './drafts.js';
export { editFields, messageHistory } from './edit-history.js';
export { ShownMessages, type ShownRow } from './encoded.js';
export {
  type Fetched,
  fetchWindow,
  NEWEST,
  presentWindow,
  Reader,
  showWindow,
  type Window,
  type WindowArgs,
  windowOf,
} from './fetch.js';
export {
  EDITABLE_FLAGS,
  type EditableFlag,
  type Flagging,
  markRead,
  markUnread,
  readingParts,
  setMark,
  unsetMark,
  withRead,
  withUnread,
} from './flagging.js';
export {
  checkAnonymousNarrow,
  MOST_OPERATORS,
  parseNarrow,
  type RawTerm,
  resolveTerms,
  searchesOf,
  type Term,
} from './narrow.js';
export { type NewcomersHistory, newcomersHistory } from './newcomer.js';
export { type NewestKnown, newestKnown, newestMessage } from './newest.js';
export type { OwnMessage } from './own-message.js';
export { makePlan, type Plan } from './plan.js';
export { KNOWN_FLAGS, type MessageVariant, type NeutralMessage, neutral, orderFlags, variant } from './present.js';
export { readersOf, showsReading } from './read-receipts.js';
export {
  DIRECT_HOME,
  type HomeReading,
  MARK_PART,
  MARKS,
  type MarkName,
  markedOf,
  markedPart,
  markedRead,
  OwnFlags,
  READ_PART,
  readingOf,
  readingPart,
} from './read-state.js';
export { type RecentConversation, recentConversations } from './recent-conversations.js';
export { recordOf } from './record.js';
export { MessageRenderer, renderContext } from './rendering.js';
export {
  type Delivered,
  dueNow,
  nextDue,
  presentScheduled,
  SCHEDULED_PART,
  type Scheduled,
  type ScheduledBody,
  scheduledOf,
  scheduledPart,
  undelivered,
} from './scheduled.js';
export { scheduledRecipients } from './scheduled-recipients.js';
export { type Match, matchOf } from './search/highlight.js';
export type { Search } from './search/query.js';
export { STOP_WORDS } from './search/stop-words.js';
export {
  activeSender,
  checkDirect,
  checkPosting,
  checkTopicGiven,
  checkWildcard,
  type IsSubscribed,
} from './sending.js';
export {
  asStored,
  type MessageBody,
  type Move,
  type StoredEdit,
  type StoredMessage,
  type StoredReaction,
  type StoredSubmessage,
  streamConversation,
} from './stored.js';
export { factTags, RESOLVED_PREFIX, tagOf, tagsOf } from './tags.js';
export { UnreadScan } from './unread.js';
export { MOST_UNREAD, type UnreadView, unreadSummary } from './unread-summary.js';
export { plainViewer, type Viewer } from './viewer.js';
export { checkWidget, firstSubmessage, MAX_SUBMESSAGE, nextSubmessage } from './widgets.js';
