/** Typing notifications (messages.md). */
import { bad, type CatalogueEntry } from './entry.js';

export const typing = {
  EMPTY_TO: bad("Empty 'to' list"),
  MANY_STREAMS: bad('Cannot send to multiple streams'),
  STREAM_TYPING_OFF: bad('User has disabled typing notifications for stream messages'),
  DIRECT_TYPING_OFF: bad('User has disabled typing notifications for direct messages'),
} as const satisfies Record<string, CatalogueEntry>;
