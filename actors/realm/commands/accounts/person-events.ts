/** What the others are told when facts of an account change (users.md, events.md § realm_user). */
import type { JsonObject } from '#base';
import { presentAvatar, seesAddress } from '#domain/people';
import type { LogItem } from '#model';
import type { DirectoryUser } from '#model/records';
import { tellEverybody } from '../personal/personal.js';

const update = (of: DirectoryUser, person: JsonObject): JsonObject => ({
  type: 'realm_user',
  op: 'update',
  person: { user_id: of.id, ...person },
});

/** @param version of the commit */
export const nameChanged = (user: DirectoryUser, version: number): LogItem =>
  tellEverybody(version, update(user, { full_name: user.fullName }));

const apiAddress = (user: DirectoryUser, version: number): LogItem =>
  tellEverybody(version, update(user, { new_email: user.email }));

const avatar = (user: DirectoryUser, version: number): LogItem =>
  tellEverybody(version, update(user, presentAvatar(user)));

/** The real address to those who may see it from now on, null to those who no more may; a new API address to all. */
export function visibilityChanged(
  before: DirectoryUser,
  after: DirectoryUser,
  everybody: Iterable<DirectoryUser>,
  version: number,
): LogItem[] {
  const gaining: number[] = [];
  const losing: number[] = [];
  for (const viewer of everybody) {
    if (viewer.id === after.id || !viewer.isActive) continue;
    const could = seesAddress(viewer, before);
    const can = seesAddress(viewer, after);
    if (can && !could) gaining.push(viewer.id);
    if (could && !can) losing.push(viewer.id);
  }
  const events: LogItem[] = [];
  const tell = (users: readonly number[], address: string | null): void => {
    if (users.length > 0) events.push({ t: 'event', to: { users }, event: update(after, { delivery_email: address }) });
  };
  tell(gaining, after.deliveryEmail);
  tell(losing, null);
  if (before.email === after.email) return events;
  return [...events, apiAddress(after, version), avatar(after, version)];
}

/** A new real address: to those who may see it; a gravatar goes with it; where it is public, the API address is new too. */
export function addressChanged(after: DirectoryUser, everybody: Iterable<DirectoryUser>, version: number): LogItem[] {
  const isPublic = after.emailVisibility === 1;
  const event = update(after, { delivery_email: after.deliveryEmail });
  const seeing = isPublic
    ? []
    : [...everybody].filter((viewer) => viewer.isActive && seesAddress(viewer, after)).map(({ id }) => id);
  return [
    isPublic ? tellEverybody(version, event) : { t: 'event', to: { users: seeing }, event },
    ...(after.avatarSource === 'G' ? [avatar(after, version)] : []),
    ...(isPublic ? [apiAddress(after, version)] : []),
  ];
}
