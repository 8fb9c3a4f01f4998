/** The users in the visibility tables, and the streams and messages that they look at. */
import { API_OPERATIONS } from '#frontend/api';
import type { TestServer } from '../../support/faces.js';
import {
  addPerson,
  makeOrganization,
  type Organization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
} from '../../support/organization.js';

/** Viewers in the order of the tables' columns. */
export const VIEWERS = ['start', 'joined', 'guest', 'left', 'never', 'admin', 'outside', 'foreign'] as const;
export type Viewer = (typeof VIEWERS)[number];

export const STREAMS = ['open', 'shared', 'closed'] as const;
export type StreamName = (typeof STREAMS)[number];

/** A stream message is named by its stream and its time: before or after users joined and left. */
export type MessageName = `${StreamName} ${'before' | 'after'}` | 'pair' | 'self' | 'group';

export interface World {
  readonly org: Organization;
  /**
   * start: a member in each stream from its first message on, and the author of everything. joined, guest: a member and
   * a guest who joined between the two messages of each stream. left: a member who left between them. never, admin,
   * outside: a member, an administrator and a guest who are in no stream. foreign: a member of another organization.
   */
  readonly people: Readonly<Record<Viewer, Person>>;
  readonly streams: Readonly<Record<StreamName, number>>;
  readonly messages: Readonly<Record<MessageName, number>>;
}

/** Waits for operations on their way, so that the tables hold. */
export const isServed = (id: string): boolean => API_OPERATIONS.some((operation) => operation.id === id);

export async function makeWorld(server: TestServer): Promise<World> {
  const org = await makeOrganization(server);
  const { owner, admin, moderator, member, other, guest } = org;
  const elsewhere = await makeOrganization(server, ['member']);
  const foreign = { ...elsewhere.member, api: elsewhere.member.api.with({}, 'foreign') };
  const outside = await addPerson(org, 'outside', 'guest');
  const people = { start: member, joined: other, guest, left: moderator, never: owner, admin, outside, foreign };
  await subscribe(member, 'open', { principals: [member, moderator] });
  await subscribe(member, 'shared', {
    invite_only: true,
    history_public_to_subscribers: true,
    principals: [member, moderator],
  });
  await subscribe(member, 'closed', { invite_only: true, principals: [member, moderator] });
  const messages: Partial<Record<MessageName, number>> = {};
  const sayAll = async (when: 'before' | 'after'): Promise<void> => {
    for (const name of STREAMS) messages[`${name} ${when}`] = await say(member, name, when, `${name} ${when}`);
  };
  await sayAll('before');
  for (const name of STREAMS) await subscribe(member, name, { principals: [other, guest] });
  await moderator.api.ok('DELETE /users/me/subscriptions', { subscriptions: STREAMS });
  await sayAll('after');
  messages.pair = await tell(member, [other], 'pair');
  messages.self = await tell(member, [member], 'self');
  messages.group = await tell(member, [other, guest], 'group');
  const streams = Object.fromEntries(
    await Promise.all(STREAMS.map(async (name) => [name, await streamIdOf(member, name)])),
  ) as Record<StreamName, number>;
  return { org, people, streams, messages: messages as Record<MessageName, number> };
}

/** The `|`-separated rows of a table: the first cell names the row, each other cell belongs to a column. */
export function rows(table: string): [string, string[]][] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', ...cells] = line.split('|').map((cell) => cell.trim());
      return [name, cells];
    });
}
