/** Views of texts that are not sent: a lazy chunk. */
export { DraftsView } from './drafts.js';
export { ScheduledView } from './scheduled.js';
