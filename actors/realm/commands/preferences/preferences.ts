/** What commands on a person's own choices have in common. */

import type { Json } from '#base';
import type { LogItem } from '#model';
import type { DirectoryPreferences, UserStatus } from '#model/records';
import { directoryItem } from '../../log-items.js';
import { PREFERENCES_PART, toPart } from '../../state.js';

/** The part and the directory change that store what a person chose. */
export function storePreferences(personal: DirectoryPreferences): {
  readonly parts: Record<string, Json>;
  readonly change: LogItem;
} {
  return {
    parts: { [`${PREFERENCES_PART}${personal.user}`]: toPart(personal) },
    change: directoryItem({ personal }),
  };
}

/** With this status, or none where it says nothing. */
export function withStatus(
  { status: _, ...personal }: DirectoryPreferences,
  status?: UserStatus,
): DirectoryPreferences {
  const says = status && (status.text !== '' || status.emoji !== null || status.away);
  return says ? { ...personal, status } : personal;
}
