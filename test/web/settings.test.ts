/** Journeys through the settings of the web client in Chromium, and axe-core on each of their pages. */
import type { Page } from 'puppeteer-core';
import t, { type Test } from 'tap';
import { createUserAndReturnId } from '#app/admin';
import { USER_ROLE } from '#domain/people';
import {
  makeOrganization,
  type Organization,
  PASSWORD,
  type Person,
  streamIdOf,
  subscribe,
} from '../api/support/organization.js';
import { picked } from '../support/rounds.js';
import { until } from '../support/until.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium, PHONE } from './support/chromium.js';
import { startFace } from './support/face.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}

const server = await startFace('settings');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['member', 'other']);

/** Accounts of the organization with long lists. */
const CROWD = 200;

type OpenPage = (person: Person, hash: string, refusal?: number, of?: Organization) => Promise<ClientPage>;

/**
 * A test whose pages are signed in by password and must show no fault. A request of a page may be refused only with the
 * status that the page was opened with.
 */
function journey(title: string, run: (t: Test, open: OpenPage) => Promise<void>): void {
  t.test(title, async (t) => {
    const clients: { readonly client: ClientPage; readonly refusal: number | undefined }[] = [];
    await run(t, async (person, hash, refusal, { subdomain } = org) => {
      const client = await ClientPage.open(browser, `${subdomain}.localhost:${server.nextPort()}`);
      t.teardown(() => client.page.browserContext().close());
      clients.push({ client, refusal });
      await client.openSignedIn(person.email, PASSWORD, hash);
      return client;
    });
    for (const { client, refusal } of clients) {
      t.strictSame([client.faults, client.refusals.filter((status) => status !== refusal)], [[], []]);
    }
  });
}

type Role = 'button' | 'link' | 'textbox' | 'combobox' | 'switch' | 'radio' | 'tab';

const control = (page: Page, role: Role, name: string) => page.locator(`::-p-aria([name="${name}"][role="${role}"])`);

const press = (page: Page, name: string, role: Role = 'button') => control(page, role, name).click();

const enter = (page: Page, name: string, text: string) => control(page, 'textbox', name).fill(text);

/** Text of a field. */
async function textIn(page: Page, name: string): Promise<unknown> {
  const field = await control(page, 'textbox', name).waitHandle();
  return (await field.getProperty('value')).jsonValue();
}

/** Chooses an option of a list by its text. */
async function choose(page: Page, name: string, option: string): Promise<void> {
  const list = await control(page, 'combobox', name).waitHandle();
  const options = await list.$$eval('option', (all) => all.map((one) => [one.textContent, one.getAttribute('value')]));
  await list.select(String(options.find(([text]) => text === option)?.[1]));
}

const goTo = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

const shows = (page: Page, text: string, within = '') => page.locator(`${within} ::-p-text(${text})`.trim()).wait();

async function settingOf(person: Person, name: string): Promise<unknown> {
  const { user_settings } = await person.api.ok<{ user_settings: Record<string, unknown> }>('POST /register', {
    fetch_event_types: ['user_settings'],
  });
  return user_settings[name];
}

const realmSetting = async (name: string): Promise<unknown> =>
  (await org.owner.api.ok<Record<string, unknown>>('POST /register', { fetch_event_types: ['realm'] }))[name];

journey('a member changes name and theme, and the page follows', async (t, open) => {
  const { page } = await open(org.member, '#settings/profile');
  await enter(page, 'Name', 'Grace Hopper');
  await press(page, 'Save');
  await shows(page, 'Saved', '.saved-mark');
  const { full_name } = await org.member.api.ok<{ full_name: string }>('GET /users/me');
  t.equal(full_name, 'Grace Hopper');
  await shows(page, 'Grace Hopper', '.row.person');
  await press(page, 'Display', 'link');
  await choose(page, 'Theme', 'Dark');
  await page.waitForSelector(':root[data-theme=dark]');
  await until('the theme of the account', async () => (await settingOf(org.member, 'color_scheme')) === 2);
});

