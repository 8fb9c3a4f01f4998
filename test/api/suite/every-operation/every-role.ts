/** Operations that each role may carry out on what is its own, and the refusals of those that it may not. */
import {
  errorsOf,
  makeBot,
  makeOrganization,
  type Organization,
  type Params,
  type Person,
  say,
  streamIdOf,
  subscribe,
  userGroup,
} from '../../harness.js';
import type { Facts } from '../facts.js';

const ADMINS = 'Must be an organization administrator';
const NO_GUESTS = 'Not allowed for guest users';
const NO_BOTS = 'This endpoint does not accept bot requests.';
const MAY_NOT_DELETE = "You don't have permission to delete this message";
const LATE = 4_000_000_000;

interface Row {
  readonly operation: string;
  /** Makes what the call is about. */
  params(by: Person, world: World): Params | Promise<Params>;
  /** By role; the others succeed. */
  readonly refused?: Readonly<Record<string, string>>;
}

interface World {
  readonly org: Organization;
  /** Everybody is in it. */
  readonly stream: number;
}

const OWNERS = 'Must be an organization owner';
const ownersOnly = { admin: OWNERS, moderator: OWNERS, member: OWNERS, other: OWNERS, guest: OWNERS };
const adminsOnly = { moderator: ADMINS, member: ADMINS, other: ADMINS, guest: ADMINS };

const draft = async ({ api }: Person): Promise<number> => {
  const drafts = [{ type: '', to: [], topic: '', content: 'a draft' }];
  return (await api.ok<{ ids: number[] }>('POST /drafts', { drafts })).ids[0]!;
};

const scheduled = async ({ api, id }: Person): Promise<number> => {
  const params = { type: 'direct', to: [id], content: 'later', scheduled_delivery_timestamp: LATE };
  return (await api.ok<{ scheduled_message_id: number }>('POST /scheduled_messages', params)).scheduled_message_id;
};

let made = 0;
const fresh = (): string => `of every role ${++made}`;

/** A group with this person in it. */
const group = (by: Person, { org }: World): Promise<number> => userGroup(org.owner, fresh(), [by, org.owner]);

async function newStream(by: Person): Promise<number> {
  const name = fresh();
  await subscribe(by, name);
  return streamIdOf(by, name);
}

const domainName = (): string => `${fresh().replaceAll(' ', '-')}.example.com`;

/** One of this person's own, or where that is none of the owner's. */
async function invitation(by: Person, { org }: World): Promise<number> {
  const inviter = by.role === 'guest' ? org.owner : by;
  await inviter.api.ok('POST /invites', { invitee_emails: domainName().replace('.', '@'), stream_ids: [] });
  const { invites } = await inviter.api.ok<{ invites: { id: number; is_multiuse: boolean }[] }>('GET /invites');
  return invites.filter((of) => !of.is_multiuse).at(-1)!.id;
}

async function invitationLink({ api }: Person): Promise<number> {
  await api.ok('POST /invites/multiuse');
  const { invites } = await api.ok<{ invites: { id: number; is_multiuse: boolean }[] }>('GET /invites');
  return invites.filter((of) => of.is_multiuse).at(-1)!.id;
}

async function newDomain(owner: Person): Promise<string> {
  const domain = domainName();
  await owner.api.ok('POST /realm/domains', { domain, allow_subdomains: false });
  return domain;
}

async function newStreamGroup({ api }: Person): Promise<number> {
  const name = fresh();
  await api.ok('POST /default_stream_groups/create', { group_name: name, description: '', stream_names: [] });
  const state = await api.ok<{ realm_default_stream_groups: { id: number; name: string }[] }>('POST /register', {
    fetch_event_types: ['default_stream_groups'],
  });
  return state.realm_default_stream_groups.find((group) => group.name === name)!.id;
}

