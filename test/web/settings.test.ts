/** Journeys through the settings of the web client in Chromium, and axe-core on each of their pages. */
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import t, { type Test } from 'tap';
import { createUserAndReturnId } from '#app/admin';
import { USER_ROLE } from '#domain/people';
import { attachmentsOf, look, upload } from '../api/support/files.js';
import {
  makeOrganization,
  type Organization,
  PASSWORD,
  type Person,
  say,
  streamIdOf,
  subscribe,
} from '../api/support/organization.js';
import { picked } from '../support/rounds.js';
import { until } from '../support/until.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium, PHONE } from './support/chromium.js';
import { choose, control, enter, enterInDialog, hasControl, press, textIn } from './support/controls.js';
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
      t.teardown(() => client.leave(t.passing()));
      clients.push({ client, refusal });
      await client.openSignedIn(person.email, PASSWORD, hash);
      return client;
    });
    for (const { client, refusal } of clients) {
      t.strictSame([client.faults, client.refusals.filter((status) => status !== refusal)], [[], []]);
    }
  });
}

const goTo = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** Waits for the words in an element. */
const shows = (page: Page, text: string, within = 'main') =>
  page.waitForFunction(
    `[...document.querySelectorAll('${within}')].some((e) => e.textContent.includes(${JSON.stringify(text)}))`,
  );

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
  await client.fill('.emoji-picker input', 'palm tree');
  await client.waitFor('.emoji-picker .emoji-button', 'palm tree');
  await client.waitUntilGone('.emoji-picker .emoji-button', 'anchor');
  t.strictSame(await client.findings(), []);
  await page.keyboard.press('Enter');
  await client.waitUntilGone('.emoji-picker');
  t.equal(await textIn(page, 'Name of an emoji'), 'palm_tree');
  await press(page, 'Save', 'button', '.status-entry');
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
  const client = await open(org.member, '#settings/account', 401);
  const { page } = client;
  await press(page, 'Show API key');
  await client.fill('dialog input[type=password]', 'not the password');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog .field-error');
  await client.fill('dialog input[type=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.copy-text > input');
  t.equal(await page.evaluate("document.querySelector('.copy-text > input').value"), org.member.key);
});

