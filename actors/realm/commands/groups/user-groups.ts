/** Creates, changes and removes user groups (users.md § User groups). System groups follow from roles and are fixed. */

import { makeSuccessReply } from '#actors/shared';
import { type Json, type JsonObject, withoutInvisibleCharacters } from '#base';
import {
  formatUserGroupForApi,
  isAdminOrOwner,
  isAllowedByPolicy,
  isExactlyModerator,
  isGuest,
  MAX_USER_GROUPS,
  SYSTEM_GROUP_NAME_BY_ID,
} from '#domain/people';
import { type LogItem, type RealmSettings, toUserId } from '#model';
import type { realmActorCommands } from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import type { DirectoryUser, DirectoryUserGroup } from '#model/records';
import { makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeDirectoryRecord,
  findUserGroupRecord,
  findUserRecord,
  listUserGroupRecords,
  USER_GROUP_PART_PREFIX,
} from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';

/** The caller's account, if it may edit user groups at all. @throws ApiError */
export function getUserGroupEditorOrThrow(
  parts: ActorParts,
  caller: number,
  settings: RealmSettings,
  now: number,
): DirectoryUser {
  const acting = getActingUserOrThrow(parts, caller);
  if (isGuest(acting)) throw apiError('NO_GUESTS');
  if (acting.botType !== null) throw apiError('NO_BOTS');
  if (!isAllowedByPolicy(settings.user_group_edit_policy, acting, settings, now)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  return acting;
}

/** The user group with this id, if the acting user may change it. @throws ApiError */
export function getEditableUserGroupOrThrow(parts: ActorParts, id: number, acting: DirectoryUser): DirectoryUserGroup {
  if (SYSTEM_GROUP_NAME_BY_ID[id] !== undefined) throw apiError('INSUFFICIENT_PERMISSION');
  const group = findUserGroupRecord(parts, id);
  if (!group) throw apiError('INVALID_USER_GROUP');
  if (!isAdminOrOwner(acting) && !isExactlyModerator(acting) && !group.members.includes(acting.id)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  return group;
}

/** Checks that the members exist: any accounts, also deactivated ones and bots. @throws ApiError for an unknown id */
export function checkGroupMembersExist(parts: ActorParts, ids: readonly number[]): void {
  for (const id of ids) if (!findUserRecord(parts, id)) throw apiError('INVALID_MEMBER_ID', { user_id: id });
}

export const sortUniqueIds = <T extends number>(ids: Iterable<T>): T[] => [...new Set(ids)].sort((a, b) => a - b);

export const makeStoredUserGroupChanges = (
  group: DirectoryUserGroup,
): { parts: Record<string, Json>; change: LogItem } => ({
  parts: { [`${USER_GROUP_PART_PREFIX}${group.id}`]: encodeDirectoryRecord(group) },
  change: makeDirectoryLogItem({ group }),
});

/**
 * Checks that no other user group looks the same. Names that differ only in case are different.
 * @param own id of the group that gets the name; undefined: a new one
 * @throws ApiError
 */
function checkUserGroupName(parts: ActorParts, name: string, own?: number): void {
  const shown = withoutInvisibleCharacters(name);
  const taken =
    Object.values(SYSTEM_GROUP_NAME_BY_ID).includes(shown) ||
    [...listUserGroupRecords(parts)].some((of) => of.id !== own && withoutInvisibleCharacters(of.name) === shown);
  if (taken) throw apiError('GROUP_EXISTS', { name });
}

export const createUserGroupHandler: RealmCommandHandler<typeof realmActorCommands.createGroup> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { name, description, members }, _inputs, { caller, now, version }) {
    getUserGroupEditorOrThrow(parts, caller, state.settings, now);
    checkGroupMembersExist(parts, members);
    checkUserGroupName(parts, name);
    checkParameterItemCount('realm_user_groups', [...listUserGroupRecords(parts)].length + 1, MAX_USER_GROUPS);
    const group: DirectoryUserGroup = {
      id: state.nextGroup,
      name,
      description,
      members: sortUniqueIds(members.map(toUserId)),
      subgroups: [],
      system: false,
    };
    const { parts: written, change } = makeStoredUserGroupChanges(group);
    return {
      reply: makeSuccessReply(undefined, version),
      state: { ...state, nextGroup: group.id + 1 },
      parts: written,
      events: [
        change,
        makeEveryoneEventLogItem(version, { type: 'user_group', op: 'add', group: formatUserGroupForApi(group) }),
      ],
    };
  },
};

export const updateUserGroupHandler: RealmCommandHandler<typeof realmActorCommands.updateGroup> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { user_group_id, name, description }, _inputs, { caller, now, version }) {
    const acting = getUserGroupEditorOrThrow(parts, caller, state.settings, now);
    const before = getEditableUserGroupOrThrow(parts, user_group_id, acting);
    const renamed = name !== null && name !== before.name;
    const described = description !== null && description !== before.description;
    if (renamed) checkUserGroupName(parts, name, before.id);
    if (!renamed && !described) return { reply: makeSuccessReply() };
    const { parts: written, change } = makeStoredUserGroupChanges({
      ...before,
      name: name ?? before.name,
      description: description ?? before.description,
    });
    const updated = (data: JsonObject): LogItem =>
      makeEveryoneEventLogItem(version, { type: 'user_group', op: 'update', group_id: before.id, data });
    return {
      reply: makeSuccessReply(undefined, version),
      parts: written,
      events: [change, ...(renamed ? [updated({ name })] : []), ...(described ? [updated({ description })] : [])],
    };
  },
};

export const removeUserGroupHandler: RealmCommandHandler<typeof realmActorCommands.removeGroup> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { user_group_id }, _inputs, { caller, now, version }) {
    const acting = getUserGroupEditorOrThrow(parts, caller, state.settings, now);
    const { id } = getEditableUserGroupOrThrow(parts, user_group_id, acting);
    const written: Record<string, Json> = { [`${USER_GROUP_PART_PREFIX}${id}`]: null };
    const changes: LogItem[] = [makeDirectoryLogItem({ groupGone: id })];
    // Clients remove a deleted group from its parent groups themselves, so these changes are for replicas only.
    for (const other of listUserGroupRecords(parts)) {
      if (other.id === id || !other.subgroups.includes(id)) continue;
      const stored = makeStoredUserGroupChanges({ ...other, subgroups: other.subgroups.filter((sub) => sub !== id) });
      Object.assign(written, stored.parts);
      changes.push(stored.change);
    }
    return {
      reply: makeSuccessReply(undefined, version),
      parts: written,
      events: [...changes, makeEveryoneEventLogItem(version, { type: 'user_group', op: 'remove', group_id: id })],
    };
  },
};
