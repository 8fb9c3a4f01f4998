/** Journeys in Chromium before one is signed in, and to another account: a forgotten password, single sign-on. */
import { join } from 'node:path';
import t from 'tap';
import { createOneTimeSignInUrl } from '#app/admin';
import { linkIn, mailed } from '../api/support/mails.js';
import { makeOrganization, PASSWORD, type Person, subscribe } from '../api/support/organization.js';
import { CLIENT_SECRET, PICTURE, TestIdentityProvider } from '../support/identity-provider.js';
import { until } from '../support/until.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium, PHONE, withPictures } from './support/chromium.js';
import { control, hasControl, press } from './support/controls.js';
import { startFace } from './support/face.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}

const NEW_PASSWORD = 'quietly-otter-ladder-27';
const REQUIRED = { Email: false, 'OpenID Connect': true };
const OPTIONAL = { Email: true, 'OpenID Connect': true };

const idp = await TestIdentityProvider.start();
const provider = {
  id: 'house',
  name: 'House account',
  issuer: idp.issuer,
  client_id: 'conclave',
  client_secret: CLIENT_SECRET,
  insecure: true,
  networks: '127.0.0.1',
  icon: join(t.testdir({ 'icon.png': PICTURE }), 'icon.png'),
};
const server = await startFace('accounts', { oidc: JSON.stringify([provider]) });
t.teardown(() => idp.close());
const browser = await openChromium(t);
const org = await makeOrganization(server, ['admin', 'member', 'other']);
const host = `${org.subdomain}.localhost:${server.nextPort()}`;

t.test('an address without an organization says so', async (t) => {
  const client = await ClientPage.open(browser, `nowhere.localhost:${server.nextPort()}`);
  await client.goTo('/');
  await client.waitFor('main p', 'There is no organization at this address.');
  t.strictSame(client.faults, []);
});

t.test('a member who forgot the password sets a new one by the mailed link', async (t) => {
  const { email } = org.member;
  const client = await ClientPage.open(browser, host, { viewport: PHONE });
  const { page } = client;
  await withPictures(t, { client }, async () => {
    await client.goTo('');
    await client.waitFor('.sign-in-card');
    t.strictSame(await client.findings(), [], 'the sign-in page');
    await client.click('a', 'Forgotten your password?');
    await client.fill('input[name=email]', email);
    t.strictSame(await client.findings(), [], 'the page that asks for the address');
    await client.click('button', 'Send the link');
    await client.waitFor('h1', 'Check your mail');
    const [mail] = await mailed(server, email);
    await page.goto(`http://${host}${linkIn(mail!)}`);
    await client.fill('input[name=password]', 'secret');
    await client.click('button', 'Set the password');
    await client.waitFor('[role=alert]', 'too weak');
    await client.fill('input[name=password]', NEW_PASSWORD);
    t.strictSame(await client.findings(), [], 'the page that sets the password');
    await client.click('button', 'Set the password');
    await client.click('main a', 'Sign in');
    await client.waitFor('.sign-in-card');
    await client.signIn(email, NEW_PASSWORD);
    await client.waitFor('.app');
  });
  t.strictSame(client.faults, []);
});

t.test('a sign-in page that is refused for the rate of calls asks again by itself', async (t) => {
  const client = await ClientPage.open(browser, host);
  const refusal = { result: 'error', code: 'RATE_LIMIT_HIT', msg: 'API usage exceeded rate limit', 'retry-after': 0.5 };
  let refusalsLeft = 2;
  await client.intercept((request) =>
    new URL(request.url()).pathname === '/api/v1/server_settings' && refusalsLeft-- > 0
      ? request.respond({ status: 429, contentType: 'application/json', body: JSON.stringify(refusal) })
      : request.continue(),
  );
  await client.goTo('');
  await client.waitFor('main.opening [role=alert]', '1 second');
  await client.waitFor('.sign-in-card');
  t.strictSame([client.faults, client.refusals], [[], [429, 429]]);
});

t.test('a member signs in with an account of another service, and stays signed in', async (t) => {
  idp.allow(`http://${host}/accounts/login/oidc/house/callback`);
  idp.people.set('ann', { email: org.other.email, email_verified: true, name: 'Ann' });
  const client = await ClientPage.open(browser, host);
  const { page } = client;
  await withPictures(t, { client }, async () => {
    await client.goTo('');
    await client.waitFor('a', 'Sign in with House account');
    await page.waitForFunction("document.querySelector('.sign-in-icon')?.naturalWidth === 1");
    await client.click('a', 'Sign in with House account');
    await client.fill('input[name=login]', 'ann');
    await client.click('button', 'Go');
    await client.waitFor('.app');
    t.equal(new URL(page.url()).host, host);
    await page.reload();
    await client.waitFor('.app');
  });
  const abroad = `asks ${new URL(idp.issuer).host}`;
  t.ok(client.faults.includes(abroad));
  t.strictSame(
    client.faults.filter((fault) => fault !== abroad),
    [],
  );
});

