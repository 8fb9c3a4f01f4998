/**
 * An organization equal to the recorded one in everything that calls refer to: ids of users, streams and messages,
 * roles, and subscriptions.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createRealmWithOwner,
  createUserAndReturnId,
  readOrRenewUserApiKey,
  requireRealmBySubdomain,
} from '#app/admin';
import { basic, Client, type Params } from '../support/client.js';
import type { TestServer } from '../support/faces.js';
import { PASSWORD } from '../support/organization.js';
import { repositoryRoot } from '../support/wire.js';

export const FIXTURES = join(repositoryRoot(), 'test/fixtures/api/recorded');

interface Recorded {
  /** The key in the recording; null for an account without one. */
  readonly as: string | null;
  readonly name: string;
  readonly role: number;
  /** Of the address with which the peer's users log in; the one that the API shows is user<id>@zulipdev.com. */
  readonly login?: string;
  /** A bot, of this type and owner. */
  readonly bot?: { readonly type: number; readonly owner: number };
}

const person = (as: string | null, name: string, login?: string, role = 400): Recorded => ({
  as,
  name,
  role,
  ...(login === undefined ? {} : { login }),
});

const PEOPLE: Readonly<Record<number, Recorded>> = {
  24: person('member4', 'aaron', 'aaron'),
  25: person('member5', 'Zoe', 'zoe'),
  26: person('member2', "Cordelia, Lear's daughter", 'cordelia'),
  27: person('owner', 'Desdemona', 'desdemona', 100),
  28: person('member', 'King Hamlet', 'hamlet'),
  29: person('admin', 'Iago', 'iago', 200),
  30: person('member3', 'Othello, the Moor of Venice', 'othello'),
  31: person('guest', 'Polonius', 'polonius', 600),
  32: person('member6', 'Prospero from The Tempest', 'prospero'),
  33: person('moderator', 'शिव', 'shiva', 300),
  34: { ...person('bot', 'Zulip Default Bot', 'default-bot'), bot: { type: 1, owner: 27 } },
  35: { ...person('webhook_bot', 'Zulip Webhook Bot', 'webhook-bot'), bot: { type: 2, owner: 25 } },
  36: { ...person('outgoing_bot', 'Outgoing Webhook', 'outgoing-webhook'), bot: { type: 3, owner: 24 } },
};
const FIRST_USER = 8;
const LAST_USER = 41;

const ALL = [24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36];
const STREAMS: readonly (readonly [id: number, name: string, subscribers: readonly number[], params?: Params])[] = [
  [7, 'Verona', ALL.slice(0, 10)],
  [8, 'core team', [33], { invite_only: true }],
  [9, 'Denmark', ALL.slice(2, 10)],
  [10, 'Rome', [31, 33]],
  [11, 'Scotland', [28, 29, 30, 31, 32, 33]],
  [12, 'Venice', [29, 31, 33]],
  ...['announce', 'design', 'devel', 'errors', 'social', 'support', 'test', 'ビデオゲーム', '조리법 😎'].map(
    (name, i) => [13 + i, name, ALL] as const,
  ),
];

/** Password and key in the recording, which calls repeat. */
export const RECORDED_PASSWORD = '8r8gyiDEKaqpcX7/';
export const RECORDED_KEY = 'l5Mm9jcqjninSfND5KAxO6DlAfhqi9VH';

export interface RecordedOrganization {
  readonly server: TestServer;
  /** By recorded role. */
  readonly clients: ReadonlyMap<string, Client>;
  /** Address of a log-in at the peer → the address here. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly adminKey: string;
  /** Recorded id → id here, of groups that existed before the recording. */
  readonly groupIds: ReadonlyMap<number, number>;
  /** Name → id, as this role sees them. */
  groups(role: string): Promise<ReadonlyMap<string, number>>;
}

/** In the order of their recorded ids, from 25 on. */
const SYSTEM_GROUPS = [
  'nobody',
  'owners',
  'administrators',
  'moderators',
  'fullmembers',
  'members',
  'everyone',
  'internet',
];
const OWN_GROUP = 'hamletcharacters';

