/** Sign-in, frame, sidebars and shortcuts of the web client in Chromium, against a real server. */
import type { HTTPRequest } from 'puppeteer-core';
import t from 'tap';
import { makeOrganization, PASSWORD, say, streamIdOf, subscribe, tell } from '../api/support/organization.js';
import { picked } from '../support/rounds.js';
import { until } from '../support/until.js';
import { CHROMIUM_IS_MISSING, ClientPage, DESK, openChromium, PHONE } from './support/chromium.js';
import { startFace } from './support/face.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}

const server = await startFace('frame');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['member', 'other']);
const { owner, member, other } = org;
await subscribe(owner, 'general', { principals: [owner, member, other] });
await say(other, 'general', 'plans', 'for tomorrow');
await say(other, 'general', 'lunch', `@**${member.name}** hungry?`);
await tell(other, [member], 'hello');
const host = `${org.subdomain}.localhost:${server.nextPort()}`;

const LOOKS = [
  { name: 'light', viewport: DESK, scheme: 'light' },
  { name: 'dark', viewport: DESK, scheme: 'dark' },
  { name: 'a phone', viewport: PHONE, scheme: 'light' },
  { name: 'a dark phone', viewport: PHONE, scheme: 'dark' },
] as const;
/** How many of them a short run tries. */
const PICKED = 1;

for (const { name, ...look } of picked(LOOKS, PICKED, ({ name }) => name)) {
  t.test(`sign-in, frame, menu and list of shortcuts are accessible: ${name}`, async (t) => {
    const client = await ClientPage.open(browser, host, look);
    await client.signIn(member.email, 'not the password');
    await client.waitFor('.sign-in-error', 'not right');
    t.strictSame(await client.findings(), [], 'sign-in with an error');
    await client.page.type('input[name=password]', PASSWORD);
    await client.page.keyboard.press('Enter');
    await client.waitFor('.app');
    if (look.viewport === PHONE) {
      await client.click('.open-sidebar button');
      await client.waitFor('dialog .row', 'general');
    } else await client.waitFor('.row', 'general');
    t.strictSame(await client.findings(), [], 'frame');
    await client.click('.realm-button');
    await client.waitFor('.menu-item', 'Browse streams');
    t.strictSame(await client.findings(), [], 'menu of the organization');
    await client.click('.own-button');
    await client.waitFor('.menu-item', 'Sign out');
    t.strictSame(await client.findings(), [], 'menu of the reader');
    if (look.viewport === DESK) await client.click('.menu-item', 'Keyboard shortcuts');
    else {
      await client.page.keyboard.press('Escape');
      await client.waitUntilGone('.menu-item');
      await client.page.keyboard.press('Escape');
      await client.waitUntilGone('dialog[open]');
      await client.page.keyboard.press('?');
    }
    await client.waitFor('.help-row', 'Inbox');
    t.strictSame(await client.findings(), [], 'list of shortcuts');
    t.strictSame(client.faults, []);
  });
}

