/** Sessions of browsers: signing in, and when a cookie counts. */
import { createOneTimeSignInUrl } from '#app/admin';
import { refused } from '../../harness.js';
import {
  accountOfLink,
  browserOf,
  cookieIn,
  endSession,
  NOT_LOGGED_IN,
  pageOf,
  setCookie,
  signIn,
  signInOnce,
} from '../../support/browser.js';
import { bad, basic, type Client, type Refusal, unauthorized } from '../../support/client.js';
import { upload } from '../../support/files.js';
import type { RawAnswer } from '../../support/http.js';
import { makeBot, makeOrganization } from '../../support/organization.js';
import type { Answer } from '../../support/types.js';
import type { Facts } from '../facts.js';

const WRONG_PASSWORD = 'Your username or password is incorrect';
const VOID_LINK: Refusal = { status: 401, code: 'AUTHENTICATION_FAILED', msg: 'This link was used or has expired' };
const SESSION_CHANGED: Refusal = {
  status: 401,
  code: 'SESSION_CHANGED',
  msg: 'This browser has signed in to another account',
};
const NOT_THE_CLIENT: Refusal = {
  status: 403,
  code: 'UNAUTHORIZED',
  msg: 'This request does not come from the web client',
};

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
        t.same(
          [answer.status, answer.body, setCookie(answer)],
          [401, { result: 'error', msg: WRONG_PASSWORD, code: 'AUTHENTICATION_FAILED' }, ''],
        );
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

  await t.test('a request of a page that shows another account than that of the session is refused', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const { api } = await browserOf(org, org.member);
    const send = { type: 'direct', to: JSON.stringify([org.owner.id]), content: 'meant for another name' };
    const files = [{ name: 'a.txt', bytes: 'text', type: 'text/plain' }];
    for (const user of [`${org.owner.id}`, '-1', 'nobody']) {
      const page = api.with({ 'x-conclave-user': user });
      await refused(t, page.call('POST /messages', send), SESSION_CHANGED, user);
      await refused(t, page.call('GET /users/me'), SESSION_CHANGED, user);
      await refused(t, page.upload('POST /user_uploads', files), SESSION_CHANGED, user);
      await refused(t, endSession(page), SESSION_CHANGED, user);
    }
    for (const user of [`${org.member.id}`, '']) {
      t.equal((await api.with({ 'x-conclave-user': user }).call('POST /messages', send)).status, 200, user);
    }
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
      await refused(t, signInOnce(other, 'x'.repeat(32)), NOT_THE_CLIENT);
      await refused(t, accountOfLink(other, 'x'.repeat(32)), NOT_THE_CLIENT);
      const browser = api.with(headers);
      await refused(t, endSession(browser), NOT_THE_CLIENT);
      await refused(t, endSession(browser, '/web/sessions'), NOT_THE_CLIENT);
      await refused(t, browser.raw({ method: 'GET', path: '/web/sessions' }), NOT_THE_CLIENT);
    }
    const asked = await page.raw({
      method: 'OPTIONS',
      path: '/web/session',
      headers: { origin: 'https://evil.example' },
    });
    t.notMatch(String(asked.headers['access-control-allow-headers']), /x-conclave-web/i);
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

  await t.test('sessions are for people of every role: bots and visitors have none', async (t) => {
    const org = await makeOrganization(server);
    const list = { method: 'GET', path: '/web/sessions' };
    const web = { 'x-conclave-web': '1' };
    for (const person of org.people) {
      const { api } = await browserOf(org, person);
      t.match((await api.raw(list)).body, { sessions: [{ id: 1, current: true }] }, person.role);
      t.match((await person.api.with(web).raw(list)).body, { sessions: [{ id: 1, current: false }] }, 'by API key');
      await refused(t, endSession(person.api.with(web)), bad('No such session'), 'an API key has no session to end');
    }
    await refused(t, pageOf(org).raw(list), NOT_LOGGED_IN, 'visitors');
    const bot = await makeBot(org.member);
    await refused(t, bot.api.with(web).raw(list), bad('This endpoint does not accept bot requests.'));
    const link = createOneTimeSignInUrl(server.actors, server.secrets, org.realm, bot.email, 'http://x');
    await t.rejects(link, { message: /bot/ });
    await refused(t, org.member.api.raw(list), NOT_THE_CLIENT, 'without the header');
  });

  await t.test('the cookie of another organization means nothing here', async (t) => {
    const [one, two] = [await makeOrganization(server, ['member']), await makeOrganization(server, ['member'])];
    const { api } = await browserOf(one, one.member);
    const elsewhere = api.with({ host: `${two.subdomain}.localhost` }, 'foreign');
    await refused(t, elsewhere.call('GET /users/me'), NOT_LOGGED_IN);
    await refused(t, endSession(elsewhere), NOT_LOGGED_IN);
    for (const token of ['', 'short', 'A'.repeat(32), `${'A'.repeat(32)}x`, one.member.key]) {
      const wrong = api.with({ cookie: `conclave_session=${token}` });
      await refused(t, wrong.call('GET /users/me'), NOT_LOGGED_IN, `cookie '${token.length}'`);
    }
    t.equal((await api.call('GET /users/me')).status, 200);
  });

  await t.test(
    'a browser learns without an error if it is signed in, and loses the cookie of an ended session',
    async (t) => {
      const org = await makeOrganization(server, ['member']);
      const check = { method: 'GET', path: '/web/session' };
      const out = { result: 'success', msg: '', signed_in: false, user_id: 0, public_access: false };
      const signedIn = { ...out, signed_in: true, user_id: org.member.id };
      const page = pageOf(org);
      const answers = async (by: Client, body: object, cookie: string, title: string): Promise<void> => {
        const answer = await by.raw(check);
        t.same([answer.status, answer.body, cookieIn(answer)], [200, body, cookie], title);
      };
      await answers(page, out, '', 'never signed in');
      const { api } = await browserOf(org, org.member);
      for (let frontend = 0; frontend < 2; frontend++) await answers(api, signedIn, '', 'signed in');
      await answers(api.with({ 'x-conclave-user': `${org.owner.id}` }), signedIn, '', 'for a page of another account');
      await endSession(api);
      for (let frontend = 0; frontend < 2; frontend++) await answers(api, out, 'conclave_session=', 'signed out');
      t.match(setCookie(await api.raw(check)), /Max-Age=0/);
      await answers(api.with({ cookie: 'conclave_session=x' }), out, 'conclave_session=', 'no session at all');
      await answers(org.member.api.with({ 'x-conclave-web': '1' }), signedIn, '', 'by API key');
      await org.owner.api.ok('PATCH /realm', { enable_spectator_access: true });
      await org.owner.api.ok('POST /users/me/subscriptions', {
        subscriptions: [{ name: 'open to all' }],
        is_web_public: true,
      });
      await answers(page, { ...out, public_access: true }, '', 'streams are open to the web');
      for (const headers of [{ 'x-conclave-web': '' }, { 'sec-fetch-site': 'cross-site' }]) {
        await refused(t, api.with(headers).raw(check), NOT_THE_CLIENT);
      }
    },
  );

  await t.test('a one-time link signs in once, also when two browsers open it at the same time', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const { actors, secrets } = server;
    const make = (): Promise<string> =>
      createOneTimeSignInUrl(actors, secrets, org.realm, org.member.email, 'http://x.example/');
    const link = await make();
    t.match(link, /^http:\/\/x\.example\/#sign-in\/[A-Za-z0-9]{32}$/);
    const open = (url: string): Promise<RawAnswer> => signInOnce(pageOf(org), url);
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
    await t.rejects(createOneTimeSignInUrl(actors, secrets, org.realm, 'stranger@example.com', 'http://x'), {
      message: /no user/,
    });
  });

  await t.test('a page can ask for the account of a one-time link, and the link stays unused', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const { actors, secrets } = server;
    const link = await createOneTimeSignInUrl(actors, secrets, org.realm, org.member.email, 'http://x');
    const page = pageOf(org);
    for (const by of [page, (await browserOf(org, org.owner)).api]) {
      const answer = await accountOfLink(by, link);
      const body = { result: 'success', msg: '', user_id: org.member.id, full_name: org.member.name };
      t.same([answer.status, answer.body, setCookie(answer)], [200, body, '']);
    }
    t.equal((await signInOnce(page, link)).status, 200);
    await refused(t, accountOfLink(page, link), VOID_LINK, 'used');
    for (const token of ['', 'x', 'A'.repeat(32), org.member.key]) {
      await refused(t, accountOfLink(page, token), VOID_LINK, 'no such link');
    }
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
    await endSession(api);
    t.not((await open(uri)).status, 200, 'after signing out');
  });
};
