/** Journeys of every day in Chromium: an invitation, a password, a bot, scheduled messages, drafts, moved topics. */
import type { HTTPRequest } from 'puppeteer-core';
import t, { type Test } from 'tap';
import { basic } from '../api/support/client.js';
import { linkIn, mailed } from '../api/support/mails.js';
import { makeOrganization, PASSWORD, type Person, say, streamIdOf, subscribe } from '../api/support/organization.js';
import { until } from '../support/until.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium, withPictures } from './support/chromium.js';
import { enter } from './support/controls.js';
import { startFace } from './support/face.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}
t.setTimeout(240_000);

const NEW_PASSWORD = 'quietly-otter-ladder-27';

const server = await startFace('everyday');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['member', 'other']);
const { owner, member, other } = org;
await subscribe(owner, ['general', 'harbour'], { principals: [owner, member, other] });
const stream = await streamIdOf(member, 'general');
const host = `${org.subdomain}.localhost:${server.nextPort()}`;

const hashOf = (topic: string): string => `#narrow/stream/${stream}-general/topic/${topic}`;
const quoted = JSON.stringify;

async function signedIn(person: Person, hash: string, by = browser): Promise<ClientPage> {
  const client = await ClientPage.open(by, host);
  await client.openSignedIn(person.email, PASSWORD, hash);
  return client;
}

/** A part of a test whose pages must show no fault, and no refusal but those of `refused`. */
async function faultless(
  t: Test,
  pages: Readonly<Record<string, ClientPage>>,
  run: () => Promise<void>,
  refused: readonly number[] = [],
): Promise<void> {
  await withPictures(t, pages, run);
  for (const [name, { faults, refusals }] of Object.entries(pages)) {
    t.strictSame([faults, refusals.filter((status) => !refused.includes(status))], [[], []], name);
  }
}

async function allowClipboard({ page }: ClientPage): Promise<void> {
  for (const name of ['clipboard-write', 'clipboard-read'] as const) {
    await page.browserContext().setPermission(`http://${host}`, { permission: { name }, state: 'granted' });
  }
}

/** Opens the menu of a message, and chooses an item if one is given. */
async function act(client: ClientPage, words: string, item?: string): Promise<void> {
  await client.openMessageMenu(words);
  if (item === undefined) await client.waitFor('.menu-item');
  else await client.click('.menu-item', item);
}

t.test('somebody who is invited by mail joins and writes a first message', async (t) => {
  const address = `ida@${org.subdomain}.example.com`;
  const inviter = await signedIn(owner, '#organization/invitations');
  const guest = await ClientPage.open(browser, host);
  await faultless(t, { inviter, guest }, async () => {
    await inviter.fill('.settings-form textarea', address);
    await inviter.click('label', '#general');
    await inviter.click('.settings-form button', 'Invite');
    await inviter.waitFor('.settings-form [role=status]', 'The invitations are sent.');
    await inviter.waitFor('.invitations', address);
    const [letter] = await mailed(server, address);
    await guest.goTo(linkIn(letter!).slice(1));
    await guest.fill('#full_name', 'Ida Invited');
    await guest.fill('#password', NEW_PASSWORD);
    await guest.click('button', 'Join');
    await guest.waitFor('h1', 'Welcome');
    await guest.signIn(address, NEW_PASSWORD);
    await guest.waitFor('.row.stream', 'general');
    await guest.goTo(hashOf('hello'));
    await guest.fill('.compose-text', 'here I am');
    await guest.pressControl('Enter');
    await guest.waitFor('.message-body', 'here I am');
    await inviter.goTo(hashOf('hello'));
    await inviter.waitFor('.message-row', 'Ida Invited');
    await inviter.waitFor('.message-body', 'here I am');
    await inviter.goTo('#organization/invitations');
    await inviter.waitFor('.settings-content', 'Open invitations');
    await inviter.waitUntilGone('.invitations', address);
  });
});

t.test('a new password ends the sessions of other browsers, and only those', async (t) => {
  const here = await signedIn(other, '#settings/account');
  const elsewhere = await signedIn(other, hashOf('passwords'));
  await elsewhere.waitFor('.compose-text');
  await faultless(
    t,
    { here, elsewhere },
    async () => {
      await here.click('button', 'Change password');
      await here.fill('dialog input[autocomplete=current-password]', PASSWORD);
      await here.fill('dialog input[autocomplete=new-password]', NEW_PASSWORD);
      await here.page.keyboard.press('Enter');
      await here.waitFor('.toast', 'password');
      await elsewhere.waitFor('h1', 'Sign in to');
      await here.goTo(hashOf('passwords'));
      await here.fill('.compose-text', 'still here');
      await here.pressControl('Enter');
      await here.waitFor('.message-body', 'still here');
      await elsewhere.fill('input[name=username]', other.email);
      await elsewhere.fill('input[name=password]', PASSWORD);
      await elsewhere.page.keyboard.press('Enter');
      await elsewhere.waitFor('[role=alert]');
      await elsewhere.fill('input[name=password]', NEW_PASSWORD);
      await elsewhere.page.keyboard.press('Enter');
      await elsewhere.waitFor('.message-body', 'still here');
    },
    [401],
  );
  t.strictSame(here.refusals, [], 'no request of the browser that changed the password');
});

