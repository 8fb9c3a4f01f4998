/** What commands on a person's own choices have in common. */

import type { Json } from '#base';
import type { LogItem } from '#model';
import type { DirectoryPreferences, UserStatus } from '#model/records';
import { tellReplicas } from '../../log-items.js';
import { asPart, PERSONAL_PART } from '../../state.js';

/** The part and the directory change that store what a person chose. */
export function storePersonal(personal: DirectoryPreferences): {
  readonly parts: Record<string, Json>;
  readonly change: LogItem;
} {
  return {
    parts: { [`${PERSONAL_PART}${personal.user}`]: asPart(personal) },
    change: tellReplicas({ personal }),
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
