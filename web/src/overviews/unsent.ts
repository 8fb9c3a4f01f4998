/** Views of unsent texts (drafts, scheduled messages): a lazy chunk. */
export { DraftsView } from './drafts.js';
export { ScheduledView } from './scheduled.js';