t.test('a member creates a bot and copies its key, which works', async (t) => {
  const client = await signedIn(member, '#organization/bots');
  const { page } = client;
  await allowClipboard(client);
  await faultless(t, { client }, async () => {
    await client.click('button', 'Create bot');
    await enter(page, 'Name', 'Ferry');
    await enter(page, 'Short name', 'ferry');
    await page.keyboard.press('Enter');
    await client.waitFor('.row-line', 'Ferry');
    await client.click('.copy-text button', 'Copy');
    await client.waitFor('.copy-text button', 'Copied');
  });
  const key = String(await page.evaluate('navigator.clipboard.readText()'));
  type Bot = { readonly email: string; readonly full_name: string };
  const { members } = await member.api.ok<{ members: Bot[] }>('GET /users');
  const { email } = members.find(({ full_name }) => full_name === 'Ferry')!;
  const { full_name } = await member.api.with({ authorization: basic(email, key) }).ok<Bot>('GET /users/me');
  t.equal(full_name, 'Ferry');
});

t.test('a scheduled message gets another text and time, and is deleted', async (t) => {
  const scheduled_delivery_timestamp = Math.floor(Date.now() / 1000) + 86_400;
  const of = { type: 'stream', to: stream, topic: 'later', content: 'for later', scheduled_delivery_timestamp };
  await member.api.ok('POST /scheduled_messages', of);
  const client = await signedIn(member, '#scheduled');
  await faultless(t, { client }, async () => {
    await client.click('.overview-row.note .icon-button', 'Edit scheduled message');
    await client.fill('dialog textarea', 'for much later');
    await client.page.evaluate(`{
      const input = document.querySelector('input[type=datetime-local]');
      input.value = '2040-01-02T03:04';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    await client.click('dialog button', 'Save');
    await client.waitFor('.overview-row.note', 'for much later');
    await client.waitFor('.overview-time', '2040');
    await client.click('.overview-row.note .icon-button', 'Delete scheduled message');
    await client.click('dialog button', 'Delete');
    await client.waitFor('.empty', 'No scheduled messages');
  });
  const { scheduled_messages } = await member.api.ok<{ scheduled_messages: unknown[] }>('GET /scheduled_messages');
  t.strictSame(scheduled_messages, []);
});

t.test('a draft is written in two tabs in turn, and is gone in both when it is sent', async (t) => {
  // Only Chromium with windows hides a tab behind another one.
  const client = await signedIn(member, hashOf('tabs'), await openChromium(t, 'windows'));
  // A new tab hides this one, and a hidden page paints nothing, so that waits for its elements would not end.
  await client.waitFor('.compose-text');
  const tab = await client.openTab();
  const has = (page: typeof tab, text: string) =>
    page.waitForFunction(`document.querySelector('.compose-text')?.value === ${quoted(text)}`, { polling: 50 });
  await faultless(t, { client }, async () => {
    await tab.goto(client.page.url());
    await has(tab, '');
    await client.page.bringToFront();
    await client.fill('.compose-text', 'half');
    await has(tab, 'half');
    await tab.bringToFront();
    await tab.focus('.compose-text');
    await tab.keyboard.type(' and half');
    await has(client.page, 'half and half');
    await client.page.bringToFront();
    await client.page.focus('.compose-text');
    await client.pressControl('Enter');
    await client.waitFor('.message-body', 'half and half');
    await has(client.page, '');
    await has(tab, '');
  });
  const { drafts } = await member.api.ok<{ drafts: { topic: string }[] }>('GET /drafts');
  t.notOk(drafts.some(({ topic }) => topic === 'tabs'));
});

t.test('a text that was added in another tab is still there after the first tab has sent its own', async (t) => {
  const client = await signedIn(member, hashOf('crossing'));
  const has = (page: typeof client.page, text: string) =>
    page.waitForFunction(`document.querySelector('.compose-text')?.value === ${quoted(text)}`);
  const stored = async () => (await member.api.ok<{ drafts: { content: string }[] }>('GET /drafts')).drafts;
  const isStored = (text: string) => until(text, async () => (await stored()).some(({ content }) => content === text));
  await client.fill('.compose-text', 'half');
  await isStored('half');
  const tab = await client.openTab();
  await faultless(t, { client }, async () => {
    await tab.goto(client.page.url());
    await has(tab, 'half');
    // A tab with the focus does not show the text of another one.
    await client.page.evaluate('document.hasFocus = () => true');
    await tab.focus('.compose-text');
    await tab.keyboard.type(' and half');
    await isStored('half and half');
    await client.page.bringToFront();
    await client.page.focus('.compose-text');
    await client.pressControl('Enter');
    await client.waitFor('.message-body', 'half');
    await tab.close();
    const again = await client.openTab();
    await again.goto(client.page.url());
    await has(again, 'half and half');
    await again.focus('.compose-text');
    await again.keyboard.down('Control');
    await again.keyboard.press('Enter');
    await again.keyboard.up('Control');
    await client.page.bringToFront();
    await client.waitFor('.message-body', 'half and half');
    await until('no draft', async () => !(await stored()).some(({ content }) => content.includes('half')));
  });
});

t.test('mutes and read marks of the sidebar show before the server has answered', async (t) => {
  await say(owner, 'harbour', 'tides', 'high water');
  const client = await signedIn(member, '#inbox');
  const { page } = client;
  const held: HTTPRequest[] = [];
  const ROW = "[...document.querySelectorAll('.row.stream')].find((one) => one.textContent.includes('harbour'))";
  const choose = async (item: string) => {
    await page.evaluate(`${ROW}.querySelector('a')
      .dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, button: 2, clientX: 40, clientY: 40 }))`);
    await client.click('.menu-item', item);
  };
  await faultless(t, { client }, async () => {
    await page.waitForFunction(`${ROW}?.querySelector('.count') != null`);
    await client.intercept((request) => {
      if (request.method() === 'POST' && /properties|mark_stream/.test(request.url())) held.push(request);
      else return request.continue();
    });
    await choose('Mark all as read');
    await page.waitForFunction(`${ROW}.querySelector('.count') === null`);
    await choose('Mute');
    await client.waitFor('.row.heading', 'Muted');
    await until('both requests', async () => held.length >= 2);
    t.equal(held.length, 2, 'both requests wait');
    await Promise.all(held.map((request) => request.continue()));
    await until('the server has both', async () => {
      type Subscription = { readonly name: string; readonly is_muted: boolean };
      const { subscriptions } = await member.api.ok<{ subscriptions: Subscription[] }>('GET /users/me/subscriptions');
      return subscriptions.some(({ name, is_muted }) => name === 'harbour' && is_muted);
    });
    await client.waitFor('.row.heading', 'Muted');
  });
});

t.test('the menu of an own message offers moves only as far as the policies allow them', async (t) => {
  await say(member, 'general', 'moves', 'mine to move?');
  const client = await signedIn(member, hashOf('moves'));
  const offered = async (): Promise<readonly string[]> => {
    await act(client, 'mine to move?');
    const items = await client.page.evaluate(
      `[...document.querySelectorAll('.menu-item')].map((one) => one.textContent)`,
    );
    await client.page.keyboard.press('Escape');
    await client.waitUntilGone('.menu-item');
    return (items as string[]).filter((item) => /Move message|resolved/.test(item));
  };
  await faultless(t, { client }, async () => {
    t.equal((await offered()).length, 2, 'topics may be changed by everyone at first');
    await owner.api.ok('PATCH /realm', { edit_topic_policy: 2, move_messages_between_streams_policy: 2 });
    await until('the client knows the policies', async () => (await offered()).length === 0);
    await client.click('.bar > [aria-haspopup=menu]');
    await client.waitFor('.menu-item', 'Copy link');
    const items = await client.page.$$eval('.menu-item', (all) => all.map((one) => one.textContent));
    t.strictSame(
      items.filter((item) => /Rename|resolved|Delete/.test(item ?? '')),
      [],
      'nor does the menu of the topic',
    );
    await client.page.keyboard.press('Escape');
    await client.waitUntilGone('.menu-item');
    await owner.api.ok('PATCH /realm', { move_messages_between_streams_policy: 1 });
    await until('another stream may be chosen', async () => (await offered()).length === 1);
    await act(client, 'mine to move?', 'Move message');
    await client.waitFor('dialog input:disabled');
  });
  await owner.api.ok('PATCH /realm', { edit_topic_policy: 5, move_messages_between_streams_policy: 2 });
});

t.test('in a low window, the menu of a message opens beside its button and stays there', async (t) => {
  for (const words of ['high', 'middle', 'low']) await say(member, 'general', 'window', words);
  const client = await signedIn(member, hashOf('window'));
  const { page } = client;
  await page.setViewport({ width: 1024, height: 640 });
  await client.waitFor('.message-row', 'low');
  await faultless(t, { client }, async () => {
    // The real pointer: the button is there while the pointer is in the row.
    await page.hover('.message-row:last-of-type .message-body');
    await page.click('.message-row:last-of-type .message-tools [aria-haspopup=menu]');
    await client.waitFor('.menu-item', 'Copy text');
    await page.mouse.move(500, 100);
    await page.mouse.move(500, 110);
    const shown = (await page.$eval('.menu', (menu) => {
      const { right, top, bottom } = menu.getBoundingClientRect();
      return { right, top, bottom };
    })) as Record<'right' | 'top' | 'bottom', number>;
    t.ok(shown.right > 800 && shown.right < 990 && shown.top >= 0 && shown.bottom <= 640, quoted(shown));
    await page.keyboard.press('Escape');
  });
});

t.test(
  'a window of 1280 pixels at 200 % has the layout of phones: the conversation takes its whole width',
  async (t) => {
    const client = await signedIn(member, hashOf('window'));
    await client.page.setViewport({ width: 640, height: 400, deviceScaleFactor: 2 });
    await faultless(t, { client }, async () => {
      await client.page.waitForSelector('.open-sidebar', { visible: true });
      t.equal(await client.page.$eval('main', (view) => view.getBoundingClientRect().width), 640);
    });
  },
);

t.test('an emoji keeps its skin tone, and a message shows the status of its sender', async (t) => {
  await other.api.ok('POST /users/me/status', { status_text: 'at sea', emoji_name: 'ocean' });
  await say(other, 'general', 'signs', 'aye \u{1f44d}\u{1f3fd}');
  const client = await signedIn(member, hashOf('signs'));
  await faultless(t, { client }, async () => {
    await client.waitFor('.message-body', 'aye');
    t.equal(await client.textOf('.message-body .emoji'), '\u{1f44d}\u{1f3fd}');
    t.equal(await client.textOf('.message-status'), '\u{1f30a}at sea');
    await other.api.ok('POST /users/me/status', { emoji_name: '' });
    await client.waitFor('.message-status:has(svg)', 'at sea');
    await other.api.ok('POST /users/me/status', { status_text: '' });
    await client.waitUntilGone('.message-status');
  });
});

t.test('a description is plain text, an edit marks its words, and a lost picture is its name', async (t) => {
  await owner.api.ok('PATCH /streams/{stream_id}', { stream_id: stream, description: 'Our **[Pläne](/plans)**' });
  const id = await say(owner, 'general', 'versions', 'sails on **Friday**');
  await owner.api.ok('PATCH /messages/{message_id}', {
    message_id: id,
    content: 'sails on **Monday** :ship: [chart](/user_uploads/1/ab/chart.png)',
  });
  const client = await signedIn(member, hashOf('versions'));
  await faultless(
    t,
    { client },
    async () => {
      await client.waitFor('.message_inline_image', 'chart');
      t.equal(await client.page.$('.message_inline_image img, a[data-image]'), null);
      t.equal(await client.textOf('.bar-about'), 'Our Pläne');
      const viewport = client.page.viewport();
      for (const [width, isShown] of [
        [1280, true],
        [740, false],
      ] as const) {
        await client.page.setViewport({ width, height: 800 });
        const { length } = (await client.page.evaluate(
          `[...document.querySelector('.bar-about > span').getClientRects()]`,
        )) as unknown[];
        t.equal(length > 0, isShown, `${width} pixels`);
      }
      await client.page.setViewport(viewport);
      await act(client, 'sails', 'Edit history');
      await client.waitFor('.history ins .emoji', '\u{1f6a2}');
      await client.waitFor('.history ins', 'Monday');
      await client.waitFor('.history del', 'Friday');
      t.strictSame(await client.findings(), []);
      await client.goTo('#streams/all');
      await client.waitFor('.stream-line', 'Our Pläne');
      await client.goTo(`#streams/${stream}/general`);
      await client.waitFor('.settings-content p', 'Our Pläne');
    },
    [404],
  );
});

