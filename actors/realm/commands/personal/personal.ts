/** What commands on a person's own choices have in common. */

import type { Json, JsonObject } from '#base';
import { ROLE } from '#domain/people';
import type { LogItem } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryPreferences, DirectoryUser, UserStatus } from '#model/records';
import { asPart, type Parts, PERSONAL_PART, userOf } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';

/** Nothing here waits for anything, and none of it should wait for what other lanes wait for. */
export const LANE = 'settings';

/** The caller's account. @throws ApiError */
export function actingUser(parts: Parts, caller: number): DirectoryUser {
  const user = userOf(parts, caller);
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  return user;
}

export const tellUser = (user: number, event: JsonObject): LogItem => ({ t: 'event', to: { users: [user] }, event });

/** @param version of the commit */
export const tellEverybody = (version: number, event: JsonObject): LogItem => ({
  t: 'event',
  to: { role: ROLE.guest, rv: version },
  event,
});

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
