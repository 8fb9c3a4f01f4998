/** Log items of the realm actor: changes of the directory for its replicas, and events for clients. */

import type { JsonObject } from '#base';
import type { DirectoryChange } from '#directory';
import { ROLE } from '#domain/people';
import type { DirectoryItem, LogItem } from '#model';

export const directoryLogItem = (change: DirectoryChange): DirectoryItem => ({
  t: 'directory',
  change: change as unknown as JsonObject,
});

export const userEventItem = (user: number, event: JsonObject): LogItem => ({
  t: 'event',
  to: { users: [user] },
  event,
});

/** Log item of an event for all users. @param version of the commit */
export const everyoneEventItem = (version: number, event: JsonObject): LogItem => ({
  t: 'event',
  to: { role: ROLE.guest, rv: version },
  event,
});
