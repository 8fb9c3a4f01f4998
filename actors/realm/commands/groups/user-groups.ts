/** Creates, changes and removes user groups (users.md § User groups). System groups follow from roles and are fixed. */

import { successReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { isAdmin, isAllowedByPolicy, isGuest, isModerator, presentGroup, SYSTEM_GROUP_NAMES } from '#domain/people';
import { type LogItem, type RealmSettings, userId } from '#model';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryGroup, DirectoryUser } from '#model/records';
import { directoryLogItem, everyoneEventItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeRecord,
  groupRecord,
  groupRecords,
  USER_GROUP_PART_PREFIX,
  userRecord,
} from '../../state.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';

/** The caller's account, if it may edit user groups at all. @throws ApiError */
export function requireGroupEditor(
  parts: ActorParts,
  caller: number,
  settings: RealmSettings,
  now: number,
): DirectoryUser {
  const acting = requireActingUser(parts, caller);
  if (isGuest(acting)) throw apiError('NO_GUESTS');
  if (acting.botType !== null) throw apiError('NO_BOTS');
  if (!isAllowedByPolicy(settings.user_group_edit_policy, acting, settings, now)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  return acting;
}

/** The user group with this id, if the acting user may change it. @throws ApiError */
export function requireEditableGroup(parts: ActorParts, id: number, acting: DirectoryUser): DirectoryGroup {
  if (SYSTEM_GROUP_NAMES[id] !== undefined) throw apiError('INSUFFICIENT_PERMISSION');
  const group = groupRecord(parts, id);
  if (!group) throw apiError('INVALID_USER_GROUP');
  if (!isAdmin(acting) && !isModerator(acting) && !group.members.includes(acting.id)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  return group;
}

/** Checks that the members exist: any accounts, also deactivated ones and bots. @throws ApiError for an unknown id */
export function checkMembersExist(parts: ActorParts, ids: readonly number[]): void {
  for (const id of ids) if (!userRecord(parts, id)) throw apiError('INVALID_MEMBER_ID', { user_id: id });
}

export const uniqueAscending = <T extends number>(ids: Iterable<T>): T[] => [...new Set(ids)].sort((a, b) => a - b);

export const storeUserGroup = (group: DirectoryGroup): { parts: Record<string, Json>; change: LogItem } => ({
  parts: { [`${USER_GROUP_PART_PREFIX}${group.id}`]: encodeRecord(group) },
  change: directoryLogItem({ group }),
});

/** Checks that no other user group has the name. Names that differ only in case are different. @throws ApiError */
function checkName(parts: ActorParts, name: string): void {
  const taken =
    Object.values(SYSTEM_GROUP_NAMES).includes(name) || [...groupRecords(parts)].some((of) => of.name === name);
  if (taken) throw apiError('GROUP_EXISTS', { name });
}

export const createUserGroupHandler: RealmCommand<typeof realmCommands.createGroup> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { name, description, members }, _inputs, { caller, now, version }) {
    requireGroupEditor(parts, caller, state.settings, now);
    checkMembersExist(parts, members);
    checkName(parts, name);
    const group: DirectoryGroup = {
      id: state.nextGroup,
      name,
      description,
      members: uniqueAscending(members.map(userId)),
      subgroups: [],
      system: false,
    };
    const { parts: written, change } = storeUserGroup(group);
    return {
      reply: successReply(undefined, version),
      state: { ...state, nextGroup: group.id + 1 },
      parts: written,
      events: [change, everyoneEventItem(version, { type: 'user_group', op: 'add', group: presentGroup(group) })],
    };
  },
};

export const updateUserGroupHandler: RealmCommand<typeof realmCommands.updateGroup> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { user_group_id, name, description }, _inputs, { caller, now, version }) {
    const acting = requireGroupEditor(parts, caller, state.settings, now);
    const before = requireEditableGroup(parts, user_group_id, acting);
    const renamed = name !== null && name !== before.name;
    const described = description !== null && description !== before.description;
    if (renamed) checkName(parts, name);
    if (!renamed && !described) return { reply: successReply() };
    const { parts: written, change } = storeUserGroup({
      ...before,
      name: name ?? before.name,
      description: description ?? before.description,
    });
    const updated = (data: JsonObject): LogItem =>
      everyoneEventItem(version, { type: 'user_group', op: 'update', group_id: before.id, data });
    return {
      reply: successReply(undefined, version),
      parts: written,
      events: [change, ...(renamed ? [updated({ name })] : []), ...(described ? [updated({ description })] : [])],
    };
  },
};

export const removeUserGroupHandler: RealmCommand<typeof realmCommands.removeGroup> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { user_group_id }, _inputs, { caller, now, version }) {
    const acting = requireGroupEditor(parts, caller, state.settings, now);
    const { id } = requireEditableGroup(parts, user_group_id, acting);
    const written: Record<string, Json> = { [`${USER_GROUP_PART_PREFIX}${id}`]: null };
    const changes: LogItem[] = [directoryLogItem({ groupGone: id })];
    // Clients remove a deleted group from its parent groups themselves, so these changes are for replicas only.
    for (const other of groupRecords(parts)) {
      if (other.id === id || !other.subgroups.includes(id)) continue;
      const stored = storeUserGroup({ ...other, subgroups: other.subgroups.filter((sub) => sub !== id) });
      Object.assign(written, stored.parts);
      changes.push(stored.change);
    }
    return {
      reply: successReply(undefined, version),
      parts: written,
      events: [...changes, everyoneEventItem(version, { type: 'user_group', op: 'remove', group_id: id })],
    };
  },
};
