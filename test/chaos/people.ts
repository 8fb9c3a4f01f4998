/** Accounts, streams and direct conversations of a run. */
import { basic } from '../bench/faces.js';
import type { Frontends } from './frontends.js';
import type { Answer } from './kept-connection.js';

const PASSWORD = 'correct horse battery 77';
/** The server hashes a password, which is slow on purpose, for each new account and for each log-in. */
const MAX_CONCURRENT_CALLS = 4;
const ANSWER_TIMEOUT_MS = 60_000;

export interface Person {
  readonly id: number;
  readonly email: string;
  readonly authorization: string;
}

/** A stream or a direct conversation. */
export interface Conversation {
  /** `s<stream id>` or `d<user ids>`. */
  readonly name: string;
  /** Parameters of `POST /messages` that address the conversation. */
  readonly to: Readonly<Record<string, string>>;
  /** Narrow whose messages are those of the conversation. */
  readonly narrow: readonly Readonly<Record<string, unknown>>[];
  readonly members: readonly Person[];
}

export interface Caller {
  readonly frontends: Frontends;
  readonly authorization: string;
  /** API level of the requests; undefined: the base level. */
  readonly level?: number | undefined;
}

/** Calls an operation of the API. @throws Error if the answer is no success */
export async function callOrThrow(
  { frontends, authorization, level }: Caller,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  form: Readonly<Record<string, string>> = {},
): Promise<Answer['body']> {
  const get = method === 'GET';
  const answer = await frontends.ask({
    method,
    path: get ? `${path}?${new URLSearchParams(form)}` : path,
    authorization,
    ...(get ? {} : { form }),
    level,
    timeoutMs: ANSWER_TIMEOUT_MS,
    first: 0,
  });
  if (answer.body.result !== 'success') throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
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
  await Promise.all(Array.from({ length: MAX_CONCURRENT_CALLS }, worker));
  return results;
}

export function makePeople(owner: Caller, count: number): Promise<Person[]> {
  const numbers = Array.from({ length: count }, (_, i) => i);
  return mapConcurrently(numbers, async (n) => {
    const email = `person${n}@example.com`;
    const made = await callOrThrow(owner, 'POST', '/users', { email, password: PASSWORD, full_name: `Person ${n}` });
    const credentials = { username: email, password: PASSWORD };
    const { api_key } = await callOrThrow({ ...owner, authorization: '' }, 'POST', '/fetch_api_key', credentials);
    return { id: made.user_id as number, email, authorization: basic(email, api_key as string) };
  });
}

/** Makes streams with this number of subscribers each. Every second stream is private. */
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
    await callOrThrow(caller, 'POST', '/users/me/subscriptions', {
      subscriptions: JSON.stringify([{ name }]),
      principals: JSON.stringify(members.map(({ id }) => id)),
      invite_only: String(i % 2 === 1),
    });
    const { stream_id: id } = await callOrThrow(caller, 'GET', '/get_stream_id', { stream: name });
    const narrow = [{ operator: 'stream', operand: id }];
    return { name: `s${id}`, to: { type: 'stream', to: name, topic: 'chaos' }, narrow, members };
  });
}

/** Makes a direct conversation for each pair of neighbours in the list. */
export function directConversations(people: readonly Person[]): Conversation[] {
  return people.flatMap((a, i) => {
    const b = people[i + 1];
    if (i % 2 === 1 || !b) return [];
    const ids = JSON.stringify([a.id, b.id]);
    const narrow = [{ operator: 'dm', operand: [a.id, b.id] }];
    return [{ name: directName([a.id, b.id]), to: { type: 'direct', to: ids }, narrow, members: [a, b] }];
  });
}

/** Name of the direct conversation of these users, whose ids may be in any order. */
export const directName = (ids: readonly number[]): string => `d${[...ids].sort((a, b) => a - b).join(',')}`;
