/** Creates, changes and removes user groups (users.md § User groups). System groups follow from roles and are fixed. */

import { success } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { isAdmin, isGuest, isModerator, policyAllows, presentGroup, SYSTEM_GROUP_NAMES } from '#domain/people';
import { type LogItem, type RealmSettings, userId } from '#model';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryGroup, DirectoryUser } from '#model/records';
import { directoryItem, eventToAll } from '../../log-items.js';
import { groupOf, groupsOf, type Parts, toPart, USER_GROUP_PART, userOf } from '../../state.js';
import { actingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';

/** The caller, if they may edit user groups at all. @throws ApiError */
export function groupEditor(parts: Parts, caller: number, settings: RealmSettings, now: number): DirectoryUser {
  const acting = actingUser(parts, caller);
  if (isGuest(acting)) throw apiError('NO_GUESTS');
  if (acting.botType !== null) throw apiError('NO_BOTS');
  if (!policyAllows(settings.user_group_edit_policy, acting, settings, now)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  return acting;
}

/** The group, if this user may change it. @throws ApiError */
export function editableGroup(parts: Parts, id: number, acting: DirectoryUser): DirectoryGroup {
  if (SYSTEM_GROUP_NAMES[id] !== undefined) throw apiError('INSUFFICIENT_PERMISSION');
  const group = groupOf(parts, id);
  if (!group) throw apiError('INVALID_USER_GROUP');
  if (!isAdmin(acting) && !isModerator(acting) && !group.members.includes(acting.id)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  return group;
}

/** Members may be any accounts, deactivated ones and bots included. @throws ApiError for an unknown id */
export function checkMembers(parts: Parts, ids: readonly number[]): void {
  for (const id of ids) if (!userOf(parts, id)) throw apiError('INVALID_MEMBER_ID', { user_id: id });
}

export const ascending = <T extends number>(ids: Iterable<T>): T[] => [...new Set(ids)].sort((a, b) => a - b);

export const storeGroup = (group: DirectoryGroup): { parts: Record<string, Json>; change: LogItem } => ({
  parts: { [`${USER_GROUP_PART}${group.id}`]: toPart(group) },
  change: directoryItem({ group }),
});

/** Names are unique, with case. @throws ApiError */
function checkName(parts: Parts, name: string): void {
  const taken = Object.values(SYSTEM_GROUP_NAMES).includes(name) || [...groupsOf(parts)].some((of) => of.name === name);
  if (taken) throw apiError('GROUP_EXISTS', { name });
}

export const createGroup: RealmCommand<typeof realmCommands.createGroup> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { name, description, members }, _inputs, { caller, now, version }) {
    groupEditor(parts, caller, state.settings, now);
    checkMembers(parts, members);
    checkName(parts, name);
    const group: DirectoryGroup = {
      id: state.nextGroup,
      name,
      description,
      members: ascending(members.map(userId)),
      subgroups: [],
      system: false,
    };
    const { parts: written, change } = storeGroup(group);
    return {
      reply: success(undefined, version),
      state: { ...state, nextGroup: group.id + 1 },
      parts: written,
      events: [change, eventToAll(version, { type: 'user_group', op: 'add', group: presentGroup(group) })],
    };
  },
};

export const updateGroup: RealmCommand<typeof realmCommands.updateGroup> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { user_group_id, name, description }, _inputs, { caller, now, version }) {
    const acting = groupEditor(parts, caller, state.settings, now);
    const before = editableGroup(parts, user_group_id, acting);
    const renamed = name !== null && name !== before.name;
    const described = description !== null && description !== before.description;
    if (renamed) checkName(parts, name);
    if (!renamed && !described) return { reply: success() };
    const { parts: written, change } = storeGroup({
      ...before,
      name: name ?? before.name,
      description: description ?? before.description,
    });
    const updated = (data: JsonObject): LogItem =>
      eventToAll(version, { type: 'user_group', op: 'update', group_id: before.id, data });
    return {
      reply: success(undefined, version),
      parts: written,
      events: [change, ...(renamed ? [updated({ name })] : []), ...(described ? [updated({ description })] : [])],
    };
  },
};

export const removeGroup: RealmCommand<typeof realmCommands.removeGroup> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { user_group_id }, _inputs, { caller, now, version }) {
    const acting = groupEditor(parts, caller, state.settings, now);
    const { id } = editableGroup(parts, user_group_id, acting);
    const written: Record<string, Json> = { [`${USER_GROUP_PART}${id}`]: null };
    const changes: LogItem[] = [directoryItem({ groupGone: id })];
    // Clients remove the group from others themselves, so these changes are for replicas only.
    for (const other of groupsOf(parts)) {
      if (other.id === id || !other.subgroups.includes(id)) continue;
      const stored = storeGroup({ ...other, subgroups: other.subgroups.filter((sub) => sub !== id) });
      Object.assign(written, stored.parts);
      changes.push(stored.change);
    }
    return {
      reply: success(undefined, version),
      parts: written,
      events: [...changes, eventToAll(version, { type: 'user_group', op: 'remove', group_id: id })],
    };
  },
};
