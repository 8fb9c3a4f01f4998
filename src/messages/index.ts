export { alertedBy, mutersOf } from './choices.js';
export { checkContent, MAX_MESSAGE } from './content.js';
export { type Copy, copyOf, decidingStreams } from './copies.js';
export { flagsAtCreation } from './creation-flags.js';
export * from './drafts.js';
export { editFields, messageHistory } from './edit-history.js';
export { type Fetched, fetchWindow, NEWEST, type OwnMessage, Reader, type Window } from './fetch.js';
export * from './flagging.js';
export { parseNarrow, type RawTerm, resolveTerms, type Term } from './narrow.js';
export { newestMessage } from './newest.js';
export { directConversation, makePlan, type Plan } from './plan.js';
export { type MessageVariant, type NeutralMessage, neutral, orderFlags, variant } from './present.js';
export { readersOf, showsReading } from './read-receipts.js';
export * from './read-state.js';
export { recordOf } from './record.js';
export { MessageRenderer, renderContext } from './rendering.js';
export * from './scheduled.js';
export * from './sending.js';
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
export { checkWidget, firstSubmessage, MAX_SUBMESSAGE, nextSubmessage } from './widgets.js';
