/** The reducer's part for the organization, its groups, and what people chose for themselves. */
import type { DirectoryUser } from '../../../src/directory/index.js';
import { policyAllows } from '../../../src/people/index.js';
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

/** What the user may do follows from the settings. */
const MAY: Readonly<Record<string, string>> = {
  can_create_private_streams: 'realm_create_private_stream_policy',
  can_create_public_streams: 'realm_create_public_stream_policy',
  can_subscribe_other_users: 'realm_invite_to_stream_policy',
  can_invite_others_to_realm: 'realm_invite_to_realm_policy',
};

function settingsChanged(state: State, data: Fields): State {
  const changed: Record<string, unknown> = { ...state };
  for (const [name, value] of Object.entries(data)) changed[`realm_${name}`] = value;
  const me = state.realm_users.find(({ user_id }) => user_id === state.user_id)!;
  const account = { role: me.role, joined: Date.parse(String(me.date_joined)) } as DirectoryUser;
  const settings = { waiting_period_threshold: Number(changed.realm_waiting_period_threshold) };
  for (const [name, policy] of Object.entries(MAY)) {
    changed[name] = policyAllows(Number(changed[policy]), account, settings, Date.now());
  }
  changed.can_create_streams =
    changed.can_create_private_streams === true || changed.can_create_public_streams === true;
  return changed as unknown as State;
}

/** Avatars of those whose address everybody may know are left to clients that said so. */
function person(state: State, change: Fields, { clientGravatar }: ReducerOptions): State {
  const changed = (user: ApiUser): ApiUser => {
    if (user.user_id !== change.user_id) return user;
    const { new_email, avatar_source, avatar_url_medium: _, ...fields } = change;
    const next = { ...user, ...fields, ...(new_email ? { email: String(new_email) } : {}) } as ApiUser;
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
          ...pick(change, ['full_name', 'delivery_email']),
        };
  return { ...state, realm_users: state.realm_users.map(changed), ...own };
}

const pick = (of: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => name in of).map((name) => [name, of[name]]));

/** Undefined for events that are of other parts. */
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
    case 'realm':
      if (event.op === 'update') return settingsChanged(state, { [String(event.property)]: event.value });
      return settingsChanged(state, event.data as Fields);
    case 'realm_user':
      return person(state, event.person as Fields, options);
    case 'user_group':
      return grouped(state, event);
    default:
      return undefined;
  }
}