journey('an emoji of the picker stands beside the status', async (t, open) => {
  const client = await open(org.owner, '#settings/profile');
  const { page } = client;
  await enter(page, 'What you are doing', 'Away at sea');
  await press(page, 'Choose an emoji');
  await client.waitFor('.emoji-picker .emoji-button');
  t.strictSame(await client.findings(), []);
  await client.fill('.emoji-picker input', 'palm tree');
  await client.waitFor('.emoji-picker .emoji-button', 'palm tree');
  await page.keyboard.press('Enter');
  await client.waitUntilGone('.emoji-picker');
  t.equal(await textIn(page, 'Name of an emoji'), 'palm_tree');
  await page.locator('.status-entry ::-p-text(Save)').click();
  type Status = { readonly status_text?: string; readonly emoji_name?: string };
  type Statuses = { readonly user_status: Readonly<Record<string, Status | undefined>> };
  await until('the status', async () => {
    const fetched = { fetch_event_types: ['user_status'], event_types: [] };
    const { user_status } = await org.member.api.ok<Statuses>('POST /register', fetched);
    const status = user_status[org.owner.id];
    return status?.status_text === 'Away at sea' && status.emoji_name === 'palm_tree';
  });
});

journey('an entry in progress outlives a change that arrives meanwhile', async (t, open) => {
  const { page } = await open(org.other, '#settings/profile');
  await enter(page, 'Name', 'Half a na');
  await org.owner.api.ok('PATCH /users/{user_id}', { user_id: org.other.id, full_name: 'Changed by another' });
  await shows(page, 'Changed by another', '.row.person');
  t.equal(await textIn(page, 'Name'), 'Half a na');
  await press(page, 'Cancel');
  t.equal(await textIn(page, 'Name'), 'Changed by another');
});

journey('the API key is shown after the password, and a refusal stands in the dialog', async (t, open) => {
  const { page } = await open(org.member, '#settings/account', 401);
  await press(page, 'Show API key');
  await page.locator('dialog input[type=password]').fill('not the password');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog .field-error');
  await page.locator('dialog input[type=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.copy-text > input');
  t.equal(await page.evaluate("document.querySelector('.copy-text > input').value"), org.member.key);
});

journey('a member creates a stream and subscribes another person', async (t, open) => {
  const { page } = await open(org.member, '#streams/new');
  await enter(page, 'Name', 'harbour');
  await enter(page, 'Description', 'Ships that come and go');
  await press(page, 'Create');
  await enter(page, 'Add subscribers', 'changed by');
  await page.locator('.match ::-p-text(Changed by another)').click();
  await press(page, 'Add');
  await shows(page, 'Changed by another', '.people-list');
  const stream_id = await streamIdOf(org.member, 'harbour');
  const { subscribers } = await org.member.api.ok<{ subscribers: readonly number[] }>(
    'GET /streams/{stream_id}/members',
    { stream_id },
  );
  t.strictSame(new Set(subscribers), new Set([org.member.id, org.other.id]));
  await press(page, 'Personal', 'tab');
  await press(page, 'Pin to the top', 'switch');
  await until('the pinned stream', async () => {
    const { subscriptions } = await org.member.api.ok<{
      subscriptions: readonly { readonly name: string; readonly pin_to_top: boolean }[];
    }>('GET /users/me/subscriptions');
    return subscriptions.some(({ name, pin_to_top }) => name === 'harbour' && pin_to_top);
  });
});