t.test('a new name shows in mentions on screen, and a new language keeps the focus in the view', async (t) => {
  await say(owner, 'general', 'names', `ask @**${other.name}** about it`);
  const client = await signedIn(member, hashOf('names'));
  await faultless(t, { client }, async () => {
    await client.waitFor('.message-body .user-mention', `@${other.name}`);
    await other.api.ok('PATCH /settings', { full_name: 'Renamed Rower' });
    await client.waitFor('.message-body .user-mention', '@Renamed Rower');
    await client.page.focus('.compose-text');
    await member.api.ok('PATCH /settings', { default_language: 'de' });
    await client.waitFor('.skip', 'Zu den Nachrichten');
    await client.page.waitForFunction(`document.activeElement.matches('main')`);
    await member.api.ok('PATCH /settings', { default_language: 'en' });
    await client.waitFor('.skip', 'Skip');
    await other.api.ok('PATCH /settings', { full_name: other.name });
  });
});

t.test('a mention of a group shows its members, and the menu of a message goes with the message', async (t) => {
  const members = [member.id, other.id];
  await owner.api.ok('POST /user_groups/create', { name: 'rowers', description: '', members });
  const id = await say(owner, 'general', 'groups', 'all aboard, @*rowers*');
  await say(owner, 'general', 'groups', 'cast off');
  const client = await signedIn(member, hashOf('groups'));
  await faultless(
    t,
    { client },
    async () => {
      await client.page.focus('.message-body .user-group-mention');
      await client.page.keyboard.press('Enter');
      await client.waitFor('dialog', '@rowers');
      for (const { name } of [member, other]) await client.waitFor('dialog .receipts', name);
      await client.page.keyboard.press('Escape');
      await client.waitUntilGone('dialog');
      await act(client, 'all aboard');
      await owner.api.ok('DELETE /messages/{message_id}', { message_id: id });
      await client.waitUntilGone('.menu-item');
      await client.goTo(`${hashOf('groups')}/near/${id}`);
      await client.waitFor('.toasts', 'Deleted, or moved out of your reach.');
    },
    [400],
  );
});