const ROWS: readonly Row[] = [
  { operation: 'PATCH /settings', params: () => ({ enter_sends: true }) },
  { operation: 'PATCH /settings/display', params: () => ({ enter_sends: false }) },
  { operation: 'PATCH /settings/notifications', params: () => ({ enable_sounds: true }) },
  { operation: 'POST /zcommand', params: () => ({ command: '/ping' }) },
  ...['/users/me/apns_device_token', '/users/me/android_gcm_reg_id'].flatMap((path): Row[] => [
    { operation: `POST ${path}`, params: () => ({ token: 'ZGV2aWNl' }) },
    { operation: `DELETE ${path}`, params: () => ({ token: 'ZGV2aWNl' }) },
  ]),
  {
    operation: 'PATCH /realm/user_settings_defaults',
    params: () => ({ enable_sounds: true }),
    refused: adminsOnly,
  },
  { operation: 'GET /users/me/alert_words', params: () => ({}) },
  { operation: 'POST /users/me/presence', params: () => ({ status: 'active' }) },
  { operation: 'GET /realm/presence', params: () => ({}) },
  {
    operation: 'GET /users/{user_id_or_email}/presence',
    params: ({ id }) => ({ user_id_or_email: id }),
    refused: { bot: 'Presence is not supported for bot users.' },
  },
  { operation: 'POST /users/me/status', params: () => ({ status_text: 'here' }) },
  { operation: 'POST /users/me/hotspots', params: () => ({ hotspot: 'intro_gear' }) },
  { operation: 'POST /users/me/tutorial_status', params: () => ({ status: 'finished' }) },
  { operation: 'GET /realm/linkifiers', params: () => ({}) },
  {
    operation: 'PATCH /drafts/{draft_id}',
    params: async (by) => ({ draft_id: await draft(by), draft: { type: '', to: [], topic: '', content: 'edited' } }),
  },
  { operation: 'DELETE /drafts/{draft_id}', params: async (by) => ({ draft_id: await draft(by) }) },
  {
    operation: 'PATCH /scheduled_messages/{scheduled_message_id}',
    params: async (by) => ({ scheduled_message_id: await scheduled(by), content: 'edited' }),
  },
  {
    operation: 'DELETE /scheduled_messages/{scheduled_message_id}',
    params: async (by) => ({ scheduled_message_id: await scheduled(by) }),
  },
  {
    operation: 'POST /users/me/subscriptions/properties',
    params: (_, { stream }) => ({ subscription_data: [{ stream_id: stream, property: 'pin_to_top', value: true }] }),
  },
  {
    operation: 'PATCH /users/me/subscriptions/{stream_id}',
    params: (_, { stream }) => ({ stream_id: stream, property: 'color', value: '#123456' }),
  },
  {
    operation: 'PATCH /users/me/subscriptions',
    params: () => ({ add: [{ name: 'everybody' }] }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'POST /user_groups/create',
    params: () => ({ name: fresh(), description: '', members: [] }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'POST /user_groups/{user_group_id}/subgroups',
    params: async (by, world) => ({ user_group_id: await group(by, world), add: [await group(by, world)] }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'DELETE /user_groups/{user_group_id}',
    params: async (by, world) => ({ user_group_id: await group(by, world) }),
    refused: { guest: NO_GUESTS },
  },
  { operation: 'POST /mark_all_as_read', params: () => ({}) },
  { operation: 'POST /mark_stream_as_read', params: (_, { stream }) => ({ stream_id: stream }) },
  {
    operation: 'POST /mark_topic_as_read',
    params: async (by, { stream }) => {
      await say(by, 'everybody', 'to be read');
      return { stream_id: stream, topic_name: 'to be read' };
    },
  },
  {
    operation: 'POST /messages/flags/narrow',
    params: () => ({ anchor: 'newest', num_before: 1, num_after: 0, narrow: [], op: 'add', flag: 'starred' }),
  },
  {
    operation: 'PATCH /messages/{message_id}',
    params: async (by) => ({ message_id: await say(by, 'everybody', 'edited'), content: 'edited' }),
  },
  {
    operation: 'DELETE /messages/{message_id}',
    params: async (by) => ({ message_id: await say(by, 'everybody', 'deleted') }),
    refused: { moderator: MAY_NOT_DELETE, member: MAY_NOT_DELETE, other: MAY_NOT_DELETE, guest: MAY_NOT_DELETE },
  },
  {
    operation: 'POST /streams/{stream_id}/delete_topic',
    params: async (by, { stream }) => {
      const topic_name = fresh();
      await say(by, 'everybody', topic_name);
      return { stream_id: stream, topic_name };
    },
    refused: adminsOnly,
  },
  {
    operation: 'DELETE /streams/{stream_id}',
    params: async (_, { org }) => ({ stream_id: await newStream(org.owner) }),
    refused: adminsOnly,
  },
  {
    operation: 'POST /default_streams',
    params: async (_, { org }) => ({ stream_id: await newStream(org.owner) }),
    refused: adminsOnly,
  },
  {
    operation: 'DELETE /default_streams',
    params: async (_, { stream }) => ({ stream_id: stream }),
    refused: adminsOnly,
  },
  {
    operation: 'POST /default_stream_groups/create',
    params: () => ({ group_name: fresh(), description: '', stream_names: [] }),
    refused: adminsOnly,
  },
  {
    operation: 'PATCH /default_stream_groups/{group_id}',
    params: async (_, { org }) => ({ group_id: await newStreamGroup(org.owner), new_description: 'x' }),
    refused: adminsOnly,
  },
  {
    operation: 'PATCH /default_stream_groups/{group_id}/streams',
    params: async (_, { org }) => ({
      group_id: await newStreamGroup(org.owner),
      op: 'add',
      stream_names: ['everybody'],
    }),
    refused: adminsOnly,
  },
  {
    operation: 'DELETE /default_stream_groups/{group_id}',
    params: async (_, { org }) => ({ group_id: await newStreamGroup(org.owner) }),
    refused: adminsOnly,
  },
  {
    operation: 'POST /realm/playgrounds',
    params: () => ({ name: fresh(), highlighter_language: 'Python', url_prefix: 'https://play.example.com/' }),
    refused: adminsOnly,
  },
  { operation: 'GET /invites', params: () => ({}), refused: { guest: NO_GUESTS } },
  {
    operation: 'POST /invites',
    params: () => ({ invitee_emails: `${domainName().replace('.', '@')}`, stream_ids: [] }),
    refused: { guest: NO_GUESTS },
  },
  { operation: 'POST /invites/multiuse', params: () => ({}), refused: adminsOnly },
  {
    operation: 'POST /invites/{prereg_id}/resend',
    params: async (by, world) => ({ prereg_id: await invitation(by, world) }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'DELETE /invites/{prereg_id}',
    params: async (by, world) => ({ prereg_id: await invitation(by, world) }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'DELETE /invites/multiuse/{invite_id}',
    params: async (_, { org }) => ({ invite_id: await invitationLink(org.owner) }),
    refused: adminsOnly,
  },
  { operation: 'GET /realm/domains', params: () => ({}) },
  {
    operation: 'POST /realm/domains',
    params: () => ({ domain: domainName(), allow_subdomains: false }),
    refused: ownersOnly,
  },
  {
    operation: 'PATCH /realm/domains/{domain}',
    params: async (_, { org }) => ({ domain: await newDomain(org.owner), allow_subdomains: true }),
    refused: ownersOnly,
  },
  {
    operation: 'DELETE /realm/domains/{domain}',
    params: async (_, { org }) => ({ domain: await newDomain(org.owner) }),
    refused: ownersOnly,
  },
  {
    operation: 'PATCH /realm/filters/{filter_id}',
    params: async (_, { org }) => {
      const [pattern, url_template] = [`${fresh().replaceAll(' ', '-')}-(?P<id>[0-9]+)`, 'https://x.example.com/{id}'];
      const { id } = await org.owner.api.ok('POST /realm/filters', { pattern, url_template });
      return { filter_id: id, pattern, url_template };
    },
    refused: adminsOnly,
  },
];

const profileField = async ({ org }: World): Promise<number> =>
  (await org.owner.api.ok<{ id: number }>('POST /realm/profile_fields', { name: fresh(), field_type: 1 })).id;

const OF_PROFILES: readonly Row[] = [
  { operation: 'GET /realm/profile_fields', params: () => ({}) },
  { operation: 'POST /realm/profile_fields', params: () => ({ name: fresh(), field_type: 1 }), refused: adminsOnly },
  {
    operation: 'PATCH /realm/profile_fields/{field_id}',
    params: async (_, world) => ({ field_id: await profileField(world), name: fresh() }),
    refused: adminsOnly,
  },
  {
    operation: 'PATCH /realm/profile_fields',
    params: async (_, { org }) => {
      const { custom_fields } = await org.owner.api.ok('GET /realm/profile_fields');
      return { order: (custom_fields as { id: number }[]).map(({ id }) => id) };
    },
    refused: adminsOnly,
  },
  {
    operation: 'DELETE /realm/profile_fields/{field_id}',
    params: async (_, world) => ({ field_id: await profileField(world) }),
    refused: adminsOnly,
  },
  {
    operation: 'PATCH /users/me/profile_data',
    params: async (_, world) => ({ data: [{ id: await profileField(world), value: 'x' }] }),
  },
  {
    operation: 'DELETE /users/me/profile_data',
    params: async (_, world) => ({ data: [await profileField(world)] }),
  },
];

const BOT_ROWS: readonly Row[] = [
  {
    operation: 'DELETE /bots/{bot_id}',
    params: async (by, { org }) => ({
      bot_id: (await makeBot(by.role === 'guest' || by.role === 'bot' ? org.owner : by)).id,
    }),
    refused: { guest: 'Insufficient permission', bot: 'Insufficient permission' },
  },
  { operation: 'GET /bot_storage', params: () => ({}) },
  { operation: 'PUT /bot_storage', params: () => ({ storage: { a: 'b' } }) },
  { operation: 'DELETE /bot_storage', params: () => ({}) },
  { operation: 'GET /bots', params: () => ({}), refused: { guest: NO_GUESTS } },
  {
    operation: 'PATCH /bots/{bot_id}',
    params: async (by, { org }) => ({ bot_id: (await makeBot(by.role === 'guest' ? org.owner : by)).id }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'POST /bots/{bot_id}/api_key/regenerate',
    params: async (by, { org }) => ({ bot_id: (await makeBot(by.role === 'guest' ? org.owner : by)).id }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'POST /bots',
    params: () => ({ full_name: fresh(), short_name: fresh().replaceAll(' ', '-') }),
    refused: { guest: NO_GUESTS },
  },
];

export const everyRole: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  await subscribe(org.owner, 'everybody', { principals: [...org.people] });
  const bot = await makeBot(org.member);
  await subscribe(org.owner, 'everybody', { principals: [bot] });
  const world = { org, stream: await streamIdOf(org.owner, 'everybody') };
  for (const { operation, params, refused } of [...ROWS, ...OF_PROFILES, ...BOT_ROWS]) {
    const closed = errorsOf(operation).some(({ msg }) => msg === NO_BOTS);
    for (const by of [...org.people, bot]) {
      const { status, body } = await by.api.call(
        operation,
        await params(by === bot && closed ? org.member : by, world),
      );
      const expected = by === bot ? (closed ? NO_BOTS : (refused?.bot ?? refused?.member)) : refused?.[by.role];
      t.same([status, body.msg], expected === undefined ? [200, ''] : [400, expected], `${operation} as ${by.role}`);
    }
  }
};
