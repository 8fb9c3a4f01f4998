/** Organizations with a person of each role: made as an administrator makes them, by the command line's functions. */
import { createRealmWithOwner, createUserAndReturnId, readOrRenewUserApiKey } from '#app/admin';
import { USER_ROLE } from '#domain/people';
import { PasswordStrengthThread } from '#domain/secrets';
import type { RealmId } from '#model';
import { basic, Client } from './client.js';
import type { TestServer } from './faces.js';
import type { ApiStream, ApiUser } from './types.js';

export interface Person {
  readonly role: string;
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly key: string;
  readonly api: Client;
}

export const PASSWORD = 'sadly-walrus-tempo-81';

const { isStrongEnough } = PasswordStrengthThread.prototype;
let isOursStrong: Promise<boolean> | undefined;
/** An estimate takes 4 ms of CPU and the start of its thread 100: that of this password is made once in a process. */
PasswordStrengthThread.prototype.isStrongEnough = function (
  this: PasswordStrengthThread,
  password: string,
  related: readonly string[],
): Promise<boolean> {
  if (password !== PASSWORD) return isStrongEnough.call(this, password, related);
  isOursStrong ??= isStrongEnough.call(this, password, related).catch((error: unknown) => {
    isOursStrong = undefined;
    throw error;
  });
  return isOursStrong;
};

export const PEOPLE = ['owner', 'admin', 'moderator', 'member', 'other', 'guest'] as const;
export type RoleName = (typeof PEOPLE)[number];

export interface Organization extends Readonly<Record<RoleName, Person>> {
  readonly server: TestServer;
  readonly realm: RealmId;
  readonly subdomain: string;
  /** A caller without credentials, who names this organization by its host. */
  readonly nobody: Client;
  /** Everybody above, by role. */
  readonly people: readonly Person[];
}

let made = 0;

const roleOf = (name: RoleName): number => (name === 'other' ? USER_ROLE.member : USER_ROLE[name]);

/**
 * Makes an organization with an account for each role; `other` is a second member. @param only roles to make besides
 * the owner; default: all
 */
