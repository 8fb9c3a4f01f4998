/** Presence, status and small hints of one's own (users.md). */
import { bad, type CatalogueEntry } from './entry.js';

export const presence = {
  INVALID_PRESENCE_STATUS: bad('Invalid status: {status}'),
  PRESENCE_OF_BOT: bad('Presence is not supported for bot users.'),
  NO_PRESENCE: bad('No presence data for {user_id_or_email}'),
  NO_NEW_STATUS: bad('Client did not pass any new values.'),
  STATUS_WITHOUT_EMOJI_NAME: bad('Client must pass emoji_name if they pass either emoji_code or reaction_type.'),
  UNKNOWN_HOTSPOT: bad('Unknown hotspot: {hotspot}'),
} as const satisfies Record<string, CatalogueEntry>;
