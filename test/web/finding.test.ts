/** Inbox, recent conversations, drafts, scheduled messages, search and quick switcher in Chromium. */
import t from 'tap';
import { makeOrganization, PASSWORD, say, streamIdOf, subscribe, tell } from '../api/support/organization.js';
import { picked } from '../support/rounds.js';
import { CHROMIUM_IS_MISSING, ClientPage, DESK, openChromium, PHONE } from './support/chromium.js';
import { startFace } from './support/face.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}

const server = await startFace('finding');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['member', 'other']);
const { owner, member, other } = org;
await subscribe(owner, ['general', 'random talk'], { principals: [owner, member, other] });
const host = `${org.subdomain}.localhost:${server.nextPort()}`;

async function open(hash: string, look: Parameters<typeof ClientPage.open>[2] = {}): Promise<ClientPage> {
  const client = await ClientPage.open(browser, host, look);
  await client.openSignedIn(member.email, PASSWORD, hash);
  return client;
}

const readEverything = () => member.api.ok('POST /mark_all_as_read');

t.test('the inbox empties as the reader reads', async (t) => {
  await readEverything();
  await say(other, 'general', 'plans', 'for tomorrow');
  await say(other, 'random talk', 'books', 'a good one');
  await tell(other, [member], 'hello');
  const client = await open('#inbox');
  const { page } = client;
  await client.waitFor('.overview-row', 'plans');
  await client.waitFor('.overview-row', 'books');
  t.match(await page.title(), /^\(3\)/, 'the title counts');
  await client.click('.overview-row .icon-button', 'books');
  await page.waitForFunction(`!document.querySelector('.overview').textContent.includes('books')`);
  // The first row below the heading of direct messages, by keys.
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await client.waitFor('.message-body', 'hello');
  await page.waitForFunction(`document.title.startsWith('(1)')`);
  await page.keyboard.press('I');
  await client.waitFor('.overview-row', 'plans');
  await client.click('.overview-main', 'plans');
  await client.waitFor('.message-body', 'for tomorrow');
  await page.waitForFunction(`!document.title.startsWith('(')`);
  await page.keyboard.press('I');
  await client.waitFor('.empty', 'You have read everything');
  await say(other, 'general', 'lunch', 'hungry?');
  await client.waitFor('.overview-row', 'lunch');
  t.strictSame(client.faults, []);
});

