/** The reducer's part for the organization, its groups, and users' preferences. */

import { isAllowedByPolicy } from '#domain/people';
import type { DirectoryUser } from '#model/records';
import type { ReducerOptions, State } from './reducer.js';
import type { ApiEvent, ApiUser, Fields } from './types.js';

interface Group extends Fields {
  readonly id: number;
  readonly members: readonly number[];
  readonly direct_subgroup_ids: readonly number[];
}

const ascending = (ids: Iterable<number>): number[] => [...new Set(ids)].sort((a, b) => a - b);

const plus = (list: readonly number[], ids: unknown): number[] => {
  if ((ids as number[]).some((id) => list.includes(id))) throw new Error('added twice');
  return ascending([...list, ...(ids as number[])]);
};

const minus = (list: readonly number[], ids: unknown): number[] => {
  if (!(ids as number[]).every((id) => list.includes(id))) throw new Error('removed without being there');
  return list.filter((id) => !(ids as number[]).includes(id));
};

function grouped(state: State, event: ApiEvent): State {
  const groups = state.realm_user_groups as Group[];
  const put = (realm_user_groups: Group[]): State => ({ ...state, realm_user_groups });
  const { op, group_id } = event;
  if (op === 'add') return put([...groups, event.group as Group].sort((a, b) => a.id - b.id));
  const known = groups.find(({ id }) => id === group_id);
  if (!known) throw new Error(`group ${String(group_id)} was not known`);
  if (op === 'remove') {
    const rest = groups.filter((group) => group !== known);
    return put(
      rest.map((of) => ({ ...of, direct_subgroup_ids: of.direct_subgroup_ids.filter((id) => id !== group_id) })),
    );
  }
  const changes: Record<string, () => Fields> = {
    update: () => event.data as Fields,
    add_members: () => ({ members: plus(known.members, event.user_ids) }),
    remove_members: () => ({ members: minus(known.members, event.user_ids) }),
    add_subgroups: () => ({ direct_subgroup_ids: plus(known.direct_subgroup_ids, event.direct_subgroup_ids) }),
    remove_subgroups: () => ({ direct_subgroup_ids: minus(known.direct_subgroup_ids, event.direct_subgroup_ids) }),
  };
  const change = changes[String(op)];
  if (!change) throw new Error(`unknown change of a group: ${String(op)}`);
  return put(groups.map((group) => (group === known ? { ...group, ...change() } : group)));
}

/** Rights of the user, which follow from the user's role and the settings. */
const MAY: Readonly<Record<string, string>> = {
  can_create_private_streams: 'realm_create_private_stream_policy',
  can_create_public_streams: 'realm_create_public_stream_policy',
  can_subscribe_other_users: 'realm_invite_to_stream_policy',
  can_invite_others_to_realm: 'realm_invite_to_realm_policy',
};

function withRights(state: State): State {
  const changed: Record<string, unknown> = { ...state };
  const me = state.realm_users.find(({ user_id }) => user_id === state.user_id)!;
  const account = { role: me.role, joined: Date.parse(String(me.date_joined)) } as DirectoryUser;
  const settings = { waiting_period_threshold: Number(changed.realm_waiting_period_threshold) };
  const may = (policy: string): boolean => isAllowedByPolicy(Number(changed[policy]), account, settings, Date.now());
  for (const [name, policy] of Object.entries(MAY)) changed[name] = may(policy);
  changed.can_create_web_public_streams =
    changed.server_web_public_streams_enabled === true &&
    changed.realm_enable_spectator_access === true &&
    may('realm_create_web_public_stream_policy');
  changed.can_create_streams = ['private', 'public', 'web_public'].some(
    (kind) => changed[`can_create_${kind}_streams`],
  );
  return changed as unknown as State;
}

function settingsChanged(state: State, data: Fields): State {
  const changed = Object.entries(data).map(([name, value]) => [`realm_${name}`, value]);
  return withRights({ ...state, ...Object.fromEntries(changed) });
}

const rolesOf = (role: unknown): Fields => ({
  role,
  is_owner: role === 100,
  is_admin: role === 100 || role === 200,
  is_guest: role === 600,
});

function ownRole(state: State, role: unknown): State {
  const { is_owner, is_admin, is_guest } = rolesOf(role);
  return withRights({ ...state, is_owner, is_admin, is_guest, is_moderator: role === 300 });
}