t.test('the list of shortcuts names no keys twice for one action', async (t) => {
  const client = await signedIn(member, '#drafts');
  await faultless(t, { client }, async () => {
    await client.waitFor('.bar-title', 'Drafts');
    await client.page.keyboard.press('?');
    await client.waitFor('.help-row', 'Close or go back');
    const keys = await client.page.$$eval('.help-keys', (rows) =>
      rows.map((row) => [...row.querySelectorAll('.keys')].map((one) => one.textContent)),
    );
    t.strictSame(
      keys.filter((names) => new Set(names).size < names.length),
      [],
    );
  });
});

t.test('a sender sees who has read a message', async (t) => {
  await owner.api.ok('PATCH /realm', { enable_read_receipts: true });
  await member.api.ok('PATCH /settings', { send_read_receipts: true });
  const message_id = await say(owner, 'general', 'receipts', 'do you see this?');
  const sender = await signedIn(owner, hashOf('receipts'));
  await faultless(t, { sender }, async () => {
    await act(sender, 'do you see this?', 'Read receipts');
    await sender.waitFor('dialog', 'No person has read this message yet.');
    await sender.page.keyboard.press('Escape');
    await sender.waitUntilGone('dialog');
    const reader = await signedIn(member, hashOf('receipts'));
    await reader.waitFor('.message-body', 'do you see this?');
    await until('the server knows that it is read', async () => {
      const { message } = await member.api.ok<{ message: { flags: string[] } }>('GET /messages/{message_id}', {
        message_id,
      });
      return message.flags.includes('read');
    });
    await act(sender, 'do you see this?', 'Read receipts');
    await sender.waitFor('dialog', '1 person has read this message.');
    await sender.waitFor('dialog .receipts', member.name);
    t.strictSame([reader.faults, reader.refusals], [[], []]);
  });
});

