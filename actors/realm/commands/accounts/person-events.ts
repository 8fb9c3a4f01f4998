/** Events about accounts: new, changed and reactivated ones (users.md § User object, events.md § realm_user). */

import type { JsonObject } from '#base';
import { formatUserStatusForApi } from '#domain/emoji';
import {
  directSystemGroupIdsOfUser,
  directSystemGroupIdsShownToClients,
  EMPTY_PROFILE_SOURCE,
  formatAvatarFieldsForApi,
  formatProfileForApi,
  formatUserForApi,
  maySeeRealEmail,
  USER_ROLE,
  weakestRoleSeeingEmailOrZero,
} from '#domain/people';
import type { EventAudience, LogItem, ProductEmoji, RealmSettings } from '#model';
import type { DirectoryUser } from '#model/records';
import { makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import {
  type ActorParts,
  listUserGroupRecords,
  type RealmActorState,
  readPreferencesRecord,
  readProfileFieldRecords,
  readProfileRecord,
} from '../../state.js';
import type { RealmActorView } from '../command.js';

const makeUserUpdateEventBody = (of: DirectoryUser, person: JsonObject): JsonObject => ({
  type: 'realm_user',
  op: 'update',
  person: { user_id: of.id, ...person },
});

/** Event of a changed full name, for all users. @param version of the commit */
export const makeFullNameChangedEvent = (user: DirectoryUser, version: number): LogItem =>
  makeEveryoneEventLogItem(version, makeUserUpdateEventBody(user, { full_name: user.fullName }));

const makeApiEmailChangedEvent = (user: DirectoryUser, version: number): LogItem =>
  makeEveryoneEventLogItem(version, makeUserUpdateEventBody(user, { new_email: user.email }));

const makeAvatarChangedEvent = (user: DirectoryUser, version: number): LogItem =>
  makeEveryoneEventLogItem(version, makeUserUpdateEventBody(user, formatAvatarFieldsForApi(user)));

/**
 * Events of a changed visibility of the real address: the address for users who may see it now, null for users who
 * no longer may, and a new API address for all.
 */
export function makeEmailVisibilityChangedEvents(
  before: DirectoryUser,
  after: DirectoryUser,
  everybody: Iterable<DirectoryUser>,
  version: number,
): LogItem[] {
  const gaining: number[] = [];
  const losing: number[] = [];
  for (const viewer of everybody) {
    if (viewer.id === after.id || !viewer.isActive) continue;
    const could = maySeeRealEmail(viewer, before);
    const can = maySeeRealEmail(viewer, after);
    if (can && !could) gaining.push(viewer.id);
    if (could && !can) losing.push(viewer.id);
  }
  const events: LogItem[] = [];
  const push = (users: readonly number[], address: string | null): void => {
    if (users.length > 0)
      events.push({ t: 'event', to: { users }, event: makeUserUpdateEventBody(after, { delivery_email: address }) });
  };
  push(gaining, after.deliveryEmail);
  push(losing, null);
  if (before.email === after.email) return events;
  return [...events, makeApiEmailChangedEvent(after, version), makeAvatarChangedEvent(after, version)];
}

/**
 * Events of a new real address, for users who may see it. A gravatar changes with the address, and so does the API
 * address if the real one is public.
 */
export function makeRealEmailChangedEvents(
  after: DirectoryUser,
  everybody: Iterable<DirectoryUser>,
  version: number,
): LogItem[] {
  const isPublic = after.emailVisibility === 1;
  const event = makeUserUpdateEventBody(after, { delivery_email: after.deliveryEmail });
  const seeing = isPublic
    ? []
    : [...everybody].filter((viewer) => viewer.isActive && maySeeRealEmail(viewer, after)).map(({ id }) => id);
  return [
    isPublic ? makeEveryoneEventLogItem(version, event) : { t: 'event', to: { users: seeing }, event },
    ...(after.avatarSource === 'G' ? [makeAvatarChangedEvent(after, version)] : []),
    ...(isPublic ? [makeApiEmailChangedEvent(after, version)] : []),
  ];
}

/**
 * Event of changed fields of an account, for all users. @param version of the commit @param person fields besides the
 * id
 */
export const makeUserUpdatedEvent = (version: number, user: number, person: JsonObject): LogItem =>
  makeEveryoneEventLogItem(version, { type: 'realm_user', op: 'update', person: { user_id: user, ...person } });

/** Log items of a new account; their number does not depend on the number of other accounts. */
export function makeUserAddedLogItems(
  user: DirectoryUser,
  settings: RealmSettings,
  now: number,
  version: number,
): LogItem[] {
  const person = formatUserForApi(user, user, { clientGravatar: false, profile: EMPTY_PROFILE_SOURCE });
  const added = (to: EventAudience, shown: JsonObject): LogItem => ({
    t: 'event',
    to: { ...to, rv: version },
    event: { type: 'realm_user', op: 'add', person: shown },
  });
  const seeing = weakestRoleSeeingEmailOrZero(user);
  const rest = { role: USER_ROLE.guest, weakerThan: seeing };
  return [
    makeDirectoryLogItem({ user }),
    ...(seeing > 0 ? [added({ role: seeing }, person)] : []),
    ...(seeing < USER_ROLE.guest ? [added(rest, { ...person, delivery_email: null })] : []),
    ...directSystemGroupIdsOfUser(user, settings, now).map((group_id) =>
      makeEveryoneEventLogItem(version, { type: 'user_group', op: 'add_members', group_id, user_ids: [user.id] }),
    ),
  ];
}

/** First API level whose clients take a deactivated account out of the groups that they know. */
const FIRST_LEVEL_LEAVING_GROUPS = 222;

/** Events that bring a reactivated account back into the groups that it never left on the server. */
const makeRejoinedGroupsEvents = (
  user: DirectoryUser,
  { settings, fullMembersAt }: RealmActorState,
  parts: ActorParts,
  version: number,
): LogItem[] =>
  [
    ...directSystemGroupIdsShownToClients(user, settings, fullMembersAt),
    ...[...listUserGroupRecords(parts)].filter(({ members }) => members.includes(user.id)).map(({ id }) => id),
  ].map((group_id) => ({
    ...makeEveryoneEventLogItem(version, { type: 'user_group', op: 'add_members', group_id, user_ids: [user.id] }),
    sinceLevel: FIRST_LEVEL_LEAVING_GROUPS,
  }));

/** Event of the status that the account had before: clients that registered in between don't know it. */
function makeKeptStatusEvents(
  { id }: DirectoryUser,
  parts: ActorParts,
  productEmoji: ProductEmoji,
  version: number,
): LogItem[] {
  const { status } = readPreferencesRecord(parts, id);
  if (!status) return [];
  const shown = formatUserStatusForApi(status, { productEmoji });
  return [makeEveryoneEventLogItem(version, { type: 'user_status', user_id: id, ...shown })];
}

/** Events of a reactivated account, for all users; the real address only for users who may see it. */
export function makeUserReactivatedEvents(
  user: DirectoryUser,
  { state, parts }: RealmActorView,
  productEmoji: ProductEmoji,
  version: number,
): LogItem[] {
  const profile = formatProfileForApi(readProfileRecord(parts, user.id), readProfileFieldRecords(parts));
  const known = formatUserForApi(user, user, { clientGravatar: false, profile: { profile: () => profile } });
  const add = (to: EventAudience, person: typeof known): LogItem => ({
    t: 'event',
    to,
    event: { type: 'realm_user', op: 'add', person },
    // At newer API levels the event says that a known account is active again.
    aux: { reactivated: true },
  });
  const seeing = weakestRoleSeeingEmailOrZero(user);
  const everybody: EventAudience = { role: USER_ROLE.guest, rv: version };
  const following = [
    ...makeRejoinedGroupsEvents(user, state, parts, version),
    ...makeKeptStatusEvents(user, parts, productEmoji, version),
  ];
  if (seeing >= USER_ROLE.guest) return [add(everybody, known), ...following];
  return [
    ...(seeing > 0 ? [add({ role: seeing, rv: version }, known)] : []),
    add({ ...everybody, weakerThan: seeing }, { ...known, delivery_email: null }),
    ...following,
  ];
}