t.test('a row of the inbox has the beginning of its newest message, the sender and the time', async (t) => {
  await readEverything();
  await say(other, 'general', 'tides', 'high at **noon**\n```spoiler Until when?\nuntil four\n```');
  await tell(other, [member], 'see you');
  const asked: string[] = [];
  const client = await open('#inbox');
  const { page } = client;
  page.on('request', (request) => asked.push(decodeURIComponent(new URL(request.url()).search)));
  await client.waitFor('.overview-row.inbox', `tides${other.name}: high at noon Until when?`);
  await client.waitFor('.overview-row.inbox', `${other.name}see you`);
  const time = (await page.evaluate(`document.querySelector('.overview-row.inbox time').textContent`)) as string;
  t.match(time, /^\d+:\d\d\s[AP]M$/);
  t.notMatch(await client.textOf('.overview'), 'until four', 'a spoiler stays hidden');
  asked.length = 0;
  await say(owner, 'general', 'tides', 'and low at six :wave:');
  await client.waitFor('.overview-row.inbox', `tides${owner.name}: and low at six 👋`);
  const edited = await say(other, 'general', 'ropes', 'frayed');
  await client.waitFor('.overview-row.inbox', 'frayed');
  await other.api.ok('PATCH /messages/{message_id}', { message_id: edited, content: 'mended' });
  await client.waitFor('.overview-row.inbox', `${other.name}: mended`);
  t.notOk(
    asked.some((search) => search.includes('is') && search.includes('unread')),
    'messages that come are not asked for',
  );
  t.strictSame(await client.findings(), []);
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('on a phone, a row of the inbox has its time beside the name and the message below', async (t) => {
  await readEverything();
  await say(other, 'general', 'tides on a phone', 'high at noon');
  const client = await open('#inbox', { viewport: PHONE });
  await client.waitFor('.overview-row.inbox .preview', 'high at noon');
  const [name, time, preview] = (await client.page.evaluate(`['.place-topic', 'time', '.preview'].map((selector) =>
    document.querySelector('.overview-row.inbox ' + selector).getBoundingClientRect().toJSON())`)) as DOMRect[];
  t.ok(preview!.top >= name!.bottom - 1 && preview!.left === name!.left, 'the text is below the name');
  t.ok(Math.abs(time!.top + time!.height / 2 - name!.top - name!.height / 2) < 3 && time!.left >= name!.right);
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('recent conversations follow what is said, with participants, filters and marks as read', async (t) => {
  await say(other, 'general', 'older topic');
  await say(owner, 'general', 'newer topic');
  const client = await open('#recent');
  const first = () => client.textOf('.overview [data-index="0"]');
  await client.waitFor('.overview-row', 'older topic');
  t.match(await first(), /newer topic/);
  await say(other, 'general', 'older topic', 'again');
  await client.page.waitForFunction(
    `document.querySelector('.overview [data-index="0"]').textContent.includes('older topic')`,
  );
  t.match(await first(), new RegExp(other.name), 'participants are named');
  await client.page.type('.overview input', 'newer');
  await client.page.waitForFunction(`document.querySelectorAll('.overview-row').length === 1`);
  await client.click('.overview-row .icon-button', 'newer topic');
  await client.click('.pill', 'Unread');
  await client.waitFor('.empty', 'No results');
  t.strictSame(client.faults, []);
});

t.test('the view of an archived, private or unknown stream or person has a notice and no compose box', async (t) => {
  const secret = { subscriptions: [{ name: 'secret' }], principals: [owner.id], invite_only: true };
  await owner.api.ok('POST /users/me/subscriptions', secret);
  await subscribe(owner, 'old news', { principals: [owner, member] });
  const message = await say(owner, 'old news', 'yellow pages');
  await member.api.ok('POST /messages/flags', { messages: [message], op: 'add', flag: 'starred' });
  const old = await streamIdOf(owner, 'old news');
  const client = await open('#recent');
  await client.waitFor('.overview-row', 'yellow pages');
  await owner.api.ok('DELETE /streams/{stream_id}', { stream_id: old });
  await client.waitUntilGone('.overview-row', 'yellow pages');
  const titles = [
    [`stream/${old}-old-news/topic/blank`, '#old news (archived) › blank'],
    [`stream/${await streamIdOf(owner, 'secret')}-secret/topic/plans`, 'unknown stream › plans'],
    ['stream/9999-x', 'unknown stream'],
    ['dm/9999-ghost', 'unknown person'],
  ] as const;
  for (const [hash, title] of titles) {
    await client.goTo(`#narrow/${hash}`);
    await client.waitFor('.bar-title', title);
    await client.waitFor('.empty', 'There is no such stream or person, or you have no access.');
    await client.waitFor('.compose-closed');
    t.equal(await client.page.$('.empty button, .compose-box'), null, hash);
  }
  await client.goTo('#narrow/is/starred');
  await client.waitFor('.message-row .recipient-stream', 'old news (archived)');
  t.strictSame(client.faults, []);
});

t.test('an address that can not be read or is too long says so, and offers no other try', async (t) => {
  const client = await open('#recent');
  const hashes = [
    ...['is/nonsense', 'id/abc', 'search/', 'stream/%E0%A4%A', `dm/${'9'.repeat(30)}`],
    ...[`stream/1/topic/${'x'.repeat(70_000)}`, `${'is/starred/'.repeat(3_000)}is/starred`],
  ];
  for (const hash of hashes) {
    await client.goTo(`#narrow/${hash}`);
    await client.waitFor('.empty', 'There is no such stream or person, or you have no access.');
    t.equal(await client.page.$('.empty button'), null, hash.slice(0, 40));
    await client.goTo('#inbox');
    await client.waitUntilGone('.messages');
  }
  await client.goTo('#narrow/constructor/x');
  await client.waitFor('.empty', 'There is nothing at this address.');
  await client.goTo(`#narrow/near/${'9'.repeat(30)}`);
  await client.waitFor('.message-body');
  t.strictSame(client.faults, []);
});

t.test('a message is found by words and operators, and its words are marked', async (t) => {
  await say(other, 'random talk', 'animals', 'the walrus sleeps on the ice');
  await say(owner, 'random talk', 'animals', 'the walrus is awake');
  const client = await open('#inbox');
  const { page } = client;
  await client.waitFor('.overview');
  await page.keyboard.press('/');
  await client.waitFor('.palette-option', 'sender:');
  await page.keyboard.type('sender:oth');
  await client.waitFor('.palette-option[aria-selected=true]', other.name);
  await page.keyboard.press('Enter');
  await client.waitFor('.search-chip', other.name);
  await page.keyboard.type('walrus');
  await client.waitFor('.palette-option[aria-selected=true]', 'walrus');
  t.strictSame(await client.findings(), [], 'accessible');
  await page.keyboard.press('Enter');
  await client.waitFor('.message-body', 'sleeps on the ice');
  await client.waitFor('.message-body .highlight', 'walrus');
  const bodies = (await page.evaluate(
    `[...document.querySelectorAll('.message-body')].map((e) => e.textContent).join('|')`,
  )) as string;
  t.notMatch(bodies, /awake/, 'the message of another sender is not among them');
  t.match(await page.evaluate('location.hash'), /^#narrow\/sender\/\d+.*\/search\/walrus$/);
  t.strictSame(client.faults, []);
});

t.test('words are searched for in the conversation on screen, or in all messages', async (t) => {
  const stream = await streamIdOf(member, 'general');
  await say(other, 'general', 'birds', 'a heron on the pier');
  await say(owner, 'random talk', 'ponds', 'the heron again');
  const client = await open(`#narrow/stream/${stream}-general/topic/birds`);
  const { page } = client;
  await client.waitFor('.message-body', 'on the pier');
  const search = async (words: string, choice: string) => {
    await client.click('.bar-search');
    await client.waitFor('dialog .search-chip', 'general');
    await page.keyboard.type(words);
    await client.click('.palette-option', choice);
  };
  await search('heron', 'In all messages');
  await client.waitFor('.message-body', 'heron again');
  await client.waitFor('.message-body', 'on the pier');
  t.equal(await page.evaluate('location.hash'), '#narrow/search/heron');
  await page.goBack();
  await client.waitFor('.bar-title', 'birds');
  await search('ostrich', 'topic:birds ostrich');
  await client.waitFor('.messages', 'No messages match this search.');
  t.equal(await client.textOf('.bar-title'), 'Search for “ostrich” · #general › birds');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('a search that names an unknown person says so, and searches for the text', async (t) => {
  const client = await open('#recent');
  await client.click('.bar-search');
  await client.waitFor('dialog .palette-field');
  await client.page.keyboard.type('from:nadine tea');
  await client.page.keyboard.press('Enter');
  await client.waitFor('.toasts', 'Unknown: from:nadine');
  await client.waitFor('.messages', 'No messages match this search.');
  t.equal(await client.textOf('.bar-title'), 'Search for “from:nadine tea”');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('the quick switcher goes to streams, topics, people and views', async (t) => {
  await say(other, 'general', 'release notes');
  const client = await open('#inbox');
  const { page } = client;
  await client.waitFor('.overview');
  const jump = async (text: string): Promise<string> => {
    await page.keyboard.down('Control');
    await page.keyboard.press('k');
    await page.keyboard.up('Control');
    await client.waitFor('.palette-option');
    await page.keyboard.type(text);
    await page.waitForFunction(`document.querySelector('.palette input').value === ${JSON.stringify(text)}`);
    await page.keyboard.press('Enter');
    await page.waitForFunction(`!document.querySelector('.palette')`);
    return (await page.evaluate('location.hash')) as string;
  };
  const stream = await streamIdOf(member, 'general');
  t.equal(await jump('gen rel'), `#narrow/stream/${stream}-general/topic/release.20notes`);
  t.match(await jump('random'), /^#narrow\/stream\/\d+-random-talk$/);
  t.match(await jump(other.name.slice(0, 9)), new RegExp(`^#narrow/dm/${other.id}-`));
  t.equal(await jump('draft'), '#drafts');
  t.strictSame(client.faults, []);
});

t.test('the list of drafts has a text that only the browser keeps, and a reload leaves it there', async (t) => {
  await member.api.ok('PATCH /settings', { enable_drafts_synchronization: false });
  const client = await open(`#narrow/stream/${await streamIdOf(member, 'general')}/topic/unsent`);
  await client.fill('.compose-text', 'for this browser');
  await client.page.evaluate(`location.hash = '#drafts'`);
  await client.waitFor('.overview-row.note', 'unsent');
  await client.page.reload();
  await client.waitFor('.overview-row.note', 'for this browser');
  await client.waitFor('.row', 'Drafts1');
  await client.click('.overview-row.note .icon-button', 'Delete draft');
  await client.waitFor('.empty', 'No drafts');
  await client.click('.toast button', 'Undo');
  await client.click('.overview-main', 'for this browser');
  await client.page.waitForFunction(`document.querySelector('textarea')?.value === 'for this browser'`);
  await client.fill('.compose-text', ' ');
  await member.api.ok('PATCH /settings', { enable_drafts_synchronization: true });
  t.strictSame(client.faults, []);
});

t.test('a draft is continued, the focus goes to the next one, and the last deleted is restored', async (t) => {
  const to = [await streamIdOf(member, 'general')];
  const timestamp = Math.floor(Date.now() / 1000);
  await member.api.ok('POST /drafts', {
    drafts: [{ type: 'stream', to, topic: 'half', content: 'a half-written text', timestamp }],
  });
  const client = await open('#drafts');
  await client.click('.overview-main', 'a half-written text');
  await client.page.waitForFunction(`document.querySelector('textarea')?.value === 'a half-written text'`);
  await client.page.evaluate(`location.hash = '#drafts'`);
  await client.waitFor('.overview-row.note', 'half');
  const newer = { type: 'stream', to, topic: 'whole', content: 'a newer text', timestamp: timestamp + 60 };
  await member.api.ok('POST /drafts', { drafts: [newer] });
  await client.waitFor('.overview-row.note', 'whole');
  await client.page.focus('.overview-row.note [aria-label="Delete draft"]');
  await client.page.keyboard.press('Enter');
  await client.page.waitForFunction(`document.activeElement.matches('.overview-main')`);
  t.match(await client.page.evaluate('document.activeElement.textContent'), 'a half-written text');
  await client.waitUntilGone('.overview-row.note', 'whole');
  await client.waitFor('.toast', 'The draft is deleted');
  await client.click('.overview-row.note .icon-button', 'Delete draft');
  await client.waitFor('.empty', 'No drafts');
  let isRefused = true;
  const refusal = { result: 'error', code: 'BAD_REQUEST', msg: 'Not today.' };
  await client.intercept((request) =>
    isRefused && request.url().endsWith('/drafts')
      ? request.respond({ status: 400, contentType: 'application/json', body: JSON.stringify(refusal) })
      : request.continue(),
  );
  await client.click('.toast button', 'Undo');
  await client.waitFor('.toast', 'Not today.');
  isRefused = false;
  await client.click('.toast button', 'Undo');
  await client.waitFor('.overview-row.note', 'half');
  t.strictSame(client.faults, []);
});

t.test('a scheduled message gets another text and time, also after its dialog was left, and is sent now', async (t) => {
  const scheduled_delivery_timestamp = Math.floor(Date.now() / 1000) + 86_400;
  const to = await streamIdOf(member, 'general');
  const of = { type: 'stream', to, topic: 'later', content: 'for later', scheduled_delivery_timestamp };
  await member.api.ok('POST /scheduled_messages', of);
  const client = await open('#scheduled');
  const { page } = client;
  await client.click('.overview-row.note .icon-button', 'Edit scheduled message');
  await client.waitFor('dialog', 'Time of sending');
  await page.evaluate(`{
    const input = document.querySelector('input[type=datetime-local]');
    input.value = '2040-01-02T03:04';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }`);
  await page.mouse.click(5, 5);
  await page.focus('dialog textarea');
  await page.keyboard.sendCharacter(', changed');
  await page.evaluate("location.hash = '#drafts'");
  await client.waitUntilGone('dialog');
  await page.keyboard.press('?');
  await client.waitFor('dialog', 'Keyboard shortcuts');
  await page.goBack();
  await client.waitFor('.bar-title', 'Scheduled');
  await client.waitUntilGone('dialog');
  await client.click('.overview-row.note .icon-button', 'Edit scheduled message');
  await client.waitFor('dialog', 'Time of sending');
  t.equal(await client.valueOf('dialog textarea'), 'for later, changed', 'the text is kept');
  await client.click('dialog button', 'Save');
  await client.waitFor('.overview-time', '2040');
  await client.click('.overview-row.note .icon-button', 'Send now');
  await client.waitFor('.empty', 'No scheduled messages');
  await page.evaluate(`location.hash = '#narrow/stream/${to}/topic/later'`);
  await client.waitFor('.message-body', 'for later, changed');
  t.strictSame(client.faults, []);
});

t.test('a refused text is said at the text, an unchanged time is not sent, and a lost message is told', async (t) => {
  const to = await streamIdOf(member, 'general');
  const of = { type: 'stream', to, topic: 'tidings', content: 'at noon' };
  const time = Math.floor(Date.now() / 1000) + 86_459;
  const { scheduled_message_id } = await member.api.ok<{ scheduled_message_id: number }>('POST /scheduled_messages', {
    ...of,
    scheduled_delivery_timestamp: time,
  });
  const client = await open('#scheduled');
  const { page } = client;
  const edit = async (text: string) => {
    await client.click('.overview-row.note .icon-button', 'Edit scheduled message');
    await client.waitFor('dialog', 'Time of sending');
    await client.fill('dialog textarea', text);
    await client.click('dialog button', 'Save');
  };
  await edit(' ');
  await client.waitFor('dialog [role=alert]', 'empty');
  const invalid = `[...document.querySelectorAll('dialog [aria-invalid="true"]')].map((field) => field.localName)`;
  t.strictSame(await page.evaluate(invalid), ['textarea']);
  await page.keyboard.press('Escape');
  await client.waitUntilGone('dialog');
  await edit('at one');
  await client.waitFor('.overview-row.note', 'at one');
  const { scheduled_messages } = await member.api.ok<{ scheduled_messages: object[] }>('GET /scheduled_messages');
  t.match(scheduled_messages, [{ scheduled_delivery_timestamp: time }], 'the seconds, which the field lacks, stay');
  await client.click('.overview-row.note .icon-button', 'Edit scheduled message');
  await client.waitFor('dialog', 'Time of sending');
  await member.api.ok('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id });
  await client.waitFor('dialog [role=alert]', 'Sent or deleted meanwhile.');
  t.ok(await page.$('dialog button.primary:disabled'));
  t.strictSame([client.faults, client.refusals], [[], [400]]);
});

t.test('the time of a scheduled message is edited in the time zone of the settings', async (t) => {
  await member.api.ok('PATCH /settings', { timezone: 'Pacific/Kiritimati' });
  t.teardown(() => member.api.ok('PATCH /settings', { timezone: 'UTC' }));
  const to = await streamIdOf(member, 'general');
  await member.api.ok('POST /scheduled_messages', {
    ...{ type: 'stream', to, topic: 'later', content: 'for later' },
    scheduled_delivery_timestamp: Date.UTC(2040, 0, 1, 13, 4) / 1000,
  });
  const client = await open('#scheduled');
  await client.waitFor('.overview-time', '3:04');
  await client.click('.overview-row.note .icon-button', 'Edit scheduled message');
  await client.waitFor('dialog', 'Time zone: Pacific/Kiritimati');
  t.equal(await client.valueOf('input[type=datetime-local]'), '2040-01-02T03:04');
  await client.page.evaluate(`{
    const input = document.querySelector('input[type=datetime-local]');
    input.value = '2040-01-02T04:05';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }`);
  await client.click('dialog button', 'Save');
  await client.waitFor('.overview-time', '4:05');
  const { scheduled_messages: scheduled } = await member.api.ok<{
    scheduled_messages: { scheduled_delivery_timestamp: number }[];
  }>('GET /scheduled_messages');
  t.match(scheduled, [{ scheduled_delivery_timestamp: Date.UTC(2040, 0, 1, 14, 5) / 1000 }]);
  t.strictSame(client.faults, []);
});

const LOOKS = [
  ['light', { viewport: DESK, scheme: 'light' }],
  ['a dark phone', { viewport: PHONE, scheme: 'dark' }],
] as const;

for (const [name, look] of picked(LOOKS, 1, ([name]) => `finding ${name}`)) {
  t.test(`inbox, recent conversations, drafts and scheduled messages are accessible: ${name}`, async (t) => {
    await say(other, 'general', 'plans', `@**${member.name}** look`);
    const client = await open('#inbox', look);
    for (const view of ['inbox', 'recent', 'drafts', 'scheduled']) {
      await client.page.evaluate(`location.hash = '#${view}'`);
      await client.waitFor('.overview-row,.overview-empty');
      t.strictSame(await client.findings(), [], view);
    }
    t.strictSame(client.faults, []);
  });
}