t.test('rows of the sidebar are reached by keys, and the address follows', async (t) => {
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(member.email, PASSWORD);
  await client.waitFor('.row.stream', 'general');
  const { keyboard } = client.page;
  await keyboard.press('q');
  await keyboard.type('plans');
  await client.waitFor('.row.topic', 'plans');
  await keyboard.press('Enter');
  await client.waitFor('.bar-title', 'plans');
  t.match(client.page.url(), /#narrow\/stream\/\d+-general\/topic\/plans$/);
  await keyboard.press('p');
  await client.waitFor('.bar-title', other.name);
  await client.waitFor('[aria-current=page]', other.name);
  // Views and the title are rendered by themselves.
  await client.page.waitForFunction(`document.title.endsWith('${other.name} · The ${org.subdomain}')`);
  t.strictSame(client.faults, []);
});

t.test('Escape leads to the first view if the settings say so', async (t) => {
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(member.email, PASSWORD, '#drafts');
  await client.waitFor('.row.stream', 'general');
  await client.page.keyboard.press('Escape');
  await client.waitFor('.bar-title', 'Recent');
  await member.api.ok('PATCH /settings', { escape_navigates_to_default_view: false, starred_message_counts: false });
  // The event of the setting may come after the key.
  await client.page.reload();
  await client.goTo('#drafts');
  await client.waitFor('.bar-title', 'Drafts');
  await client.waitFor('.row.stream', 'general');
  await client.page.keyboard.press('Escape');
  t.match(client.page.url(), /#drafts$/);
  await member.api.ok('PATCH /settings', { escape_navigates_to_default_view: true, starred_message_counts: true });
  t.strictSame(client.faults, []);
});

t.test('keys of a shortcut are changed in the list, and stay changed', async (t) => {
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(member.email, PASSWORD);
  await client.waitFor('.row.stream', 'general');
  const { keyboard } = client.page;
  await keyboard.press('?');
  await client.click('.help-row button', 'Change the keys of “Drafts”');
  await client.waitFor('.help-press');
  await keyboard.press('t');
  await client.waitFor('.help-press', 'Recent conversations');
  await keyboard.press('y');
  await client.waitFor('.help-row button', 'Restore default keys of “Drafts”');
  await keyboard.press('Escape');
  await client.page.reload();
  await client.waitFor('.row.stream', 'general');
  await keyboard.press('y');
  await client.waitFor('.bar-title', 'Drafts');
  t.strictSame(client.faults, []);
});

/** Moves a finger within an element, half way down. */
async function swipe({ page }: ClientPage, selector: string, dx: number, dy: number): Promise<void> {
  const { x, y, height } = (await page.$eval(selector, (one) => one.getBoundingClientRect().toJSON())) as {
    readonly x: number;
    readonly y: number;
    readonly height: number;
  };
  const from = [Math.max(x, 0) + 10 + Math.max(0, -dx), y + height / 2] as const;
  const touch = await page.touchscreen.touchStart(...from);
  for (let step = 1; step <= 8; step++) await touch.move(from[0] + (dx * step) / 8, from[1] + (dy * step) / 8);
  await touch.end();
}

/** The script that takes swipes, which is loaded behind the view. */
const SWIPE_CHUNK = "performance.getEntriesByType('resource').find(({ name }) => name.includes('/swipe-'))";

/** A phone with a conversation that was opened from the inbox, and that takes swipes. */
async function openOnPhone(topic: string, words: string): Promise<ClientPage> {
  const client = await ClientPage.open(browser, host, { viewport: PHONE });
  await client.openSignedIn(member.email, PASSWORD, '#inbox');
  await client.waitFor('.overview-row', topic);
  await client.click('.overview-row a', topic);
  await client.waitFor('.message-body', words);
  await client.page.waitForSelector('.compose-text');
  await client.page.waitForFunction(`${SWIPE_CHUNK} !== undefined`);
  await client.page.evaluate(`import(${SWIPE_CHUNK}.name)`);
  return client;
}

t.test('on a phone, an open drawer closes when the reader goes back, and its rows have their menus', async (t) => {
  const client = await openOnPhone('lunch', 'hungry?');
  await client.click('.open-sidebar button');
  await client.waitFor('dialog .row.topic', 'lunch');
  const menu = await client.page.waitForSelector('dialog .row.topic .row-more', { visible: true });
  await menu?.tap();
  await client.waitFor('.menu-item', 'Muted');
  await client.page.keyboard.press('Escape');
  await client.waitUntilGone('.menu-item');
  await client.page.goBack();
  await client.waitFor('.bar-title', 'Inbox');
  await client.waitUntilGone('dialog[open]');
  t.strictSame(client.faults, []);
});

t.test('a name that is written from right to left is cut at its end', async (t) => {
  const topic = 'דיון ארוך מאוד על תכנון הנמל החדש ועל כל מה שקשור אליו ועוד';
  await say(other, 'general', topic, 'words');
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(member.email, PASSWORD, '#inbox');
  for (const row of ['.row.topic', '.overview-row']) {
    if (row === '.row.topic') await client.click('.row.stream .stream-toggle');
    await client.waitFor(row, topic);
    const directions = await client.page.$$eval(`${row} [data-cut]`, (all) =>
      all.filter((one) => /^[א-ת]/.test(one.textContent ?? '')).map((one) => getComputedStyle(one).direction),
    );
    t.ok(directions.length > 0, row);
    t.strictSame(new Set(directions), new Set(['rtl']), row);
  }
});

t.test('on a small phone in German, long words stay in the window and in their rows', async (t) => {
  const name = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbau';
  await subscribe(owner, name, { principals: [owner, member] });
  await say(owner, name, 'plans', 'words');
  await member.api.ok('PATCH /settings', { default_language: 'de' });
  const client = await ClientPage.open(browser, host, { viewport: { ...PHONE, width: 320, height: 568 } });
  await client.openSignedIn(member.email, PASSWORD, '#inbox');
  await client.waitFor('.overview-row.heading', name);
  await client.waitFor('.compose-closed', 'Neue Direktnachricht');
  t.strictSame(
    await client.page.evaluate(`[...document.querySelectorAll('.compose-closed > .button')]
      .filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.textContent)`),
    [],
  );
  t.strictSame(
    await client.page.evaluate(`[...document.querySelectorAll('.overview-row.heading')]
      .filter((one) => one.querySelector('.overview-main').scrollWidth > one.querySelector('.overview-main').clientWidth)
      .map((one) => one.textContent)`),
    [],
  );
  for (const width of [320, 340, 360, 380]) {
    await client.page.setViewport({ ...PHONE, width });
    const lines = await client.page.evaluate(`(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('.overview-head > p'));
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    })()`);
    t.equal(lines, 1, `the number of unread messages is on one line at ${width} pixels`);
  }
  await client.goTo(`#narrow/stream/${await streamIdOf(owner, name)}/topic/plans`);
  await client.waitFor('.compose-text');
  t.equal(
    await client.page.evaluate(
      `getComputedStyle(document.querySelector('.compose-text'), '::placeholder').textOverflow`,
    ),
    'ellipsis',
  );
  await member.api.ok('PATCH /settings', { default_language: 'en' });
});

t.test('on a phone, a swipe leads from a conversation back to the list', async (t) => {
  await say(other, 'general', 'piers', 'words to swipe over');
  const client = await openOnPhone('piers', 'words to swipe over');
  const { page } = client;
  const hash = await page.evaluate('location.hash');
  await swipe(client, '.message-body', 60, 0);
  await swipe(client, '.message-body', 90, 120);
  await swipe(client, '.message-body', -200, 0);
  t.equal(await page.evaluate('location.hash'), hash, 'short, slanting and other movements do not leave');
  await swipe(client, '.message-body', 200, 10);
  await page.waitForFunction("location.hash === '#inbox'");
  await client.waitFor('.overview, .empty');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

const WIDE = {
  table: {
    text: `| ${'a column with a long name | '.repeat(12)}\n|${'---|'.repeat(12)}\n| ${'value | '.repeat(12)}`,
    selector: '.content .table-frame',
  },
  code: { text: `\`\`\`\n${`${'x = y + z; '.repeat(60)}\n`.repeat(6)}\`\`\``, selector: '.content pre' },
} as const;

/** Waits for some frames in which an element does not scroll, and gives its position. */
const atRest = (selector: string): string => `(async () => {
  const wide = document.querySelector('${selector}');
  for (let before = NaN, still = 0; still < 5; still = wide.scrollLeft === before ? still + 1 : 0) {
    before = wide.scrollLeft;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  }
  return wide.scrollLeft;
})()`;

for (const [kind, { text, selector }] of Object.entries(WIDE)) {
  t.test(`on a phone, a swipe over wide ${kind} scrolls it, and leaves at its left end`, async (t) => {
    const topic = `wide ${kind}`;
    await say(other, 'general', topic, text);
    const client = await openOnPhone(topic, kind === 'table' ? 'value' : 'x = y');
    const { page } = client;
    const hash = await page.evaluate('location.hash');
    /** Swipes over it. @returns the position at which it comes to rest: a quick finger gives it a momentum */
    const swipeToRest = async (dx: number): Promise<number> => {
      await swipe(client, selector, dx, 0);
      return Number(await page.evaluate(atRest(selector)));
    };
    const before = await swipeToRest(-250);
    t.ok(before > 100, `scrolled to ${before}`);
    const after = await swipeToRest(200);
    t.ok(after < before - 50, `scrolled back to ${after}`);
    t.equal(await page.evaluate('location.hash'), hash, 'the movement scrolled and did not leave');
    await page.$eval(selector, (one) => one.scrollTo({ left: 0, behavior: 'instant' }));
    await swipe(client, selector, 200, 0);
    await page.waitForFunction("location.hash === '#inbox'");
    t.strictSame([client.faults, client.refusals], [[], []]);
  });
}

t.test('profile, status and settings are behind the reader’s own name, by a press and by a key', async (t) => {
  await member.api.ok('POST /users/me/status', { status_text: 'at the pier' });
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(member.email, PASSWORD, '#inbox');
  await client.waitFor('.own-button', member.name);
  await client.waitFor('.own-button', 'at the pier');
  await client.click('.own-button');
  await client.click('.menu-item', 'Your profile');
  await client.waitFor('dialog .person-name', member.name);
  const { keyboard } = client.page;
  await keyboard.press('Escape');
  await client.waitUntilGone('dialog');
  await keyboard.press('g');
  await client.waitFor('.menu-item:focus', 'Your profile');
  await keyboard.press('ArrowDown');
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await client.waitFor('.settings-content h2', 'Profile');
  t.equal(await client.page.evaluate('location.hash'), '#settings');
  await client.click('.realm-button');
  await client.click('.menu-item', 'Browse streams');
  await client.waitFor('.stream-list', 'general');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('the row of the view is brought on screen in the sidebar', async (t) => {
  for (let n = 0; n < 40; n++) await subscribe(owner, `a pier ${n}`, { principals: [owner, member] });
  const last = await subscribe(owner, 'zebra', { principals: [owner, member] });
  t.ok(last);
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(member.email, PASSWORD, `#narrow/stream/${await streamIdOf(member, 'zebra')}-zebra`);
  await client.page.waitForFunction(`(() => {
    // The column comes after the view; a condition that fails once is not looked at again.
    const row = document.querySelector('.side.left [aria-current]')?.getBoundingClientRect();
    const list = document.querySelector('.side.left .scroller')?.getBoundingClientRect();
    return row !== undefined && row.top >= list.top && row.bottom <= list.bottom;
  })()`);
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test(
  'on a phone, the bar shows topic and stream in full, and the compose box names its target in one line',
  async (t) => {
    const topic = 'summer timetable 2027';
    await say(other, 'general', topic, 'words');
    const client = await ClientPage.open(browser, host, { viewport: PHONE });
    const { page } = client;
    const stream = await streamIdOf(member, 'general');
    await client.openSignedIn(
      member.email,
      PASSWORD,
      `#narrow/stream/${stream}-general/topic/${encodeURIComponent(topic)}`,
    );
    await client.waitFor('.message-body', 'words');
    await client.page.waitForSelector('.compose-text');
    const facts = await page.evaluate(`(() => {
    const [topic, stream] = ['.bar-topic > span', '.bar-title > a'].map((one) => document.querySelector(one));
    const isWhole = (e) => e.scrollWidth <= e.clientWidth + 1;
    return {
      texts: [topic.textContent, stream.textContent],
      whole: [topic, stream].map(isWhole),
      isTopicAbove: topic.getBoundingClientRect().bottom <= stream.getBoundingClientRect().top + 1,
    };
  })()`);
    t.strictSame(facts, { texts: [topic, 'general'], whole: [true, true], isTopicAbove: true });
    const { x, y } = (await page.$eval('.bar-topic', (one) => one.getBoundingClientRect().toJSON())) as DOMRect;
    await page.touchscreen.tap(x + 10, y + 8);
    await client.waitFor('.messages .recipient');
    // The header of the topic is beside the screen.
    await page.keyboard.press('Shift');
    await client.waitFor('.messages .recipient', topic);
    t.match(await page.evaluate('location.hash'), /^#narrow\/stream\/\d+-general$/);
    await client.goTo(`#narrow/stream/${stream}-general/topic/${encodeURIComponent(`${topic} of all the islands`)}`);
    await client.page.waitForFunction(`document.querySelector('.compose-text')?.placeholder.includes('islands')`);
    t.equal(await page.evaluate(`Math.round(document.querySelector('.compose-text').clientHeight / 44)`), 1);
    t.strictSame([client.faults, client.refusals], [[], []]);
  },
);

t.test('signing out ends the session of the browser', async (t) => {
  const client = await ClientPage.open(browser, host);
  await client.signIn(other.email, PASSWORD);
  await client.click('.own-button');
  await client.click('.menu-item', 'Sign out');
  await client.waitFor('h1', 'Sign in to');
  await client.page.reload();
  await client.waitFor('h1', 'Sign in to');
  t.strictSame(client.faults, []);
});

t.test('an account that signs in sees nothing of the one before while its own state is on the way', async (t) => {
  const client = await ClientPage.open(browser, host);
  const { page } = client;
  await client.openSignedIn(member.email, PASSWORD, '#inbox');
  await client.waitFor('main .overview-row');
  const held: HTTPRequest[] = [];
  await client.intercept((request) =>
    request.method() === 'GET' && request.url().endsWith('/web/session') ? held.push(request) : request.continue(),
  );
  await client.click('.own-button');
  await client.click('.menu-item', 'Sign out');
  await client.fill('input[name=username]', other.email);
  await client.fill('input[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await client.waitUntilGone('input[name=password]');
  await until('the state is requested', () => held.length > 0);
  t.strictSame([await page.$('.app'), await page.evaluate('document.body.innerText')], [null, 'Loading']);
  for (const request of held) void request.continue();
  await client.waitFor('.app');
  t.strictSame([client.faults, client.refusals], [[], []]);
});