const copied = async ({ page }: ClientPage): Promise<string> =>
  String(await page.evaluate('navigator.clipboard.readText()'));

/** A message as the server has it for the member. */
async function messageOf(message_id: number) {
  type Found = {
    readonly flags: readonly string[];
    readonly subject: string;
    readonly submessages: readonly { readonly content: string }[];
  };
  const { message } = await member.api.ok<{ message: Found }>('GET /messages/{message_id}', { message_id });
  return message;
}

t.test(
  'code is copied, a task is done, an option of a poll stays until it is added, a spoiler opens and closes',
  async (t) => {
    await say(owner, 'general', 'presses', '```python\nprint("x")\n```');
    const todo = await say(owner, 'general', 'presses', '/todo');
    const poll = await say(owner, 'general', 'presses', '/poll Lunch?\nPizza');
    await say(owner, 'general', 'presses', '```spoiler The ending\nEverybody lives.\n```');
    const client = await signedIn(member, hashOf('presses'));
    const { page } = client;
    await allowClipboard(client);
    const answer = async (label: string, text: string) => {
      await enter(page, label, text);
      await page.keyboard.press('Enter');
    };
    const actions = async (id: number): Promise<readonly unknown[]> =>
      (await messageOf(id)).submessages.slice(1).map(({ content }) => (JSON.parse(content) as { type: string }).type);
    let isRefused = false;
    const refusal = { result: 'error', code: 'BAD_REQUEST', msg: 'Not today.' };
    await client.intercept((request) =>
      isRefused && request.url().endsWith('/submessage')
        ? request.respond({ status: 400, contentType: 'application/json', body: JSON.stringify(refusal) })
        : request.continue(),
    );
    const run = async (): Promise<void> => {
      await client.click('.code-copy', 'Copy');
      await client.waitFor('.code-copy', 'Copied');
      t.equal(await copied(client), 'print("x")');
      await answer('Add a task', 'Sweep the deck');
      await client.waitFor('.todo-task', 'Sweep the deck');
      await client.click('.todo-task', 'Sweep the deck');
      await client.waitFor('.todo-task .done', 'Sweep the deck');
      await until('the task is done', async () => (await actions(todo)).join() === 'new_task,strike');
      isRefused = true;
      await answer('Add an option', 'Soup');
      await client.waitFor('.toast', 'Not today.');
      isRefused = false;
      await page.keyboard.press('Enter');
      await client.click('.poll-vote', 'Soup');
      await client.waitFor('.poll-vote[aria-pressed=true]', 'Soup');
      await client.waitFor('.poll-option', member.name);
      await until('the vote', async () => (await actions(poll)).join() === 'new_option,vote');
      t.equal(await client.textOf('.spoiler-content[hidden]').then((text) => text.trim()), 'Everybody lives.');
      await client.click('.spoiler-header', 'The ending');
      await client.waitFor('.spoiler-content:not([hidden])', 'Everybody lives.');
      await client.waitFor('.spoiler-button[aria-expanded=true]', 'Hide');
      await client.click('.spoiler-header', 'The ending');
      await client.waitFor('.spoiler-content[hidden]');
      await page.reload();
      await client.waitFor('.todo-task .done', 'Sweep the deck');
      await client.waitFor('.poll-vote[aria-pressed=true]', 'Soup');
      await act(client, 'Everybody lives.', 'Copy text');
      await client.waitFor('.toast', 'Copied');
      t.match(await copied(client), '```spoiler The ending');
    };
    await faultless(t, { client }, run, [400]);
  },
);

/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function upload(name: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([Buffer.from(PIXEL, 'base64')], { type: 'image/png' }), name);
  const url = `http://127.0.0.1:${server.nextPort()}/api/v1/user_uploads`;
  const sent = await fetch(url, { method: 'POST', headers: { ...owner.api.headers }, body: form });
  return ((await sent.json()) as { uri: string }).uri;
}

t.test('pictures open by the key v or a press; keys, buttons and the pointer go on and zoom', async (t) => {
  await say(owner, 'general', 'pictures', `[bow](${await upload('bow.png')})`);
  await say(owner, 'general', 'pictures', `[stern](${await upload('stern.png')})`);
  const client = await signedIn(member, hashOf('pictures'));
  const { page } = client;
  const { keyboard } = page;
  const zoomIs = (zoom: number) =>
    page.waitForFunction(`document.querySelector('.viewer-stage img').style.getPropertyValue('--zoom') === '${zoom}'`);
  await faultless(t, { client }, async () => {
    await page.waitForFunction(`document.querySelectorAll('a[data-image]').length === 2`);
    await keyboard.press('v');
    await client.waitFor('.viewer .viewer-count', '2 of 2');
    await client.waitFor('.viewer .viewer-name', 'stern');
    t.equal(await page.$('.viewer-after'), null, 'the last picture has none after it');
    await keyboard.press('ArrowLeft');
    await client.waitFor('.viewer-count', '1 of 2');
    await client.waitFor('.viewer-name', 'bow');
    await keyboard.press('ArrowLeft');
    await client.click('.viewer-after');
    await client.waitFor('.viewer-count', '2 of 2');
    await client.click('.viewer-before');
    await keyboard.press('ArrowRight');
    await client.waitFor('.viewer-count', '2 of 2');
    await zoomIs(1);
    await keyboard.press('+');
    await zoomIs(1.5);
    await client.click('.viewer button', 'Zoom in');
    await zoomIs(2.25);
    await keyboard.press('-');
    await zoomIs(1.5);
    await keyboard.press('ArrowLeft');
    await zoomIs(1);
    await page.locator('.viewer-stage').click({ count: 2 });
    await zoomIs(2.25);
    await keyboard.press('0');
    await zoomIs(1);
    t.strictSame(await client.findings(), []);
    await keyboard.press('Escape');
    await client.waitUntilGone('.viewer');
    t.match(await page.evaluate('location.hash'), /pictures$/, 'the key closes the viewer alone');
    await page.evaluate(`document.querySelector('a[data-image]').click()`);
    await client.waitFor('.viewer-count', '1 of 2');
  });
});

