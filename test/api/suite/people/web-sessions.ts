/** Sessions of browsers: signing in, what a cookie is good for, and every way in which a session ends. */
import { makeSignInLink } from '#app/admin';
import { refused } from '../../harness.js';
import { bad, basic, type Client, type Refusal, unauthorized } from '../../support/client.js';
import { upload } from '../../support/files.js';
import type { RawAnswer } from '../../support/http.js';
import {
  addPerson,
  makeOrganization,
  type Organization,
  PASSWORD,
  type Person,
  say,
} from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { Answer } from '../../support/types.js';
import type { Facts } from '../facts.js';

const NOT_LOGGED_IN: Refusal = { status: 401, msg: 'Not logged in: API authentication or user session required' };
const WRONG: Refusal = {
  status: 401,
  code: 'AUTHENTICATION_FAILED',
  msg: 'Your username or password is incorrect',
};
const VOID_LINK: Refusal = { status: 401, code: 'AUTHENTICATION_FAILED', msg: 'This link was used or has expired' };
const NOT_THE_CLIENT: Refusal = {
  status: 403,
  code: 'UNAUTHORIZED',
  msg: 'This request does not come from the web client',
};
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const WEB = { 'x-conclave-web': '1' };
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** The web client without a session, at the organization's address. */
const pageOf = ({ nobody, subdomain }: Organization): Client =>
  nobody.with({ ...WEB, host: `${subdomain}.localhost`, 'user-agent': FIREFOX });

const post = (by: Client, path: string, fields: Readonly<Record<string, string>>): Promise<RawAnswer> =>
  by.raw({ method: 'POST', path, headers: FORM, body: new URLSearchParams(fields).toString() });

const signIn = (by: Client, username: string, password = PASSWORD): Promise<RawAnswer> =>
  post(by, '/web/session', { username, password });

const end = (by: Client, path = '/web/session'): Promise<RawAnswer> => by.raw({ method: 'DELETE', path });

/** Set-Cookie of an answer. */
const setCookie = ({ headers }: Answer): string => String(headers['set-cookie'] ?? '');

const cookieIn = (answer: Answer): string => setCookie(answer).split(';')[0]!;

/** A person's browser, signed in. */
async function browserOf(org: Organization, person: Person, password = PASSWORD): Promise<Person> {
  const page = pageOf(org);
  const answer = await signIn(page, person.email, password);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return { ...person, api: page.with({ cookie: cookieIn(answer) }, person.role) };
}

const sessionsOf = async (by: Client): Promise<Record<string, unknown>[]> =>
  (await by.raw({ method: 'GET', path: '/web/sessions' })).body.sessions as Record<string, unknown>[];

/** One poll on each frontend; the requests after them prove their arrival. */
async function polls(person: Person): Promise<Promise<Answer>[]> {
  const queues = [await Queue.register(person, {}), await Queue.register(person, {})];
  const answers = queues.map(({ id, last }) => person.api.call('GET /events', { queue_id: id, last_event_id: last }));
  for (let frontend = 0; frontend < 2; frontend++) await person.api.ok('GET /users/me');
  return answers;
}