journey('a member creates a stream and subscribes another person', async (t, open) => {
  const client = await open(org.member, '#streams/new');
  const { page } = client;
  await enter(page, 'Name', 'harbour');
  await enter(page, 'Description', 'Ships that come and go');
  await press(page, 'Create');
  await enter(page, 'Add subscribers', 'changed by');
  await client.click('.match', 'Changed by another');
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

journey('texts in settings outlive Escape, another address and a reload, until they are saved', async (t, open) => {
  const client = await open(org.owner, '#streams/new');
  const { page } = client;
  const holds = (name: string, text: string) =>
    until(`“${name}” has “${text}”`, async () => (await textIn(page, name)) === text);
  const kept = async () => String(await page.evaluate(`sessionStorage.getItem('left-entries')`));
  const leaveAndReload = async () => {
    await page.keyboard.press('Escape');
    await client.goTo('#inbox');
    await client.waitUntilGone('.settings');
    await page.reload();
    await client.waitFor('.row');
  };
  await enter(page, 'Name', 'quay');
  await enter(page, 'Description', 'Where ships are loaded');
  await leaveAndReload();
  await client.goTo('#streams/new');
  await holds('Description', 'Where ships are loaded');
  await holds('Name', 'quay');
  await press(page, 'Create');
  await page.waitForFunction(`location.hash.endsWith('/subscribers')`);
  t.notMatch(await kept(), 'loaded', 'saved');

  const stream = await streamIdOf(org.owner, 'quay');
  await client.goTo(`#streams/${stream}/general`);
  await holds('Description', 'Where ships are loaded');
  await enter(page, 'Description', 'Where ships wait');
  await client.goTo('#organization/profile');
  await holds('Description', '');
  await enter(page, 'Description', 'A harbour of friends');
  await client.goTo('#settings/profile');
  await enter(page, 'What you are doing', 'Counting ropes');
  await client.goTo('#organization/groups');
  await press(page, 'Create group');
  await enterInDialog(page, 'Description', 'Those who tie knots');
  await leaveAndReload();
  await client.goTo('#organization/groups');
  await press(page, 'Create group');
  await holds('Description', 'Those who tie knots');
  await press(page, 'Cancel');
  t.notMatch(await kept(), 'knots', 'cancelled');
  await client.goTo('#settings/profile');
  await holds('What you are doing', 'Counting ropes');
  await client.goTo('#organization/profile');
  await holds('Description', 'A harbour of friends');
  await client.goTo(`#streams/${stream}/general`);
  await holds('Description', 'Where ships wait');
  await press(page, 'Cancel');
  await holds('Description', 'Where ships are loaded');
  t.notMatch(await kept(), 'wait', 'cancelled');

  await client.click('.own-button');
  await client.click('.menu-item', 'Sign out');
  await client.waitFor('h1', 'Sign in to');
  t.equal(await kept(), '{}', 'signed out');
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
  await client.click('dialog button.danger', 'Delete');
  await client.waitFor('.exports .row-text', 'Deleted');
  t.equal(await page.$('.exports a'), null);
  t.equal((await org.nobody.raw({ method: 'GET', path: new URL(link).pathname })).status, 404);
  const { page: other } = await open(org.other, '#organization/exports');
  await control(other, 'link', 'People');
  const pages = await other.$$eval('.settings-nav a', (links) => links.map((one) => one.textContent));
  t.notOk(pages.includes('Data exports'));
  t.equal(await other.$('.exports'), null);
});

journey('a policy changes for everyone, and is offered to those who may change it', async (t, open) => {
  const { page: owner } = await open(org.owner, '#organization/permissions');
  const { page: member } = await open(org.member, '#streams/all');
  await control(member, 'button', 'Create stream');
  await choose(owner, 'Who can create public streams', 'Administrators');
  await choose(owner, 'Who can create private streams', 'Administrators');
  t.notOk(await hasControl(owner, 'switch', 'Require single sign-on'), 'without a provider it is no setting');
  await member.waitForFunction(
    "![...document.querySelectorAll('.stream-list button')].some((e) => e.textContent === 'Create stream')",
  );
  t.equal(await realmSetting('realm_create_public_stream_policy'), 2);
  await goTo(member, '#organization/permissions');
  await control(member, 'link', 'People');
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

/** Values of the registration under some names of event types. */
const fetched = <T extends Readonly<Record<string, unknown>>>(person: Person, ...types: string[]): Promise<T> =>
  person.api.ok<T>('POST /register', { fetch_event_types: types, event_types: [] });

/** Chooses an item of the menu of a person's row. */
async function manage(client: ClientPage, name: string, item: string): Promise<void> {
  await press(client.page, `Actions for ${name}`);
  await client.click('.menu-item', item);
}

journey('an owner changes a role, ends an account and takes it back; the other person sees each', async (t, open) => {
  const crew = await makeOrganization(server, ['member', 'other']);
  const { owner, member, other } = crew;
  const client = await open(owner, '#organization/people', undefined, crew);
  const { page } = client;
  const reader = await open(member, '#organization/people', 401, crew);
  await reader.waitFor('.people-list li', other.name);
  t.notOk(await hasControl(reader.page, 'link', 'Permissions'));
  await client.waitFor('.people-list li', member.name);
  await manage(client, member.name, 'Administrator');
  await control(reader.page, 'link', 'Permissions');
  type Account = { readonly user: { readonly role: number; readonly is_active: boolean; readonly full_name: string } };
  const userOf = async ({ id }: Person) => (await owner.api.ok<Account>('GET /users/{user_id}', { user_id: id })).user;
  t.equal((await userOf(member)).role, 200);
  await manage(client, member.name, 'Edit person');
  await client.fill('dialog input', 'Renamed by the owner');
  await choose(page, 'Role', 'Moderator');
  await client.click('dialog button', 'Save');
  await client.waitUntilGone('dialog');
  await reader.waitUntilGone('.settings-nav a', 'Permissions');
  await reader.waitFor('.people-list li', 'Renamed by the owner');
  t.match(await userOf(member), { role: 300, full_name: 'Renamed by the owner' });
  await manage(client, other.name, 'Deactivate');
  await client.click('dialog button', 'Deactivate');
  await reader.waitUntilGone('.people-list li', other.name);
  t.equal((await userOf(other)).is_active, false);
  await press(page, 'Deactivated', 'tab');
  await client.waitFor('.people-list li', other.name);
  await manage(client, other.name, 'Reactivate');
  await reader.waitFor('.people-list li', other.name);
  t.equal((await userOf(other)).is_active, true);
});

journey('an owner creates, changes and deletes a group, which others mention meanwhile', async (t, open) => {
  const { owner, member } = org;
  await subscribe(owner, 'fleet', { principals: [owner, member] });
  const stream = await streamIdOf(owner, 'fleet');
  const client = await open(owner, '#organization/groups');
  const reader = await open(member, `#narrow/stream/${stream}-fleet/topic/groups`);
  await press(client.page, 'Create group');
  await client.waitFor('dialog h2', 'Create group');
  await enterInDialog(client.page, 'Name', 'riggers');
  await enterInDialog(client.page, 'Description', 'They climb');
  await client.click('dialog button', 'Create');
  await client.waitFor('.row-line', '@riggers');
  await reader.fill('.compose-text', 'hello @rigg');
  await reader.waitFor('.suggestion', 'riggers');
  await press(client.page, 'Edit riggers');
  await enterInDialog(client.page, 'Name', 'climbers');
  await client.click('dialog button', 'Save');
  await client.waitFor('.row-line', '@climbers');
  await reader.fill('.compose-text', 'hello @climb');
  await reader.waitFor('.suggestion', 'climbers');
  type Groups = { readonly user_groups: readonly { readonly name: string; readonly description: string }[] };
  const groups = async () => (await owner.api.ok<Groups>('GET /user_groups')).user_groups;
  t.match(
    (await groups()).find(({ name }) => name === 'climbers'),
    { description: 'They climb' },
  );
  await press(client.page, 'Delete climbers');
  await client.click('dialog button', 'Delete');
  await client.waitUntilGone('.row-line', '@climbers');
  t.notOk((await groups()).some(({ name }) => name === 'climbers'));
});

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Gives a file to the hidden field with this name. */
async function giveFile(page: Page, field: string, file: string): Promise<void> {
  const input = await page.waitForSelector<'input'>(`input[type=file][aria-label="${field}"]` as 'input');
  await input!.uploadFile(file);
}

journey(
  'what an owner makes for messages shows in those of a member: emoji, linkifier, playground',
  async (t, open) => {
    const { owner, member } = org;
    await subscribe(owner, 'fleet', { principals: [owner, member] });
    const stream = await streamIdOf(owner, 'fleet');
    const file = join(t.testdir({ 'anchor.png': PIXEL }), 'anchor.png');
    const client = await open(owner, '#organization/emoji');
    const { page } = client;
    const reader = await open(member, `#narrow/stream/${stream}-fleet/topic/things`);
    await enter(page, 'Name', 'anchor_up');
    await giveFile(page, 'Choose a picture', file);
    await client.waitFor('button', 'anchor.png');
    await press(page, 'Add');
    await client.waitFor('.row-line', ':anchor_up:');
    await reader.fill('.compose-text', ':anchor_u');
    await reader.waitFor('.suggestion', 'anchor_up');
    await goTo(page, '#organization/linkifiers');
    await press(page, 'Add linkifier');
    await enterInDialog(page, 'Pattern', 'ship-(?P<id>[0-9]+');
    await enterInDialog(page, 'Address', 'https://ships.example.com/{id}');
    await client.click('dialog button', 'Add');
    await client.waitFor('dialog .field-error');
    t.strictSame(client.refusals.splice(0), [400], 'the pattern has no end');
    await enterInDialog(page, 'Pattern', 'ship-(?P<id>[0-9]+)');
    await client.click('dialog button', 'Add');
    await client.waitFor('.row-line', 'ships.example.com');
    await goTo(page, '#organization/playgrounds');
    await press(page, 'Add playground');
    await enterInDialog(page, 'Name', 'Rusty');
    await enterInDialog(page, 'Language', 'Rust');
    const prefix = 'https://play.example.com/?code=';
    await enterInDialog(page, 'Address before the code', prefix);
    await client.click('dialog button', 'Add');
    await client.waitFor('.row-line', 'Rusty');
    type Playgrounds = { readonly realm_playgrounds: readonly { readonly name: string }[] };
    const { realm_playgrounds: sites } = await fetched<Playgrounds>(member, 'realm_playgrounds');
    t.strictSame(
      sites.map(({ name }) => name),
      ['Rusty'],
    );
    await reader.fill('.compose-text', ':anchor_up: and ship-12');
    await reader.pressControl('Enter');
    await reader.waitFor('.message-row:not(.pending) .message-body', 'ship-12');
    await reader.page.waitForSelector('.message-body img.emoji[alt=":anchor_up:"]');
    await reader.page.waitForSelector('.message-body a[href="https://ships.example.com/12"]');
    await press(page, 'Remove Rusty');
    await client.waitFor('.empty', 'no playgrounds');
    await goTo(page, '#organization/linkifiers');
    await press(page, 'Remove ship-(?P<id>[0-9]+)');
    await client.waitFor('.empty', 'no linkifiers');
    await goTo(page, '#organization/emoji');
    await press(page, 'Delete anchor_up');
    await client.click('dialog button', 'Delete');
    await client.waitFor('.empty', 'no custom emoji');
    type Emoji = { readonly realm_emoji: Readonly<Record<string, { readonly deactivated: boolean }>> };
    const { realm_emoji } = await fetched<Emoji>(member, 'realm_emoji');
    t.ok(Object.values(realm_emoji).every(({ deactivated }) => deactivated));
  },
);

/** Presses a button at the moment when the dialog leaves the document. */
const pressWhenDialogIsRemoved = (name: string): string => `new MutationObserver((_, observer) => {
  if (document.querySelector('dialog')) return;
  observer.disconnect();
  document.querySelector('[aria-label="${name}"]').click();
}).observe(document.body, { childList: true, subtree: true })`;

journey('an owner adds what new people meet: a profile field, a default stream, a domain, an icon', async (t, open) => {
  const { owner, member } = org;
  await subscribe(owner, 'welcome', { principals: [owner, member] });
  const file = join(t.testdir({ 'icon.png': PIXEL }), 'icon.png');
  const client = await open(owner, '#organization/profile-fields');
  const { page } = client;
  const reader = await open(member, '#settings/profile');
  await press(page, 'Add field');
  await enterInDialog(page, 'Label', 'Home port');
  await client.click('dialog button', 'Add');
  await client.waitFor('.row-line', 'Home port');
  await press(page, 'Add field');
  await client.waitFor('dialog h2', 'Add field');
  await page.evaluate(pressWhenDialogIsRemoved('Edit Home port'));
  await page.keyboard.press('Escape');
  // The close event of the removed dialog comes before the answer.
  await client.waitFor('dialog', 'Edit Home port');
  await page.evaluate('new Promise((done) => setTimeout(done))');
  t.ok(await page.$('dialog'), 'a dialog that opens when another one is removed stays open');
  await page.keyboard.press('Escape');
  await client.waitUntilGone('dialog');
  await enter(reader.page, 'Home port', 'Rotterdam');
  await reader.page.keyboard.press('Enter');
  await goTo(page, `#users/${member.id}`);
  await client.waitFor('.person-card', 'Rotterdam');
  await goTo(page, '#organization/default-streams');
  await choose(page, 'Stream', '#welcome');
  await press(page, 'Add');
  await client.waitFor('.row-line', '#welcome');
  type Defaults = { readonly realm_default_streams: readonly { readonly name: string }[] };
  const defaults = async () => (await fetched<Defaults>(member, 'default_streams')).realm_default_streams;
  t.ok((await defaults()).some(({ name }) => name === 'welcome'));
  await press(page, 'Remove welcome');
  await client.waitUntilGone('.row-line', '#welcome');
  t.notOk((await defaults()).some(({ name }) => name === 'welcome'));
  await goTo(page, '#organization/permissions');
  await enter(page, 'Domain', 'harbour.example.com');
  await control(page, 'textbox', 'Domain');
  await page.keyboard.press('Enter');
  await client.waitFor('.row-line', 'Subdomains of harbour.example.com');
  await press(page, 'Subdomains of harbour.example.com', 'switch');
  type Domains = { readonly domains: readonly { readonly domain: string; readonly allow_subdomains: boolean }[] };
  const domains = async () => (await owner.api.ok<Domains>('GET /realm/domains')).domains;
  await until('the domain with its subdomains', async () =>
    (await domains()).some(({ domain, allow_subdomains }) => domain === 'harbour.example.com' && allow_subdomains),
  );
  await press(page, 'Remove harbour.example.com');
  await client.waitUntilGone('.row-line', 'harbour.example.com');
  t.strictSame(await domains(), []);
  await goTo(page, '#organization/profile');
  await giveFile(page, 'File for Icon', file);
  await until('the icon', async () => (await realmSetting('realm_icon_source')) === 'U');
  await client.waitFor('.settings-group button', 'Remove');
  const before = await realmSetting('realm_icon_url');
  t.match(before, /\/user_avatars\//);
  await client.click('.settings-group button', 'Remove');
  await until('no icon', async () => (await realmSetting('realm_icon_source')) === 'G');
});

journey('the focus stays in a list whose row is removed or moved by a key', async (_, open) => {
  const { owner } = org;
  await owner.api.ok('POST /users/me/alert_words', { alert_words: ['anchor', 'buoy', 'chart'] });
  for (const name of ['Ship', 'Cabin', 'Deck'])
    await owner.api.ok('POST /realm/profile_fields', { name, field_type: 1 });
  const client = await open(owner, '#settings/alert-words');
  const { page } = client;
  const pressByKey = async (name: string) => {
    await client.waitFor('.row-line button', name);
    await page.focus(`.row-line [aria-label="${name}"]`);
    await page.keyboard.press('Enter');
  };
  const focusIs = (name: string) => page.waitForFunction(`document.activeElement.ariaLabel === '${name}'`);
  await pressByKey('Remove buoy');
  await focusIs('Remove chart');
  await pressByKey('Remove chart');
  await focusIs('Remove anchor');
  await goTo(page, '#organization/profile-fields');
  await client.waitFor('.row-line', 'Cabin');
  const first = await page.$eval('.row-line .row-text', (row) => row.firstChild?.textContent);
  const second = await page.$eval('.row-line:nth-child(2) .row-text', (row) => row.firstChild?.textContent);
  await pressByKey(`Move ${second} up`);
  await focusIs(`Move ${second} down`);
  await page.keyboard.press('Enter');
  await page.waitForFunction(`document.querySelector('.row-line .row-text').textContent.startsWith('${first}')`);
  await focusIs(`Move ${second} down`);
});

journey('a stream is renamed, coloured, made silent and archived, and a subscriber sees it', async (t, open) => {
  const { owner, member } = org;
  await subscribe(owner, 'sandbank', { principals: [owner, member] });
  const id = await streamIdOf(owner, 'sandbank');
  const client = await open(owner, `#streams/${id}/general`);
  const { page } = client;
  const reader = await open(member, `#streams/${id}/general`);
  await reader.waitFor('.row.stream', 'sandbank');
  await enter(page, 'Name', 'reef');
  await client.click('.setting button', 'Save');
  await reader.waitFor('.row.stream', 'reef');
  await reader.waitFor('.settings-page h2', 'reef');
  // The reader may hear of the new name first; the button of the name would be pressed again.
  await client.waitUntilGone('.setting button', 'Save');
  await enter(page, 'Description', 'Mind your keel');
  await client.click('.setting button', 'Save');
  await reader.waitFor('.settings-content', 'Mind your keel');
  await choose(page, 'Who can post', 'Administrators');
  await goTo(reader.page, `#narrow/stream/${id}/topic/depths`);
  await reader.waitFor('.compose-refused', 'Only some people may write');
  type Stream = { readonly stream: { readonly name: string; readonly description: string } };
  const { stream } = await member.api.ok<Stream>('GET /streams/{stream_id}', { stream_id: id });
  t.match(stream, { name: 'reef', description: 'Mind your keel', stream_post_policy: 2 });
  await goTo(reader.page, `#streams/${id}/personal`);
  await press(reader.page, '#e4523d', 'radio');
  await reader.page.waitForFunction(`[...document.querySelectorAll('.row.stream')].some((row) =>
    row.textContent.includes('reef') && row.innerHTML.includes('#e4523d'))`);
  await reader.click('label.toggle', 'Notifications on the desktop');
  await reader.click('label.toggle', 'E-mail');
  type Own = { readonly subscriptions: readonly Readonly<Record<string, unknown>>[] };
  const own = async () =>
    (await member.api.ok<Own>('GET /users/me/subscriptions')).subscriptions.find(({ stream_id }) => stream_id === id);
  await until('the personal settings', async () => {
    const { color, desktop_notifications, email_notifications } = (await own()) ?? {};
    return color === '#e4523d' && desktop_notifications === true && email_notifications === true;
  });
  await press(page, 'Archive stream');
  await client.click('dialog button', 'Archive stream');
  await page.waitForFunction("location.hash === '#streams/all'");
  await reader.waitUntilGone('.row.stream', 'reef');
  t.equal(await own(), undefined);
});

journey('an owner changes everything about a bot, and a refusal stands in its form', async (t, open) => {
  const crew = await makeOrganization(server, ['member']);
  const { owner, member } = crew;
  await subscribe(owner, 'beacons');
  const { user_id } = await owner.api.ok<{ user_id: number }>('POST /bots', {
    ...{
      full_name: 'Foghorn',
      short_name: 'foghorn',
      bot_type: 3,
      payload_url: JSON.stringify('https://fog.example.com/old'),
    },
  });
  const file = join(t.testdir({ 'horn.png': PIXEL }), 'horn.png');
  const client = await open(owner, '#organization/bots', 400, crew);
  const { page } = client;
  await manage(client, 'Foghorn', 'Edit bot');
  await enterInDialog(page, 'Name', member.name);
  await client.click('dialog button', 'Save');
  await client.waitFor('dialog .field-error', 'already in use');
  t.strictSame(await client.findings(), []);
  await giveFile(page, 'File for Profile picture', file);
  await client.waitFor('dialog .saved-mark', 'Saved');
  await enterInDialog(page, 'Name', 'Siren');
  await enterInDialog(page, 'Owner', member.name);
  await client.click('dialog .match', member.name);
  await choose(page, 'Role', 'Moderator');
  await enterInDialog(page, 'Address that gets the messages', 'https://fog.example.com/new');
  await choose(page, 'Form of the posts', 'Like posts of Slack');
  await choose(page, 'Stream to write to', '#beacons');
  await choose(page, 'Stream to listen to', '#beacons');
  await client.click('dialog label.toggle', 'all public streams');
  await client.click('dialog button', 'Save');
  await client.waitUntilGone('dialog');
  await client.waitFor('.row-line', `Siren`);
  await client.waitFor('.row-line .field-hint', member.name);
  type Bots = { readonly realm_bots: readonly Readonly<Record<string, unknown>>[] };
  const { realm_bots } = await fetched<Bots>(owner, 'realm_bot');
  t.match(
    realm_bots.find((bot) => bot.user_id === user_id),
    {
      full_name: 'Siren',
      owner_id: member.id,
      avatar_url: /user_avatars/,
      services: [{ base_url: 'https://fog.example.com/new', interface: 2 }],
      default_sending_stream: 'beacons',
      default_events_register_stream: 'beacons',
      default_all_public_streams: true,
    },
  );
  type Account = { readonly user: { readonly role: number } };
  t.equal((await owner.api.ok<Account>('GET /users/{user_id}', { user_id })).user.role, 300);
});

journey('uploaded files are listed with their messages, follow new uploads, and are deleted', async (t, open) => {
  const { owner, other } = org;
  await subscribe(owner, 'holds', { principals: [owner, other] });
  const map = await upload(other, 'map.txt');
  await say(other, 'holds', 'maps', `[map](${map}) of the hold`);
  for (let n = 0; n < 100; n++) await upload(other, `crate-${n}.txt`, 'c');
  const client = await open(other, '#settings/uploaded-files');
  const { page } = client;
  await client.waitFor('.files .row-text', 'crate-99.txt');
  const names = () => page.$$eval('.files a[target]', (all) => all.map((one) => one.textContent));
  t.strictSame([(await names())[0], (await names()).length], ['crate-99.txt', 100]);
  t.match(await page.$eval('.settings-content .field-hint', (one) => one.textContent), /take 118 B, those of/);
  await press(page, 'Show more');
  await client.waitFor('.files .row-text', 'map.txt');
  t.notOk(await hasControl(page, 'button', 'Show more'));
  await upload(other, 'barrel.txt');
  await client.waitFor('.files > :first-child .row-text', 'barrel.txt');
  t.equal((await names()).length, 102);
  await client.click('.files > :last-child a[href^="#"]');
  await client.waitFor('.message-body', 'of the hold');
  await page.setViewport(PHONE);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await goTo(page, '#settings/uploaded-files');
  await press(page, 'Show more');
  await client.waitFor('.files .row-text', 'map.txt');
  t.strictSame(await client.findings(), [], 'on a phone, dark');
  await press(page, 'Delete map.txt');
  await client.waitFor('dialog', 'Messages lose the file');
  await client.click('dialog button.danger', 'Delete');
  await client.waitUntilGone('.files .row-text', 'map.txt');
  t.notOk((await attachmentsOf(other)).attachments.some(({ path_id }) => map.endsWith(path_id)));
  t.strictSame((await look(other, map)).status, 404);
});

const OWN = [
  ...[
    'profile',
    'account',
    'display',
    'notifications',
    'privacy',
    'muted',
    'alert-words',
    'uploaded-files',
    'sessions',
  ],
];
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