t.test('the key n goes through unread topics, and w goes to the filter of people', async (t) => {
  await member.api.ok('POST /mark_all_as_read');
  const first = await say(owner, 'general', 'first unread', 'one');
  const second = await say(owner, 'general', 'second unread', 'two');
  const client = await signedIn(member, hashOf('nothing unread here'));
  const { page } = client;
  const isRead = async (id: number) => (await messageOf(id)).flags.includes('read');
  await faultless(t, { client }, async () => {
    await client.waitFor('.row.topic', 'first unread');
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press('n');
    await client.waitFor('.bar-title', 'second unread');
    await until('the second is read', () => isRead(second));
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press('n');
    await client.waitFor('.bar-title', 'first unread');
    await until('the first is read', () => isRead(first));
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press('n');
    await client.waitFor('.toast', 'unread');
    await page.keyboard.press('w');
    await page.keyboard.type(owner.name);
    await page.waitForFunction(`document.querySelectorAll('.row.person').length === 1`);
    await client.waitFor('.row.person', owner.name);
  });
});

t.test('by its menu a topic is resolved and muted, and a message is marked as unread and forwarded', async (t) => {
  const ids: number[] = [];
  for (const text of ['knot one', 'knot two', 'knot three']) ids.push(await say(owner, 'general', 'knots', text));
  const client = await signedIn(member, hashOf('knots'));
  const isRead = async () => Promise.all(ids.map(async (id) => (await messageOf(id)).flags.includes('read')));
  await faultless(t, { client }, async () => {
    await until('all are read', async () => (await isRead()).every(Boolean));
    await act(client, 'knot two', 'Mark as unread from here');
    await client.waitFor('.row.topic .count', '2');
    await until('two are unread', async () => (await isRead()).join() === 'true,false,false');
    await act(client, 'knot two', 'Forward');
    await client.page.waitForFunction(`document.querySelector('.compose-text').value.includes('knot two')`);
    await client.fill('.compose [aria-label="Topic"], .compose input[placeholder^="Topic"]', 'forwarded knots');
    await client.page.focus('.compose-text');
    await client.pressControl('Enter');
    await client.waitFor('.toast', 'sent');
    type Sent = { readonly content: string };
    const narrow = [
      { operator: 'stream', operand: stream },
      { operator: 'topic', operand: 'forwarded knots' },
    ];
    await until('the forwarded message', async () => {
      const params = { anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false, narrow };
      const { messages } = await member.api.ok<{ messages: Sent[] }>('GET /messages', params);
      return messages.some(
        ({ content }) => content.includes('quote\nknot two\n') && content.includes(`near/${ids[1]}`),
      );
    });
    t.strictSame(await isRead(), [true, false, false], 'they stay unread while the view is open');
    await act(client, 'knot two', 'Mute topic');
    await client.waitFor('.toast', 'is muted');
    type Topics = {
      readonly user_topics: readonly { readonly topic_name: string; readonly visibility_policy: number }[];
    };
    const policy = async () => {
      const fetched = { fetch_event_types: ['user_topic'], event_types: [] };
      const { user_topics } = await member.api.ok<Topics>('POST /register', fetched);
      return user_topics.find(({ topic_name }) => topic_name === 'knots')?.visibility_policy;
    };
    t.equal(await policy(), 1);
    await act(client, 'knot two', 'Unmute topic');
    await client.waitFor('.toast', 'no longer muted');
    t.equal(await policy(), undefined);
    await act(client, 'knot two', 'Mark topic as resolved');
    await client.waitFor('.toast', 'The topic is resolved.');
    await client.page.waitForFunction("location.hash.endsWith('topic/.E2.9C.94.20knots')");
    t.strictSame(new Set((await Promise.all(ids.map(messageOf))).map(({ subject }) => subject)), new Set(['✔ knots']));
    await act(client, 'knot two', 'Mark topic as open');
    await client.waitFor('.toast', 'The topic is open again.');
    t.equal((await messageOf(ids[0]!)).subject, 'knots');
  });
});

