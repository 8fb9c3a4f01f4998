/** The stored preferences of one user: settings, alert words, muted users and status. */

import type { Json } from '#base';
import type { LogItem } from '#model';
import type { DirectoryUserPreferences, UserStatus } from '#model/records';
import { makeDirectoryLogItem } from '../../log-items.js';
import { encodeDirectoryRecord, PREFERENCES_PART_PREFIX } from '../../state.js';

/** The part and the directory change that store a user's preferences. */
export function makeStoredPreferencesChanges(preferences: DirectoryUserPreferences): {
  readonly parts: Record<string, Json>;
  readonly change: LogItem;
} {
  return {
    parts: { [`${PREFERENCES_PART_PREFIX}${preferences.user}`]: encodeDirectoryRecord(preferences) },
    change: makeDirectoryLogItem({ personal: preferences }),
  };
}

/** The preferences with this status; an empty status is omitted. */
export function makePreferencesWithStatus(
  { status: _, ...preferences }: DirectoryUserPreferences,
  status?: UserStatus,
): DirectoryUserPreferences {
  const says = status && (status.text !== '' || status.emoji !== null || status.away);
  return says ? { ...preferences, status } : preferences;
}
