/** Reading in a real browser: place, marks, hostile content. */
import type { Page } from 'puppeteer-core';
import t, { type Test } from 'tap';
import { startEmbedded } from '../api/support/faces.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe } from '../api/support/organization.js';
import { until } from '../support/until.js';
import { openBrowser, openPage } from './support/browser.js';

const MESSAGES = 2_000;
/** Requests under way at once while messages are written. */
const WRITERS = 20;
/** Pixels of one step of scrolling. */
const STEP = 450;
const MAX_STEPS = 900;

t.setTimeout(240_000);

const server = await startEmbedded();
t.teardown(() => server.close());
const browser = await openBrowser(t);
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
  readonly pages: number;
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

/**
 * Scrolls to one end of the history. After each step, a message on screen is followed through everything that is
 * fetched and measured: `worst` is the most that it moved, in pixels.
 */
const scrollTo = (page: Page, by: number): Promise<Scrolled> =>
  page.evaluate(`(async () => {
    ${frame}
    const found = { worst: 0, held: 0, steps: 0, pages: 0, rows: 0 };
    for (let still = 0; still < 4 && found.steps < ${MAX_STEPS}; found.steps++) {
      const [before, height] = [list.scrollTop, list.scrollHeight];
      list.scrollTop += ${by};
      const { top, bottom } = list.getBoundingClientRect();
      const held = texts().find((element) => topOf(element) >= top && topOf(element) < bottom - 100);
      const at = held && topOf(held);
      let busy = false;
      do {
        await frame();
        busy = list.querySelector('[aria-busy="true"]') !== null;
        if (busy) found.pages++;
      } while (busy);
      await frame();
      found.rows = Math.max(found.rows, texts().length);
      const now = held && list.querySelector('[data-message="' + held.dataset.message + '"]');
      if (now) {
        found.held++;
        found.worst = Math.max(found.worst, Math.abs(topOf(now) - at));
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

async function idsOf(person: Person, topic: string): Promise<readonly { id: number; flags: readonly string[] }[]> {
  const { messages } = await person.api.ok<{ messages: { id: number; flags: string[] }[] }>('GET /messages', {
    anchor: 'newest',
    num_before: 5_000,
    num_after: 0,
    narrow: [
      { operator: 'stream', operand: 'general' },
      { operator: 'topic', operand: topic },
    ],
  });
  return messages;
}

const openTopic = async (t: Test, topic: string): Promise<Page> => {
  const page = await openPage(t, browser, org, org.member, hashOf(topic));
  await page.waitForSelector('[data-message]');
  return page;
};

t.test(
  '2,000 messages are scrolled through in both directions, and the text that is read never moves',
  { timeout: 120_000 },
  async (t) => {
    await write('history', MESSAGES);
    await markAllRead(org.member);
    const all = (await idsOf(org.member, 'history')).map(({ id }) => id);
    const page = await openTopic(t, 'history');
    await until('the newest message is on screen', async () => (await shownOn(page)).includes(all.at(-1)!));
    const up = await scrollTo(page, -STEP);
    t.equal(up.first, all[0], 'the oldest message is reached');
    t.ok(up.worst < 1, `a text moved by ${up.worst} pixels on the way up`);
    t.ok(up.held > 100, `${up.held} steps were measured`);
    t.ok(up.rows < 150, `${up.rows} messages were in the document`);
    const down = await scrollTo(page, STEP);
    t.equal(down.last, all.at(-1), 'the newest message is reached again');
    t.ok(down.worst < 1, `a text moved by ${down.worst} pixels on the way down`);
  },
);

t.test('a message that comes while old ones are read does not move them, and is followed at the end', async (t) => {
  await write('arrivals', 80);
  await markAllRead(org.member);
  const page = await openTopic(t, 'arrivals');
  await page.evaluate(`document.querySelector('[data-messages]').scrollTop -= 900`);
  await page.evaluate(`(async () => { ${frame} await frame(); await frame(); })()`);
  const [held = 0] = await shownOn(page);
  const before = await placeOf(page, held);
  await say(org.other, 'general', 'arrivals', 'a new message');
  await until('the button names the new message', async () =>
    String(await page.evaluate(`document.querySelector('.below')?.textContent ?? ''`)).includes('1 new'),
  );
  t.ok(Math.abs((await placeOf(page, held)) - before) < 1, 'the text stands where it stood');
  await page.click('.below');
  await until('the end is on screen', async () => {
    const newest = (await idsOf(org.member, 'arrivals')).at(-1)!.id;
    return (await shownOn(page)).includes(newest);
  });
  await page.keyboard.press('End');
  const id = await say(org.other, 'general', 'arrivals', 'one more');
  await until('the new message is followed', async () => (await shownOn(page)).includes(id));
});

t.test('messages that were on screen are marked as read, and others are not', async (t) => {
  await write('marks', 120);
  const page = await openTopic(t, 'marks');
  await page.waitForSelector('.unread-line');
  await until('some are read', async () =>
    (await idsOf(org.member, 'marks')).some(({ flags }) => flags.includes('read')),
  );
  const shown = new Set(await shownOn(page));
  const read = (await idsOf(org.member, 'marks')).filter(({ flags }) => flags.includes('read'));
  t.ok(read.length < 60, `${read.length} of 120 are read`);
  t.ok(
    read.every(({ id }) => shown.has(id) || id < Math.max(...shown)),
    'no message below the screen is read',
  );
  await scrollTo(page, STEP / 2);
  await until('the last one is read', async () => (await idsOf(org.member, 'marks')).at(-1)!.flags.includes('read'));
});

t.test('an address with a message opens its conversation at that message', async (t) => {
  const all = await idsOf(org.member, 'history');
  const { id } = all[700]!;
  const page = await openPage(t, browser, org, org.member, `${hashOf('history')}/near/${id}`);
  await until('the message is on screen', async () => {
    await page.waitForSelector('[data-message]');
    return (await shownOn(page)).includes(id);
  });
  t.equal(await page.evaluate(`document.querySelector('[aria-current="true"]').dataset.row`), String(id));
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

t.test('nothing runs of hostile texts and topics, nor of hostile HTML in an answer', async (t) => {
  const topic = '<img src=x onerror=window.ran=1>';
  await say(org.other, 'general', topic, HOSTILE);
  await say(org.other, 'general', topic, '[x](javascript:alert(1)) ```spoiler <script>1</script>\n<b onclick=1>\n```');
  // The browser reports what it refuses already while DOMPurify parses, in a document that is never shown.
  const page = await openPage(t, browser, org, org.member, '#all_messages', {
    allowed: /inline (?:event handler|style)/,
  });
  page.on('dialog', () => t.fail('a dialog opens'));
  await page.waitForSelector('[data-message]');
  t.equal(await page.evaluate('typeof window.ran'), 'undefined');
  await page.setRequestInterception(true);
  page.on('request', async (request) => {
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
    const list = document.querySelector('.content');
    return [...list.querySelectorAll('script,iframe,form,style,animate,button,[onclick],[onload],[onerror],[style]')].map((e) => e.outerHTML);
  })()`);
  t.strictSame(left, [], 'no element of those is left');
  t.equal(await page.evaluate('typeof window.ran'), 'undefined');
});
