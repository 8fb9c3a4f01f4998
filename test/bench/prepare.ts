/** Preparation of measurements: accounts, streams, messages and event queues, and the texts of measured requests. */

import { basic } from '../support/credentials.js';
import { Connection, requestOnce, requestText } from './connection.js';
import type { Face } from './faces.js';
import type { Poll } from './jobs.js';

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly authorization: string;
}

export const PASSWORD = 'correct horse battery 77';
const MAX_PARALLEL_CALLS = 8;

/** Sends a POST request to the API. @returns the fields of the response. @throws Error unless the status is 200 */
export async function call(
  face: Face,
  authorization: string,
  path: string,
  form: Readonly<Record<string, string>>,
  level?: number,
): Promise<Record<string, unknown>> {
  const text = new URLSearchParams(form).toString();
  const answer = await requestOnce(face.port, requestText('POST', `/api/v1${path}`, authorization, text, level));
  if (!answer.ok) throw new Error(`${path}: ${answer.text}`);
  return JSON.parse(answer.text.slice(answer.text.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>;
}

/** Maps items with an asynchronous function, eight at a time. */
export async function mapInParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i]!);
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL_CALLS }, worker));
  return results;
}

/** Creates accounts with API keys. @param from number of the first account, which is part of its name */
export function makeAccounts(face: Face, from: number, count: number): Promise<Account[]> {
  const numbers = Array.from({ length: count }, (_, i) => from + i);
  return mapInParallel(numbers, async (n) => {
    const email = `user${n}@example.com`;
    const made = await call(face, face.owner, '/users', { email, password: PASSWORD, full_name: `User ${n}` });
    const { api_key } = await call(face, '', '/fetch_api_key', { username: email, password: PASSWORD });
    return { id: made.user_id as number, email, authorization: basic(email, api_key as string) };
  });
}

/** Creates accounts without API keys, which only make the organization larger. */
export async function makeIdleAccounts(face: Face, count: number): Promise<void> {
  await mapInParallel(
    Array.from({ length: Math.max(0, count) }, (_, i) => i),
    (n) =>
      call(face, face.owner, '/users', {
        ...{ email: `person${n}@example.com`, password: PASSWORD, full_name: `Person number ${n}` },
      }),
  );
}

/** @param others email addresses of further subscribers */
export async function makeStream(
  face: Face,
  name: string,
  subscribers: readonly Account[],
  others: readonly string[] = [],
): Promise<void> {
  await call(face, subscribers[0]!.authorization, '/users/me/subscriptions', {
    subscriptions: JSON.stringify([{ name }]),
    principals: JSON.stringify([...subscribers.map(({ email }) => email), ...others]),
  });
}

/** Sends messages to a stream before a measurement, so that the stream has a history. */
export async function sendMessages(
  face: Face,
  stream: string,
  senders: readonly Account[],
  count: number,
): Promise<void> {
  const authors = Array.from({ length: count }, (_, i) => senders[i % senders.length]!);
  await mapInParallel(authors, async ({ authorization }) => {
    const answer = await requestOnce(face.port, sendRequest(authorization, stream));
    if (!answer.ok) throw new Error(answer.text);
  });
}

/** Registers queues for message events, spread over accounts. @param level API level of the clients [the base level] */
export function makeMessageQueues(
  face: Face,
  accounts: readonly Account[],
  count: number,
  level?: number,
): Promise<Poll[]> {
  const owners = Array.from({ length: count }, (_, i) => accounts[i % accounts.length]!);
  return mapInParallel(owners, async ({ authorization }) => {
    const made = await call(face, authorization, '/register', { event_types: '["message"]' }, level);
    if (level !== undefined && made.zulip_feature_level !== level)
      throw new Error(`a queue at level ${level} was wanted`);
    return { authorization, queueId: made.queue_id as string, lastEventId: made.last_event_id as number, level };
  });
}

/** Sends one poll. @returns its answer as raw HTTP text */
export async function pollOnce(port: number, { authorization, queueId, lastEventId, level }: Poll): Promise<string> {
  const path = `/api/v1/events?queue_id=${queueId}&last_event_id=${lastEventId}`;
  const { ok, text } = await requestOnce(port, requestText('GET', path, authorization, undefined, level));
  if (!ok) throw new Error(text);
  return text;
}

export async function pollEvents(port: number, poll: Poll): Promise<readonly unknown[]> {
  const text = await pollOnce(port, poll);
  const { events } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { readonly events: readonly unknown[] };
  return events;
}

/** Registers many queues on a few connections. @param connectionCount number of connections */
export async function registerQueues(
  face: Face,
  accounts: readonly Account[],
  count: number,
  connectionCount: number,
  form = 'event_types=["message","reaction","typing"]&fetch_event_types=[]',
): Promise<Poll[]> {
  const polls: Poll[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    const connection = await Connection.open(face.port, true);
    const exchange = (request: string): Promise<string> =>
      new Promise((resolve, reject) => {
        connection.onGone = (error) => reject(error ?? new Error('connection closed'));
        connection.onAnswer = ({ ok, text }) => (ok ? resolve(text) : reject(new Error(text)));
        connection.write(request);
      });
    for (let i = next++; i < count; i = next++) {
      const { authorization } = accounts[i % accounts.length]!;
      const answer = await exchange(requestText('POST', '/api/v1/register', authorization, encodeURI(form)));
      const made = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { queue_id: string; last_event_id: number };
      polls[i] = { authorization, queueId: made.queue_id, lastEventId: made.last_event_id };
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connectionCount }, worker));
  return polls;
}

export const sendRequest = (authorization: string, stream: string, mark = ''): string =>
  requestText(
    'POST',
    '/api/v1/messages',
    authorization,
    new URLSearchParams({
      type: 'stream',
      to: stream,
      topic: 'benchmark',
      content: `The build of **main** is green again, see the [log](https://ci.example.com/4711).${mark}`,
    }).toString(),
  );

export const usersRequest = (authorization: string): string => requestText('GET', '/api/v1/users', authorization);

export const meRequest = (authorization: string): string => requestText('GET', '/api/v1/users/me', authorization);

/** The presence request that a client sends each minute. */
export const presenceRequest = (authorization: string, pingOnly: boolean): string =>
  requestText(
    'POST',
    '/api/v1/users/me/presence',
    authorization,
    new URLSearchParams({ status: 'active', slim_presence: 'true', ping_only: String(pingOnly) }).toString(),
  );