t.test('a topic is renamed, resolved and deleted by its menu; screen readers get a word for its mark', async (t) => {
  const ids = [await say(owner, 'general', 'splices', 'eye'), await say(member, 'general', 'splices', 'back')];
  const client = await signedIn(owner, hashOf('splices'));
  const { page } = client;
  const subjects = async () => [...new Set((await Promise.all(ids.map(messageOf))).map(({ subject }) => subject))];
  await faultless(t, { client }, async () => {
    await client.waitFor('.message-body', 'back');
    await client.click('.bar > [aria-haspopup=menu]');
    await client.click('.menu-item', 'Rename or move topic');
    await client.fill('dialog input[type=text]', 'bends');
    t.strictSame(await client.findings(), []);
    // The stream opens at its first unread message, which other subtests may have left.
    await client.goTo(`#narrow/stream/${stream}-general/near/${ids[0]}`);
    await client.waitUntilGone('dialog');
    await client.waitFor('.messages .recipient', 'splices');
    await page.goBack();
    await client.click('.bar > [aria-haspopup=menu]');
    await client.click('.menu-item', 'Rename or move topic');
    await client.waitFor('dialog');
    t.equal(await client.valueOf('dialog input[type=text]'), 'bends', 'the name is kept when the address changes');
    await client.click('dialog button', 'Save');
    await page.waitForFunction("location.hash.endsWith('topic/bends')");
    t.strictSame(await subjects(), ['bends']);
    await client.waitFor('.row.topic', 'bends');
    await page.evaluate(`[...document.querySelectorAll('.row.topic a')].find((one) => one.textContent.includes('bends'))
      .dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, button: 2, clientX: 40, clientY: 40 }))`);
    await client.click('.menu-item', 'Mark topic as resolved');
    await client.waitFor('.toast', 'The topic is resolved.');
    t.strictSame(await subjects(), ['✔ bends']);
    const told = 'bends, resolved';
    for (const place of ['.bar-title', '.row.topic']) await client.waitFor(place, told);
    await client.fill('.compose-text', '#**general>ben');
    await client.waitFor('.suggestion', told);
    await client.fill('.compose-text', ' ');
    await client.goTo('#recent');
    await client.waitFor('.overview-row', told);
    await client.goTo('#inbox');
    await say(member, 'general', '✔ bends', 'sheet');
    await client.waitFor('.overview-row.inbox', told);
    await client.goTo(`#narrow/stream/${stream}-general/near/${ids[0]}`);
    await client.waitFor('.messages .recipient', told);
    const tries: string[] = [];
    await client.intercept((request) => {
      if (!request.url().endsWith('/delete_topic') || tries.push(request.url()) > 1) return request.continue();
      const partly = { result: 'partially_completed', code: 'REQUEST_TIMEOUT', msg: '' };
      return request.respond({ contentType: 'application/json', body: JSON.stringify(partly) });
    });
    const header = `[...document.querySelectorAll('.recipient')].find((one) => one.textContent.includes('${told}'))`;
    await page.evaluate(`${header}.querySelector('[aria-haspopup=menu]').click()`);
    await client.click('.menu-item', 'Delete topic');
    await client.click('dialog button', 'Delete topic');
    await client.waitFor('.toast', 'The topic is deleted.');
    await client.waitUntilGone('.messages .recipient', told);
    t.equal(tries.length, 2, 'a deletion that the server has not finished goes on');
    const narrow = [
      { operator: 'stream', operand: stream },
      { operator: 'topic', operand: '✔ bends' },
    ];
    const { messages } = await owner.api.ok<{ messages: unknown[] }>('GET /messages', {
      ...{ anchor: 'newest', num_before: 10, num_after: 0, narrow },
    });
    t.strictSame(messages, []);
  });
});

/** Id and distance from the top of the first message that is whole on screen. */
const PLACE = `(() => {
  const list = document.querySelector('[data-messages]');
  const top = list.getBoundingClientRect().top;
  const first = [...list.querySelectorAll('[data-message]')].find((one) => one.getBoundingClientRect().top >= top);
  return { id: Number(first.dataset.message), top: first.getBoundingClientRect().top - top };
})()`;

interface Place {
  readonly id: number;
  readonly top: number;
}

const topOf = (id: number): string => `document.querySelector('[data-message="${id}"]').getBoundingClientRect().top
  - document.querySelector('[data-messages]').getBoundingClientRect().top`;

/** Height of an element right after its style has changed to 50 pixels. */
const HEIGHT_AFTER_CHANGE = `(() => {
  const element = document.body.appendChild(document.createElement('div'));
  element.style.height = '10px';
  if (element.offsetHeight !== 10) return undefined;
  element.style.height = '50px';
  const height = element.offsetHeight;
  element.remove();
  return height;
})()`;

