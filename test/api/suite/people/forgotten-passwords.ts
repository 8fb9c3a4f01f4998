/** Forgotten passwords: the pages, the mails, and what a new password ends (users.md § API keys). */
import { createOneTimeSignInUrl } from '#app/admin';
import { refused } from '../../harness.js';
import { browserOf, NOT_LOGGED_IN, pageOf, pollEverywhere, signIn, signInOnce } from '../../support/browser.js';
import { Client } from '../../support/client.js';
import type { RawAnswer } from '../../support/http.js';
import { mailed, mailsTo } from '../../support/mails.js';
import { makeBot, makeOrganization, type Organization, PASSWORD, type Person } from '../../support/organization.js';
import type { Facts } from '../facts.js';

const NEW_PASSWORD = 'quietly-otter-ladder-27';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const ASK = '/accounts/password/reset';

/** A browser without scripts, at the host of the organization. */
function plainBrowser({ server, subdomain }: Organization, host = `${subdomain}.localhost`) {
  const nobody = new Client(server, 'nobody', { host });
  return {
    api: nobody,
    open: (path: string): Promise<RawAnswer> => nobody.raw({ method: 'GET', path }),
    send: (path: string, fields: Record<string, string>): Promise<RawAnswer> =>
      nobody.raw({ method: 'POST', path, headers: FORM, body: new URLSearchParams(fields).toString() }),
  };
}

type Browser = ReturnType<typeof plainBrowser>;

const urlIn = (text: string): URL => new URL(/^https?:.*$/m.exec(text)![0]);

/** Path of the newest link that was mailed to a person who asked. */
async function linkFor(org: Organization, { send }: Browser, { email }: Person): Promise<string> {
  const before = mailsTo(org.server, email).length;
  const { status } = await send(ASK, { email });
  if (status !== 200) throw new Error(`the request for a mail was answered ${status}`);
  return urlIn((await mailed(org.server, email, before + 1)).at(-1)!.text).pathname;
}