interface Group {
  readonly id: number;
  readonly name: string;
}

const addressOf = (id: number): string => `user${id}@zulipdev.com`;

export async function recordedOrganization(server: TestServer): Promise<RecordedOrganization> {
  const { actors, secrets } = server;
  // Without credentials a request goes to the organization of the first start; its owner has id 8.
  const { id: realm } = await requireRealmBySubdomain(actors, '');
  const firstAddress = 'owner@localhost';
  const first = client(server, null, firstAddress, await readOrRenewUserApiKey(actors, secrets, realm, firstAddress));
  const byId = new Map<number, Client>();
  const clients = new Map<string, Client>();
  let adminKey = '';
  const botAddresses = new Map<string, string>();
  for (let id = 9; id <= LAST_USER; id++) {
    const of = PEOPLE[id] ?? person(null, `User ${id}`);
    if (of.bot) {
      const bot = await makeBot(server, byId.get(of.bot.owner)!, id, of, of.bot.type);
      byId.set(id, bot.client);
      clients.set(of.as!, bot.client);
      botAddresses.set(`${of.login}@zulip.com`, bot.email);
      continue;
    }
    const email = addressOf(id);
    const made = await createUserAndReturnId(actors, realm, {
      email,
      name: of.name,
      password: of.as === 'admin' ? RECORDED_PASSWORD.repeat(2) : PASSWORD,
      role: of.role,
    });
    if (made !== id) throw new Error(`user ${id} got the id ${made}`);
    if (!PEOPLE[id]) continue;
    const key = await readOrRenewUserApiKey(actors, secrets, realm, email);
    byId.set(id, client(server, of.as, email, key));
    if (of.as !== null) clients.set(of.as, byId.get(id)!);
    if (of.as === 'admin') adminKey = key;
  }
  clients.set('other_realm', await otherRealm(server));
  await makeStreams(first);
  await makeMessages(first, byId);
  const addresses = new Map([
    ...Object.entries(PEOPLE).map(([id, { login }]) => [`${login}@zulip.com`, addressOf(Number(id))] as const),
    ...botAddresses,
  ]);
  const groups = async (role: string): Promise<Map<string, number>> => {
    const { user_groups } = await clients.get(role)!.ok<{ user_groups: Group[] }>('GET /user_groups');
    return new Map(user_groups.map(({ name, id }) => [name, id]));
  };
  await clients
    .get('member')!
    .ok('POST /user_groups/create', { name: OWN_GROUP, description: 'Of Hamlet', members: [26, 28] });
  const known = await groups('member');
  const groupIds = new Map(
    [...SYSTEM_GROUPS.map((name) => `@role:${name}`), OWN_GROUP].map((name, i) => [25 + i, known.get(name)!]),
  );
  await makeProfileFields(clients.get('admin')!);
  // The recorded organization has one owner, and an address of its own domain.
  await clients.get('owner')!.ok('PATCH /users/{user_id}', { user_id: FIRST_USER, role: 400 });
  await clients.get('owner')!.ok('POST /realm/domains', { domain: 'zulip.com', allow_subdomains: false });
  return { server, clients, addresses, adminKey, groupIds, groups };
}

async function makeBot(
  server: TestServer,
  owner: Client,
  id: number,
  { as, name, login }: Recorded,
  bot_type: number,
): Promise<{ readonly client: Client; readonly email: string }> {
  const params = { full_name: name, short_name: login!.replace(/-bot$/, ''), bot_type };
  const made = await owner.ok<{ user_id: number; api_key: string }>('POST /bots', params);
  if (made.user_id !== id) throw new Error(`bot ${id} got the id ${made.user_id}`);
  const { user } = await owner.ok<{ user: { email: string } }>('GET /users/{user_id}', { user_id: id });
  return { client: client(server, as, user.email, made.api_key), email: user.email };
}