journey('an owner invites by a link and revokes it', async (t, open) => {
  const { page } = await open(org.owner, '#organization/invitations');
  await press(page, 'By a link that several people can use', 'radio');
  await press(page, 'Make a link');
  await page.waitForSelector('.invitations .copy-text > input');
  const link = await page.evaluate("document.querySelector('.invitations .copy-text > input').value");
  t.match(String(link), /\/join\//);
  await press(page, 'Revoke Invitation link');
  await shows(page, 'There are no open invitations.');
});

journey('an owner exports the data, downloads and deletes the archive; members have no such page', async (t, open) => {
  const client = await open(org.owner, '#organization/exports');
  const { page } = client;
  await shows(page, 'There are no exports.');
  await press(page, 'Start export');
  await client.waitFor('.exports .row-text', `by ${org.owner.name}`);
  await client.waitFor('.exports .row-text', 'Complete');
  const link = await page.$eval('.exports a', (one) => one.getAttribute('href') ?? '');
  const archive = await org.nobody.raw({ method: 'GET', path: new URL(link).pathname });
  t.strictSame([archive.status, archive.headers['content-type']], [200, 'application/gzip']);
  t.strictSame(await client.findings(), []);
  await page.setViewport(PHONE);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await client.waitFor('.exports a', 'Download');
  t.strictSame(await client.findings(), [], 'on a phone, dark');
  await client.click('.exports button', 'Delete the export');
  await page.locator('dialog ::-p-text(Delete)').wait();
  await client.click('dialog button.danger', 'Delete');
  await client.waitFor('.exports .row-text', 'Deleted');
  t.equal(await page.$('.exports a'), null);
  t.equal((await org.nobody.raw({ method: 'GET', path: new URL(link).pathname })).status, 404);
  const { page: other } = await open(org.other, '#organization/exports');
  await control(other, 'link', 'People').wait();
  const pages = await other.$$eval('.settings-nav a', (links) => links.map((one) => one.textContent));
  t.notOk(pages.includes('Data exports'));
  t.equal(await other.$('.exports'), null);
});

journey('a policy changes for everyone, and is offered to those who may change it', async (t, open) => {
  const { page: owner } = await open(org.owner, '#organization/permissions');
  const { page: member } = await open(org.member, '#streams/all');
  await control(member, 'button', 'Create stream').wait();
  await choose(owner, 'Who can create public streams', 'Administrators');
  await choose(owner, 'Who can create private streams', 'Administrators');
  const singleSignOn = await owner.$('::-p-aria([name="Require single sign-on"][role="switch"])');
  t.equal(singleSignOn, null, 'without a provider single sign-on is no setting');
  await member.waitForFunction(
    "![...document.querySelectorAll('.stream-list button')].some((e) => e.textContent === 'Create stream')",
  );
  t.equal(await realmSetting('realm_create_public_stream_policy'), 2);
  await goTo(member, '#organization/permissions');
  await control(member, 'link', 'People').wait();
  const pages = await member.$$eval('.settings-nav a', (links) => links.map((link) => link.textContent));
  t.notOk(pages.includes('Permissions'), 'members are not offered the policies');
  await choose(owner, 'Who can create public streams', 'Members');
  await choose(owner, 'Who can create private streams', 'Members');
  await until('the policy', async () => (await realmSetting('realm_create_private_stream_policy')) === 1);
});

journey('a browser whose session is ended by another one asks for the password', async (_, open) => {
  const { page: ended } = await open(org.other, '#recent', 401);
  await ended.waitForSelector('.app');
  const { page } = await open(org.other, '#settings/sessions');
  await press(page, 'End all other sessions');
  await page.waitForFunction("document.querySelectorAll('.sessions > li').length === 1");
  await ended.waitForSelector('input[name=password]');
});

journey('the profile of a person leads to a conversation', async (t, open) => {
  const client = await open(org.member, '#organization/people');
  const { page } = client;
  await press(page, 'Changed by another');
  await page.waitForSelector('dialog .person-card');
  t.strictSame(await client.findings(), []);
  await press(page, 'Message');
  await page.waitForFunction("location.hash.startsWith('#narrow/dm/')");
});

journey('lists of hundreds of people have some rows in the document, and keys reach all of them', async (t, open) => {
  const crowd = await makeOrganization(server, []);
  const numbers = Array.from({ length: CROWD }, (_, n) => String(n).padStart(3, '0'));
  const emailOf = (n: string): string => `sailor${n}@${crowd.subdomain}.example.com`;
  await Promise.all(
    numbers.map((n) =>
      createUserAndReturnId(server.actors, crowd.realm, {
        ...{ email: emailOf(n), name: `Sailor ${n}`, password: PASSWORD, role: USER_ROLE.member },
      }),
    ),
  );
  const { owner } = crowd;
  await owner.api.ok('POST /users/me/subscriptions', {
    ...{ subscriptions: [{ name: 'fleet' }], principals: [...numbers.map(emailOf), owner.email] },
  });
  const id = await streamIdOf(owner, 'fleet');
  const client = await open(owner, '#organization/people', undefined, crowd);
  const { page } = client;
  const rows = () => page.$$eval('.people-list li', (all) => all.length);
  const focused = () => page.evaluate('document.activeElement?.textContent');
  const focusIs = (name: string) => until(`the focus on ${name}`, async () => (await focused()) === name);
  await client.waitFor('.people-list li', 'Sailor 000');
  t.ok((await rows()) < 60, 'most rows are not in the document');
  t.strictSame(await client.findings(), []);
  await page.focus('.people-list [data-row][tabindex="0"]');
  await page.keyboard.press('End');
  await focusIs(`Sailor ${numbers.at(-1)}`);
  await page.keyboard.press('ArrowUp');
  await focusIs(`Sailor ${numbers.at(-2)}`);
  t.ok((await rows()) < 60);
  await page.keyboard.press('Tab');
  t.equal(await page.evaluate('document.activeElement?.ariaLabel'), `Actions for Sailor ${numbers.at(-2)}`);
  await page.keyboard.press('Enter');
  await client.waitFor('.menu-item', 'View profile');
  await page.keyboard.press('Escape');
  await goTo(page, `#streams/${id}/subscribers`);
  await client.waitFor('.people-list li', 'Sailor 000');
  t.ok((await rows()) < 60);
  // Chromium loads the page again when touch is switched on.
  await page.setViewport(PHONE);
  await client.waitFor('.people-list li', 'Sailor 000');
  await page.focus('.people-list [data-row][tabindex="0"]');
  await page.keyboard.press('End');
  await focusIs(`Sailor ${numbers.at(-1)}`);
  t.strictSame(await client.findings(), [], 'on a phone');
  await press(page, `Remove Sailor ${numbers.at(-1)}`);
  type Members = { readonly subscribers: readonly number[] };
  await until('one is removed', async () => {
    const { subscribers } = await owner.api.ok<Members>('GET /streams/{stream_id}/members', { stream_id: id });
    return subscribers.length === CROWD;
  });
  await client.waitUntilGone('.people-list li', `Sailor ${numbers.at(-1)}`);
});

const OWN = ['profile', 'account', 'display', 'notifications', 'privacy', 'muted', 'alert-words', 'sessions'];
const ORGANIZATION = [
  ...['profile', 'permissions', 'messages', 'people', 'invitations', 'bots', 'groups', 'emoji', 'linkifiers'],
  ...['playgrounds', 'profile-fields', 'default-streams', 'defaults', 'exports'],
];

journey('no page breaks a rule of axe-core, light or dark, on a desk or on a phone', async (t, open) => {
  const { owner } = org;
  await owner.api.ok('POST /realm/profile_fields', { name: 'Favourite food', field_type: 1 });
  await owner.api.ok('POST /realm/profile_fields', { name: 'Mentor', field_type: 6 });
  await owner.api.ok('POST /user_groups/create', { name: 'sailors', description: '', members: [owner.id] });
  await owner.api.ok('POST /realm/filters', { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' });
  await owner.api.ok('POST /bots', { full_name: 'Lighthouse', short_name: 'light' });
  await subscribe(owner, 'harbour');
  const id = await streamIdOf(owner, 'harbour');
  const client = await open(owner, '#settings/profile');
  const { page } = client;
  const hashes = [
    ...OWN.map((part) => `#settings/${part}`),
    ...['all', 'new', `${id}/general`, `${id}/personal`, `${id}/subscribers`].map((part) => `#streams/${part}`),
    ...ORGANIZATION.map((part) => `#organization/${part}`),
    `#users/${org.member.id}`,
  ];
  const looks = [
    { width: 1280, scheme: 'light' },
    { width: 1280, scheme: 'dark' },
    { width: 390, scheme: 'light' },
  ] as const;
  // A short run looks at each page once.
  const tried = new Map(
    hashes.map((hash, n) => [hash, picked(looks, 1, ({ width, scheme }) => `page ${n} ${width} ${scheme}`)]),
  );
  for (const look of looks) {
    const { width, scheme } = look;
    await page.setViewport({ width, height: 844 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    for (const hash of hashes.filter((one) => tried.get(one)!.includes(look))) {
      await goTo(page, hash);
      await page.waitForSelector('.settings-content h2, .person-card, .settings-content .empty, .stream-list');
      t.strictSame(await client.findings(), [], `${hash}, ${scheme}, ${width} pixels`);
    }
  }
});
