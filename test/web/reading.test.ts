/** Reading in a real browser: place, marks, hostile content. */
import type { Page } from 'puppeteer-core';
import t from 'tap';
import { makeOrganization, PASSWORD, type Person, say, streamIdOf, subscribe } from '../api/support/organization.js';
import { Gate } from '../support/gate.js';
import { picked, rounds } from '../support/rounds.js';
import { until } from '../support/until.js';
import { CHROMIUM_IS_MISSING, ClientPage, DESK, openChromium, PHONE } from './support/chromium.js';
import { startFace } from './support/face.js';
import { lengthenHistory } from './support/history.js';

/** Messages that are scrolled through; each hundred of them is a page that is fetched and added. */
const MESSAGES = rounds(2_000, 10_000);
const PAGES = MESSAGES / 100;
/** Messages that are sent before the others are copied from them: one of each height. */
const SEEDS = 35;
/** Requests under way at once while messages are written. */
const WRITERS = 20;
/** Pixels of one step of scrolling. */
const STEP = 450;
const MAX_STEPS = 900;
/** Jumps end this far from the end of what is loaded, in pixels: 600 before the place at which a page is fetched. */
const JUMP_END = 2_200;
/** A page of messages is higher than this, and no measured row differs that much from its estimate. */
const PAGE_PX = 1_500;
/** Pixels of the longest jump: three pages of messages. */
const MAX_JUMP = 20_000;

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}
t.setTimeout(240_000);

const server = await startFace('reading');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['member', 'other']);
await subscribe(org.owner, 'general', { principals: [org.owner, org.member, org.other] });
const stream = await streamIdOf(org.member, 'general');

const hashOf = (topic: string): string => `#narrow/stream/${stream}-general/topic/${topic}`;

/** Texts of different heights. */
const textOf = (n: number): string => `${n}: ${'words that fill lines, '.repeat(n % 7 === 0 ? 30 : n % 5)}`;

async function write(topic: string, count: number): Promise<void> {
  let next = 0;
  const writer = async (by: Person) => {
    while (next < count) await say(by, 'general', topic, textOf(next++));
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n % 3 === 0 ? org.owner : org.other)));
}

async function markAllRead(person: Person): Promise<void> {
  await person.api.ok('POST /mark_all_as_read');
}

const frame = `const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
const list = document.querySelector('[data-messages]');
const texts = () => [...list.querySelectorAll('[data-message]')];
const topOf = (element) => element.getBoundingClientRect().top;`;

