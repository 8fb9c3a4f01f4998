export { type Copy, copyOf, decidingStreams, movedCopy, type OwnMessage } from './access/message-access.js';
export { plainViewer, type Viewer } from './access/viewer.js';
export { flagsAtCreation, meantBy } from './flags/creation-flags.js';
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
} from './flags/flag-changes.js';
export { readersOf, showsReading } from './flags/read-receipts.js';
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
} from './flags/read-state.js';
export { UnreadScan } from './flags/unread.js';
export { MOST_UNREAD, type UnreadView, unreadSummary } from './flags/unread-summary.js';
export { directConversation } from './narrow/conditions.js';
export { makePlan, type Plan } from './narrow/plan.js';
export {
  checkAnonymousNarrow,
  MOST_OPERATORS,
  parseNarrow,
  type RawTerm,
  resolveTerms,
  searchesOf,
  type Term,
} from './narrow/terms.js';
export { editFields, messageHistory } from './presenting/edit-history.js';
export { ShownMessages, type ShownRow } from './presenting/encoded.js';
export {
  KNOWN_FLAGS,
  type MessageVariant,
  type NeutralMessage,
  neutral,
  orderFlags,
  variant,
} from './presenting/present.js';
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
} from './reading/fetch.js';
export { type NewcomersHistory, newcomersHistory } from './reading/newcomer.js';
export { type NewestKnown, newestKnown, newestMessage } from './reading/newest.js';
export { type RecentConversation, recentConversations } from './reading/recent-conversations.js';
export { type Match, matchOf } from './search/highlight.js';
export type { Search } from './search/query.js';
export { STOP_WORDS } from './search/words.js';
export {
  activeSender,
  checkContent,
  checkDirect,
  checkPosting,
  checkTopicGiven,
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
  MOST_DRAFTS_SHOWN,
} from './sending/drafts.js';
export { MessageRenderer, renderContext } from './sending/rendering.js';
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
