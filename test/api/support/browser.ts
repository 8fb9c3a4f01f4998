/** A browser with the web client: it signs in, keeps the cookie, and sends the client's header. */
import type { Client, Refusal } from './client.js';
import type { RawAnswer } from './http.js';
import { type Organization, PASSWORD, type Person } from './organization.js';
import { Queue } from './queue.js';
import type { Answer } from './types.js';

export const NOT_LOGGED_IN: Refusal = {
  status: 401,
  msg: 'Not logged in: API authentication or user session required',
};

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** The web client without a session, at the organization's address. */
export const pageOf = ({ nobody, subdomain }: Organization): Client =>
  nobody.with({ 'x-conclave-web': '1', host: `${subdomain}.localhost`, 'user-agent': USER_AGENT });

const post = (by: Client, path: string, fields: Readonly<Record<string, string>>): Promise<RawAnswer> =>
  by.raw({ method: 'POST', path, headers: FORM, body: new URLSearchParams(fields).toString() });

export const signIn = (by: Client, username: string, password = PASSWORD): Promise<RawAnswer> =>
  post(by, '/web/session', { username, password });

/** Opens a one-time link. */
export const signInOnce = (by: Client, link: string): Promise<RawAnswer> =>
  post(by, '/web/session/one-time', { token: link.split('/').at(-1)! });

/** Asks for the account of a one-time link. */
export const accountOfLink = (by: Client, link: string): Promise<RawAnswer> =>
  post(by, '/web/session/one-time/account', { token: link.split('/').at(-1)! });

/** Ends a session. @param path absent: the browser signs out */
export const endSession = (by: Client, path = '/web/session'): Promise<RawAnswer> => by.raw({ method: 'DELETE', path });

/** Set-Cookie of an answer. */
export const setCookie = ({ headers }: Answer): string => String(headers['set-cookie'] ?? '');

/** Name and value of the cookie that an answer sets. */
export const cookieIn = (answer: Answer): string => setCookie(answer).split(';')[0]!;

/** A person's browser, signed in. */
export async function browserOf(org: Organization, person: Person, password = PASSWORD): Promise<Person> {
  const page = pageOf(org);
  const answer = await signIn(page, person.email, password);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return { ...person, api: page.with({ cookie: cookieIn(answer) }, person.role) };
}

export const sessionsOf = async (by: Client): Promise<Record<string, unknown>[]> =>
  (await by.raw({ method: 'GET', path: '/web/sessions' })).body.sessions as Record<string, unknown>[];

/** One poll on each frontend; the requests after them prove their arrival. */
export async function pollEverywhere(person: Person): Promise<Promise<Answer>[]> {
  const queues = [await Queue.register(person, {}), await Queue.register(person, {})];
  const answers = queues.map(({ id, last }) => person.api.call('GET /events', { queue_id: id, last_event_id: last }));
  for (let frontend = 0; frontend < 2; frontend++) await person.api.ok('GET /users/me');
  return answers;
}