interface Scrolled {
  readonly worst: number;
  readonly held: number;
  readonly steps: number;
  /** Pages that came while a message was followed. */
  readonly pages: number;
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

/**
 * Scrolls to one end of the history, by jumps through what is loaded and by steps where a page is fetched. After each
 * of them a message on screen is followed through everything that is fetched and measured: `worst` is the most that it
 * moved, in pixels.
 */
const scrollTo = (page: Page, by: number): Promise<Scrolled> =>
  page.evaluate(`(async () => {
    ${frame}
    const found = { worst: 0, held: 0, steps: 0, pages: 0, rows: 0 };
    const left = () => ${by} < 0 ? list.scrollTop : list.scrollHeight - list.clientHeight - list.scrollTop;
    const heldOnScreen = () => {
      const { top, bottom } = list.getBoundingClientRect();
      return texts().find((element) => topOf(element) >= top && topOf(element) < bottom - 100);
    };
    for (let still = 0; still < 4 && found.steps < ${MAX_STEPS}; found.steps++) {
      const [before, height] = [list.scrollTop, list.scrollHeight];
      const jump = Math.min(left() - ${JUMP_END}, ${MAX_JUMP});
      if (jump > ${Math.abs(by)}) {
        list.scrollTop += Math.sign(${by}) * jump;
        while (!heldOnScreen()) await frame();
      } else list.scrollTop += ${by};
      const held = heldOnScreen();
      const at = held && topOf(held);
      const loaded = list.scrollHeight;
      do await frame(); while (list.querySelector('[aria-busy="true"]') !== null);
      await frame();
      found.rows = Math.max(found.rows, texts().length);
      const now = held && list.querySelector('[data-message="' + held.dataset.message + '"]');
      if (now) {
        found.held++;
        found.worst = Math.max(found.worst, Math.abs(topOf(now) - at));
        if (list.scrollHeight - loaded > ${PAGE_PX}) found.pages++;
      }
      still = Math.abs(list.scrollTop - before) < 2 && list.scrollHeight === height ? still + 1 : 0;
    }
    found.first = Number(texts()[0].dataset.message);
    found.last = Number(texts().at(-1).dataset.message);
    return found;
  })()`) as Promise<Scrolled>;

const placeOf = (page: Page, id: number): Promise<number> =>
  page.evaluate(`document.querySelector('[data-message="${id}"]')?.getBoundingClientRect().top`) as Promise<number>;

/** Ids of the messages whose text is on screen. */
const shownOn = (page: Page): Promise<readonly number[]> =>
  page.evaluate(`(() => {
    ${frame}
    const { top, bottom } = list.getBoundingClientRect();
    return texts().filter((element) => topOf(element) >= top && element.getBoundingClientRect().bottom <= bottom)
      .map((element) => Number(element.dataset.message));
  })()`) as Promise<readonly number[]>;

type Found = readonly { readonly id: number; readonly flags: readonly string[] }[];

/** The newest messages of a topic, or the oldest ones: half of the long history, all of another topic. */
async function idsOf(person: Person, topic: string, anchor: 'newest' | 'oldest' = 'newest'): Promise<Found> {
  const { messages } = await person.api.ok<{ messages: Found }>('GET /messages', {
    anchor,
    num_before: anchor === 'newest' ? MESSAGES / 2 : 0,
    num_after: anchor === 'newest' ? 0 : MESSAGES / 2,
    narrow: [
      { operator: 'stream', operand: 'general' },
      { operator: 'topic', operand: topic },
    ],
  });
  return messages;
}

/** The client of the member at an address, with messages on screen. */
async function openAt(hash: string, look: Parameters<typeof ClientPage.open>[2] = {}): Promise<ClientPage> {
  const client = await ClientPage.open(browser, `${org.subdomain}.localhost:${server.nextPort()}`, look);
  await client.openSignedIn(org.member.email, PASSWORD, hash);
  await client.page.waitForSelector('[data-message]');
  return client;
}

const openTopic = (topic: string): Promise<ClientPage> => openAt(hashOf(topic));

async function pressWithControl({ keyboard }: Page, key: 'Enter' | 's'): Promise<void> {
  await keyboard.down('Control');
  await keyboard.press(key);
  await keyboard.up('Control');
}

t.test('thousands of messages are scrolled through both ways, and the text that is read never moves', async (t) => {
  for (let n = 0; n < SEEDS; n++) await say(n % 3 ? org.other : org.owner, 'general', 'history', textOf(n));
  await lengthenHistory(org, SEEDS, MESSAGES - 1);
  await say(org.other, 'general', 'history', textOf(MESSAGES - 1));
  await markAllRead(org.member);
  const [older, newer] = [await idsOf(org.member, 'history', 'oldest'), await idsOf(org.member, 'history')];
  const [oldest, newest] = [older[0]!.id, newer.at(-1)!.id];
  t.equal(older.at(-1)!.id, newer[0]!.id - 1, `there are ${MESSAGES} messages`);
  const { page, faults } = await openTopic('history');
  await until('the newest message is on screen', async () => (await shownOn(page)).includes(newest));
  const asked = () =>
    page.evaluate("performance.getEntriesByType('resource').filter(({ name }) => /messages\\?/.test(name)).length");
  const up = await scrollTo(page, -STEP);
  // A page may also come during a jump, before a text is chosen; on a busy machine one of 20 did.
  t.ok(up.pages <= Number(await asked()) - 1, 'no page is counted twice');
  t.ok(up.pages > PAGES * 0.9 - 1, `${up.pages} pages were added above a text whose place was measured`);
  t.equal(up.first, oldest, 'the oldest message is reached');
  t.ok(up.worst < 1, `a text moved by ${up.worst} pixels on the way up`);
  t.ok(up.rows < 150, `${up.rows} messages were in the document`);
  const down = await scrollTo(page, STEP);
  t.ok(down.held > PAGES * 0.4, `${down.held} places were measured on the way down`);
  t.equal(down.last, newest, 'the newest message is reached again');
  t.ok(down.worst < 1, `a text moved by ${down.worst} pixels on the way down`);
  t.strictSame(faults, []);
});

t.test('a new message does not move older ones that are read, and scrolls a list that is at its end', async (t) => {
  await write('arrivals', 80);
  await markAllRead(org.member);
  const client = await openTopic('arrivals');
  const { page, faults } = client;
  await page.evaluate(`(async () => {
    ${frame}
    list.scrollTop -= 900;
    await frame();
    await frame();
  })()`);
  const [held = 0] = await shownOn(page);
  const before = await placeOf(page, held);
  const newer = await say(org.other, 'general', 'arrivals', 'a new message');
  await page.waitForFunction(`document.querySelector('.below')?.textContent.includes('1 new')`);
  t.ok(Math.abs((await placeOf(page, held)) - before) < 1, 'the text stands where it stood');
  await page.click('.below');
  await until('the new message is on screen', async () => (await shownOn(page)).includes(newer));
  await client.waitUntilGone('.below');
  t.ok(
    (await shownOn(page)).includes(newer),
    'the list stays at its end when the button, which has the focus, is removed',
  );
  t.ok(
    await page.evaluate(`(() => {
    ${frame}
    const { top, bottom } = document.activeElement.getBoundingClientRect();
    return list.contains(document.activeElement) && bottom > topOf(list) && top < list.getBoundingClientRect().bottom;
  })()`),
    'a message on screen has the focus',
  );
  await page.keyboard.press('End');
  const id = await say(org.other, 'general', 'arrivals', 'one more');
  await until('the next message is followed', async () => (await shownOn(page)).includes(id));
  t.strictSame(faults, []);
});

t.test('texts are on screen in the frame of a jump to where no rows were', async (t) => {
  await write('jumps', 60);
  await markAllRead(org.member);
  const client = await openAt(hashOf('jumps'));
  await client.waitFor('[data-message]', '59:');
  const shown = await client.page.evaluate(`(async () => {
    ${frame}
    const { top, bottom } = list.getBoundingClientRect();
    const countOnScreen = () => texts().filter((element) => topOf(element) >= top && topOf(element) < bottom).length;
    list.dispatchEvent(new WheelEvent('wheel'));
    const counts = [];
    for (const px of [-2500, 1800, -1500]) {
      // This callback runs in the frame of the event, before it is painted.
      const painted = new Promise((done) =>
        list.addEventListener('scroll', () => requestAnimationFrame(done), { once: true }));
      list.scrollTop += px;
      await painted;
      counts.push(countOnScreen());
    }
    return counts;
  })()`);
  for (const count of shown as number[]) t.ok(count > 1, `${count} texts`);
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test(
  'a list of messages with short paragraphs scrolls up as far as the wheel says',
  { timeout: 60_000 },
  async (t) => {
    for (let n = 0; n < 60; n++)
      await say(org.other, 'general', 'paragraphs', `Hello ${n},\n\nthanks for that.\n\nBye`);
    await markAllRead(org.member);
    const client = await openAt(hashOf('paragraphs'), { viewport: PHONE });
    const { page } = client;
    await client.waitFor('[data-message]', 'Hello 59');
    await page.mouse.move(200, 300);
    // Rows in the middle of the list: each step ends far from both ends.
    for (let step = 0; step < 6; step++) {
      const [id = 0] = await shownOn(page);
      const before = await placeOf(page, id);
      const scrolled = page.evaluate(`(async () => {
      ${frame}
      await new Promise((done) => list.addEventListener('scroll', done, { once: true }));
      for (let n = 0; n < 3; n++) await frame();
    })()`);
      await page.mouse.wheel({ deltaY: -300 });
      await scrolled;
      t.ok(Math.abs((await placeOf(page, id)) - before - 300) < 1, 'the text moves as far as the wheel says');
    }
    t.strictSame([client.faults, client.refusals], [[], []]);
  },
);

t.test('a view of several conversations says at its top which one is being read', async (t) => {
  await write('upper', 30);
  await write('lower', 30);
  await markAllRead(org.member);
  const client = await openAt(hashOf('lower').replace(/\/topic.*/, ''));
  const { page } = client;
  const line = '.top-line .recipient';
  const scroll = (px: string) =>
    page.evaluate(`(() => {
      ${frame}
      list.dispatchEvent(new WheelEvent('wheel'));
      list.scrollTop = ${px};
    })()`);
  await client.waitFor(line, 'lower');
  const gate = new Gate();
  await client.intercept(async (request) => {
    if (request.url().includes('/api/v1/messages?')) await gate.opened;
    await request.continue();
  });
  await scroll("list.querySelector('.message-list').scrollHeight / 4");
  await client.waitFor(line, 'upper');
  await client.waitFor('.message-top .spinner');
  t.strictSame(await client.findings(), [], 'also while older messages are loading');
  gate.open();
  await client.click(`${line} a`, 'upper');
  await client.waitFor('.bar-title', 'upper');
  await client.waitUntilGone(line);
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('a view of one conversation shows its name only in the bar', async (t) => {
  await say(org.other, 'general', 'named once', 'words');
  const client = await openAt(hashOf('named once'));
  await client.waitFor('.message-body', 'words');
  await client.waitFor('.bar-title', 'named once');
  await client.waitFor('.day-line', 'Today');
  t.equal(await client.page.evaluate(`document.querySelectorAll('.messages .recipient').length`), 0);
  await client.goTo(hashOf('named once').replace(/\/topic.*/, ''));
  await client.waitFor('.messages .recipient', 'named once');
  await client.goTo(`#narrow/dm/${org.other.id}`);
  await client.waitFor('.messages .empty', 'Write the first one');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('messages that were on screen are marked as read, and others are not', async (t) => {
  await write('marks', 120);
  const { page, faults } = await openTopic('marks');
  await page.waitForSelector('.unread-line');
  const readIn = async () => (await idsOf(org.member, 'marks')).filter(({ flags }) => flags.includes('read'));
  await until('some are read', async () => (await readIn()).length > 0);
  const lowest = Math.max(...(await shownOn(page)));
  const read = await readIn();
  t.ok(read.length < 60, `${read.length} of 120 are read`);
  t.ok(
    read.every(({ id }) => id <= lowest),
    'no message below the screen is read',
  );
  await scrollTo(page, STEP / 2);
  await until('the last one is read', async () => (await idsOf(org.member, 'marks')).at(-1)!.flags.includes('read'));
  t.strictSame(faults, []);
});

t.test('a message that arrives on screen is never shown as unread, one that arrives out of sight is', async (t) => {
  await write('sight', 80);
  await markAllRead(org.member);
  const client = await openTopic('sight');
  const { page } = client;
  const isReadAtServer = async () => (await idsOf(org.member, 'sight')).at(-1)!.flags.includes('read');
  const shownAsUnread = (): Promise<unknown> => page.evaluate('globalThis.unreadIds');
  await page.evaluate(`{
    globalThis.unreadIds = [];
    const note = () => {
      for (const row of document.querySelectorAll('.message-row.unread')) unreadIds.push(Number(row.dataset.row));
    };
    const changes = { subtree: true, childList: true, attributes: true, attributeFilter: ['class'] };
    new MutationObserver(note).observe(document.body, changes);
  }`);
  await say(org.other, 'general', 'sight', 'at the end');
  await client.waitFor('.message-body', 'at the end');
  await until('it is read', isReadAtServer);
  t.strictSame(await shownAsUnread(), [], 'a message at the end of the list');

  await page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
  const hidden = await say(org.other, 'general', 'sight', 'behind other windows');
  await page.waitForSelector(`[data-row="${hidden}"].unread`);
  t.notOk(await isReadAtServer(), 'a message of a hidden page is not read');
  await page.evaluate(`{
    delete document.visibilityState;
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
  await until('it is read when the page is seen again', isReadAtServer);

  await page.evaluate(`(async () => {
    ${frame}
    list.dispatchEvent(new WheelEvent('wheel'));
    list.scrollTop -= 900;
    await frame();
    await frame();
  })()`);
  await say(org.other, 'general', 'sight', 'below the screen');
  await page.waitForFunction(`document.querySelector('.below')?.textContent.includes('1 new')`);
  t.notOk(await isReadAtServer(), 'a message below the screen is not read');
  t.strictSame(client.faults, []);
});

t.test('the line "New" goes when the reader answers', async (t) => {
  const client = await ClientPage.open(browser, `${org.subdomain}.localhost:${server.nextPort()}`);
  await markAllRead(org.member);
  await say(org.owner, 'general', 'answers', 'a question');
  await client.signIn(org.member.email, PASSWORD);
  await client.waitFor('.app');
  await client.goTo(hashOf('answers'));
  await client.waitFor('.unread-line', 'New');
  await client.fill('.compose-text', 'an answer');
  await client.pressControl('Enter');
  await client.waitFor('.message-body', 'an answer');
  t.equal(await client.page.evaluate("document.querySelectorAll('.unread-line').length"), 0);
  t.strictSame([client.faults, client.refusals], [[], []]);
});

/** Events of a page whose window loses the focus, and of one that is hidden. */
const LEAVE_PAGE = {
  blurred: "document.hasFocus = () => false; dispatchEvent(new Event('blur'));",
  hidden: `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));`,
};
const RETURN_TO_PAGE = `delete document.visibilityState;
  delete document.hasFocus;
  document.dispatchEvent(new Event('visibilitychange'));
  dispatchEvent(new Event('focus'));`;

for (const [way, leave] of Object.entries(LEAVE_PAGE)) {
  t.test(`the line "New" is above what came to a ${way} page, and not above what comes after the return`, async (t) => {
    const topic = `a ${way} page`;
    await say(org.other, 'general', topic, 'before');
    await markAllRead(org.member);
    const client = await openAt(hashOf(encodeURIComponent(topic)));
    const { page } = client;
    const arrive = async (text: string): Promise<number> => {
      const id = await say(org.other, 'general', topic, text);
      await client.waitFor('.message-body', text);
      return id;
    };
    const isReadAtServer = async () => (await idsOf(org.member, topic)).every(({ flags }) => flags.includes('read'));
    /** Ids of the messages below a line. */
    const marked = () =>
      page.evaluate(
        `[...document.querySelectorAll('.unread-line')].map((e) => Number(e.closest('[data-row]').dataset.row))`,
      );
    await page.evaluate(`{ ${leave} }`);
    const missed = await arrive('missed');
    await arrive('missed, too');
    await page.waitForSelector(`[data-row="${missed}"] .unread-line`);
    await page.evaluate(`{ ${RETURN_TO_PAGE} }`);
    await until('all is read', isReadAtServer);
    // Two that come together: the list has not rendered the first one when the second one comes.
    await Promise.all([arrive('after the return'), arrive('and one more')]);
    await until('all is read again', isReadAtServer);
    t.strictSame(await marked(), [missed]);
    t.strictSame([client.faults, client.refusals], [[], []]);
  });
}

t.test('a message that arrives in sight after the return has no line "New", though it stays unread', async (t) => {
  await say(org.other, 'general', 'returns', 'before');
  await markAllRead(org.member);
  await org.member.api.ok('PATCH /settings', { web_mark_read_on_scroll_policy: 3 });
  t.teardown(() => org.member.api.ok('PATCH /settings', { web_mark_read_on_scroll_policy: 1 }));
  const client = await openTopic('returns');
  const { page } = client;
  for (const leave of Object.values(LEAVE_PAGE)) await page.evaluate(`{ ${leave} ${RETURN_TO_PAGE} }`);
  const id = await say(org.other, 'general', 'returns', 'in sight');
  await page.waitForSelector(`[data-row="${id}"].unread`);
  t.equal(await page.evaluate("document.querySelectorAll('.unread-line').length"), 0);
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('a message of a muted sender is collapsed, and opened and collapsed again', async (t) => {
  await say(org.other, 'general', 'muted', 'loud words');
  const muted = { muted_user_id: org.other.id };
  await org.member.api.ok('POST /users/me/muted_users/{muted_user_id}', muted);
  t.teardown(() => org.member.api.ok('DELETE /users/me/muted_users/{muted_user_id}', muted));
  const client = await openAt(hashOf('muted'));
  await client.click('.message-collapsed', 'muted');
  await client.waitFor('.message-body', 'loud words');
  await client.openMessageMenu('loud words');
  await client.click('.menu-item', 'Collapse');
  await client.click('.message-collapsed', 'muted');
  await client.waitFor('.message-body', 'loud words');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('an address with a message opens its conversation at that message', async (t) => {
  const { id } = (await idsOf(org.member, 'history'))[700]!;
  const { page, faults } = await openAt(`${hashOf('history')}/near/${id}`);
  await until('the message is on screen', async () => (await shownOn(page)).includes(id));
  t.equal(await page.evaluate(`document.querySelector('[aria-current="true"]').dataset.row`), String(id));
  const countRows = async () => Number(await page.evaluate(`document.querySelectorAll('[data-row]').length`));
  const rows = await countRows();
  await page.mouse.move(300, 300);
  await until('rows beside the screen come once the pointer moves', async () => (await countRows()) >= rows + 12);
  t.strictSame(faults, []);
});

t.test('a list that ends with a poll or a to-do list is opened at its very end', async (t) => {
  await write('widgets', 40);
  await say(
    org.other,
    'general',
    'widgets',
    `/poll Lunch?\n${Array.from({ length: 20 }, (_, n) => `choice ${n}`).join('\n')}`,
  );
  const tasks = await say(org.other, 'general', 'widgets', '/todo');
  for (let n = 0; n < 8; n++) {
    await org.other.api.ok('POST /submessage', {
      ...{ message_id: tasks, msg_type: 'widget' },
      content: JSON.stringify({ type: 'new_task', key: n, task: `task ${n}`, desc: '', completed: false }),
    });
  }
  await markAllRead(org.member);
  const { page, faults } = await openTopic('widgets');
  await page.waitForFunction(`document.querySelectorAll('.todo-task').length === 8`);
  const atEnd = `(({ scrollTop, clientHeight, scrollHeight }) => scrollHeight - scrollTop - clientHeight < 2)(
    document.querySelector('[data-messages]'))`;
  await page.waitForFunction(atEnd);
  await org.owner.api.ok('POST /submessage', {
    ...{ message_id: tasks, msg_type: 'widget' },
    content: JSON.stringify({ type: 'new_task', key: 9, task: 'one more', desc: '', completed: false }),
  });
  await page.waitForFunction(`document.querySelectorAll('.todo-task').length === 9`);
  await page.waitForFunction(atEnd);
  t.strictSame(faults, []);
});

/** Notes the listeners that the document and the window have, from the load of the page on. */
const NOTE_LISTENERS = `{
  const noted = [];
  const isCapturing = (options) => Boolean(typeof options === 'object' ? options.capture : options);
  for (const target of [document, window]) {
    const { addEventListener: add, removeEventListener: remove } = target;
    const indexOf = (type, listener, capture) =>
      noted.findIndex((of) =>
        of.target === target && of.type === type && of.listener === listener && of.capture === capture);
    const forget = (type, listener, capture) => {
      const index = indexOf(type, listener, capture);
      if (index >= 0) noted.splice(index, 1);
    };
    target.addEventListener = (type, listener, options) => {
      const capture = isCapturing(options);
      if (indexOf(type, listener, capture) < 0) noted.push({ target, type, listener, capture });
      if (options?.once) add.call(target, type, () => forget(type, listener, capture), { once: true, capture });
      add.call(target, type, listener, options);
    };
    target.removeEventListener = (type, listener, options) => {
      forget(type, listener, isCapturing(options));
      remove.call(target, type, listener, options);
    };
  }
  globalThis.listenedTypes = () => noted.map(({ type }) => type).sort();
}`;

t.test('a view that is left keeps no listener on the document or the window', async (t) => {
  await write('listeners', 30);
  await say(org.other, 'general', 'listeners too', 'words');
  await markAllRead(org.member);
  const client = await ClientPage.open(browser, `${org.subdomain}.localhost:${server.nextPort()}`);
  const { page } = client;
  await page.evaluateOnNewDocument(NOTE_LISTENERS);
  await client.openSignedIn(org.member.email, PASSWORD, hashOf('listeners'));
  const visit = async (): Promise<readonly string[]> => {
    for (const topic of ['listeners too', 'listeners']) {
      await client.goTo(hashOf(encodeURIComponent(topic)));
      await client.waitFor('.bar-title', topic);
      await page.waitForSelector('[data-message]');
      // The first movement of the pointer brings the rows beside the screen.
      await page.mouse.move(300, topic.length * 20);
    }
    await client.goTo('#inbox');
    await client.waitFor('.overview, .empty');
    return (await page.evaluate('listenedTypes()')) as readonly string[];
  };
  await visit();
  const before = await visit();
  t.ok(before.length > 10, `${before.length} listeners`);
  for (let round = 0; round < 3; round++) await visit();
  t.strictSame(await visit(), before);
  t.strictSame([client.faults, client.refusals], [[], []]);
});

const HOSTILE = [
  '<script>window.ran = 1</script>',
  '<img src="/favicon.ico" onload="window.ran = 2" onerror="window.ran = 3">',
  '<svg onload="window.ran = 4"><animate onbegin="window.ran = 5" attributeName="x"/></svg>',
  '<a href="javascript:window.ran = 6" id="bad">press</a>',
  '<iframe srcdoc="<script>parent.ran = 7</script>"></iframe>',
  '<p style="position:fixed;inset:0;background:red" onclick="window.ran = 8">cover</p>',
  '<form action="/"><button>send</button></form><style>body { display: none }</style>',
  '<math><mtext><table><mglyph><style><img src="/favicon.ico" onload="window.ran = 9"></style></mglyph></table></mtext></math>',
  '<img src="https://elsewhere.example.com/seen.png">',
  '<span class="katex"><span style="background:url(https://elsewhere.example.com/x);position:fixed">x</span></span>',
].join('');

t.test('hostile texts, topics and HTML in answers run no script', async (t) => {
  const topic = '<img src=x onerror=window.ran=1>';
  await say(org.other, 'general', topic, HOSTILE);
  await say(org.other, 'general', topic, '[x](javascript:alert(1)) ```spoiler <script>1</script>\n<b onclick=1>\n```');
  const client = await openAt('#all_messages');
  const { page, faults } = client;
  page.on('dialog', () => t.fail('a dialog opens'));
  t.equal(await page.evaluate('typeof window.ran'), 'undefined');
  t.strictSame(faults, []);
  await client.intercept(async (request) => {
    if (!/\/api\/v1\/messages\?/.test(request.url())) return request.continue();
    const answer = await fetch(request.url().replace(/\/\/[^:/]+/, '//127.0.0.1'), {
      headers: { ...org.member.api.headers },
    });
    const body = (await answer.json()) as { messages: { content: string }[] };
    for (const message of body.messages) message.content = HOSTILE;
    return request.respond({ contentType: 'application/json', body: JSON.stringify(body) });
  });
  await page.goto(page.url().replace(/#.*/, hashOf('marks')));
  await page.reload();
  await page.waitForSelector('[data-message] a');
  await page.evaluate(`document.querySelector('[data-message] a').click()`);
  const left = await page.evaluate(`(() => {
    const bad = 'script,iframe,form,style,animate,button,[onclick],[onload],[onerror],[style]';
    return [...document.querySelector('.content').querySelectorAll(bad)].map((element) => element.outerHTML);
  })()`);
  t.strictSame(left, [], 'no element of those is left');
  t.equal(await page.evaluate('typeof window.ran'), 'undefined');
  // The browser reports inline handlers and styles that it refuses while DOMPurify parses them out of sight.
  t.strictSame(
    faults.filter(
      (fault) =>
        !/inline (?:event handler|style)|forbids (?:script-src-attr|style-src-elem|style-src-attr) inline/.test(fault),
    ),
    [],
  );
});

const CONSTRUCTS = [
  '**bold** `code` :smile: #**general** <time:2026-05-28T13:00:00Z>',
  '```python\nprint("x")  # comment\n```',
  '```spoiler The ending\nEverybody lives.\n```',
  'Formula: $$\\frac{\\sqrt{x}}{2}$$',
  '| a | b |\n|---|:-:|\n| 1 | 2 |\n\n> quote\n\n* one\n* two\n\n1. a',
  '# Heading\n---\nhttps://example.com',
  '/poll Lunch?\nPizza\nSalad',
  '/todo',
];

t.test('every construct of Markdown is shown and used without a finding of axe', { timeout: 90_000 }, async (t) => {
  for (const text of CONSTRUCTS) await say(org.other, 'general', 'constructs', text);
  const [first] = await idsOf(org.member, 'constructs');
  await org.other.api.ok('POST /messages/{message_id}/reactions', { message_id: first!.id, emoji_name: 'heart' });
  const looks = [{ viewport: DESK }, { viewport: DESK, scheme: 'dark' }, { viewport: PHONE }] as const;
  for (const look of picked(looks, 1, (one) => `constructs ${JSON.stringify(one)}`)) {
    const client = await openAt(hashOf('constructs'), look);
    await client.waitFor('.widget', 'Lunch?');
    await client.page.waitForSelector('.katex .vlist > span[style]');
    t.strictSame(await client.findings(), [], JSON.stringify(look));
    t.strictSame(client.faults, []);
    await client.page.close();
  }
  const { page, faults } = await openTopic('constructs');
  await page.waitForSelector('.spoiler-button');
  await page.focus('.spoiler-button');
  await page.keyboard.press('Enter');
  t.equal(await page.evaluate(`document.querySelector('.spoiler-content').hidden`), false, 'the spoiler opens by key');
  await page.waitForSelector('.poll-vote');
  await page.click('.poll-vote');
  await page.waitForSelector('.poll-vote[aria-pressed="true"]');
  await page.evaluate(`document.querySelector('.reaction').click()`);
  await page.waitForSelector('.reaction[aria-pressed="true"]');
  t.strictSame(faults, []);
});

t.test('paper gets all messages of the list and nothing else, black on white', async (t) => {
  for (let n = 0; n < 40; n++) await say(org.other, 'general', 'paper', `sheet ${n}`);
  const { page, faults } = await openAt(hashOf('paper'));
  const shown = () =>
    page.evaluate(`(() => {
      const { color, backgroundColor } = getComputedStyle(document.querySelector('.message-body'));
      const isVisible = (name) => document.querySelector(name)?.checkVisibility() ?? false;
      return {
        color,
        others: ['.bar', '.side', '.compose-box', '.compose-closed'].filter(isVisible),
        rows: document.querySelectorAll('.message-list [data-row]').length,
        isCut: document.querySelector('[data-messages]').clientHeight < document.querySelector('.message-list').clientHeight,
      };
    })()`) as Promise<{ color: string; others: string[]; rows: number; isCut: boolean }>;
  const before = (await shown()).rows;
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await page.emulateMediaType('print');
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  const printed = await shown();
  t.match(printed, { color: 'rgb(0, 0, 0)', others: [], isCut: false });
  t.ok(before < 40 && printed.rows === 40, `${before} rows on screen, ${printed.rows} on paper`);
  await page.emulateMediaType('screen');
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  await page.emulateMediaFeatures([]);
  t.strictSame(faults, []);
});

t.test('each paragraph and list has the direction of its own words', async (t) => {
  await say(
    org.other,
    'general',
    'directions',
    'Left to right\n\nمن اليمين إلى اليسار\n\n* واحد\n* اثنان\n\nLeft again',
  );
  const { page, faults } = await openAt(hashOf('directions'));
  const sides = await page.evaluate(`(() => {
    const { left, right } = document.querySelector('.message-body .content').getBoundingClientRect();
    return [...document.querySelectorAll('.message-body :is(p, li)')].map((block) => {
      const range = document.createRange();
      range.selectNodeContents(block);
      const box = range.getBoundingClientRect();
      return box.left - left < right - box.right ? 'left' : 'right';
    });
  })()`);
  t.strictSame(sides, ['left', 'right', 'right', 'right', 'left']);
  t.strictSame(faults, []);
});

t.test('on a phone, words and amounts of a table stay whole, and the table scrolls', async (t) => {
  await say(
    org.other,
    'general',
    'columns',
    `| Route | Crossings | Takings | Remarks |\n|---|---|---:|---|\n| Mainland – North Pier | 412 | 10,204 € | ${'none '.repeat(30)}|`,
  );
  const { page, faults } = await openAt(hashOf('columns'), { viewport: PHONE });
  const facts = await page.evaluate(`(() => {
    const linesOf = (cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    };
    const frame = document.querySelector('.table-frame');
    const page = document.documentElement;
    return {
      lines: [...frame.querySelectorAll('th, td[style*=right]')].map(linesOf),
      scrolls: frame.scrollWidth > frame.clientWidth,
      isPageWide: page.scrollWidth > innerWidth,
    };
  })()`);
  t.strictSame(facts, { lines: [1, 1, 1, 1, 1], scrolls: true, isPageWide: false });
  t.strictSame(faults, []);
});

t.test('an edit that is left for another view and saved after the return is sent', async (t) => {
  const id = await say(org.member, 'general', 'edits', 'first text');
  await org.member.api.ok('PATCH /settings', { enter_sends: true });
  const client = await openTopic('edits');
  await client.openMessageMenu('first text');
  await client.click('[role=menuitem]', 'Edit');
  await client.page.waitForSelector('.edit-text');
  await client.page.type('.edit-text', ', corrected');
  await client.goTo('#inbox');
  await client.waitUntilGone('.edit-box');
  await client.goTo(hashOf('edits'));
  await client.page.waitForSelector('.edit-text');
  t.equal(await client.valueOf('.edit-text'), 'first text, corrected');
  await client.page.focus('.edit-text');
  await client.page.keyboard.press('Escape');
  await client.waitUntilGone('.edit-box');
  await client.click('.toast button', 'Undo');
  await client.page.waitForSelector('.edit-text');
  t.equal(await client.valueOf('.edit-text'), 'first text, corrected', 'Escape is undone');
  // As in the compose box: marks by keys, pasted files, and Enter.
  await client.page.focus('.edit-text');
  await client.pressControl('a');
  await client.pressControl('b');
  t.equal(await client.valueOf('.edit-text'), '**first text, corrected**');
  await client.pressControl('b');
  await client.page.evaluate(`(() => {
    const area = document.querySelector('.edit-text');
    area.setSelectionRange(area.value.length, area.value.length);
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['x'], 'notes.txt', { type: 'text/plain' }));
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
  await client.page.waitForFunction(
    `document.querySelector('.edit-text').value.includes('[notes.txt](/user_uploads/')`,
  );
  await client.page.keyboard.press('Enter');
  await client.waitUntilGone('.edit-box');
  await org.member.api.ok('PATCH /settings', { enter_sends: false });
  await client.waitFor(`[data-message="${id}"]`, 'first text, corrected');
  t.strictSame(client.faults, []);
});

t.test('an edit is there again after a reload, and not for another account', async (t) => {
  const id = await say(org.member, 'general', 'reloaded edits', 'first text');
  const hash = hashOf('reloaded%20edits');
  const client = await openAt(hash);
  const { page } = client;
  await client.openMessageMenu('first text');
  await client.click('[role=menuitem]', 'Edit');
  await page.waitForSelector('.edit-text');
  await page.type('.edit-text', ', corrected');
  await page.reload();
  await page.waitForSelector('.edit-text');
  t.equal(await client.valueOf('.edit-text'), 'first text, corrected');
  await client.openSignedIn(org.other.email, PASSWORD, hash);
  await client.waitFor(`[data-message="${id}"]`, 'first text');
  t.equal(await page.$('.edit-box'), null);
  t.strictSame(client.faults, []);
});

t.test('a box in the list keeps its text and the focus when its message leaves the screen', async (t) => {
  const topic = 'boxes';
  await write(topic, 40);
  await say(org.member, 'general', topic, 'to be edited');
  const poll = await say(org.member, 'general', topic, '/poll Lunch?\nPizza');
  await markAllRead(org.member);
  const client = await openTopic(topic);
  const { page } = client;
  await page.waitForSelector('.widget-add input');
  await page.type('.widget-add input', 'So');
  await write(topic, 20);
  await page.waitForSelector('.below');
  await page.keyboard.type('up');
  const field = `document.querySelector('.widget-add input')`;
  t.equal(await client.valueOf('.widget-add input'), 'Soup');
  t.ok(await page.evaluate(`${field} === document.activeElement`), 'the entry has the focus');
  t.ok(await page.evaluate(`${field}.getBoundingClientRect().top > 0`), 'and is on screen');

  await client.openMessageMenu('to be edited');
  await client.click('[role=menuitem]', 'Edit');
  await page.waitForSelector('.edit-text');
  await page.evaluate(`(async () => {
    ${frame}
    list.dispatchEvent(new WheelEvent('wheel'));
    for (let n = 0; n < 4; n++) {
      list.scrollTop -= 900;
      await frame();
    }
  })()`);
  const { hash } = new URL(page.url());
  await page.keyboard.type(' cid');
  t.equal(await client.valueOf('.edit-text'), 'to be edited cid');
  t.equal(new URL(page.url()).hash, hash, 'no key opens another view');
  await client.goTo('#inbox');
  await client.goTo(`${hashOf(topic)}/near/${poll}`);
  await page.waitForSelector('.widget-add input');
  t.equal(await client.valueOf('.widget-add input'), 'Soup', 'the entry is there again after the return');
  // Chromium itself fills in the fields that were on screen at a reload.
  await client.goTo('#inbox');
  await page.reload();
  await client.goTo(`${hashOf(topic)}/near/${poll}`);
  await page.waitForSelector('.widget-add input');
  t.equal(await client.valueOf('.widget-add input'), 'Soup', 'and after a reload of the page elsewhere');
  await client.openSignedIn(org.other.email, PASSWORD, `${hashOf(topic)}/near/${poll}`);
  await page.reload();
  await page.waitForSelector('.widget-add input');
  t.equal(await client.valueOf('.widget-add input'), '', 'but not for another account');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('keys select messages, star them, edit the own one, and open the menu', async (t) => {
  await say(org.other, 'general', 'keys', 'of another');
  const mine = await say(org.member, 'general', 'keys', 'of mine');
  const { page, faults } = await openTopic('keys');
  await page.keyboard.press('End');
  await page.waitForSelector(`[data-row="${mine}"][aria-current="true"]`);
  await page.keyboard.press('k');
  await page.waitForSelector(`[aria-current="true"]:not([data-row="${mine}"])`);
  await page.keyboard.press('j');
  await page.waitForSelector(`[data-row="${mine}"][aria-current="true"]`);
  await pressWithControl(page, 's');
  await page.waitForSelector(`[data-row="${mine}"] .message-star`);
  await page.keyboard.press('i');
  await page.waitForSelector('[role="menuitem"]');
  await page.keyboard.press('Escape');
  await page.keyboard.press('e');
  await page.waitForSelector('.edit-text');
  await page.type('.edit-text', ', better');
  await pressWithControl(page, 'Enter');
  await page.waitForFunction(
    `document.querySelector('[data-message="${mine}"]')?.textContent.includes('of mine, better')`,
  );
  t.equal((await idsOf(org.member, 'keys')).at(-1)?.flags.includes('starred'), true);
  t.strictSame(faults, []);
});
