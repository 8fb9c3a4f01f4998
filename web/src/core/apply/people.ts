/** Events about users, groups, statuses and presence. */
import type { Events, UserGroup } from '../../contract/index.js';
import { ROLE } from '../state/me.js';
import type { Person, UserStatus } from '../state/people.js';
import type { ClientState } from '../state/state.js';
import type { EventAppliers } from './target.js';

const makeRoleFields = (role: Person['role']): Partial<Person> => ({
  role,
  is_owner: role === ROLE.owner,
  is_admin: role <= ROLE.admin,
  is_guest: role === ROLE.guest,
});

function applyPersonUpdate(state: ClientState, { person }: Events['realm_user/update']): void {
  const id = person.user_id;
  const own = id === state.me.userIdSignal.peek();
  if ('role' in person) state.people.changePersonIfKnown(id, makeRoleFields(person.role));
  else if ('new_email' in person) state.people.changePersonIfKnown(id, { email: person.new_email });
  else if ('avatar_url' in person) {
    state.people.changePersonIfKnown(id, { avatar_url: person.avatar_url, avatar_version: person.avatar_version });
    if (own) {
      const { avatar_source, avatar_url, avatar_url_medium } = person;
      state.realm.mergeFields({ avatar_source, avatar_url, avatar_url_medium });
    }
  } else if ('custom_profile_field' in person) {
    const { id: field, value, rendered_value } = person.custom_profile_field;
    const { [String(field)]: _, ...rest } = state.people.byId.peek().get(id)?.profile_data ?? {};
    const filled = { value, ...(rendered_value === undefined ? {} : { rendered_value }) };
    const profile_data = value === null ? rest : { ...rest, [String(field)]: filled };
    state.people.changePersonIfKnown(id, { profile_data: profile_data as NonNullable<Person['profile_data']> });
  } else state.people.changePersonIfKnown(id, person);
}

/** Parts of a status that are given replace the old ones; empty parts clear them. */
function applyUserStatus(state: ClientState, event: Events['user_status']): void {
  const { id: _, type: __, user_id, ...given } = event;
  const { away, status_text, emoji_name, emoji_code, reaction_type } = {
    ...state.people.statusByUserId.peek().get(user_id),
    ...given,
  };
  const status: UserStatus = {
    ...(away ? { away } : {}),
    ...(status_text ? { status_text } : {}),
    ...(emoji_name && emoji_code && reaction_type ? { emoji_name, emoji_code, reaction_type } : {}),
  };
  const statuses = new Map(state.people.statusByUserId.peek());
  if (Object.keys(status).length > 0) statuses.set(user_id, status);
  else statuses.delete(user_id);
  state.people.statusByUserId.value = statuses;
}

function applyPresence(state: ClientState, { user_id, presence, server_timestamp }: Events['presence']): void {
  const [of] = Object.values(presence);
  if (!of) return;
  const active_timestamp =
    of.status === 'active' ? of.timestamp : (state.people.presenceByUserId.peek().get(user_id)?.active_timestamp ?? 0);
  const presences = new Map(state.people.presenceByUserId.peek());
  state.people.presenceByUserId.value = presences.set(user_id, { active_timestamp, idle_timestamp: of.timestamp });
  state.people.presenceServerSeconds.value = server_timestamp;
}

function changeUserGroup(state: ClientState, id: number, change: (group: UserGroup) => Partial<UserGroup>): void {
  const group = state.people.groupById.peek().get(id);
  if (!group) return;
  state.people.groupById.value = new Map(state.people.groupById.peek()).set(id, { ...group, ...change(group) });
}

const mergeIdsSorted = (ids: readonly number[], added: readonly number[]): number[] =>
  [...new Set([...ids, ...added])].sort((a, b) => a - b);

const filterOutIds = (ids: readonly number[], removed: readonly number[]): number[] =>
  ids.filter((id) => !removed.includes(id));

function removeGroupAndItsReferences(state: ClientState, id: number): void {
  const groups = new Map(state.people.groupById.peek());
  groups.delete(id);
  for (const [key, group] of groups) {
    if (group.direct_subgroup_ids.includes(id)) {
      groups.set(key, { ...group, direct_subgroup_ids: filterOutIds(group.direct_subgroup_ids, [id]) });
    }
  }
  state.people.groupById.value = groups;
}

export const PEOPLE_AND_GROUP_EVENT_APPLIERS: EventAppliers<
  | 'realm_user/add'
  | 'realm_user/remove'
  | 'realm_user/update'
  | 'user_status'
  | 'presence'
  | 'user_group/add'
  | 'user_group/update'
  | 'user_group/add_members'
  | 'user_group/remove_members'
  | 'user_group/add_subgroups'
  | 'user_group/remove_subgroups'
  | 'user_group/remove'
  | 'muted_users'
> = {
  'realm_user/add': ({ state }, { person }) => {
    state.people.byId.value = new Map(state.people.byId.peek()).set(person.user_id, { ...person, is_active: true });
  },
  'realm_user/remove': ({ state }, { person }) =>
    state.people.changePersonIfKnown(person.user_id, { is_active: false }),
  'realm_user/update': ({ state }, event) => applyPersonUpdate(state, event),
  user_status: ({ state }, event) => applyUserStatus(state, event),
  presence: ({ state }, event) => applyPresence(state, event),
  'user_group/add': ({ state }, { group }) => {
    state.people.groupById.value = new Map(state.people.groupById.peek()).set(group.id, group);
  },
  'user_group/update': ({ state }, { group_id, data }) => changeUserGroup(state, group_id, () => data),
  'user_group/add_members': ({ state }, { group_id, user_ids }) =>
    changeUserGroup(state, group_id, ({ members }) => ({ members: mergeIdsSorted(members, user_ids) })),
  'user_group/remove_members': ({ state }, { group_id, user_ids }) =>
    changeUserGroup(state, group_id, ({ members }) => ({ members: filterOutIds(members, user_ids) })),
  'user_group/add_subgroups': ({ state }, { group_id, direct_subgroup_ids: added }) =>
    changeUserGroup(state, group_id, ({ direct_subgroup_ids: ids }) => ({
      direct_subgroup_ids: mergeIdsSorted(ids, added),
    })),
  'user_group/remove_subgroups': ({ state }, { group_id, direct_subgroup_ids: removed }) =>
    changeUserGroup(state, group_id, ({ direct_subgroup_ids: ids }) => ({
      direct_subgroup_ids: filterOutIds(ids, removed),
    })),
  'user_group/remove': ({ state }, { group_id }) => removeGroupAndItsReferences(state, group_id),
  muted_users: ({ state }, { muted_users }) => {
    state.muting.mutedAtByUserId.value = new Map(muted_users.map(({ id, timestamp }) => [id, timestamp]));
  },
};