export const webSessions: Facts = async (t, server) => {
  await t.test('address and password begin a session, which is good for the API on every frontend', async (t) => {
    const org = await makeOrganization(server);
    for (const person of org.people) {
      const answer = await signIn(pageOf(org), person.email);
      t.same([answer.status, answer.body], [200, { result: 'success', msg: '', user_id: person.id }], person.role);
      t.match(
        setCookie(answer),
        /^conclave_session=[A-Za-z0-9]{32}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
        person.role,
      );
      t.notMatch(answer.text, person.key, 'the page never gets an API key');
      const browser = pageOf(org).with({ cookie: `theme=dark; ${cookieIn(answer)}` }, person.role);
      for (let frontend = 0; frontend < 2; frontend++) {
        t.equal((await browser.ok('GET /users/me')).user_id, person.id, person.role);
      }
      t.equal((await browser.call('PATCH /settings', { twenty_four_hour_time: true })).status, 200, person.role);
    }
  });

  await t.test('a wrong password and an unknown address are refused alike, and counted', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const page = pageOf(org);
    await refused(t, signIn(page, 'not an address'), bad('Enter a valid email address.'));
    for (const username of [org.member.email, 'stranger@example.com']) {
      for (let i = 0; i < 5; i++) {
        const answer = await signIn(page, username, 'wrong');
        t.same([answer.status, answer.body, setCookie(answer)], [401, { result: 'error', ...bodyOf(WRONG) }, '']);
        t.equal(answer.headers['www-authenticate'], 'Session realm="Conclave"', 'a browser asks nothing by itself');
      }
      t.equal((await signIn(page, username)).status, 429, username);
    }
  });

  await t.test('a cookie counts only with the header of the web client, and only from its own page', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const { member, subdomain } = org;
    const { api } = await browserOf(org, member);
    const me = (headers: Record<string, string>): Promise<Answer> => api.call('GET /users/me', {}, { headers });
    const own = `http://${subdomain}.localhost`;
    await refused(t, me({ 'x-conclave-web': '' }), NOT_LOGGED_IN, 'cookie alone');
    await refused(t, me({ 'x-conclave-web': '0' }), NOT_LOGGED_IN, 'another header');
    for (const origin of ['https://evil.example', 'null', `${own}.evil.example`, 'http://other.localhost']) {
      await refused(t, me({ origin }), NOT_LOGGED_IN, origin);
    }
    for (const site of ['cross-site', 'same-site', 'anything']) {
      await refused(t, me({ 'sec-fetch-site': site, origin: own }), NOT_LOGGED_IN, site);
    }
    t.equal((await me({ origin: own })).status, 200);
    t.equal((await me({ origin: own, 'sec-fetch-site': 'same-origin' })).status, 200);
    const send = { type: 'direct', to: JSON.stringify([member.id]), content: 'forged' };
    await refused(t, api.call('POST /messages', send, { headers: { 'x-conclave-web': '' } }), NOT_LOGGED_IN);
    await refused(t, api.call('POST /messages', send, { headers: { origin: 'https://evil.example' } }), NOT_LOGGED_IN);
    t.equal((await api.call('POST /messages', send)).status, 200);
  });

  await t.test('another site can neither sign a browser in nor out', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const page = pageOf(org);
    const { api } = await browserOf(org, org.member);
    for (const headers of [
      { 'x-conclave-web': '' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const other = page.with(headers);
      await refused(t, signIn(other, org.member.email), NOT_THE_CLIENT);
      await refused(t, post(other, '/web/session/one-time', { token: 'x'.repeat(32) }), NOT_THE_CLIENT);
      const browser = api.with(headers);
      await refused(t, end(browser), NOT_THE_CLIENT);
      await refused(t, end(browser, '/web/sessions'), NOT_THE_CLIENT);
      await refused(t, browser.raw({ method: 'GET', path: '/web/sessions' }), NOT_THE_CLIENT);
    }
    const asked = await page.raw({
      method: 'OPTIONS',
      path: '/web/session',
      headers: { origin: 'https://evil.example' },
    });
    t.notMatch(String(asked.headers['access-control-allow-headers']), /conclave/i);
    t.equal((await api.call('GET /users/me')).status, 200);
  });

  await t.test('an Authorization header wins over a cookie', async (t) => {
    const org = await makeOrganization(server, ['member', 'other']);
    const { api } = await browserOf(org, org.member);
    const asOther = api.with({ authorization: basic(org.other.email, org.other.key) });
    t.equal((await asOther.ok('GET /users/me')).user_id, org.other.id);
    await refused(
      t,
      api.with({ authorization: 'Basic !' }).call('GET /users/me'),
      unauthorized('Invalid authorization header for basic auth'),
    );
  });

  await t.test('the cookie of another organization means nothing here', async (t) => {
    const [one, two] = [await makeOrganization(server, ['member']), await makeOrganization(server, ['member'])];
    const { api } = await browserOf(one, one.member);
    const elsewhere = api.with({ host: `${two.subdomain}.localhost` }, 'foreign');
    await refused(t, elsewhere.call('GET /users/me'), NOT_LOGGED_IN);
    await refused(t, end(elsewhere), NOT_LOGGED_IN);
    for (const token of ['', 'short', 'A'.repeat(32), `${'A'.repeat(32)}x`, one.member.key]) {
      const wrong = api.with({ cookie: `conclave_session=${token}` });
      await refused(t, wrong.call('GET /users/me'), NOT_LOGGED_IN, `cookie '${token.length}'`);
    }
    t.equal((await api.call('GET /users/me')).status, 200);
  });

  await t.test('people see their sessions, and end one, all others, or their own', async (t) => {
    const org = await makeOrganization(server, ['member', 'other']);
    const [first, second, third] = [
      await browserOf(org, org.member),
      await browserOf(org, org.member),
      await browserOf(org, org.member),
    ];
    const foreign = await browserOf(org, org.other);
    const list = await sessionsOf(first.api);
    t.same(
      list.map(({ id, client, current }) => [id, client, current]),
      [
        [1, 'Firefox on Linux', true],
        [2, 'Firefox on Linux', false],
        [3, 'Firefox on Linux', false],
      ],
    );
    t.ok(list.every(({ created, last_used }) => created === last_used && Number(created) > 1_700_000_000));
    t.same(Object.keys(list[0]!).sort(), ['client', 'created', 'current', 'id', 'last_used']);
    await refused(t, end(foreign.api, '/web/sessions/2'), bad('No such session'), 'of somebody else');
    t.equal((await end(first.api, '/web/sessions/2')).status, 200);
    await refused(t, end(first.api, '/web/sessions/2'), bad('No such session'));
    await refused(t, second.api.call('GET /users/me'), NOT_LOGGED_IN, 'the session that was ended');
    t.equal((await end(first.api, '/web/sessions')).status, 200);
    await refused(t, third.api.call('GET /users/me'), NOT_LOGGED_IN, 'one of the others');
    t.same(
      (await sessionsOf(first.api)).map(({ id }) => id),
      [1],
    );
    const out = await end(first.api);
    t.same([out.status, cookieIn(out)], [200, 'conclave_session=']);
    t.match(setCookie(out), /Max-Age=0/);
    await refused(t, first.api.call('GET /users/me'), NOT_LOGGED_IN, 'after signing out');
    t.equal((await foreign.api.call('GET /users/me')).status, 200, 'sessions of others stay');
    t.equal((await org.member.api.call('GET /users/me')).status, 200, 'and so does the API key');
  });

  await t.test('a poll that waits with a session that is ended is refused at once', async (t) => {
    const org = await makeOrganization(server, ['member', 'other']);
    const [here, there] = [await browserOf(org, org.member), await browserOf(org, org.member)];
    const kept = await polls(here);
    const gone = await polls(there);
    t.equal((await end(here.api, '/web/sessions')).status, 200);
    for (const answer of gone) await refused(t, answer, NOT_LOGGED_IN);
    await say(org.owner, 'general', 'x', 'y').catch(() => undefined);
    await org.other.api.ok('POST /messages', {
      type: 'direct',
      to: JSON.stringify([org.member.id]),
      content: 'still here?',
    });
    for (const answer of kept) t.equal((await answer).status, 200);
  });

  await t.test('a new password ends every session but the one that changed it, and voids links', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const [here, there] = [await browserOf(org, org.member), await browserOf(org, org.member)];
    const link = await makeSignInLink(server.actors, server.secrets, org.realm, org.member.email, 'http://x');
    const gone = await polls(there);
    const new_password = 'quietly-otter-ladder-27';
    await refused(t, here.api.call('PATCH /settings', { old_password: 'wrong', new_password }), bad('Wrong password!'));
    t.equal((await there.api.call('GET /users/me')).status, 200, 'a refused change ends nothing');
    t.equal((await here.api.call('PATCH /settings', { old_password: PASSWORD, new_password })).status, 200);
    for (const answer of gone) await refused(t, answer, NOT_LOGGED_IN);
    for (let frontend = 0; frontend < 2; frontend++) {
      t.equal((await here.api.call('GET /users/me')).status, 200);
    }
    await refused(t, there.api.call('GET /users/me'), NOT_LOGGED_IN);
    await refused(t, post(pageOf(org), '/web/session/one-time', { token: link.split('/').at(-1)! }), VOID_LINK);
    await refused(t, signIn(pageOf(org), org.member.email), WRONG, 'the old password');
    const again = await browserOf(org, org.member, new_password);
    await org.member.api.ok('PATCH /settings', { old_password: new_password, new_password: PASSWORD });
    for (const { api } of [again, here])
      await refused(t, api.call('GET /users/me'), NOT_LOGGED_IN, 'changed by a program');
  });

  await t.test('deactivation ends all sessions for good, waiting polls included', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const leaver = await addPerson(org, 'leaver');
    const browser = await browserOf(org, leaver);
    const gone = await polls(browser);
    await org.owner.api.ok('DELETE /users/{user_id}', { user_id: leaver.id });
    for (const answer of gone) t.equal((await answer).status, 401);
    await refused(t, browser.api.call('GET /users/me'), NOT_LOGGED_IN);
    await refused(t, signIn(pageOf(org), leaver.email), {
      status: 401,
      code: 'USER_DEACTIVATED',
      msg: 'Account is deactivated',
    });
    await org.owner.api.ok('POST /users/{user_id}/reactivate', { user_id: leaver.id });
    await refused(t, browser.api.call('GET /users/me'), NOT_LOGGED_IN, 'after reactivation, too');
    t.equal((await signIn(pageOf(org), leaver.email)).status, 200);
  });

  await t.test('a new API key leaves sessions alone', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const browser = await browserOf(org, org.member);
    await org.member.api.ok('POST /users/me/api_key/regenerate');
    t.equal((await browser.api.call('GET /users/me')).status, 200);
  });

  await t.test('a one-time link signs in once, also when two browsers open it at the same time', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const { actors, secrets } = server;
    const make = (): Promise<string> =>
      makeSignInLink(actors, secrets, org.realm, org.member.email, 'http://x.example/');
    const link = await make();
    t.match(link, /^http:\/\/x\.example\/#sign-in\/[A-Za-z0-9]{32}$/);
    const open = (url: string): Promise<RawAnswer> =>
      post(pageOf(org), '/web/session/one-time', { token: url.split('/').at(-1)! });
    const answers = await Promise.all([open(link), open(link), open(link)]);
    t.same(answers.map(({ status }) => status).sort(), [200, 401, 401]);
    const api = pageOf(org).with({ cookie: cookieIn(answers.find(({ status }) => status === 200)!) }, 'member');
    t.equal((await api.ok('GET /users/me')).user_id, org.member.id);
    await refused(t, open(link), VOID_LINK, 'once more');
    for (const token of ['', 'x', 'A'.repeat(32), org.member.key]) {
      await refused(t, open(`x/${token}`), VOID_LINK, 'no such link');
    }
    const first = await make();
    for (let i = 0; i < 5; i++) await make();
    await refused(t, open(first), VOID_LINK, 'five newer ones');
    await t.rejects(makeSignInLink(actors, secrets, org.realm, 'stranger@example.com', 'http://x'), {
      message: /no user/,
    });
  });

  await t.test('pictures and files are shown to a browser that is signed in, without the header', async (t) => {
    const org = await makeOrganization(server, ['member', 'other']);
    const uri = await upload(org.member, 'x.txt', 'text');
    const { api } = await browserOf(org, org.member);
    const open = (path: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
      api.with({ 'x-conclave-web': '', ...headers }).raw({ method: 'GET', path });
    t.equal((await open(uri)).text, 'text');
    t.equal((await open(uri, { 'sec-fetch-site': 'same-origin' })).status, 200);
    t.equal((await open(uri, { 'sec-fetch-site': 'none' })).status, 200, 'opened in a tab of its own');
    for (const site of ['cross-site', 'same-site'])
      t.not((await open(uri, { 'sec-fetch-site': site })).status, 200, site);
    t.equal((await open(`/avatar/${org.other.id}`)).status, 302);
    t.not((await open('/api/v1/users/me')).status, 200);
    await end(api);
    t.not((await open(uri)).status, 200, 'after signing out');
  });

  await t.test('sessions survive a restart, and ended ones stay ended', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const [kept, ended] = [await browserOf(org, org.member), await browserOf(org, org.member)];
    t.equal((await end(ended.api)).status, 200);
    const link = await makeSignInLink(server.actors, server.secrets, org.realm, org.member.email, 'http://x');
    await server.restart();
    t.equal((await kept.api.ok('GET /users/me')).user_id, org.member.id);
    await refused(t, ended.api.call('GET /users/me'), NOT_LOGGED_IN);
    t.equal((await post(pageOf(org), '/web/session/one-time', { token: link.split('/').at(-1)! })).status, 200);
  });

  await t.test('browsers that are signed in are bounded: one too many ends the one used least recently', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const browsers: Person[] = [];
    for (let i = 0; i < 51; i++) browsers.push(await browserOf(org, org.member));
    await refused(t, browsers[0]!.api.call('GET /users/me'), NOT_LOGGED_IN);
    t.equal((await sessionsOf(browsers[1]!.api)).length, 50);
  });
};

const bodyOf = ({ code, msg }: Refusal): Record<string, unknown> => ({ msg, code });
