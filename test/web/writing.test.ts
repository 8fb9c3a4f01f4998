/** Writing in a real browser: completion, files, drafts, a lost connection, scheduled sending, quotes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HTTPRequest } from 'puppeteer-core';
import t, { type Test } from 'tap';
import {
  makeOrganization,
  type Organization,
  PASSWORD,
  type Person,
  say,
  streamIdOf,
  subscribe,
} from '../api/support/organization.js';
import { until } from '../support/until.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium } from './support/chromium.js';
import { startFace } from './support/face.js';
import { openLine } from './support/line.js';

/** The client tries again 30 s after a failure at most, and a cluster takes some seconds to start. */
const RECONNECT_MS = 60_000;

interface Sent {
  readonly id: number;
  readonly content: string;
  readonly subject: string;
}

t.test('writing', { skip: CHROMIUM_IS_MISSING }, async (t) => {
  const server = await startFace('writing');
  const browser = await openChromium(t);
  const org = await makeOrganization(server, ['member', 'other']);
  await subscribe(org.owner, 'general', { principals: [org.owner, org.member, org.other] });
  await subscribe(org.owner, 'small', { principals: [org.owner, org.member] });
  const stream = await streamIdOf(org.member, 'general');
  const folder = mkdtempSync(join(tmpdir(), 'conclave-writing-'));
  t.teardown(() => rmSync(folder, { recursive: true }));

  const topicHash = (topic: string): string => `#narrow/stream/${stream}-general/topic/${topic}`;

  async function open(t: Test, hash: string, by: Person = org.member, of: Organization = org): Promise<ClientPage> {
    const page = await ClientPage.open(browser, `${of.subdomain}.localhost:${of.server.nextPort()}`);
    t.teardown(() => page.leave(t.passing()));
    await page.openSignedIn(by.email, PASSWORD, hash);
    await page.waitFor('.compose-text, .compose-closed');
    return page;
  }

  const focusText = ({ page }: ClientPage): Promise<void> => page.focus('.compose-text');
  const textIn = ({ page }: ClientPage): Promise<string> =>
    page.evaluate(`document.querySelector('.compose-text').value`) as Promise<string>;
  const has = (page: ClientPage, words: string): Promise<unknown> =>
    page.page.waitForFunction(`document.querySelector('.compose-text')?.value.includes(${JSON.stringify(words)})`);
  async function send({ page }: ClientPage): Promise<void> {
    await page.keyboard.down('Control');
    await page.keyboard.press('Enter');
    await page.keyboard.up('Control');
  }
  async function messagesIn(topic: string): Promise<readonly Sent[]> {
    const narrow = [
      { operator: 'stream', operand: stream },
      { operator: 'topic', operand: topic },
    ];
    const params = { anchor: 'newest', num_before: 20, num_after: 0, narrow, apply_markdown: false };
    return (await org.member.api.ok<{ messages: Sent[] }>('GET /messages', params)).messages;
  }
  async function arrived(topic: string, wanted: (content: string) => boolean, withinMs?: number): Promise<string> {
    let found: Sent | undefined;
    const isThere = async (): Promise<boolean> => {
      found = (await messagesIn(topic)).find(({ content }) => wanted(content));
      return found !== undefined;
    };
    await until(`a message in ${topic}`, isThere, withinMs);
    return found!.content;
  }

  await t.test('a name, a stream and an emoji are completed while one types', async (t) => {
    await say(org.other, 'general', 'early talk');
    const page = await open(t, topicHash('completion'));
    await focusText(page);
    const { keyboard } = page.page;
    const [first = ''] = org.other.name.split(' ');
    await keyboard.type(`hi @${first.slice(0, 3).toLowerCase()}`);
    await page.waitFor('.suggestion[aria-selected=true]', org.other.name);
    await keyboard.press('Enter');
    await keyboard.type('see #gene');
    await page.waitFor('.suggestion[aria-selected=true]', 'general');
    await keyboard.press('Tab');
    await keyboard.type('#gene');
    await page.waitFor('.suggestion[aria-selected=true]', 'general');
    await keyboard.type('>earl');
    await page.waitFor('.suggestion', 'early talk');
    await keyboard.press('Enter');
    await keyboard.type(':tad');
    await page.waitFor('.suggestion[aria-selected=true]', ':tada:');
    await keyboard.press('Enter');
    t.equal(await textIn(page), `hi @**${org.other.name}** see #**general** #**general>early talk** :tada: `);
    await send(page);
    t.match(await arrived('completion', () => true), ':tada:');
    t.equal(await textIn(page), '');
    t.strictSame(page.faults, []);
  });

  await t.test('names, streams, topics and emoji are completed in the box that edits a message', async (t) => {
    const id = await say(org.member, 'general', 'corrections', 'first');
    const page = await open(t, topicHash('corrections'));
    const { keyboard } = page.page;
    await page.waitFor('.message-body', 'first');
    await page.page.focus('.compose-text');
    await keyboard.press('ArrowUp');
    await page.waitFor('.edit-text:focus');
    const [name = ''] = org.other.name.split(' ');
    await keyboard.type(` @${name.slice(0, 3).toLowerCase()}`);
    await page.waitFor('.suggestion[aria-selected=true]', org.other.name);
    t.strictSame(await page.findings(), []);
    await keyboard.press('Escape');
    await page.waitUntilGone('.suggestion');
    await page.waitFor('.edit-text');
    await keyboard.press('Backspace');
    await keyboard.type(`${name[2]!.toLowerCase()} @${name.slice(0, 3).toLowerCase()}`);
    await page.waitFor('.suggestion[aria-selected=true]', org.other.name);
    await keyboard.press('Enter');
    await keyboard.type('#gene');
    await page.waitFor('.suggestion[aria-selected=true]', 'general');
    await keyboard.type('>corr');
    await page.waitFor('.suggestion', 'corrections');
    await keyboard.press('Tab');
    await keyboard.type(':tad');
    await page.waitFor('.suggestion[aria-selected=true]', ':tada:');
    await page.click('.suggestion', ':tada:');
    const short = name.slice(0, 3).toLowerCase();
    const wanted = `first @${short} @**${org.other.name}** #**general>corrections** :tada: `;
    t.equal(await page.valueOf('.edit-text'), wanted);
    await page.pressControl('Enter');
    await page.waitUntilGone('.edit-text');
    type Raw = { readonly raw_content: string };
    const { raw_content } = await org.member.api.ok<Raw>('GET /messages/{message_id}', { message_id: id });
    t.equal(raw_content, wanted.trim());
    t.strictSame([page.faults, page.refusals], [[], []]);
  });

  await t.test(
    'an edit says that it is too long, asks before it replaces a newer text, and outlives its message',
    async (t) => {
      const message_id = await say(org.member, 'general', 'contested', 'first');
      const page = await open(t, topicHash('contested'));
      await page.waitFor('.message-body', 'first');
      const edit = async (text: string): Promise<void> => {
        await focusText(page);
        await page.page.keyboard.press('ArrowUp');
        await page.waitFor('.edit-text:focus');
        await page.page.evaluate(`document.querySelector('.edit-text').select()`);
        // Entered at once, like a paste: 10,001 key presses take 30 s.
        await page.page.keyboard.sendCharacter(text);
      };
      await edit('x'.repeat(10_001));
      await page.waitFor('.edit-box .compose-counter', '1 character too many');
      await page.click('.edit-box button', 'Save');
      await page.waitFor('.edit-box [role=alert]', 'at most 10,000 characters');
      await page.click('.edit-box button', 'Cancel');
      await page.waitUntilGone('.edit-box');
      await edit('first, here');
      await org.member.api.ok('PATCH /messages/{message_id}', { message_id, content: 'first, elsewhere' });
      await page.click('.edit-box button', 'Save');
      await page.waitFor('dialog', 'first, elsewhere');
      await page.click('dialog button', 'Cancel');
      t.equal((await messagesIn('contested'))[0]?.content, 'first, elsewhere');
      await page.click('.edit-box button', 'Save');
      await page.click('dialog button', 'Save');
      await page.waitFor('.message-body', 'first, here');
      await edit('a long paragraph');
      await org.owner.api.ok('PATCH /messages/{message_id}', { message_id, topic: 'apart' });
      await page.waitFor('.bar-title', 'apart');
      await page.waitFor('.edit-text:focus');
      t.equal(await page.valueOf('.edit-text'), 'a long paragraph', 'the author goes with the message');
      await org.owner.api.ok('DELETE /messages/{message_id}', { message_id });
      await page.waitFor('.toast', 'Your text is in the box for new messages');
      await page.waitFor('.compose-text:focus');
      t.equal(await textIn(page), 'a long paragraph');
      const isToastAboveBox = `document.querySelector('.toast').getBoundingClientRect().bottom <=
        document.querySelector('.compose').getBoundingClientRect().top`;
      t.ok(await page.page.evaluate(isToastAboveBox), 'the toast leaves the controls of the box free');
      t.strictSame([page.faults, page.refusals], [[], []]);
    },
  );

  await t.test('the text of an edit that was left for another view outlives its message as a draft', async (t) => {
    const message_id = await say(org.member, 'general', 'left', 'first');
    const page = await open(t, topicHash('left'));
    await page.waitFor('.message-body', 'first');
    await focusText(page);
    await page.page.keyboard.press('ArrowUp');
    await page.waitFor('.edit-text:focus');
    await page.page.keyboard.sendCharacter(' of many words');
    await page.goTo(topicHash('aside'));
    await page.waitUntilGone('.edit-text');
    await focusText(page);
    await page.page.keyboard.sendCharacter('another text');
    await org.owner.api.ok('DELETE /messages/{message_id}', { message_id });
    await page.waitFor('.toast', 'Your text is kept as a draft');
    await page.waitFor('.compose-text:focus');
    t.equal(await textIn(page), 'another text', 'the text that is being written stays');
    const drafts = async () =>
      (await org.member.api.ok<{ drafts: { content: string; topic: string }[] }>('GET /drafts')).drafts;
    await until('the draft', async () =>
      (await drafts()).some(({ content, topic }) => content === 'first of many words' && topic === 'left'),
    );
    await page.click('.toast button', 'Show');
    await page.waitFor('.bar-title', 'left');
    await has(page, 'first of many words');
    t.strictSame([page.faults, page.refusals], [[], []]);
  });

  await t.test(
    'texts of edits outlive messages that are deleted while events are lost or the page is away',
    async (t) => {
      const [seen, left, reloaded] = [
        await say(org.member, 'general', 'outage', 'seen'),
        await say(org.member, 'general', 'left before', 'left'),
        await say(org.member, 'general', 'reloaded', 'reloaded'),
      ];
      const page = await open(t, topicHash('left%20before'));
      let queue: string | null = null;
      page.page.on('request', (request) => {
        queue = new URL(request.url()).searchParams.get('queue_id') ?? queue;
      });
      const edit = async (text: string): Promise<void> => {
        await focusText(page);
        await page.page.keyboard.press('ArrowUp');
        await page.waitFor('.edit-text:focus');
        await page.page.keyboard.sendCharacter(text);
      };
      const drafts = async () =>
        (await org.member.api.ok<{ drafts: { content: string; topic: string }[] }>('GET /drafts')).drafts;
      await page.waitFor('.message-body', 'left');
      await edit(' at the pier');
      await page.goTo(topicHash('outage'));
      await page.waitFor('.message-body', 'seen');
      await edit(' from afar');
      await until('a poll', async () => queue !== null);
      await page.page.setOfflineMode(true);
      for (const message_id of [seen, left]) await org.owner.api.ok('DELETE /messages/{message_id}', { message_id });
      await org.member.api.ok('DELETE /events', { queue_id: queue });
      await page.page.setOfflineMode(false);
      await has(page, 'seen from afar');
      await page.waitFor('.toast', 'Your text is kept as a draft');
      await until('the draft', async () =>
        (await drafts()).some(({ content, topic }) => content === 'left at the pier' && topic === 'left before'),
      );
      await page.goTo(topicHash('reloaded'));
      await page.waitFor('.message-body', 'reloaded');
      await edit(' in vain');
      await page.page.goto('about:blank');
      await org.owner.api.ok('DELETE /messages/{message_id}', { message_id: reloaded });
      await page.goTo(topicHash('reloaded'));
      await has(page, 'reloaded in vain');
      t.strictSame([page.faults.filter((text) => !text.includes('net::ERR_')), page.refusals], [[], [400, 400, 400]]);
    },
  );

  await t.test('Enter sends for users who want that, and Shift+Enter is a new line', async (t) => {
    await org.member.api.ok('PATCH /settings', { enter_sends: true });
    const page = await open(t, topicHash('enter'));
    await focusText(page);
    const { keyboard } = page.page;
    await keyboard.type('one');
    await keyboard.down('Shift');
    await keyboard.press('Enter');
    await keyboard.up('Shift');
    await keyboard.type('two');
    await keyboard.press('Enter');
    await arrived('enter', (content) => content === 'one\ntwo');
    await org.member.api.ok('PATCH /settings', { enter_sends: false });
    t.strictSame(page.faults, []);
  });

  await t.test('a file is uploaded and linked', async (t) => {
    const page = await open(t, topicHash('files'));
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'a file of a test');
    const input = await page.page.waitForSelector<'input'>('.compose-tools input[type=file]' as 'input', {
      hidden: true,
    });
    await input!.uploadFile(file);
    await has(page, '/user_uploads/');
    t.match(await textIn(page), /^\[notes\.txt\]\(\/user_uploads\/.*notes\.txt\)\n$/);
    await send(page);
    await arrived('files', (content) => content.startsWith('[notes.txt]'));
    t.strictSame(page.faults, []);
  });

  await t.test('a draft survives navigation and a reload, and other tabs have it', async (t) => {
    const page = await open(t, topicHash('drafts'));
    await focusText(page);
    await page.page.keyboard.type('half a thought');
    await page.goTo(topicHash('elsewhere'));
    await page.page.waitForFunction(`document.querySelector('.compose-text')?.value === ''`);
    await page.goTo(topicHash('drafts'));
    await has(page, 'half a thought');
    await focusText(page);
    await page.page.keyboard.type(', and more');
    await page.page.reload();
    await has(page, 'half a thought, and more');
    await until('the draft on the server', async () => {
      const { drafts } = await org.member.api.ok<{ drafts: { content: string }[] }>('GET /drafts');
      return drafts.some(({ content }) => content === 'half a thought, and more');
    });
    const other = await open(t, topicHash('drafts'));
    await has(other, 'half a thought, and more');
    await focusText(page);
    await send(page);
    await arrived('drafts', (content) => content === 'half a thought, and more');
    await until('no draft is left', async () => {
      const { drafts } = await org.member.api.ok<{ drafts: { content: string }[] }>('GET /drafts');
      return !drafts.some(({ content }) => content.startsWith('half'));
    });
    t.strictSame([...page.faults, ...other.faults], []);
  });

  await t.test('a text that is taken along to the inbox stays with its conversation', async (t) => {
    const first = await say(org.owner, 'general', 'detour');
    const page = await open(t, topicHash('detour'));
    const isEmpty = () => page.page.waitForFunction(`document.querySelector('.compose-text')?.value === ''`);
    const hasTopic = (topic: string) =>
      page.page.waitForFunction(
        `[...document.querySelectorAll('.compose-address input')].some(({ value }) => value === '${topic}')`,
      );
    await focusText(page);
    await page.page.keyboard.type('for all');
    await page.goTo('#inbox');
    await hasTopic('detour');
    const move = { message_id: first, propagate_mode: 'change_all', send_notification_to_old_thread: false };
    await org.owner.api.ok('PATCH /messages/{message_id}', { ...move, topic: 'detours' });
    await hasTopic('detours');
    await page.goTo(`#narrow/dm/${org.other.id}`);
    await isEmpty();
    await focusText(page);
    await page.page.keyboard.type('for one');
    await send(page);
    await page.waitFor('.message-body', 'for one');
    await page.goTo(topicHash('detours'));
    await has(page, 'for all');
    await page.goTo('#recent');
    await page.page.reload();
    await has(page, 'for all');
    await page.goTo(`#narrow/dm/${org.other.id}`);
    await isEmpty();
    await page.goTo('#inbox');
    await page.click('.compose-closed button');
    await page.waitFor('.compose-text');
    await focusText(page);
    await page.page.keyboard.type('to a chosen place');
    await page.goTo(topicHash('detours'));
    t.equal(await textIn(page), 'to a chosen place', 'an address that the user chose is kept');
    await page.click('[aria-label="Close, keep as draft"]');
    await has(page, 'for all');
    await focusText(page);
    await send(page);
    await arrived('detours', (content) => content === 'for all');
    t.strictSame(page.faults, []);
  });

  await t.test('a text without an address stays where it is when a message is sent in a conversation', async (t) => {
    const setSynchronized = (enable_drafts_synchronization: boolean) =>
      org.member.api.ok('PATCH /settings', { enable_drafts_synchronization });
    await setSynchronized(false);
    t.teardown(() => setSynchronized(true));
    const page = await open(t, '#inbox');
    await page.click('.compose-closed button');
    await page.page.waitForSelector('.compose-text');
    await focusText(page);
    await page.page.keyboard.type('a note');
    await page.click('[aria-label="Close, keep as draft"]');
    await page.goTo(topicHash('notes'));
    await page.page.waitForFunction(`document.querySelector('.compose-text')?.value === ''`);
    await focusText(page);
    await page.page.keyboard.type('an answer');
    await send(page);
    await arrived('notes', (content) => content === 'an answer');
    // Keys of the texts that the browser keeps.
    const kept = `new Promise((resolve) => {
      const opened = indexedDB.open('conclave');
      opened.onsuccess = () => {
        const keys = opened.result.transaction('values').objectStore('values').getAllKeys();
        keys.onsuccess = () => resolve(keys.result.filter((key) => key.startsWith('draft/')));
      };
    })`;
    await until(
      'only the note is kept',
      async () => String(await page.page.evaluate(kept)) === `draft/${org.member.id}/`,
    );
    await page.page.reload();
    await page.page.waitForFunction(`document.querySelector('.compose-text')?.value === ''`);
    t.strictSame(page.faults, []);
  });

  await t.test('a message without a connection is sent once, when the server is back', async (t) => {
    const line = await openLine(t, org);
    const page = await open(t, topicHash('lost'), org.member, line.org);
    await focusText(page);
    line.cut();
    await page.page.keyboard.type('written in the dark');
    await send(page);
    await page.waitFor('.pending', 'written in the dark');
    t.equal(await textIn(page), '');
    await server.restart();
    line.mend();
    await arrived('lost', (content) => content === 'written in the dark', RECONNECT_MS);
    await page.page.waitForFunction(`document.querySelectorAll('.pending').length === 0`, { timeout: 40_000 });
    t.equal((await messagesIn('lost')).length, 1);
    const faults = page.faults.filter((fault) => !fault.startsWith('Failed to load resource: net::ERR_'));
    t.strictSame(faults, []);
  });

  await t.test('a text stays on screen when the right to write ends, and is sent when it is back', async (t) => {
    const page = await open(t, topicHash('refused'));
    await focusText(page);
    await page.page.keyboard.type('too late');
    await org.owner.api.ok('PATCH /streams/{stream_id}', { stream_id: stream, stream_post_policy: 2 });
    await page.waitFor('.compose-refused');
    await page.waitFor('.compose-send > :disabled');
    await page.waitFor('.compose-address');
    await page.waitFor('.compose-text:focus');
    t.equal(await textIn(page), 'too late', 'the text can be read and copied');
    await page.pressControl('a');
    await page.page.keyboard.press('Backspace');
    await page.page.keyboard.type('too late');
    t.equal(await textIn(page), 'too late', 'the box stays when its text is deleted');
    await org.owner.api.ok('PATCH /streams/{stream_id}', { stream_id: stream, stream_post_policy: 1 });
    await page.waitUntilGone('.compose-refused');
    t.equal(await textIn(page), 'too late');
    await send(page);
    await arrived('refused', (content) => content === 'too late');
    t.strictSame(page.faults, []);
  });

  await t.test('a message that the server refuses is sent again, edited or discarded by its buttons', async (t) => {
    const page = await open(t, topicHash('returns'));
    const isSending = (request: HTTPRequest): boolean =>
      request.method() === 'POST' && /\/api\/v1\/messages$/.test(request.url());
    let isRefused = true;
    const refusal = { result: 'error', code: 'BAD_REQUEST', msg: 'Not today.' };
    await page.intercept((request) =>
      isRefused && isSending(request)
        ? request.respond({ status: 400, contentType: 'application/json', body: JSON.stringify(refusal) })
        : request.continue(),
    );
    const sendRefused = async (text: string): Promise<void> => {
      isRefused = true;
      await page.fill('.compose-text', text);
      await send(page);
      await page.waitFor('.pending.failed .pending-text', text);
      await page.waitFor('.pending.failed [role=alert]', 'Not today.');
    };
    await sendRefused('send again');
    t.strictSame(await page.findings(), []);
    await page.click('.pending button', 'Try again');
    await page.page.waitForFunction(`document.querySelector('.pending.failed') !== null`);
    isRefused = false;
    await page.click('.pending button', 'Try again');
    await page.waitFor('.message-row:not(.pending) .message-body', 'send again');
    await page.waitUntilGone('.pending');
    await sendRefused('edit');
    await page.click('.pending button', 'Edit');
    await page.waitUntilGone('.pending');
    await page.waitFor('.compose-text:focus');
    t.equal(await textIn(page), 'edit');
    await page.page.keyboard.type(' and send');
    isRefused = false;
    await send(page);
    await page.waitFor('.message-row:not(.pending) .message-body', 'edit and send');
    await sendRefused('discard');
    await page.page.reload();
    await page.waitFor('.pending.failed .pending-text', 'discard');
    await page.click('.pending button', 'Discard');
    await page.waitUntilGone('.pending');
    await page.page.reload();
    await page.waitFor('.message-body', 'edit and send');
    t.equal(await page.page.$('.pending'), null, 'a discarded message does not come back');
    const contents = (await messagesIn('returns')).map(({ content }) => content);
    t.strictSame(contents, ['send again', 'edit and send']);
    t.strictSame([page.faults, new Set(page.refusals)], [[], new Set([400])]);
  });

  await t.test('files are dropped and pasted, and the progress of one is shown until it is cancelled', async (t) => {
    const page = await open(t, topicHash('uploads'));
    await focusText(page);
    /** Gives files to the page as the browser does when they are dropped on the messages or pasted into the box. */
    const give = (kind: 'drop' | 'paste', files: Readonly<Record<string, number>>): Promise<unknown> =>
      page.page.evaluate(`(() => {
        const data = new DataTransfer();
        for (const [name, size] of Object.entries(${JSON.stringify(files)})) {
          data.items.add(new File([new Uint8Array(size).fill(65)], name, { type: 'text/plain' }));
        }
        const init = { bubbles: true, cancelable: true };
        if (${JSON.stringify(kind)} === 'paste') {
          document.activeElement.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }));
          return;
        }
        const target = document.querySelector('.messages');
        target.dispatchEvent(new DragEvent('dragover', { ...init, dataTransfer: data }));
        setTimeout(() => target.dispatchEvent(new DragEvent('drop', { ...init, dataTransfer: data })));
      })()`);
    type Attachments = { readonly attachments: readonly { readonly name: string }[] };
    const stored = async (): Promise<readonly string[]> =>
      (await org.member.api.ok<Attachments>('GET /attachments')).attachments.map(({ name }) => name);
    await give('drop', { 'one.txt': 10, 'two.txt': 10 });
    await has(page, '[one.txt](/user_uploads/');
    await has(page, '[two.txt](/user_uploads/');
    await focusText(page);
    await give('paste', { 'pasted.txt': 10 });
    await has(page, '[pasted.txt](/user_uploads/');
    await page.waitUntilGone('.compose-uploads');
    await page.page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['A'], 'cells.png', { type: 'image/png' }));
      for (const type of ['text/plain', 'text/html']) data.setData(type, 'cells');
      const paste = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data });
      globalThis.isLeftToBrowser = document.activeElement.dispatchEvent(paste);
    })()`);
    t.ok(
      await page.page.evaluate('globalThis.isLeftToBrowser'),
      'formatted text is pasted as text, not as its picture',
    );
    await send(page);
    t.equal((await arrived('uploads', (content) => content.includes('pasted'))).match(/\/user_uploads\//g)?.length, 3);
    await page.page.emulateNetworkConditions({ upload: 40_000, download: -1, latency: 0 });
    await page.fill('.compose-text', 'with a file');
    await give('paste', { 'slow.txt': 900_000 });
    await page.page.waitForFunction(`(({ value, max } = {}) => value > 0 && value < max)
      (document.querySelector('.compose-uploads progress') ?? undefined)`);
    t.strictSame(await page.findings(), []);
    await send(page);
    await page.waitFor('.compose [role=alert]', 'Files are still on their way');
    await page.click('.compose-uploads button', 'Cancel the upload of slow.txt');
    await page.waitUntilGone('.compose-uploads');
    await page.page.emulateNetworkConditions(null);
    type Limit = { readonly max_file_upload_size_mib: number };
    const limits = { fetch_event_types: ['realm'], event_types: [] };
    const { max_file_upload_size_mib: limit } = await org.member.api.ok<Limit>('POST /register', limits);
    await give('drop', { 'large.txt': limit * 1_048_576 + 1 });
    await page.waitFor('.compose-uploads [role=alert]', `Files may have at most ${limit} MB.`);
    await send(page);
    await arrived('uploads', (content) => content === 'with a file');
    await page.click('.compose-uploads button', 'Close');
    await page.waitUntilGone('.compose-uploads');
    const names = await stored();
    t.ok(['one.txt', 'two.txt', 'pasted.txt'].every((name) => names.includes(name)));
    t.notOk(names.includes('slow.txt') || names.includes('large.txt'), 'neither of the other files is kept');
    t.strictSame([page.faults, page.refusals], [[], []]);
  });

  await t.test('a file goes into the draft of the conversation where its upload began', async (t) => {
    const page = await open(t, topicHash('attached'));
    const held: HTTPRequest[] = [];
    await page.intercept((request) =>
      request.url().endsWith('/user_uploads') ? held.push(request) : request.continue(),
    );
    /** Attaches a file. @returns its upload, which the server has not got yet */
    const attach = async (name: string): Promise<HTTPRequest> => {
      const file = join(folder, name);
      writeFileSync(file, 'a file of a test');
      const input = await page.page.waitForSelector<'input'>('.compose-tools input[type=file]' as 'input', {
        hidden: true,
      });
      await input!.uploadFile(file);
      await page.waitFor('.compose-uploads', name);
      await until('the upload begins', () => held.length > 0);
      return held.pop()!;
    };
    const goTo = async (topic: string, text: string): Promise<void> => {
      await page.goTo(topicHash(topic));
      await page.page.waitForFunction(
        `document.querySelector('.compose-text')?.value.trimEnd() === ${JSON.stringify(text)}`,
      );
    };
    /** The server stores texts without the line break at their end. */
    const draftOf = async (topic: string): Promise<string> => {
      type Drafts = { readonly drafts: readonly { readonly topic: string; readonly content: string }[] };
      const { drafts } = await org.member.api.ok<Drafts>('GET /drafts');
      return drafts.find((draft) => draft.topic === topic)?.content ?? '';
    };
    await page.fill('.compose-text', 'see');
    const arriving = await attach('arrives.txt');
    await goTo('beside', '');
    t.equal(await page.page.$('.compose-uploads'), null, 'another conversation does not show the upload');
    await page.fill('.compose-text', 'not yours');
    await send(page);
    await arrived('beside', (content) => content === 'not yours');
    await page.fill('.compose-text', 'nor here');
    await arriving.continue();
    await until('the link is in the draft', async () => (await draftOf('attached')).includes('arrives.txt'));
    t.match(await draftOf('attached'), /^see\n\[arrives\.txt\]\(\/user_uploads\/\S*arrives\.txt\)$/);
    t.equal(await textIn(page), 'nor here');
    await goTo('attached', await draftOf('attached'));
    await send(page);
    await arrived('attached', (content) => content.includes('arrives.txt'));

    await page.fill('.compose-text', 'and');
    const failing = await attach('fails.txt');
    await goTo('beside', 'nor here');
    const refusal = { result: 'error', code: 'BAD_REQUEST', msg: 'No room for it.' };
    await failing.respond({ status: 400, contentType: 'application/json', body: JSON.stringify(refusal) });
    await page.waitFor('.toast.error', 'fails.txt: No room for it.');
    await page.click('.toast button', 'Close');
    await page.waitUntilGone('.toast');
    await goTo('attached', 'and');
    await page.waitFor('.compose-uploads [role=alert]', 'No room for it.');
    await page.click('.compose-uploads button', 'Close');
    await page.waitUntilGone('.compose-uploads');

    await goTo('without-text', '');
    const failingLater = await attach('fails-later.txt');
    await page.goTo('#inbox');
    await page.waitFor('.compose-closed');
    await failingLater.respond({ status: 400, contentType: 'application/json', body: JSON.stringify(refusal) });
    await page.waitFor('.toast.error', 'fails-later.txt: No room for it.');
    await page.click('.toast button', 'Close');
    await page.waitUntilGone('.toast');
    await goTo('attached', 'and');

    await attach('cancelled.txt');
    await goTo('beside', 'nor here');
    t.equal(await page.page.$('.compose-uploads'), null);
    await goTo('attached', 'and');
    await page.click('.compose-uploads button', 'Cancel the upload of cancelled.txt');
    await page.waitUntilGone('.compose-uploads');
    t.equal(await textIn(page), 'and');

    await goTo('without-words', '');
    const late = await attach('late.txt');
    await page.goTo('#inbox');
    await page.waitFor('.compose-closed');
    await late.continue();
    await until('the link is a draft', async () => (await draftOf('without-words')).includes('late.txt'));
    await goTo('without-words', await draftOf('without-words'));
    t.strictSame([page.faults, page.refusals], [[], [400, 400]]);
  });

  await t.test('a text that is left while its wildcard mention is checked stays a draft', async (t) => {
    const page = await open(t, topicHash('everyone'));
    const held: HTTPRequest[] = [];
    await page.intercept((request) =>
      request.url().endsWith(`/streams/${stream}/members`) ? held.push(request) : request.continue(),
    );
    await page.fill('.compose-text', '@**all** wait');
    await page.page.keyboard.press('Escape');
    await send(page);
    await until('the subscribers are asked for', () => held.length > 0);
    // It waits for the same answer.
    await page.click('[aria-label="Send later"]');
    await page.goTo(topicHash('bystanders'));
    await page.page.waitForFunction(`document.querySelector('.compose-text')?.value === ''`);
    await page.fill('.compose-text', 'not finished');
    // The answer comes when the text is in the box again.
    await page.goTo(topicHash('everyone'));
    await has(page, '@**all** wait');
    const answer = page.page.waitForResponse((response) => response.url().endsWith('/members'));
    await held.pop()!.continue();
    await answer;
    await page.goTo(topicHash('bystanders'));
    await has(page, 'not finished');
    await send(page);
    await until('the other text is sent', async () => (await messagesIn('bystanders')).length > 0);
    t.strictSame(await messagesIn('everyone'), []);
    await page.goTo(topicHash('everyone'));
    await has(page, '@**all** wait');
    t.equal(await page.page.$('dialog[open]'), null, 'nor is it scheduled');
    t.strictSame([page.faults, page.refusals], [[], []]);
  });

  await t.test('a message is scheduled', async (t) => {
    const page = await open(t, topicHash('later'));
    await focusText(page);
    await page.page.keyboard.type('good morning');
    await page.click('[aria-label="Send later"]');
    await page.click('.schedule-choice', 'Tomorrow');
    await page.waitFor('.toast', 'will be sent');
    const { scheduled_messages: scheduled } = await org.member.api.ok<{ scheduled_messages: { content: string }[] }>(
      'GET /scheduled_messages',
    );
    t.strictSame(
      scheduled.map(({ content }) => content),
      ['good morning'],
    );
    t.equal(await textIn(page), '');
    t.strictSame(page.faults, []);
  });

  await t.test('only the selected words of a message are quoted', async (t) => {
    await say(org.other, 'general', 'selections', 'first this\n\nthen **that** part');
    await say(org.other, 'general', 'selections', 'another message');
    const page = await open(t, topicHash('selections'));
    await page.waitFor('[data-message]', 'first this');
    await page.page.evaluate(`getSelection().selectAllChildren(document.querySelectorAll('.message-body p')[1])`);
    await page.page.keyboard.press('>');
    await has(page, '```quote\nthen that part\n```');
    t.notMatch(await textIn(page), /first|another/);
    t.strictSame(page.faults, []);
  });

  await t.test('a message is quoted, and the preview shows what the server makes of it', async (t) => {
    const id = await say(org.other, 'general', 'quotes', 'words of wisdom');
    const page = await open(t, `${topicHash('quotes')}/near/${id}`);
    await page.waitFor('[data-message]', 'words of wisdom');
    await page.page.keyboard.press('>');
    await has(page, '```quote\nwords of wisdom\n```');
    t.match(await textIn(page), `@_**${org.other.name}`);
    await page.page.keyboard.type('indeed');
    await page.click('[aria-label="Preview"]');
    await page.waitFor('.compose-preview blockquote', 'words of wisdom');
    await page.click('[aria-label="Go on writing"]');
    await has(page, 'indeed');
    await focusText(page);
    await send(page);
    t.match(await arrived('quotes', (content) => content.endsWith('indeed')), `near/${id}`);
    t.strictSame(page.faults, []);
  });

  await t.test(
    'the compose box inserts a link to a video call, unless the organization has turned calls off',
    async (t) => {
      const page = await open(t, topicHash('calls'));
      await focusText(page);
      await page.page.keyboard.type('now:');
      await page.click('[aria-label="Add a video call"]');
      await has(page, 'Join video call.');
      const text = await textIn(page);
      t.match(text, /^now: \[Join video call\.\]\(https:\/\/meet\.jit\.si\/\d{15}\) $/);
      await send(page);
      t.equal(await arrived('calls', () => true), text.trim());
      await page.page.waitForSelector('.message-body a[href^="https://meet.jit.si/"]');
      await page.click('[aria-label="Add a video call"]');
      await has(page, 'Join video call.');
      t.not((await textIn(page)).trim(), text.slice('now: '.length).trim(), 'each call has a room of its own');
      await org.owner.api.ok('PATCH /realm', { video_chat_provider: 0 });
      await page.waitUntilGone('[aria-label="Add a video call"]');
      await org.owner.api.ok('PATCH /realm', { video_chat_provider: 1 });
      await page.waitFor('[aria-label="Add a video call"]');
      await page.page.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: true });
      await page.page.waitForSelector('[aria-label="Add a video call"]', { hidden: true });
      await page.click('[aria-label="More formatting"]');
      await page.waitFor('.menu-item', 'Add a video call');
      t.strictSame(page.faults, []);
    },
  );

  await t.test('a direct message is begun by a key, with people as chips', async (t) => {
    const page = await open(t, topicHash('keys'));
    await page.page.evaluate('document.activeElement.blur()');
    await page.page.keyboard.press('x');
    await page.waitFor('.compose-people input');
    const [first = ''] = org.other.name.split(' ');
    await page.page.keyboard.type(first);
    await page.waitFor('.suggestion[aria-selected=true]', org.other.name);
    await page.page.keyboard.press('Enter');
    await page.waitFor('.compose-person', org.other.name);
    await focusText(page);
    await page.page.keyboard.type('psst');
    await send(page);
    await page.waitFor('.toast', 'sent');
    t.strictSame(page.faults, []);
  });

  await t.test('somebody who is mentioned without getting the stream can be subscribed', async (t) => {
    const small = await streamIdOf(org.member, 'small');
    const page = await open(t, `#narrow/stream/${small}-small/topic/hello`);
    await focusText(page);
    await page.page.keyboard.type(`@**${org.other.name}** `);
    await page.waitFor('.compose-notice.warning', org.other.name);
    await page.click('.compose-notice.warning button');
    await page.page.waitForFunction(`!document.querySelector('.compose-notice.warning')`);
    const { subscribers } = await org.member.api.ok<{ subscribers: number[] }>('GET /streams/{stream_id}/members', {
      stream_id: small,
    });
    t.ok(subscribers.includes(org.other.id));
    t.strictSame(page.faults, []);
  });

  await t.test('the buttons of the box are in the window at every width, in English and in German', async (t) => {
    const outside = `[...document.querySelectorAll('.compose-box button')].filter((one) =>
      one.getBoundingClientRect().right > innerWidth).map((one) => one.ariaLabel ?? one.textContent)`;
    for (const language of ['en', 'de']) {
      await org.member.api.ok('PATCH /settings', { default_language: language });
      const page = await open(t, topicHash('widths'));
      for (const hasTouch of [false, true]) {
        for (const width of [320, 640, 768, 820]) {
          await page.page.setViewport({ width, height: 600, hasTouch, isMobile: hasTouch });
          await page.page.waitForSelector('.compose-text');
          t.strictSame(await page.page.evaluate(outside), [], `${language}, ${width} px, touch: ${hasTouch}`);
        }
      }
      // Near the limit the row has the number of characters left, too.
      await page.page.setViewport({ width: 320, height: 600, hasTouch: true, isMobile: true });
      await focusText(page);
      await page.page.keyboard.sendCharacter('x'.repeat(9_900));
      await page.page.waitForSelector('.compose-counter');
      t.strictSame(await page.page.evaluate(outside), [], `${language}, near the limit`);
    }
    await org.member.api.ok('PATCH /settings', { default_language: 'en' });
  });

  await t.test('the menu of the box has the buttons that a short row lacks', async (t) => {
    const page = await open(t, topicHash('menu'));
    for (const [width, isOffered] of [
      [1280, false],
      [480, true],
    ] as const) {
      await page.page.setViewport({ width, height: 600 });
      await page.click('.compose-tools [aria-haspopup=menu]');
      await page.waitFor('.menu-item', 'Spoiler');
      t.equal(await page.page.$$eval('.menu-item', (all) => all.some((one) => one.textContent === 'Bold')), isOffered);
      await page.page.keyboard.press('Escape');
      await page.waitUntilGone('.menu-item');
    }
  });

  await t.test(
    'the box and its layers are accessible, fit a phone, and leave room for messages in a low window',
    async (t) => {
      await say(org.other, 'general', 'looks', 'something to read');
      const page = await open(t, topicHash('looks'));
      await page.waitFor('[data-message]', 'something to read');
      await page.click('[aria-label="Emoji"]');
      await page.waitFor('.emoji-button');
      // Few emoji, because this test is about the layers: accessibility.test.ts checks all emoji.
      await page.fill('.emoji-picker input', 'palm tree');
      await page.waitUntilGone('.emoji-picker .emoji-button', 'anchor');
      t.strictSame(await page.findings(), []);
      await page.page.keyboard.press('Escape');
      await page.page.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: true });
      await page.waitFor('.compose-text');
      t.strictSame(await page.findings(), []);
      // A change of `isMobile` reloads the page.
      await page.page.setViewport({ width: 320, height: 200 });
      await page.waitFor('.compose-text');
      await focusText(page);
      await page.page.keyboard.sendCharacter('one\ntwo\nthree\nfour\nfive\nsix');
      const heights = `['.messages', '.compose-send'].map((name) => document.querySelector(name).getBoundingClientRect())`;
      const isRoomy = `(([list, send]) => list.height > 40 && send.bottom <= innerHeight)(${heights})`;
      t.ok(await page.page.evaluate(isRoomy), 'a low window has room for messages and buttons');
      t.strictSame(page.faults, []);
    },
  );

  await t.test('forced colours leave chosen, pressed and switched-on controls marked', async (t) => {
    const page = await open(t, topicHash('looks'));
    const features = [{ name: 'forced-colors', value: 'active' }];
    await (await page.page.createCDPSession()).send('Emulation.setEmulatedMedia', { features });
    const stylesOf = (name: string, property: string): Promise<unknown> =>
      page.page.$$eval(
        name,
        (all, of) => [...new Set(all.map((one) => getComputedStyle(one)[of as 'color']))],
        property,
      );
    await focusText(page);
    await page.page.keyboard.type('@');
    await page.waitFor('.suggestion[aria-selected=true]');
    t.strictSame(await stylesOf('.suggestion[aria-selected=true]', 'outlineStyle'), ['solid']);
    t.strictSame(await stylesOf('.suggestion[aria-selected=false]', 'outlineStyle'), ['none']);
    t.strictSame(await stylesOf('.row:has(> [aria-current])', 'outlineStyle'), ['solid']);
    await page.goTo('#settings/notifications');
    await page.waitFor('.toggle > :checked');
    const on = await stylesOf('.toggle > :checked', 'backgroundColor');
    t.notSame(await stylesOf('.toggle > :not(:checked)', 'backgroundColor'), on);
    t.strictSame(page.faults, []);
  });
});
