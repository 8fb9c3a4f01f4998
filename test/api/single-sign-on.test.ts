/** Single sign-on by OpenID Connect, against a real provider on loopback, on both faces. */
import { createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { createRealmWithOwner } from '#app/admin';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { FakeClock } from '../support/fake-clock.js';
import { CLIENT_SECRET, PICTURE, TestIdentityProvider } from '../support/identity-provider.js';
import { until } from '../support/until.js';
import { refused } from './harness.js';
import { browserOf, pageOf, sessionsOf, signIn } from './support/browser.js';
import { bad, basic, Client } from './support/client.js';
import {
  CURRENT_CLIENT_HEADERS,
  CURRENT_CLIENT_LEVEL,
  CURRENT_CLIENT_REGISTRATION,
} from './support/current-client-requests.js';
import { facesFor, services, startEmbedded, type TestServer } from './support/faces.js';
import { closeIdle, type RawAnswer } from './support/http.js';
import { linkIn, mailed, mailsTo } from './support/mails.js';
import { makeBot, makeOrganization, type Organization } from './support/organization.js';
import { Queue } from './support/queue.js';
import { begin, cookieOf, hostOf, locationOf, open, signInAtProvider, signInBy } from './support/single-sign-on.js';
import type { ApiUser } from './support/types.js';

t.setTimeout(240_000);

const ICON_FILE = join(t.testdir({ 'icon.png': PICTURE }), 'icon.png');
const KEY = 'a key that only the tests and the service know';

interface Providers {
  readonly first: TestIdentityProvider;
  readonly second: TestIdentityProvider;
}

const configOf = (id: string, { issuer }: TestIdentityProvider, more: Record<string, unknown> = {}) => ({
  id,
  name: `The ${id} one`,
  issuer,
  client_id: 'conclave',
  client_secret: CLIENT_SECRET,
  insecure: true,
  networks: '127.0.0.1',
  ...more,
});

const optionsOf = ({ first, second }: Providers) => ({
  oidc: JSON.stringify([
    configOf('first', first),
    configOf('second', second, {
      icon: ICON_FILE,
      claims: { role: 'groups', avatar: 'picture' },
      roles: { boss: 'administrator', '*': 'member' },
      update_name: true,
    }),
    configOf('elsewhere', first, { organizations: ['no-such-organization'] }),
    configOf('blocked', first, { networks: '' }),
  ]),
});

async function organization(server: TestServer, { first, second }: Providers): Promise<Organization> {
  const org = await makeOrganization(server, ['admin', 'member', 'other']);
  for (const [id, idp] of [
    ['first', first],
    ['second', second],
  ] as const) {
    idp.allow(`http://${hostOf(org)}/accounts/login/oidc/${id}/callback`);
  }
  return org;
}

const person = (email: string, more: Record<string, unknown> = {}) => ({
  email,
  email_verified: true,
  name: 'Sam Single',
  ...more,
});

const signedIn = ({ status, headers }: RawAnswer): boolean => status === 302 && headers.location === '/';

/** Path of the session that the token on a desktop client's page opens. */
function tokenPathOn({ text }: RawAnswer, pad: Buffer): string {
  const sealed = Buffer.from(/value="([0-9a-f]+)"/.exec(text)![1]!, 'hex');
  const decipher = createDecipheriv('aes-256-gcm', pad, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const token = decipher.update(sealed.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
  return `/accounts/login/subdomain/${token}`;
}

const accounts = async ({ owner }: Organization): Promise<ApiUser[]> =>
  (await owner.api.ok<{ members: ApiUser[] }>('GET /users')).members;

const newcomerAddress = ({ subdomain }: Organization, name: string): string => `${name}@${subdomain}.example.net`;

/** Avatar of a newcomer; null: a gravatar. */
const avatarOf = async (org: Organization, name: string) =>
  (await accounts(org)).find(({ delivery_email }) => delivery_email === newcomerAddress(org, name))?.avatar_url;

const appAt = ({ server }: Organization, host: string): Client =>
  new Client(server, 'nobody', { ...CURRENT_CLIENT_HEADERS, host });

/** Signs in as the official mobile app does, with a browser at the address that the server settings name. */
async function signInByApp(org: Organization, app: Client, idp: TestIdentityProvider, login: string) {
  const settings = await app.ok('GET /server_settings');
  const [{ login_url }] = settings.external_authentication_methods as [{ login_url: string }];
  const pad = randomBytes(32);
  const begun = await open(org, `${login_url}?mobile_flow_otp=${pad.toString('hex')}`, '', app.headers.host);
  const back = await signInAtProvider(idp, locationOf(begun), login);
  const done = await open(org, back.pathname + back.search, cookieOf(begun), app.headers.host);
  const { otp_encrypted_api_key = '', ...query } = Object.fromEntries(new URL(locationOf(done)).searchParams);
  const key = Buffer.from(Buffer.from(otp_encrypted_api_key, 'hex').map((byte, i) => byte ^ pad[i]!)).toString();
  return { settings, done, query: query as Record<string, string | undefined>, key };
}

async function runFacts(t: Test, server: TestServer, providers: Providers): Promise<void> {
  const { first, second } = providers;
  let made = 0;
  /** Makes a person at a provider. @returns the name with which the person signs in there */
  const at = (idp: TestIdentityProvider, claims: Record<string, unknown>): string => {
    const login = `person-${++made}`;
    idp.people.set(login, claims);
    return login;
  };

  await t.test('the server names its providers to clients, by organization', async (t) => {
    const org = await organization(server, providers);
    const settings = await org.nobody.ok('GET /server_settings');
    t.match(settings, { authentication_methods: { 'openid connect': true, password: true }, email_auth_enabled: true });
    const path = (id: string) => `/accounts/login/oidc/${id}`;
    t.same(
      settings.external_authentication_methods,
      ['first', 'second', 'blocked'].map((id) => ({
        name: `oidc:${id}`,
        display_name: `The ${id} one`,
        display_icon: id === 'second' ? `${path(id)}/icon` : null,
        login_url: path(id),
        signup_url: path(id),
      })),
    );
    const icon = await open(org, `${path('second')}/icon`);
    t.same([icon.status, icon.headers['content-type']], [200, 'image/png']);
    t.match(icon.headers['content-security-policy'], /default-src 'none'/);
    t.match(icon.headers['cache-control'], /max-age=\d+/);
    for (const id of ['first', 'elsewhere', 'unknown'])
      t.equal((await open(org, `${path(id)}/icon`)).status, 404, `no icon: ${id}`);
    t.equal((await begin(org, 'elsewhere')).answer.status, 403, 'of another organization');
    t.equal((await begin(org, 'unknown')).answer.status, 403);
  });

  await t.test('a verified address finds the account, then the subject does', async (t) => {
    const org = await organization(server, providers);
    const { member } = org;
    const before = (await accounts(org)).length;
    const login = at(first, person(member.email.toUpperCase()));
    const { answer, url, cookie } = await begin(org, 'first');
    t.equal(answer.status, 302);
    const asked = new URL(url);
    t.equal(asked.origin, first.issuer);
    t.match(Object.fromEntries(asked.searchParams), {
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: /^[\w-]{43}$/,
      state: /^[\w-]{43}$/,
      nonce: /^[\w-]{43}$/,
      scope: 'openid email profile',
      redirect_uri: `http://${hostOf(org)}/accounts/login/oidc/first/callback`,
    });
    t.match(String(answer.headers['set-cookie']), /; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
    const back = await signInAtProvider(first, url, login);
    const done = await open(org, back.pathname + back.search, cookie);
    t.ok(signedIn(done), done.text);
    const browser = pageOf(org).with({ cookie: cookieOf(done) }, 'member');
    for (let frontend = 0; frontend < 2; frontend++) {
      t.equal((await browser.ok('GET /users/me')).user_id, member.id);
    }
    t.equal((await sessionsOf(browser))[0]!.client, 'Firefox on Linux');
    first.people.set(login, person('another@elsewhere.example'));
    t.ok(signedIn(await signInBy(org, first, 'first', login)), 'whatever the address is now');
    t.equal((await accounts(org)).length, before, 'no account was made');
  });

  await t.test('an address that is not verified, or that stands for a hidden one, finds no account', async (t) => {
    const org = await organization(server, providers);
    const { member } = org;
    for (const claims of [
      { email: member.email, email_verified: false },
      { email: member.email },
      { email_verified: true },
      { email: `user${member.id}@${hostOf(org)}`, email_verified: true },
    ]) {
      const { status, text } = await signInBy(org, first, 'first', at(first, claims));
      t.ok(status === 400 || status === 403, `${status} ${text}`);
    }
    t.same(await sessionsOf((await browserOf(org, member)).api).then((all) => all.length), 1);
  });

  await t.test('another person who got the address of an account does not get the account', async (t) => {
    const org = await organization(server, providers);
    t.ok(signedIn(await signInBy(org, first, 'first', at(first, person(org.member.email)))));
    const heir = at(first, person(org.member.email));
    const { status, text } = await signInBy(org, first, 'first', heir);
    t.equal(status, 400);
    t.match(text, /Another account of the same service/);
    t.ok(signedIn(await signInBy(org, second, 'second', at(second, person(org.member.email)))), 'of another service');
    const args = { user_id: org.member.id };
    await server.actors.sendForFieldsOrThrow(realmActorKey(org.realm), realmActorCommands.forgetIdentities, args);
    t.ok(signedIn(await signInBy(org, first, 'first', heir)), 'after an operator has let the account go');
  });

  await t.test('an account is made where the organization lets people join', async (t) => {
    const org = await organization(server, providers);
    const address = `sam@${org.subdomain}.example.net`;
    const login = at(first, person(address));
    t.match((await signInBy(org, first, 'first', login)).text, /An invitation is needed/);
    await org.owner.api.ok('PATCH /realm', { invite_required: false, emails_restricted_to_domains: true });
    t.match((await signInBy(org, first, 'first', login)).text, /not allowed in this organization/);
    await org.owner.api.ok('PATCH /realm', { emails_restricted_to_domains: false });
    const both = await Promise.all([signInBy(org, first, 'first', login), signInBy(org, first, 'first', login)]);
    t.ok(both.every(signedIn), 'twice at once');
    const found = (await accounts(org)).filter(({ delivery_email }) => delivery_email === address);
    t.match(found, [{ full_name: 'Sam Single', role: 400, is_active: true }]);
    for (const password of ['', 'anything']) {
      t.equal((await signIn(pageOf(org), address, password)).status, 401, 'it has no password');
    }
  });

  await t.test('who comes with an address that no account can have learns so', async (t) => {
    const org = await organization(server, providers);
    await org.owner.api.ok('PATCH /realm', { invite_required: false });
    const { status, text } = await signInBy(org, first, 'first', at(first, person('jürgen@example.net')));
    t.equal(status, 400);
    t.match(text, 'can not have the e-mail address jürgen@example.net');
  });

  await t.test('an invitation to the address lets its owner join, with the role of the invitation', async (t) => {
    const org = await organization(server, providers);
    const invited = `invited@${org.subdomain}.example.net`;
    await org.owner.api.ok('POST /invites', { invitee_emails: invited, stream_ids: [], invite_as: 300 });
    t.ok(signedIn(await signInBy(org, first, 'first', at(first, person(invited)))));
    const made = (await accounts(org)).find(({ delivery_email }) => delivery_email === invited);
    t.equal(made?.role, 300);
    t.same((await org.owner.api.ok('GET /invites')).invites, [], 'the invitation is used up');
  });

  await t.test('roles and names come from claims where that is configured; owners keep their role', async (t) => {
    const org = await organization(server, providers);
    const login = at(second, person(org.member.email, { groups: ['x', 'boss'], name: 'Mem Ber' }));
    t.ok(signedIn(await signInBy(org, second, 'second', login)));
    const member = async () => (await accounts(org)).find(({ user_id }) => user_id === org.member.id);
    t.match(await member(), { role: 200, full_name: 'Mem Ber' });
    const bot = await makeBot(org.member);
    await org.owner.api.ok('PATCH /bots/{bot_id}', { bot_id: bot.id, role: 200 });
    second.people.set(login, person(org.member.email, { groups: [], name: '' }));
    t.ok(signedIn(await signInBy(org, second, 'second', login)));
    t.match(await member(), { role: 400, full_name: 'Mem Ber' });
    t.equal((await accounts(org)).find(({ user_id }) => user_id === bot.id)?.role, 400, 'bots follow their owner');
    t.ok(signedIn(await signInBy(org, second, 'second', at(second, person(org.owner.email)))));
    t.equal((await accounts(org)).find(({ user_id }) => user_id === org.owner.id)?.role, 100);
  });

  await t.test('the picture of a new account comes from the provider, if there is one', async (t) => {
    const org = await organization(server, providers);
    await org.owner.api.ok('PATCH /realm', { invite_required: false });
    const signInNewcomer = async (name: string, picture: string) => {
      const login = at(second, person(newcomerAddress(org, name), { picture }));
      return signInBy(org, second, 'second', login);
    };
    for (const [name, picture] of [
      ['broken', `${second.issuer}/missing.png`],
      ['local', 'file:///etc/passwd'],
      ['shown', `${second.issuer}/picture.png`],
    ] as const) {
      t.ok(signedIn(await signInNewcomer(name, picture)), name);
    }
    await until('the picture', async () => (await avatarOf(org, 'shown')) !== null);
    t.same([await avatarOf(org, 'broken'), await avatarOf(org, 'local')], [null, null]);
  });

  await t.test('a sign-in does not wait for the picture, nor does the picture replace one of the user', async (t) => {
    const org = await organization(server, providers);
    await org.owner.api.ok('PATCH /realm', { invite_required: false });
    second.fault = 'silent';
    second.faulty = /^\/picture/;
    t.teardown(() => second.release());
    const browsers = new Map<string, Client>();
    for (const name of ['quick', 'waiting']) {
      const login = at(second, person(newcomerAddress(org, name), { picture: `${second.issuer}/picture.png?${name}` }));
      const answer = await signInBy(org, second, 'second', login);
      t.ok(signedIn(answer), name);
      browsers.set(name, pageOf(org).with({ cookie: cookieOf(answer) }, 'member'));
    }
    await until('both pictures are asked for', () => second.heldCount === 2);
    t.same([await avatarOf(org, 'waiting'), await avatarOf(org, 'quick')], [null, null]);
    const own = await browsers.get('quick')!.upload('POST /users/me/avatar', [{ name: 'a', bytes: PICTURE }]);
    t.equal(own.status, 200);
    second.release();
    await until('the picture', async () => (await avatarOf(org, 'waiting')) !== null);
    t.equal(await avatarOf(org, 'quick'), own.body.avatar_url);
  });

  await t.test('forged, replayed and mixed-up answers begin no session', async (t) => {
    const org = await organization(server, providers);
    const other = await organization(server, providers);
    const login = at(first, person(org.member.email));
    second.people.set(login, person(org.member.email));
    const { url, cookie } = await begin(org, 'first');
    const back = await signInAtProvider(first, url, login);
    const again = await begin(org, 'first');
    const nobody = async (title: string, answer: Promise<RawAnswer>) => {
      const { status, headers, text } = await answer;
      t.equal(status, 400, `${title}: ${text}`);
      t.match(text, /You are not signed in/, title);
      t.notMatch(String(headers['set-cookie']), /conclave_session/, title);
    };
    const changed = (edit: (query: URLSearchParams) => void, path = back.pathname): string => {
      const query = new URLSearchParams(back.search);
      edit(query);
      return `${path}?${query}`;
    };
    const secondPath = back.pathname.replace('first', 'second');
    await nobody('no cookie', open(org, back.pathname + back.search));
    await nobody('the cookie of another flow', open(org, back.pathname + back.search, again.cookie));
    await nobody(
      'another state',
      open(
        org,
        changed((query) => query.set('state', 'x'.repeat(43))),
        cookie,
      ),
    );
    await nobody(
      'no state',
      open(
        org,
        changed((query) => query.delete('state')),
        cookie,
      ),
    );
    await nobody(
      'another issuer',
      open(
        org,
        changed((query) => query.set('iss', second.issuer)),
        cookie,
      ),
    );
    await nobody(
      'no issuer',
      open(
        org,
        changed((query) => query.delete('iss')),
        cookie,
      ),
    );
    await nobody(
      'another code',
      open(
        org,
        changed((query) => query.set('code', 'x'.repeat(43))),
        cookie,
      ),
    );
    await nobody('another provider', open(org, secondPath + back.search, cookie));
    await nobody('another organization', open(other, back.pathname + back.search, cookie));
    const state = new URL(again.url).searchParams.get('state')!;
    const stolen = changed((query) => query.set('state', state));
    await nobody('the code of another flow', open(org, stolen, again.cookie));
    const later = await begin(org, 'first');
    const good = await signInAtProvider(first, later.url, login);
    t.ok(signedIn(await open(org, good.pathname + good.search, later.cookie)));
    await nobody('a second time', open(org, good.pathname + good.search, later.cookie));
    const refusal = await signInBy(org, first, 'first', 'nobody');
    t.match([refusal.status, refusal.text], [403, /cancelled/]);
  });

  await t.test('a flow ends in one sign-in, even if a provider took its code twice', async (t) => {
    const org = await organization(server, providers);
    const args = {
      issuer: first.issuer,
      subject: 'twice',
      email: org.member.email,
      fullName: null,
      updateName: false,
      role: null,
      flow: { hash: 'one', expires: server.clock.now() + 60_000 },
      session: { hash: 'a', client: 'x' },
      link: null,
      origin: 'http://x',
    };
    const send = () =>
      server.actors.sendForFieldsOrThrow(realmActorKey(org.realm), realmActorCommands.signInExternally, args);
    t.match(await send(), { user_id: org.member.id, created: false });
    await t.rejects(send(), { message: /was used/ });
  });

  await t.test('a forged Host header changes no address', async (t) => {
    const org = await organization(server, providers);
    for (const host of ['evil.example', `${hostOf(org)}.evil.example`, `evil.example:80`]) {
      const { headers } = await open(org, '/accounts/login/oidc/first', '', host);
      const redirect = new URL(String(headers.location ?? 'http://none/')).searchParams.get('redirect_uri') ?? '';
      t.notMatch(redirect, /evil/, host);
    }
  });

  await t.test('an outage of the provider is told on a page, and passes', async (t) => {
    const org = await organization(server, providers);
    const login = at(first, person(org.member.email));
    const { url, cookie } = await begin(org, 'first');
    const back = await signInAtProvider(first, url, login);
    for (const fault of ['away', 'failing', 'flooding'] as const) {
      first.fault = fault;
      const { status, text } = await open(org, back.pathname + back.search, cookie);
      t.match([status, text], [503, /does not answer/], fault);
    }
    first.fault = 'none';
    t.ok(signedIn(await open(org, back.pathname + back.search, cookie)), 'the same code is still good');
    const blocked = await begin(org, 'blocked');
    t.equal(blocked.answer.status, 503, 'a loopback provider that the configuration does not allow');
  });

  await t.test('a mobile client gets its API key under its one-time pad', async (t) => {
    const org = await organization(server, providers);
    const login = at(first, person(org.member.email));
    const app = appAt(org, hostOf(org));
    const { settings, done, query, key } = await signInByApp(org, app, first, login);
    t.match(settings, { zulip_feature_level: CURRENT_CLIENT_LEVEL, realm_uri: `http://${hostOf(org)}` });
    const url = new URL(locationOf(done));
    t.equal(`${url.protocol}//${url.host}`, 'zulip://login');
    t.same(query, { email: org.member.email, user_id: String(org.member.id), realm: `http://${hostOf(org)}` });
    t.equal(key, org.member.key);
    t.notMatch(cookieOf(done), /conclave_session/);
    const signedInApp = app.with({ authorization: basic(query.email!, key) }, 'member');
    const state = await signedInApp.ok<{ realm_users: ApiUser[] }>('POST /register', CURRENT_CLIENT_REGISTRATION);
    t.ok(state.realm_users.some(({ user_id }) => String(user_id) === query.user_id));
    const pad = randomBytes(32).toString('hex');
    for (const query of ['?mobile_flow_otp=abc', `?mobile_flow_otp=${pad}&desktop_flow_otp=${pad}`]) {
      t.equal((await begin(org, 'first', query)).answer.status, 400, query);
    }
  });

  await t.test('a desktop client gets a token for a session, once', async (t) => {
    const org = await organization(server, providers);
    const login = at(first, person(org.member.email));
    const pad = randomBytes(32);
    const page = await signInBy(org, first, 'first', login, `?desktop_flow_otp=${pad.toString('hex')}`);
    t.equal(page.status, 200);
    const path = tokenPathOn(page, pad);
    t.equal((await open(org, path)).status, 401, 'another site leads the browser there');
    const nobody = org.nobody.with({ host: hostOf(org) });
    const done = await nobody.raw({ method: 'GET', path });
    t.ok(signedIn(done));
    const browser = pageOf(org).with({ cookie: cookieOf(done) }, 'member');
    t.equal((await browser.ok('GET /users/me')).user_id, org.member.id);
    t.equal((await nobody.raw({ method: 'GET', path })).status, 401, 'once');
  });

  await t.test('a link to a token in a message signs its reader into no other account', async (t) => {
    const org = await organization(server, providers);
    const pad = randomBytes(32);
    const login = at(first, person(org.other.email));
    const path = tokenPathOn(
      await signInBy(org, first, 'first', login, `?desktop_flow_otp=${pad.toString('hex')}`),
      pad,
    );
    const { api: reader } = await browserOf(org, org.member);
    for (const [site, status] of [
      ['same-origin', 403],
      ['same-site', 401],
      ['cross-site', 401],
    ] as const) {
      const answer = await reader.raw({ method: 'GET', path, headers: { 'sec-fetch-site': site } });
      t.equal(answer.status, status, site);
      t.notOk(answer.headers['set-cookie'], site);
    }
    t.equal((await reader.ok('GET /users/me')).user_id, org.member.id);
    const nobody = org.nobody.with({ host: hostOf(org) });
    t.ok(signedIn(await nobody.raw({ method: 'GET', path, headers: { 'sec-fetch-site': 'same-origin' } })), 'a client');
  });

  await t.test('deactivated accounts and organizations are refused', async (t) => {
    const org = await organization(server, providers);
    const login = at(first, person(org.other.email));
    await org.owner.api.ok('DELETE /users/{user_id}', { user_id: org.other.id });
    const answer = await signInBy(org, first, 'first', login);
    t.match([answer.status, answer.text], [401, /deactivated/]);
    await org.owner.api.ok('POST /realm/deactivate');
    t.not((await begin(org, 'first')).answer.status, 302);
  });

  await t.test('an organization can require single sign-on, or refuse it; owners keep a way in', async (t) => {
    const org = await organization(server, providers);
    const set = (methods: Record<string, boolean>) =>
      org.owner.api.call('PATCH /realm', { authentication_methods: methods });
    await refused(
      t,
      set({ Email: false, 'OpenID Connect': false }),
      bad('At least one authentication method must be enabled.'),
    );
    const queue = await Queue.register(org.member, { event_types: ['realm'] });
    const required = { Email: false, 'OpenID Connect': true };
    t.same((await set(required)).body.authentication_methods, required);
    t.same((await queue.take(1))[0]!.data, { authentication_methods: required });
    t.match(await org.nobody.ok('GET /server_settings'), {
      email_auth_enabled: false,
      authentication_methods: { password: false, email: false, 'openid connect': true },
    });
    const registered = await org.member.api.ok('POST /register');
    t.same(registered.realm_authentication_methods, { Email: false, 'OpenID Connect': true });
    const disabled = {
      status: 401,
      code: 'PASSWORD_AUTH_DISABLED',
      msg: 'Password authentication is disabled in this organization',
    };
    await refused(t, signIn(pageOf(org), org.member.email), disabled);
    t.equal((await signIn(pageOf(org), org.member.email, 'wrong')).body.code, 'AUTHENTICATION_FAILED');
    t.equal((await signIn(pageOf(org), org.owner.email)).status, 200, 'an owner');
    const login = at(first, person(org.member.email));
    t.ok(signedIn(await signInBy(org, first, 'first', login)));
    t.equal((await set({ Email: true, 'OpenID Connect': false })).status, 200);
    t.equal((await begin(org, 'first')).answer.status, 403);
    t.same((await org.nobody.ok('GET /server_settings')).external_authentication_methods, []);
    t.equal((await open(org, '/accounts/login/oidc/second/icon')).status, 404, 'no icon either');
    t.equal((await signIn(pageOf(org), org.member.email)).status, 200);
  });

  await t.test('where single sign-on is required, nothing tells newcomers to use a password', async (t) => {
    const org = await organization(server, providers);
    const required = { Email: false, 'OpenID Connect': true };
    await org.owner.api.ok('PATCH /realm', { authentication_methods: required, invite_required: false });
    const nobody = org.nobody.with({ host: hostOf(org) });
    const send = (path: string, fields: Record<string, string>) =>
      nobody.raw({
        ...{ method: 'POST', path, body: new URLSearchParams(fields).toString() },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const [invited, signingUp] = [newcomerAddress(org, 'invited'), newcomerAddress(org, 'signing-up')];
    await org.owner.api.ok('POST /invites', { invitee_emails: invited, stream_ids: [] });
    t.equal((await send('/signup', { email: signingUp })).status, 200);
    for (const email of [invited, signingUp]) {
      const path = linkIn((await mailed(server, email))[0]!);
      t.notMatch((await nobody.raw({ method: 'GET', path })).text, /password/i, email);
      const made = await send(path, { full_name: 'New One' });
      t.equal(made.status, 200, email);
      t.match(made.text, 'through its single sign-on');
      t.ok(signedIn(await signInBy(org, first, 'first', at(first, person(email)))), email);
    }
    t.equal((await accounts(org)).length, org.people.length + 2, 'the accounts are those of the pages');
    const welcome = (await mailed(server, signingUp, 2)).at(-1)!;
    t.match(welcome.text, /Sign in there through single sign-on/);
    t.notMatch(welcome.text, /password/);
    for (const { text } of [
      await nobody.raw({ method: 'GET', path: '/accounts/password/reset' }),
      await send('/accounts/password/reset', { email: signingUp }),
    ]) {
      t.match(text, 'through its single sign-on');
    }
    const owner = newcomerAddress(org, 'owner');
    await org.owner.api.ok('POST /invites', { invitee_emails: owner, stream_ids: [], invite_as: 100 });
    const path = linkIn((await mailed(server, owner))[0]!);
    t.match((await nobody.raw({ method: 'GET', path })).text, /name="password"/, 'owners keep a way in');
    t.equal((await send(path, { full_name: 'New Owner' })).status, 400);
  });

  await t.test('tokens of a service are taken where the organization has a key of it', async (t) => {
    const org = await organization(server, providers);
    await refused(
      t,
      org.nobody.call('POST /jwt/fetch_api_key', { token: 'x' }),
      bad('JWT authentication is not enabled for this organization'),
    );
  });
}

const providers: Providers = { first: await TestIdentityProvider.start(), second: await TestIdentityProvider.start() };

for (const { face, start } of facesFor('single sign-on', services(t))) {
  await t.test(`single sign-on, ${face}`, async (t) => {
    const server = await start(optionsOf(providers));
    try {
      await runFacts(t, server, providers);
    } finally {
      await server.close();
    }
  });
}

await t.test('log-ins of browsers, mobile and desktop clients are mailed to those who want it', async (t) => {
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock, options: optionsOf(providers) });
  try {
    const { first } = providers;
    const org = await organization(server, providers);
    const { member, other } = org;
    await other.api.ok('PATCH /settings', { enable_login_emails: false });
    await clock.advanceAsync(61_000);
    const pad = randomBytes(32);
    for (const { email } of [member, other]) {
      const login = `mailed ${email}`;
      first.people.set(login, person(email));
      const signInFor = (query: string) => signInBy(org, first, 'first', login, query);
      t.ok(signedIn(await signInFor('')), 'the browser');
      await signInFor(`?mobile_flow_otp=${pad.toString('hex')}`);
      const page = await signInFor(`?desktop_flow_otp=${pad.toString('hex')}`);
      const desktop = org.nobody.with({
        host: hostOf(org),
        'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0',
      });
      for (const status of [302, 401])
        t.equal((await desktop.raw({ method: 'GET', path: tokenPathOn(page, pad) })).status, status);
      t.ok(signedIn(await signInFor('')), 'a known device');
    }
    await until('three mails', () => {
      clock.advance(10);
      return mailsTo(server, member.email).length >= 3;
    });
    await clock.advanceAsync(1_000);
    t.same(
      mailsTo(server, member.email)
        .map(({ headers }) => headers.get('subject'))
        .sort(),
      ['Chrome on Windows', 'Firefox on Linux', 'Mobile app (Firefox on Linux)'].map(
        (device) => `New sign-in from ${device} [The ${org.subdomain}]`,
      ),
    );
    t.same(mailsTo(server, other.email), []);
  } finally {
    await server.close();
  }
});

await t.test('the browser in which single sign-on made an account is no new device afterwards', async (t) => {
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock, options: optionsOf(providers) });
  try {
    const { first } = providers;
    const org = await organization(server, providers);
    await org.owner.api.ok('PATCH /realm', { invite_required: false, send_welcome_emails: false });
    const address = newcomerAddress(org, 'noted');
    first.people.set('noted', person(address));
    t.ok(signedIn(await signInBy(org, first, 'first', 'noted')), 'makes the account');
    await clock.advanceAsync(61_000);
    t.ok(signedIn(await signInBy(org, first, 'first', 'noted')));
    await signInBy(org, first, 'first', 'noted', `?mobile_flow_otp=${randomBytes(32).toString('hex')}`);
    const logInMails = () =>
      mailsTo(server, address)
        .map(({ headers }) => headers.get('subject') ?? '')
        .filter((subject) => subject.startsWith('New sign-in'));
    await until('a mail about the mobile app', () => {
      clock.advance(10);
      return logInMails().length > 0;
    });
    t.same(logInMails(), [`New sign-in from Mobile app (Firefox on Linux) [The ${org.subdomain}]`]);
  } finally {
    await server.close();
  }
});

await t.test('an organization without a provider can not require the provider of another', async (t) => {
  const elsewhere = configOf('elsewhere', providers.first, { organizations: ['no-such-organization'] });
  const server = await startEmbedded({ options: { oidc: JSON.stringify([elsewhere]) } });
  try {
    const org = await makeOrganization(server, ['member']);
    const methods = { Email: false, 'OpenID Connect': true };
    await refused(
      t,
      org.owner.api.call('PATCH /realm', { authentication_methods: methods }),
      bad('Invalid authentication_methods'),
    );
    const registered = await org.member.api.ok('POST /register', { fetch_event_types: ['realm'] });
    t.same(registered.realm_authentication_methods, { Email: true });
    t.equal((await signIn(pageOf(org), org.member.email)).status, 200);
  } finally {
    await server.close();
  }
});

await t.test('a mobile client signs in at the origin of the server settings, with or without the port', async (t) => {
  const server = await startEmbedded({ externalHost: 'chat.example.org:8443', options: optionsOf(providers) });
  try {
    const { first } = providers;
    const org = await makeOrganization(server, ['member']);
    const name = `${org.subdomain}.chat.example.org`;
    first.allow(`http://${name}:8443/accounts/login/oidc/first/callback`);
    first.people.set('by the app', person(org.member.email));
    // Some proxies pass on the host without its port.
    for (const host of [`${name}:8443`, name]) {
      const { settings, query, key } = await signInByApp(org, appAt(org, host), first, 'by the app');
      t.same([settings.realm_uri, query.realm], [`http://${host}`, `http://${host}`], 'the app compares both');
      t.equal(key, org.member.key);
    }
  } finally {
    await server.close();
  }
});

await t.test('tokens that a service signed are exchanged for API keys', async (t) => {
  const server = await startEmbedded({ options: { 'jwt-keys': JSON.stringify({ signed: { key: KEY } }) } });
  try {
    const { ownerKey } = await createRealmWithOwner(server.actors, server.secrets, {
      subdomain: 'signed',
      name: 'Signed',
      ownerEmail: 'owner@signed.example',
      ownerName: 'Own Er',
      ownerPassword: undefined,
    });
    const nobody = new Client(server, 'nobody', { host: 'signed.localhost' });
    const sign = (claims: Record<string, unknown>, key = KEY, alg = 'HS256') =>
      new SignJWT(claims).setProtectedHeader({ alg }).sign(Buffer.from(key));
    const fetchKey = (token: string, more = {}) => nobody.call('POST /jwt/fetch_api_key', { token, ...more });
    const token = await sign({ email: 'owner@signed.example' });
    t.match((await fetchKey(token)).body, { api_key: ownerKey, email: 'owner@signed.example' });
    t.match((await fetchKey(token, { include_profile: true })).body, { user: { full_name: 'Own Er' } });
    await refused(t, fetchKey(''), bad('No JSON web token passed in request'));
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`;
    for (const wrong of [
      'x',
      unsigned,
      await sign({ email: 'owner@signed.example' }, 'another key of the same length, or longer'),
      await sign({ email: 'owner@signed.example' }, KEY.repeat(2), 'HS512'),
      await sign({ email: 'owner@signed.example', exp: 1 }),
    ]) {
      await refused(t, fetchKey(wrong), bad('Bad JSON web token'), wrong);
    }
    await refused(t, fetchKey(await sign({})), bad('No email specified in JSON web token claims'));
    t.equal((await fetchKey(await sign({ email: 'other@signed.example' }))).status, 401);
    const robot = 'notification-bot@localhost';
    t.equal((await fetchKey(await sign({ email: robot }))).status, 401);
  } finally {
    await server.close();
  }
});

await t.test('an API key that is fetched by a signed token is mailed as a log-in of a new device', async (t) => {
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock, options: { 'jwt-keys': JSON.stringify({ signed: { key: KEY } }) } });
  try {
    const email = 'owner@signed.example';
    await createRealmWithOwner(server.actors, server.secrets, {
      subdomain: 'signed',
      name: 'Signed',
      ownerEmail: email,
      ownerName: 'Own Er',
      ownerPassword: undefined,
    });
    await clock.advanceAsync(61_000);
    const nobody = new Client(server, 'nobody', { host: 'signed.localhost', 'user-agent': 'Reports/1.0' });
    const token = await new SignJWT({ email }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(KEY));
    await nobody.ok('POST /jwt/fetch_api_key', { token });
    await until('the mail', () => {
      clock.advance(10);
      return mailsTo(server, email).length > 0;
    });
    t.same(
      mailsTo(server, email).map(({ headers }) => headers.get('subject')),
      ['New sign-in from Reports [Signed]'],
    );
  } finally {
    await server.close();
  }
});

closeIdle();
await providers.first.close();
await providers.second.close();