const FIRST_FIELD = 10;
const FIELDS: readonly Params[] = [
  { name: 'Phone number', field_type: 1 },
  { name: 'Biography', field_type: 2, hint: 'What are you known for?' },
  { name: 'Favorite food', field_type: 1, hint: "Or drink, if you'd prefer" },
  {
    name: 'Favorite editor',
    field_type: 3,
    field_data: { 0: { text: 'Vim', order: '1' }, 1: { text: 'Emacs', order: '2' } },
  },
  { name: 'Birthday', field_type: 4 },
  { name: 'Favorite website', field_type: 5, hint: "Or your personal blog's URL" },
  { name: 'Mentor', field_type: 6 },
  { field_type: 7, field_data: { subtype: 'github' } },
  { name: 'Pronouns', field_type: 8, hint: 'What pronouns should people use to refer to you?' },
];

/** Makes the organization with the ids of the recording. */
async function makeProfileFields(by: Client): Promise<void> {
  for (let id = 1; id < FIRST_FIELD; id++) {
    const { id: field_id } = await by.ok('POST /realm/profile_fields', { name: 'filler', field_type: 1 });
    await by.ok('DELETE /realm/profile_fields/{field_id}', { field_id });
  }
  for (const field of FIELDS) await by.ok('POST /realm/profile_fields', field);
}

const client = (server: TestServer, role: string | null, email: string, key: string): Client =>
  new Client(server, role ?? 'somebody', { authorization: basic(email, key) });

async function otherRealm(server: TestServer): Promise<Client> {
  const ownerEmail = 'shylock@analytics.example.com';
  const { ownerKey } = await createRealmWithOwner(server.actors, server.secrets, {
    subdomain: 'analytics',
    name: 'Another',
    ownerEmail,
    ownerName: 'Shylock',
    ownerPassword: PASSWORD,
  });
  return client(server, 'other_realm', ownerEmail, ownerKey);
}

async function makeStreams(by: Client): Promise<void> {
  const make = (name: string, params: Params): Promise<unknown> =>
    by.ok('POST /users/me/subscriptions', { subscriptions: [{ name }], ...params });
  // The recorded organization lacks the default streams of a new one.
  await by.ok('PATCH /realm', { notifications_stream_id: -1, signup_notifications_stream_id: -1 });
  const { streams } = await by.ok<{ streams: { stream_id: number }[] }>('GET /streams');
  for (const { stream_id } of streams) await by.ok('DELETE /streams/{stream_id}', { stream_id });
  for (let id = streams.length + 1; id < STREAMS[0]![0]; id++) await make(`filler ${id}`, { invite_only: true });
  for (const [id, name, principals, params] of STREAMS) {
    await make(name, { principals, ...params });
    // The user who makes the stream is not subscribed, and would not see it.
    if (params?.invite_only) continue;
    const { stream_id } = await by.ok('GET /get_stream_id', { stream: name });
    if (stream_id !== id) throw new Error(`stream ${name} got the id ${stream_id}`);
  }
}

/** Messages of the recording, and notes to oneself for the ids between them. */
async function makeMessages(by: Client, people: ReadonlyMap<number, Client>): Promise<void> {
  type Message = readonly [id: number, sender: number, stream: number, topic: string, text: string];
  const shown = new Map(
    (JSON.parse(readFileSync(join(FIXTURES, 'messages.json'), 'utf8')) as Message[]).map((one) => [one[0], one]),
  );
  const { max_message_id } = await by.ok<{ max_message_id: number }>('POST /register', {
    fetch_event_types: ['message'],
  });
  const { user_id } = await by.ok('GET /users/me');
  for (let id = max_message_id + 1; id <= 100; id++) {
    const one = shown.get(id);
    if (!one) await by.ok('POST /messages', { type: 'direct', to: [user_id], content: 'a filler' });
    else await people.get(one[1])!.ok('POST /messages', { type: 'stream', to: one[2], topic: one[3], content: one[4] });
  }
}
