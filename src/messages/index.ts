export { checkContent, MAX_MESSAGE } from './content.js';
export { type Fetched, fetchWindow, NEWEST, type OwnMessage, ownFlags, Reader, type Window } from './fetch.js';
export { parseNarrow, type RawTerm, resolveTerms, type Term } from './narrow.js';
export { newestMessage } from './newest.js';
export { directConversation, makePlan, type Plan } from './plan.js';
export { type MessageVariant, type NeutralMessage, neutral, orderFlags, variant } from './present.js';
export { MessageRenderer, renderContext } from './rendering.js';
export { asStored, type MessageBody, type StoredMessage, streamConversation } from './stored.js';