/** Avatars are left to clients with that capability, if every user may know the address. */
function person(state: State, change: Fields, { clientGravatar }: ReducerOptions): State {
  const changed = (user: ApiUser): ApiUser => {
    if (user.user_id !== change.user_id) return user;
    const { new_email, avatar_source, avatar_url_medium: _, ...fields } = change;
    const role = 'role' in change ? rolesOf(change.role) : {};
    const next = { ...user, ...fields, ...role, ...(new_email ? { email: String(new_email) } : {}) } as ApiUser;
    if (avatar_source === undefined) return next;
    const open = clientGravatar && avatar_source === 'G' && next.email === next.delivery_email;
    return { ...next, avatar_url: open ? null : change.avatar_url } as ApiUser;
  };
  const own =
    change.user_id !== state.user_id
      ? {}
      : {
          ...(change.new_email ? { email: change.new_email } : {}),
          ...(change.avatar_source ? pick(change, ['avatar_source', 'avatar_url', 'avatar_url_medium']) : {}),
          ...pick(change, ['full_name', 'is_billing_admin', 'delivery_email']),
        };
  const realm_non_active_users = (state.realm_non_active_users as ApiUser[]).map(changed);
  const next = { ...state, realm_users: state.realm_users.map(changed), realm_non_active_users, ...own };
  return change.user_id === state.user_id && 'role' in change ? ownRole(next, change.role) : next;
}

type Profile = Readonly<Record<string, Fields>>;

interface ProfileField {
  readonly id: number;
  readonly type: number;
  readonly field_data: string;
}

/** Removes values of removed fields and options: no event names them. */
function fieldsChanged(state: State, fields: readonly ProfileField[]): State {
  const known = new Map(fields.map((field) => [String(field.id), field]));
  const isThere = ([id, { value }]: [string, Fields]): boolean => {
    const field = known.get(id);
    if (field?.type !== SELECT) return field !== undefined;
    return Object.hasOwn(JSON.parse(field.field_data) as Fields, String(value));
  };
  const kept = (users: ApiUser[]): ApiUser[] =>
    users.map(({ profile_data, ...user }) => {
      if (!profile_data) return user as ApiUser;
      const values = Object.entries(profile_data as Profile).filter(isThere);
      return { ...user, profile_data: Object.fromEntries(values) } as ApiUser;
    });
  return { ...state, custom_profile_fields: fields, ...eachList(state, kept) };
}

const SELECT = 3;

const eachList = (state: State, change: (users: ApiUser[]) => ApiUser[]): Pick<State, 'realm_users'> & Fields => ({
  realm_users: change(state.realm_users),
  realm_non_active_users: change(state.realm_non_active_users as ApiUser[]),
});

function profileChanged(state: State, user_id: unknown, { id, ...value }: Fields): State {
  const filled = (users: ApiUser[]): ApiUser[] =>
    users.map((user) => {
      if (user.user_id !== user_id) return user;
      const { [String(id)]: _, ...rest } = user.profile_data as Profile;
      return { ...user, profile_data: value.value === null ? rest : { ...rest, [String(id)]: value } } as ApiUser;
    });
  return { ...state, ...eachList(state, filled) };
}

const pick = (of: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => name in of).map((name) => [name, of[name]]));

interface Domain {
  readonly domain: string;
}

function domainsChanged(state: State, { op, realm_domain, domain }: ApiEvent): State {
  const list = state.realm_domains as Domain[];
  const of = realm_domain as Domain;
  if (op === 'add') return { ...state, realm_domains: [...list, of] };
  const name = op === 'remove' ? domain : of.domain;
  if (!list.some((one) => one.domain === name)) throw new Error(`domain ${String(name)} was not known`);
  if (op === 'remove') return { ...state, realm_domains: list.filter((one) => one.domain !== name) };
  return { ...state, realm_domains: list.map((one) => (one.domain === name ? of : one)) };
}

/** @returns undefined for events of other parts. */
export function applyRealm(state: State, event: ApiEvent, options: ReducerOptions): State | undefined {
  switch (event.type) {
    case 'user_settings': {
      const user_settings = state.user_settings as Fields;
      return { ...state, user_settings: { ...user_settings, [String(event.property)]: event.value } };
    }
    case 'realm_user_settings_defaults': {
      const defaults = state.realm_user_settings_defaults as Fields;
      return { ...state, realm_user_settings_defaults: { ...defaults, [String(event.property)]: event.value } };
    }
    case 'update_display_settings':
      return { ...state, [String(event.setting_name)]: event.setting };
    case 'update_global_notifications':
      return { ...state, [String(event.notification_name)]: event.setting };
    case 'alert_words':
    case 'muted_users':
    case 'realm_linkifiers':
    case 'realm_playgrounds':
      return { ...state, [event.type]: event[event.type] };
    case 'realm_domains':
      return domainsChanged(state, event);
    case 'realm':
      if (event.op === 'update') return settingsChanged(state, { [String(event.property)]: event.value });
      return settingsChanged(state, event.data as Fields);
    case 'custom_profile_fields':
      return fieldsChanged(state, event.fields as readonly ProfileField[]);
    case 'realm_user': {
      const { user_id, custom_profile_field } = event.person as Fields;
      if (custom_profile_field) return profileChanged(state, user_id, custom_profile_field as Fields);
      return person(state, event.person as Fields, options);
    }
    case 'user_group':
      return grouped(state, event);
    default:
      return undefined;
  }
}