export async function makeOrganization(server: TestServer, only?: readonly RoleName[]): Promise<Organization> {
  const subdomain = `org${++made}x${process.pid}`;
  const address = (name: string): string => `${name}@${subdomain}.example.com`;
  const fullName = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1)} of ${subdomain}`;
  const { actors, secrets } = server;
  const { realm, ownerKey } = await createRealmWithOwner(actors, secrets, {
    subdomain,
    name: `The ${subdomain}`,
    ownerEmail: address('owner'),
    ownerName: fullName('owner'),
    ownerPassword: PASSWORD,
  });
  const person = (role: string, id: number, email: string, key: string): Person => ({
    role,
    id,
    email,
    name: fullName(role),
    key,
    api: new Client(server, role, { authorization: basic(email, key) }),
  });
  const people: Record<string, Person> = {};
  const owner = person('owner', 0, address('owner'), ownerKey);
  const { user_id } = await owner.api.ok<{ user_id: number }>('GET /users/me');
  people.owner = { ...owner, id: user_id };
  const wanted = PEOPLE.filter((name) => name !== 'owner' && (!only || only.includes(name)));
  for (const name of wanted) {
    const email = address(name);
    const of = { email, name: fullName(name), password: PASSWORD, role: roleOf(name) };
    const id = await createUserAndReturnId(actors, realm, of);
    people[name] = person(name, id, email, await readOrRenewUserApiKey(actors, secrets, realm, email));
  }
  return {
    ...(people as Record<RoleName, Person>),
    server,
    realm,
    subdomain,
    nobody: new Client(server, 'nobody', { host: `${subdomain}.localhost` }),
    people: Object.values(people),
  };
}

/** One more account, with credentials. @param role of the user in the table of coverage */
export async function addPerson(
  { server, realm, subdomain }: Organization,
  name: string,
  role: RoleName = 'member',
): Promise<Person> {
  const email = `${name.replaceAll(' ', '-')}@${subdomain}.example.com`;
  const of = { email, name, password: PASSWORD, role: roleOf(role) };
  const id = await createUserAndReturnId(server.actors, realm, of);
  const key = await readOrRenewUserApiKey(server.actors, server.secrets, realm, email);
  return { role, id, email, name, key, api: new Client(server, role, { authorization: basic(email, key) }) };
}

let crowds = 0;

/** Ids of `size` more members, who do nothing. */
export async function crowd({ server, realm, subdomain }: Organization, size: number): Promise<number[]> {
  const name = `crowd${++crowds}`;
  const ids: number[] = [];
  for (let i = 0; i < size; i++) {
    const email = `${name}-${i}@${subdomain}.example.com`;
    ids.push(
      await createUserAndReturnId(server.actors, realm, {
        email,
        name: `${name} ${i}`,
        password: PASSWORD,
        role: USER_ROLE.member,
      }),
    );
  }
  return ids;
}

let bots = 0;

/** A bot of this user. @param params of POST /bots, besides its name */
export async function makeBot(owner: Person, params: Readonly<Record<string, unknown>> = {}): Promise<Person> {
  const name = `Bot ${++bots}`;
  const of = { full_name: name, short_name: `bot${bots}`, ...params };
  const { user_id, api_key } = await owner.api.ok<{ user_id: number; api_key: string }>('POST /bots', of);
  const { user } = await owner.api.ok<{ user: ApiUser }>('GET /users/{user_id}', { user_id });
  const email = String(user.email);
  const api = new Client(owner.api.target, 'bot', { authorization: basic(email, api_key) });
  return { role: 'bot', id: user_id, email, name: String(user.full_name), key: api_key, api };
}

/** Id of the new group. */
export async function userGroup(by: Person, name: string, members: readonly Person[] = [by]): Promise<number> {
  await by.api.ok('POST /user_groups/create', { name, description: '', members: members.map(({ id }) => id) });
  const { user_groups } = await by.api.ok<{ user_groups: { id: number; name: string }[] }>('GET /user_groups');
  return user_groups.find((group) => group.name === name)!.id;
}

/** Makes the streams or joins the existing ones, for the caller or for the given users. */
export function subscribe(
  by: Person,
  names: string | readonly string[],
  params: { readonly principals?: readonly Person[]; readonly [name: string]: unknown } = {},
): Promise<{ subscribed: Record<string, string[]>; already_subscribed: Record<string, string[]> }> {
  const { principals, ...rest } = params;
  return by.api.ok('POST /users/me/subscriptions', {
    subscriptions: (Array.isArray(names) ? names : [names]).map((name: string) => ({ name })),
    ...(principals ? { principals: principals.map((person) => person.id) } : {}),
    ...rest,
  });
}

export async function streamIdOf(by: Person, name: string): Promise<number> {
  const { subscriptions } = await by.api.ok<{ subscriptions: ApiStream[] }>('GET /users/me/subscriptions');
  return subscriptions.find((stream) => stream.name === name)!.stream_id;
}

/** The bot that sends notices: one in each new stream, and one to each user subscribed by another. */
export const NOTIFICATION_BOT = 1;

/** Leaves out the messages of the notification bot. */
export const withoutNotices = <M extends { readonly sender_id: number }>(messages: readonly M[]): M[] =>
  messages.filter((message) => message.sender_id !== NOTIFICATION_BOT);

let said = 0;

/** Id of the new message. */
export async function say(by: Person, to: string, topic: string, content = `message ${++said}`): Promise<number> {
  const { id } = await by.api.ok<{ id: number }>('POST /messages', { type: 'stream', to, topic, content });
  return id;
}

/** Id of the new message. */
export async function tell(by: Person, to: readonly Person[], content = `message ${++said}`): Promise<number> {
  const { id } = await by.api.ok<{ id: number }>('POST /messages', {
    type: 'direct',
    to: to.map((person) => person.id),
    content,
  });
  return id;
}
