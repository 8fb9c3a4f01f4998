/** Log items of the realm actor: changes of the directory for its replicas, and events for clients. */

import type { JsonObject } from '#base';
import type { DirectoryChange } from '#directory';
import { USER_ROLE } from '#domain/people';
import { type DirectoryLogItem, firstLevelOfUserSetting, type LogItem, type UserSettingName } from '#model';

export const makeDirectoryLogItem = (change: DirectoryChange): DirectoryLogItem => ({
  t: 'directory',
  change: change as unknown as JsonObject,
});

export const makeUserEventLogItem = (user: number, event: JsonObject): LogItem => ({
  t: 'event',
  to: { users: [user] },
  event,
});

/** Log item of an event for all users. @param version of the commit */
export const makeEveryoneEventLogItem = (version: number, event: JsonObject): LogItem => ({
  t: 'event',
  to: { role: USER_ROLE.guest, rv: version },
  event,
});

/** The event of a setting, for event queues whose API level has the setting. */
export function fromFirstLevelOfSetting<I extends LogItem>(name: UserSettingName, item: I): I {
  const sinceLevel = firstLevelOfUserSetting(name);
  return sinceLevel === undefined ? item : { ...item, sinceLevel };
}