export const forgottenPasswords: Facts = async (t, server) => {
  await t.test('a mailed link sets a new password once, ends sessions and voids other links', async (t) => {
    const org = await makeOrganization(server, ['member', 'other']);
    const { member } = org;
    const browser = plainBrowser(org);
    t.match((await browser.open(ASK)).text, /name="email"/);
    const [session, foreign] = [await browserOf(org, member), await browserOf(org, org.other)];
    const gone = await pollEverywhere(session);
    const signInLink = await createOneTimeSignInUrl(server.actors, server.secrets, org.realm, member.email, 'http://x');
    await member.api.ok('PATCH /settings', { email: `moved.${member.email}` });
    const moved = urlIn((await mailed(server, `moved.${member.email}`))[0]!.text).pathname;
    const older = await linkFor(org, browser, member);
    const link = await linkFor(org, browser, member);
    const shown = await browser.open(link);
    t.equal(shown.status, 200);
    t.ok(shown.text.includes(member.email));
    for (const [password, problem] of [
      ['short', 'too weak'],
      [member.email, 'too weak'],
    ] as const) {
      const weak = await browser.send(link, { password });
      t.equal(weak.status, 400);
      t.match(weak.text, problem, 'the rules of the organization');
    }
    t.equal((await session.api.call('GET /users/me')).status, 200, 'a refused password ends nothing');
    const done = await browser.send(link, { password: NEW_PASSWORD });
    t.equal(done.status, 200);
    t.match(done.text, /Your password was changed/);
    for (const answer of gone) await refused(t, answer, NOT_LOGGED_IN);
    await refused(t, session.api.call('GET /users/me'), NOT_LOGGED_IN);
    t.equal((await foreign.api.call('GET /users/me')).status, 200, 'sessions of others stay');
    t.equal((await member.api.call('GET /users/me')).status, 200, 'and so does the API key');
    t.equal((await signIn(pageOf(org), member.email)).status, 401, 'the former password');
    t.equal((await signIn(pageOf(org), member.email, NEW_PASSWORD)).status, 200);
    t.equal((await signInOnce(pageOf(org), signInLink)).status, 401, 'a one-time link');
    t.equal((await browser.send(moved, {})).status, 400, 'a link that confirms another address');
    for (const path of [link, older]) {
      t.equal((await browser.open(path)).status, 404);
      t.equal((await browser.send(path, { password: 'another-otter-ladder-28' })).status, 404);
    }
    t.equal((await signIn(pageOf(org), member.email, NEW_PASSWORD)).status, 200);
    const notice = (await mailed(server, member.email, 3)).at(-1)!;
    t.match(String(notice.headers.get('subject')), /Your password for .* was changed/);
    t.notMatch(notice.text, /http/);
  });

  await t.test('only one of two browsers that open a link at once sets its password', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const browser = plainBrowser(org);
    const link = await linkFor(org, browser, org.member);
    const passwords = [NEW_PASSWORD, 'another-otter-ladder-28'];
    const answers = await Promise.all(passwords.map((password) => browser.send(link, { password })));
    t.same(answers.map(({ status }) => status).sort(), [200, 404]);
    for (const [i, password] of passwords.entries()) {
      t.equal((await signIn(pageOf(org), org.member.email, password)).status, answers[i]!.status === 200 ? 200 : 401);
    }
  });

  await t.test('the API key is replaced if the user asks for it', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const browser = plainBrowser(org);
    const link = await linkFor(org, browser, org.member);
    t.equal((await browser.send(link, { password: NEW_PASSWORD, new_key: 'true' })).status, 200);
    t.equal((await org.member.api.call('GET /users/me')).status, 401);
    const { api_key } = await browser.api.ok('POST /fetch_api_key', {
      username: org.member.email,
      password: NEW_PASSWORD,
    });
    t.not(api_key, org.member.key);
  });

  await t.test('failed log-ins before do not keep the user out', async (t) => {
    const org = await makeOrganization(server, ['member']);
    for (let i = 0; i < 5; i++) await signIn(pageOf(org), org.member.email, 'wrong');
    t.equal((await signIn(pageOf(org), org.member.email)).status, 429);
    const browser = plainBrowser(org);
    const link = await linkFor(org, browser, org.member);
    t.equal((await browser.send(link, { password: NEW_PASSWORD })).status, 200);
    t.equal((await signIn(pageOf(org), org.member.email, NEW_PASSWORD)).status, 200);
  });

  await t.test('known and unknown addresses are answered alike, and limited alike', async (t) => {
    const org = await makeOrganization(server, ['member', 'other']);
    const { send } = plainBrowser(org);
    await org.owner.api.ok('DELETE /users/{user_id}', { user_id: org.other.id });
    const unknown = `nobody@${org.subdomain}.example.net`;
    const addresses = [org.member.email, unknown, org.other.email, `user${org.member.id}@${org.subdomain}.localhost`];
    const page = ({ status, text }: RawAnswer, email: string) => [status, text.replaceAll(email, 'ADDRESS')];
    for (let i = 0; i < 3; i++) {
      const answers: unknown[] = [];
      for (const email of addresses) answers.push(page(await send(ASK, { email }), email));
      t.equal((answers[0] as unknown[])[0], i < 2 ? 200 : 429);
      for (const answer of answers) t.same(answer, answers[0], `request ${i + 1}`);
    }
    t.equal((await mailed(server, org.member.email, 2)).length, 2);
    t.same(
      addresses.slice(1).flatMap((email) => mailsTo(server, email)),
      [],
    );
    for (const email of ['nonsense', '', '"><script>x</script>@y.zz']) {
      const { status, text } = await send(ASK, { email });
      t.equal(status, 400);
      t.match(text, /Enter a valid email address/);
      t.notOk(text.includes('<script'));
    }
  });

  await t.test('a link leads to the server, whatever Host header the request had', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const forged = plainBrowser(org, `${org.subdomain}.localhost.evil.example`);
    await forged.send(ASK, { email: org.member.email });
    for (const { text } of mailsTo(server, org.member.email)) t.notMatch(text, /evil/);
    const browser = plainBrowser(org);
    await browser.send(ASK, { email: org.member.email });
    const { hostname } = urlIn((await mailed(server, org.member.email)).at(-1)!.text);
    t.equal(hostname, `${org.subdomain}.localhost`);
  });

  await t.test('made-up links, and those of other purposes, open no page', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const browser = plainBrowser(org);
    const link = await linkFor(org, browser, org.member);
    const sealed = (...content: unknown[]) =>
      `${ASK}/${Buffer.from(server.secrets.seal(JSON.stringify(content)), 'base64').toString('base64url')}`;
    for (const path of [
      `${link.slice(0, -9)}${link.at(-9) === 'A' ? 'B' : 'A'}${link.slice(-8)}`,
      `${ASK}/x`,
      sealed('link/change-email', org.realm, org.member.id, 4e12),
      sealed('link/reset-password', org.realm, org.member.id, 1),
      sealed('link/reset-password', org.realm, org.member.id, 4e12),
    ]) {
      const page = await browser.open(path);
      t.equal(page.status, 404, path);
      t.notMatch(page.text, /hour/, 'a link of an invitation holds longer');
      t.equal((await browser.send(path, { password: NEW_PASSWORD })).status, 404, path);
    }
    t.equal((await browser.send(link, { password: NEW_PASSWORD })).status, 200);
  });

  await t.test('a deactivation and another address void the link', async (t) => {
    const org = await makeOrganization(server, ['member', 'other']);
    const { member, other, owner } = org;
    const browser = plainBrowser(org);
    const links = [await linkFor(org, browser, member), await linkFor(org, browser, other)];
    await owner.api.ok('DELETE /users/{user_id}', { user_id: member.id });
    await owner.api.ok('POST /users/{user_id}/reactivate', { user_id: member.id });
    await other.api.ok('PATCH /settings', { email: `moved.${other.email}` });
    const moved = urlIn((await mailed(server, `moved.${other.email}`))[0]!.text).pathname;
    t.equal((await browser.send(moved, {})).status, 200);
    for (const link of links) t.equal((await browser.send(link, { password: NEW_PASSWORD })).status, 404);
  });

  await t.test('only administrators and owners have mails sent', async (t) => {
    const org = await makeOrganization(server);
    const admits: readonly string[] = ['owner', 'admin'];
    for (const person of org.people) {
      const { api } = await browserOf(org, person);
      const path = `/web/users/${person.id}/password_reset`;
      const { status, body } = await api.raw({ method: 'POST', path });
      if (admits.includes(person.role)) t.equal(status, 200, person.role);
      else t.same([status, body.msg], [400, 'Must be an organization administrator'], person.role);
    }
    for (const person of org.people.filter(({ role }) => admits.includes(role))) await mailed(server, person.email);
    for (const person of org.people.filter(({ role }) => !admits.includes(role))) {
      t.same(mailsTo(server, person.email), [], person.role);
    }
  });

  await t.test('a change with the old password voids mailed links, but not the one that it asks for', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const { member } = org;
    const browser = plainBrowser(org);
    const link = await linkFor(org, browser, member);
    const [first, second] = [`first.${member.email}`, `second.${member.email}`];
    await member.api.ok('PATCH /settings', { email: first });
    await member.api.ok('PATCH /settings', { old_password: PASSWORD, new_password: NEW_PASSWORD, email: second });
    t.equal((await browser.open(link)).status, 404);
    t.equal((await browser.send(urlIn((await mailed(server, first))[0]!.text).pathname, {})).status, 400);
    t.equal((await browser.send(urlIn((await mailed(server, second))[0]!.text).pathname, {})).status, 200);
  });

  await t.test('administrators have a mail sent, and never see the link', async (t) => {
    const org = await makeOrganization(server, ['admin', 'member']);
    const { admin, member, owner } = org;
    const page = await browserOf(org, admin);
    const path = (id: number) => `/web/users/${id}/password_reset`;
    const sent = await page.api.raw({ method: 'POST', path: path(member.id) });
    t.same([sent.status, JSON.parse(sent.text)], [200, { result: 'success', msg: '' }]);
    const [mail] = await mailed(server, member.email);
    t.match(mail!.text, 'asks you');
    const browser = plainBrowser(org);
    t.equal((await browser.send(urlIn(mail!.text).pathname, { password: NEW_PASSWORD })).status, 200);
    const status = async (api: Client, id: number) => (await api.raw({ method: 'POST', path: path(id) })).status;
    t.equal(await status((await browserOf(org, member, NEW_PASSWORD)).api, owner.id), 400, 'a member');
    t.equal(await status(page.api, 987_654), 400, 'nobody has this id');
    t.equal(await status(admin.api, member.id), 403, 'with an API key');
    const bot = await makeBot(owner);
    const { body } = await page.api.raw({ method: 'POST', path: path(bot.id) });
    t.equal(body.msg, `User with ID ${bot.id} is a bot`);
  });
};
