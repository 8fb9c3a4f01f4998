/** Drafts and scheduled messages (messages.md). */
import { bad, type CatalogueEntry } from './entry.js';

export const drafts = {
  DRAFTS_OFF: bad('User has disabled synchronizing drafts.'),
  /** Without code (seed). */
  NO_SUCH_DRAFT: { status: 404, msg: 'Draft does not exist' },
  TIMESTAMP_NEGATIVE: bad('Timestamp must not be negative.'),
  TOPIC_NULL_BYTES: bad('Topic must not contain null bytes'),
  ONE_DRAFT_STREAM: bad('Must specify exactly 1 stream ID for stream messages'),
  NO_SUCH_SCHEDULED_MESSAGE: { code: 'BAD_REQUEST', status: 404, msg: 'Scheduled message does not exist' },
  SCHEDULED_IN_PAST: bad('Scheduled delivery time must be in the future.'),
  SCHEDULED_STREAM_TYPE: bad('Invalid data type for stream ID'),
  SCHEDULED_USER_IDS: bad('Recipient list may only contain user IDs'),
  SCHEDULED_NEEDS_RECIPIENT: bad('Recipient required when updating type of scheduled message.'),
  SCHEDULED_NEEDS_TOPIC: bad('Topic required when updating scheduled message type to stream.'),
  SCHEDULED_ALREADY_SENT: bad('Scheduled message was already sent'),
  NOTHING_TO_CHANGE: bad('Nothing to change'),
} as const satisfies Record<string, CatalogueEntry>;