t.test('a reader follows a topic that is moved, at the same place and with the text in the box', async (t) => {
  let first = 0;
  for (let n = 0; n < 60; n++) {
    const id = await say(n % 2 ? owner : other, 'general', 'plans', `${n}: ${'words that fill lines '.repeat(n % 9)}`);
    first ||= id;
  }
  await member.api.ok('POST /mark_all_as_read');
  const reader = await signedIn(member, hashOf('plans'));
  const { page } = reader;
  const atTopic = (topic: string, name = 'general') =>
    page.waitForFunction(
      `decodeURIComponent(location.hash.replaceAll('.', '%')).includes(${quoted(`-${name}/topic/${topic}`)})`,
    );
  await faultless(t, { reader }, async () => {
    await reader.waitFor('[data-message]', '59:');
    await reader.fill('.compose-text', 'half a thought');
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    t.equal(await page.evaluate(HEIGHT_AFTER_CHANGE), 50, 'with reduced motion, layout follows a change at once');
    await page.evaluate(`(async () => {
      const list = document.querySelector('[data-messages]');
      list.dispatchEvent(new WheelEvent('wheel'));
      list.scrollTop -= 900;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    })()`);
    const place = (await page.evaluate(PLACE)) as Place;
    const staysInPlace = async (title: string) => {
      await page.waitForFunction(`document.querySelector('[data-message="${place.id}"]') !== null`);
      const top = Number(await page.evaluate(topOf(place.id)));
      // A position of the list is a whole number of pixels, heights of rows are not.
      t.ok(Math.abs(top - place.top) < 1, `${title}: from ${place.top} to ${top}`);
    };
    const move = { message_id: first, propagate_mode: 'change_all', send_notification_to_old_thread: false };
    await owner.api.ok('PATCH /messages/{message_id}', { ...move, topic: '✔ plans' });
    await atTopic('✔ plans');
    await reader.waitFor('.toast', 'This topic is now #general › ✔ plans');
    await reader.waitFor('.bar', 'plans');
    await staysInPlace('the text that is read stays where it is');
    t.equal(await reader.valueOf('.compose-text'), 'half a thought');
    const harbour = await streamIdOf(member, 'harbour');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('?');
    await reader.waitFor('dialog', 'Keyboard shortcuts');
    await owner.api.ok('PATCH /messages/{message_id}', { ...move, stream_id: harbour });
    await atTopic('✔ plans', 'harbour');
    t.ok(await page.$('dialog'), 'a dialog stays when the address is corrected');
    await page.keyboard.press('Escape');
    await reader.waitUntilGone('dialog');
    await staysInPlace('in another stream, too');
    await reader.page.focus('.compose-text');
    await reader.pressControl('Enter');
    type Sent = { readonly subject: string; readonly content: string };
    const narrow = [{ operator: 'stream', operand: harbour }];
    await until('the text is sent to the new place', async () => {
      const params = { anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false, narrow };
      const { messages } = await member.api.ok<{ messages: Sent[] }>('GET /messages', params);
      return messages.some(({ subject, content }) => subject === '✔ plans' && content === 'half a thought');
    });
  });
});

t.test(
  'a reader goes along with the later messages of a topic, and is told of messages that leave alone',
  async (t) => {
    const ids: number[] = [];
    for (let n = 0; n < 6; n++) ids.push(await say(n % 2 ? owner : other, 'general', 'lunch', `meal ${n}`));
    await member.api.ok('POST /mark_all_as_read');
    const reader = await signedIn(member, hashOf('lunch'));
    const addressHas = (part: string) => reader.page.waitForFunction(`location.hash.includes(${quoted(part)})`);
    const move = async (message_id: number, propagate_mode: string, topic: string) => {
      const notices = { send_notification_to_old_thread: false, send_notification_to_new_thread: false };
      await owner.api.ok('PATCH /messages/{message_id}', { message_id, propagate_mode, topic, ...notices });
    };
    await faultless(t, { reader }, async () => {
      await reader.waitFor('[data-message]', 'meal 5');
      await reader.fill('.compose-text', 'half a bite');
      await move(ids[1]!, 'change_one', 'snacks');
      await reader.waitFor('.toast', '1 message of this topic is now in #general › snacks.');
      await reader.waitUntilGone('[data-message]', 'meal 1');
      await addressHas('topic/lunch');
      await reader.page.evaluate('document.activeElement.blur()');
      await reader.page.keyboard.press('?');
      await reader.waitFor('dialog', 'Keyboard shortcuts');
      await move(ids[3]!, 'change_later', 'dinner');
      await reader.waitFor('.toast', 'These messages are now in #general › dinner.');
      await addressHas('topic/dinner');
      t.ok(await reader.page.$('dialog'), 'a dialog stays when the reader is taken along');
      await reader.page.keyboard.press('Escape');
      await reader.waitUntilGone('dialog');
      await reader.waitFor('[data-message]', 'meal 5');
      await reader.waitUntilGone('[data-message]', 'meal 2');
      t.equal(await reader.valueOf('.compose-text'), 'half a bite', 'the text goes along');
      t.strictSame(await reader.findings(), []);
      await reader.click('.toast button', 'Show');
      await addressHas(`topic/snacks/near/${ids[1]}`);
      await reader.waitFor('[data-message]', 'meal 1');
      await reader.page.goBack();
      await reader.page.goBack();
      await addressHas('topic/lunch');
      await reader.waitFor('[data-message]', 'meal 2');
      await reader.goTo(`${hashOf('lunch')}/near/${ids[4]}`);
      await addressHas(`topic/dinner/near/${ids[4]}`);
      await reader.waitFor('[data-message]', 'meal 4');
      await move(ids[0]!, 'change_all', 'breakfast');
      await reader.waitFor('.row.topic', 'breakfast');
      await reader.goTo(`${hashOf('lunch')}/near/${ids[0]}`);
      await addressHas(`topic/breakfast/near/${ids[0]}`);
      await reader.waitFor('[data-message]', 'meal 0');
    });
  },
);

t.test('a reader stays when the topic is moved to a stream that they cannot read', async (t) => {
  const secret = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await owner.api.ok('POST /users/me/subscriptions', secret);
  const id = await say(owner, 'general', 'rumours', 'hear, hear');
  const reader = await signedIn(member, hashOf('rumours'));
  await faultless(t, { reader }, async () => {
    await reader.waitFor('.message-body', 'hear, hear');
    await owner.api.ok('PATCH /messages/{message_id}', {
      ...{ message_id: id, propagate_mode: 'change_all', send_notification_to_old_thread: false },
      stream_id: await streamIdOf(owner, 'secret'),
    });
    await reader.waitUntilGone('.message-body', 'hear, hear');
    await reader.waitFor('.messages', 'Deleted, or moved out of your reach.');
    t.match(await reader.page.evaluate('location.hash'), /rumours$/);
  });
});