t.test('a page sends nothing as an account that has signed in outside of the client, and then shows it', async (t) => {
  const { owner, admin, other } = org;
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(admin.email, PASSWORD, `#narrow/dm/${owner.id}`);
  await client.fill('.compose-text', 'from the administrator');
  await client.takeSession(other.email, PASSWORD);
  await client.pressControl('Enter');
  await client.waitFor('.row.person', `${other.name} (you)`);
  const narrow = [{ operator: 'sender', operand: other.id }];
  const answer = await owner.api.ok('GET /messages', { anchor: 'newest', num_before: 9, num_after: 0, narrow });
  t.strictSame(answer.messages, []);
  t.ok(client.refusals.length > 0 && client.refusals.every((status) => status === 401), `${client.refusals}`);
});

t.test('tabs that are open show the account that has signed in outside of the client and opens a tab', async (t) => {
  const { owner, admin, other } = org;
  await subscribe(owner, 'backroom', { principals: [owner, admin], invite_only: true });
  await subscribe(owner, 'front desk', { principals: [owner, admin, other] });
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(admin.email, PASSWORD);
  await client.waitFor('.row.stream', 'backroom');
  await client.takeSession(other.email, PASSWORD);
  const tab = await client.openTab();
  await tab.goto(`http://${host}/`);
  for (const page of [tab, client.page]) {
    await page.bringToFront();
    await page.waitForFunction(`(() => {
      const streams = [...document.querySelectorAll('.row.stream')].map((one) => one.textContent).join();
      return streams.includes('front desk') && !streams.includes('backroom');
    })()`);
  }
  t.strictSame(client.faults, []);
});

