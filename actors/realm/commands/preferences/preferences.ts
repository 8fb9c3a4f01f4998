/** The stored preferences of one user: settings, alert words, muted users and status. */

import type { Json } from '#base';
import type { LogItem } from '#model';
import type { DirectoryPreferences, UserStatus } from '#model/records';
import { directoryLogItem } from '../../log-items.js';
import { encodeRecord, PREFERENCES_PART_PREFIX } from '../../state.js';

/** The part and the directory change that store a user's preferences. */
export function storePreferences(preferences: DirectoryPreferences): {
  readonly parts: Record<string, Json>;
  readonly change: LogItem;
} {
  return {
    parts: { [`${PREFERENCES_PART_PREFIX}${preferences.user}`]: encodeRecord(preferences) },
    change: directoryLogItem({ personal: preferences }),
  };
}

/** The preferences with this status; an empty status is omitted. */
export function withUserStatus(
  { status: _, ...preferences }: DirectoryPreferences,
  status?: UserStatus,
): DirectoryPreferences {
  const says = status && (status.text !== '' || status.emoji !== null || status.away);
  return says ? { ...preferences, status } : preferences;
}
