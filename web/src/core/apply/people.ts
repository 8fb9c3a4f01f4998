/** Events about users, groups, statuses and presence. */
import type { Events, UserGroup } from '../../contract/index.js';
import { ROLE } from '../state/me.js';
import type { Person, UserStatus } from '../state/people.js';
import type { State } from '../state/state.js';
import type { EventAppliers } from './target.js';

const makeRoleFields = (role: Person['role']): Partial<Person> => ({
  role,
  is_owner: role === ROLE.owner,
  is_admin: role <= ROLE.admin,
  is_guest: role === ROLE.guest,
});

function updatePerson(state: State, { person }: Events['realm_user/update']): void {
  const id = person.user_id;
  const own = id === state.me.userId.peek();
  if ('role' in person) state.people.changePerson(id, makeRoleFields(person.role));
  else if ('new_email' in person) state.people.changePerson(id, { email: person.new_email });
  else if ('avatar_url' in person) {
    state.people.changePerson(id, { avatar_url: person.avatar_url, avatar_version: person.avatar_version });
    if (own) {
      const { avatar_source, avatar_url, avatar_url_medium } = person;
      state.realm.setFields({ avatar_source, avatar_url, avatar_url_medium });
    }
  } else if ('custom_profile_field' in person) {
    const { id: field, value, rendered_value } = person.custom_profile_field;
    const { [String(field)]: _, ...rest } = state.people.byId.peek().get(id)?.profile_data ?? {};
    const filled = { value, ...(rendered_value === undefined ? {} : { rendered_value }) };
    const profile_data = value === null ? rest : { ...rest, [String(field)]: filled };
    state.people.changePerson(id, { profile_data: profile_data as NonNullable<Person['profile_data']> });
  } else state.people.changePerson(id, person);
}

/** Parts of a status that are given replace the old ones; empty parts clear them. */
function putStatus(state: State, event: Events['user_status']): void {
  const { id: _, type: __, user_id, ...given } = event;
  const { away, status_text, emoji_name, emoji_code, reaction_type } = {
    ...state.people.statuses.peek().get(user_id),
    ...given,
  };
  const status: UserStatus = {
    ...(away ? { away } : {}),
    ...(status_text ? { status_text } : {}),
    ...(emoji_name && emoji_code && reaction_type ? { emoji_name, emoji_code, reaction_type } : {}),
  };
  const statuses = new Map(state.people.statuses.peek());
  if (Object.keys(status).length > 0) statuses.set(user_id, status);
  else statuses.delete(user_id);
  state.people.statuses.value = statuses;
}

function putPresence(state: State, { user_id, presence, server_timestamp }: Events['presence']): void {
  const [of] = Object.values(presence);
  if (!of) return;
  const active_timestamp =
    of.status === 'active' ? of.timestamp : (state.people.presences.peek().get(user_id)?.active_timestamp ?? 0);
  const presences = new Map(state.people.presences.peek());
  state.people.presences.value = presences.set(user_id, { active_timestamp, idle_timestamp: of.timestamp });
  state.people.presenceServerSeconds.value = server_timestamp;
}

function changeGroup(state: State, id: number, change: (group: UserGroup) => Partial<UserGroup>): void {
  const group = state.people.groups.peek().get(id);
  if (!group) return;
  state.people.groups.value = new Map(state.people.groups.peek()).set(id, { ...group, ...change(group) });
}

const addIds = (ids: readonly number[], added: readonly number[]): number[] =>
  [...new Set([...ids, ...added])].sort((a, b) => a - b);

const removeIds = (ids: readonly number[], removed: readonly number[]): number[] =>
  ids.filter((id) => !removed.includes(id));

function removeGroup(state: State, id: number): void {
  const groups = new Map(state.people.groups.peek());
  groups.delete(id);
  for (const [key, group] of groups) {
    if (group.direct_subgroup_ids.includes(id)) {
      groups.set(key, { ...group, direct_subgroup_ids: removeIds(group.direct_subgroup_ids, [id]) });
    }
  }
  state.people.groups.value = groups;
}

export const PEOPLE_EVENT_APPLIERS: EventAppliers<
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
  'realm_user/remove': ({ state }, { person }) => state.people.changePerson(person.user_id, { is_active: false }),
  'realm_user/update': ({ state }, event) => updatePerson(state, event),
  user_status: ({ state }, event) => putStatus(state, event),
  presence: ({ state }, event) => putPresence(state, event),
  'user_group/add': ({ state }, { group }) => {
    state.people.groups.value = new Map(state.people.groups.peek()).set(group.id, group);
  },
  'user_group/update': ({ state }, { group_id, data }) => changeGroup(state, group_id, () => data),
  'user_group/add_members': ({ state }, { group_id, user_ids }) =>
    changeGroup(state, group_id, ({ members }) => ({ members: addIds(members, user_ids) })),
  'user_group/remove_members': ({ state }, { group_id, user_ids }) =>
    changeGroup(state, group_id, ({ members }) => ({ members: removeIds(members, user_ids) })),
  'user_group/add_subgroups': ({ state }, { group_id, direct_subgroup_ids: added }) =>
    changeGroup(state, group_id, ({ direct_subgroup_ids: ids }) => ({ direct_subgroup_ids: addIds(ids, added) })),
  'user_group/remove_subgroups': ({ state }, { group_id, direct_subgroup_ids: removed }) =>
    changeGroup(state, group_id, ({ direct_subgroup_ids: ids }) => ({ direct_subgroup_ids: removeIds(ids, removed) })),
  'user_group/remove': ({ state }, { group_id }) => removeGroup(state, group_id),
  muted_users: ({ state }, { muted_users }) => {
    state.muting.mutedAtByUserId.value = new Map(muted_users.map(({ id, timestamp }) => [id, timestamp]));
  },
};