t.test(
  'the page asks before a one-time link replaces the account that is signed in: the reader signs in or stays',
  async (t) => {
    const { admin, other } = org;
    const openLinkOf = async ({ email }: Person) => {
      const url = await createOneTimeSignInUrl(server.actors, server.secrets, org.realm, email, 'http://x');
      await client.goTo(new URL(url).hash);
    };
    const client = await ClientPage.open(browser, host);
    await withPictures(t, { client }, async () => {
      await client.openSignedIn(admin.email, PASSWORD, '#inbox');
      // The client returns to a view only after it has shown that view.
      await client.waitFor('.overview-row, .empty');
      await openLinkOf(other);
      await client.waitFor('main', `You are signed in as ${admin.name}. Sign in as ${other.name} instead?`);
      t.strictSame(await client.findings(), [], 'the page with the question is accessible');
      await client.click('main button', 'Cancel');
      await client.waitFor('.row.person', `${admin.name} (you)`);
      await client.page.reload();
      await client.waitFor('.row.person', `${admin.name} (you)`);
      t.match(client.page.url(), /#inbox$/);
      await openLinkOf(other);
      // A page that is opened with the link asks, too.
      await client.page.reload();
      await client.click('main button', 'Sign in');
      await client.waitFor('.row.person', `${other.name} (you)`);
      await openLinkOf(other);
      await client.page.waitForFunction("!location.hash.includes('sign-in')");
      await client.waitFor('.row.person', `${other.name} (you)`);
    });
    t.strictSame([client.faults, client.refusals], [[], []]);
  },
);

t.test('a used one-time link shows an error and leaves the reader signed in', async (t) => {
  const { admin, other } = org;
  const url = await createOneTimeSignInUrl(server.actors, server.secrets, org.realm, other.email, 'http://x');
  const [first, client] = [await ClientPage.open(browser, host), await ClientPage.open(browser, host)];
  await first.goTo(new URL(url).hash);
  await first.waitFor('.app');
  await client.openSignedIn(admin.email, PASSWORD);
  await client.goTo(new URL(url).hash);
  await client.waitFor('[role=alert]', 'This link has been used');
  await client.waitFor('.row.person', `${admin.name} (you)`);
  t.strictSame([client.faults, client.refusals], [[], [401]]);
});

t.test('a one-time link that is opened without a connection stays in the address until it is used', async (t) => {
  const { admin, other } = org;
  const url = await createOneTimeSignInUrl(server.actors, server.secrets, org.realm, other.email, 'http://x');
  const { hash } = new URL(url);
  const client = await ClientPage.open(browser, host);
  const { page } = client;
  await withPictures(t, { client }, async () => {
    await client.openSignedIn(admin.email, PASSWORD);
    let isCut = true;
    await client.intercept((request) =>
      isCut && new URL(request.url()).pathname.startsWith('/web/session/one-time')
        ? request.abort('internetdisconnected')
        : request.continue(),
    );
    await client.goTo(hash);
    await client.waitFor('main.opening [role=alert]');
    t.equal(new URL(page.url()).hash, hash, 'with a session');
    t.strictSame(await client.findings(), [], 'the page that offers another try is accessible');
    isCut = false;
    await client.click('main button', 'Try again');
    await client.waitFor('main', `Sign in as ${other.name} instead?`);
    isCut = true;
    await client.click('main button', 'Sign in');
    await client.waitFor('main.opening [role=alert]');
    t.equal(new URL(page.url()).hash, hash, 'without a session');
    isCut = false;
    await page.reload();
    await client.waitFor('.row.person', `${other.name} (you)`);
    t.notMatch(page.url(), /sign-in/);
  });
  const network = /ERR_INTERNET_DISCONNECTED/;
  t.strictSame([client.faults.filter((fault) => !network.test(fault)), client.refusals], [[], []]);
});

t.test(
  'a new tab shows an account that signed in outside of the client while another tab shows the sign-in',
  async (t) => {
    const client = await ClientPage.open(browser, host);
    await client.goTo('');
    await client.waitFor('.sign-in-card');
    await client.takeSession(org.other.email, PASSWORD);
    const tab = await client.openTab();
    await tab.goto(`http://${host}/`);
    const shown = await tab.waitForFunction("document.querySelector('.app, .sign-in-card')?.className");
    t.match(await shown.jsonValue(), /app/, 'the sign-in is never shown');
    await client.waitFor('.app');
    t.strictSame([client.faults, client.refusals], [[], []]);
  },
);

t.test('signing out on the page of a replaced account shows the account that has replaced it', async (t) => {
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(org.admin.email, PASSWORD);
  await client.click('.own-button');
  await client.waitFor('.menu-item', 'Sign out');
  await client.takeSession(org.other.email, PASSWORD);
  await client.click('.menu-item', 'Sign out');
  await client.waitFor('.row.person', `${org.other.name} (you)`);
  await client.waitFor('.toast', 'another account');
  t.strictSame([client.faults, [...new Set(client.refusals)]], [[], [401]]);
});

const SWITCH = 'Require single sign-on';

t.test('an owner requires single sign-on by a switch that others don’t see', async (t) => {
  const registered = async () =>
    (await org.owner.api.ok('POST /register', { fetch_event_types: ['realm'] })).realm_authentication_methods;
  const [owner, admin] = await Promise.all(
    [org.owner, org.admin].map(async ({ email }) => {
      const client = await ClientPage.open(browser, host);
      t.teardown(() => client.leave(t.passing()));
      await client.goTo('');
      await client.signIn(email, PASSWORD);
      await client.waitFor('.app');
      await client.goTo('#organization/permissions');
      await client.waitFor('h3', 'Joining');
      return client;
    }),
  );
  await withPictures(t, { owner: owner!, admin: admin! }, async () => {
    const isOn = async (on: boolean) => {
      const field = await control(owner!.page, 'switch', SWITCH);
      await until('the switch', () => field.evaluate((one, on) => (one as HTMLInputElement).checked === on, on));
    };
    await isOn(false);
    t.notOk(await hasControl(admin!.page, 'switch', SWITCH), 'administrators have no switch');
    t.strictSame(await owner!.findings(), []);
    await press(owner!.page, SWITCH, 'switch');
    await until('passwords are off', async () => JSON.stringify(await registered()) === JSON.stringify(REQUIRED));
    await isOn(true);
    await press(owner!.page, SWITCH, 'switch');
    await until('passwords are on', async () => JSON.stringify(await registered()) === JSON.stringify(OPTIONAL));
    await org.owner.api.ok('PATCH /realm', { authentication_methods: REQUIRED });
    await isOn(true);
  });
  t.strictSame([owner!.faults, admin!.faults], [[], []]);
});

t.test('where passwords are off, the sign-in shows the provider, and owners find the form', async (t) => {
  await org.owner.api.ok('PATCH /realm', { authentication_methods: REQUIRED });
  const client = await ClientPage.open(browser, host);
  await withPictures(t, { client }, async () => {
    await client.goTo('');
    await client.waitFor('a', 'Sign in with House account');
    t.strictSame(await client.findings(), []);
    await client.click('summary', 'Owners sign in with a password');
    await client.signIn(org.owner.email, PASSWORD);
    await client.waitFor('.app');
  });
  t.strictSame(client.faults, []);
});
