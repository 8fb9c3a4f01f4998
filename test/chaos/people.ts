/** Creation of the accounts, streams and direct conversations of a run. */
import { basic } from '../support/credentials.js';
import type { ApiResponse } from './client-connection.js';
import type { Frontends } from './frontends.js';

const PASSWORD = 'correct horse battery 77';
/** Limit of setup requests in flight: each account costs two slow password hashes, at its creation and at login. */
const MAX_CONCURRENT_REQUESTS = 4;
const RESPONSE_TIMEOUT_MS = 60_000;

export interface Person {
  readonly id: number;
  readonly email: string;
  readonly authorization: string;
}

/** Stream or direct conversation. */
export interface Conversation {
  /** `s<stream id>`, or `d<user ids>`. */
  readonly name: string;
  /** Parameters of `POST /messages` that address the conversation. */
  readonly to: Readonly<Record<string, string>>;
  /** Narrow that selects the messages of the conversation in `GET /messages`. */
  readonly narrow: readonly Readonly<Record<string, unknown>>[];
  readonly members: readonly Person[];
}

export interface Caller {
  readonly frontends: Frontends;
  readonly authorization: string;
  /** API level of the requests; undefined: the base level. */
  readonly level?: number | undefined;
}

/** Sends one API request. @throws Error when the server refuses the request */
export async function requestOrThrow(
  { frontends, authorization, level }: Caller,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  form: Readonly<Record<string, string>> = {},
): Promise<ApiResponse['body']> {
  const get = method === 'GET';
  const response = await frontends.request({
    method,
    path: get ? `${path}?${new URLSearchParams(form)}` : path,
    authorization,
    ...(get ? {} : { form }),
    level,
    timeoutMs: RESPONSE_TIMEOUT_MS,
    preferredFrontend: 0,
  });
  if (response.body.result !== 'success')
    throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
  return response.body;
}

export async function mapConcurrently<T, R>(
  items: readonly T[],
  work: (item: T, i: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i]!, i);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, worker));
  return results;
}

export function makePeople(owner: Caller, count: number): Promise<Person[]> {
  const numbers = Array.from({ length: count }, (_, i) => i);
  return mapConcurrently(numbers, async (n) => {
    const email = `person${n}@example.com`;
    const made = await requestOrThrow(owner, 'POST', '/users', { email, password: PASSWORD, full_name: `Person ${n}` });
    const credentials = { username: email, password: PASSWORD };
    const { api_key } = await requestOrThrow({ ...owner, authorization: '' }, 'POST', '/fetch_api_key', credentials);
    return { id: made.user_id as number, email, authorization: basic(email, api_key as string) };
  });
}

/** Creates a stream for each `subscribers` accounts; every second stream is private. */
export async function makeStreams(
  frontends: Frontends,
  people: readonly Person[],
  subscribers: number,
): Promise<Conversation[]> {
  const groups: (readonly Person[])[] = [];
  for (let from = 0; from < people.length; from += subscribers) groups.push(people.slice(from, from + subscribers));
  return mapConcurrently(groups, async (members, i) => {
    const caller = { frontends, authorization: members[0]!.authorization };
    const name = `stream ${i}`;
    await requestOrThrow(caller, 'POST', '/users/me/subscriptions', {
      subscriptions: JSON.stringify([{ name }]),
      principals: JSON.stringify(members.map(({ id }) => id)),
      invite_only: String(i % 2 === 1),
    });
    const { stream_id: id } = await requestOrThrow(caller, 'GET', '/get_stream_id', { stream: name });
    const narrow = [{ operator: 'stream', operand: id }];
    return { name: `s${id}`, to: { type: 'stream', to: name, topic: 'chaos' }, narrow, members };
  });
}

/** Direct conversations of two accounts each: the first with the second, the third with the fourth, and so on. */
export function directConversations(people: readonly Person[]): Conversation[] {
  return people.flatMap((a, i) => {
    const b = people[i + 1];
    if (i % 2 === 1 || !b) return [];
    const ids = JSON.stringify([a.id, b.id]);
    const narrow = [{ operator: 'dm', operand: [a.id, b.id] }];
    return [{ name: directName([a.id, b.id]), to: { type: 'direct', to: ids }, narrow, members: [a, b] }];
  });
}

/** Name of a direct conversation; the order of `ids` does not matter. */
export const directName = (ids: readonly number[]): string => `d${[...ids].sort((a, b) => a - b).join(',')}`;
