/** Title, language and description of pages, and a first view that stands still. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { THUMBNAIL_FORMATS } from '#domain/pictures';
import { upload } from '../api/support/files.js';
import { exchange } from '../api/support/http.js';
import { makeOrganization, PASSWORD, say, streamIdOf, subscribe, tell } from '../api/support/organization.js';
import { repositoryRoot } from '../api/support/wire.js';
import { Gate } from '../support/gate.js';
import { PICTURE } from '../support/identity-provider.js';
import { picked } from '../support/rounds.js';
import { until } from '../support/until.js';
import { CHROMIUM_IS_MISSING, ClientPage, DESK, openChromium, PHONE } from './support/chromium.js';
import { startFace } from './support/face.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}

/** Layout shift that Lighthouse calls good; the sum is taken over the whole time here, without windows. */
const MAX_SHIFT = 0.1;
/** Fonts of formulas change single letters. Lists that don't wait move by 0.2 for formulas, by 0.05 for a poll. */
const MAX_LATE_SHIFT = 0.02;
/** Counts shifts that no press or key caused, with the elements that moved. */
const WATCH_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) if (!hadRecentInput) {
      window.shifts.push({ value, moved: sources.map(({ node }) => node?.className ?? node?.nodeName) });
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

/** The browser has drawn the view, and the parts that the view asked for. */
const IDLE_TWICE = 'new Promise((done) => requestIdleCallback(() => requestIdleCallback(() => done())))';

/** Address of the script with the code of widgets. */
const WIDGET_SCRIPT = ((): string => {
  const folder = join(repositoryRoot(), 'dist/web');
  type Rows = Record<string, { readonly file: string; readonly until?: number }>;
  const rows = Object.entries(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Rows);
  const scripts = rows.filter(([address, { until }]) => address.endsWith('.js') && until === undefined);
  const [found] = scripts.find(([, { file }]) => readFileSync(join(folder, file), 'utf8').includes('widget-add')) ?? [];
  if (found === undefined) throw new Error('no script has the code of widgets');
  return found;
})();

interface Shift {
  readonly value: number;
  readonly moved: readonly string[];
}

const server = await startFace('first-view');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['member', 'other']);
const { owner, member, other } = org;
const port = server.nextPort();
const host = `${org.subdomain}.localhost:${port}`;
/** Cookie by which a page knows that there was a session. */
const HINT_COOKIE = `conclave_known_${port}`;
await subscribe(owner, ['general', 'harbour'], { principals: [owner, member, other] });
const stream = await streamIdOf(owner, 'general');
const picture = await upload(member, 'shore.png', PICTURE, 'image/png');
await tell(other, [member], 'hello');
await say(other, 'harbour', 'tides', 'high at noon');
for (let n = 0; n < 30; n++)
  await say(other, 'general', 'plans', `number ${n}\n\n[shore.png](${picture})\n\n$$x^${n}$$`);
for (let n = 0; n < 12; n++) await say(other, 'general', 'formulas', `the sum\n\n$$\\sum_{i=1}^{${n}} \\frac{i}{2}$$`);
for (let n = 0; n < 12; n++) await say(other, 'general', 'polls', `reason ${n}`);
for (const topic of ['plans', 'polls']) await say(other, 'general', topic, '/poll Which one?\nred\nblue');
for (let n = 0; n < 80; n++) await say(other, 'general', 'long', `line ${n}`);
for (const { api } of [member, other]) await api.ok('POST /mark_all_as_read');

const VIEWS = [
  ['#inbox', '.overview-row, .empty'],
  ['#recent', '.overview-row'],
  [`#narrow/stream/${stream}-general/topic/plans`, '.message-row'],
  [`#narrow/dm/${other.id}`, '.message-row'],
  ['#settings/display', '.settings-content'],
  ['#organization/people', '.settings-content'],
  ['#streams/all', '.stream-list'],
] as const;

const VIEWPORTS = [
  ['a desk', DESK],
  ['a phone', PHONE],
] as const;

for (const [name, viewport] of VIEWPORTS) {
  t.test(`nothing moves while a view is loaded on ${name}`, async (t) => {
    const client = await ClientPage.open(browser, host, { viewport, hasServiceWorker: true });
    const { page } = client;
    await page.evaluateOnNewDocument(WATCH_SHIFTS);
    const check = async (title: string): Promise<void> => {
      await page.waitForFunction(
        `[...document.images].every(({ complete, loading }) => complete || loading === 'lazy')`,
      );
      await page.evaluate(IDLE_TWICE);
      const shifts = (await page.evaluate('window.shifts')) as Shift[];
      const sum = shifts.reduce((before, { value }) => before + value, 0);
      t.ok(sum <= MAX_SHIFT, `${title}: ${sum.toFixed(3)} ${JSON.stringify(shifts)}`);
    };
    await client.goTo('');
    await client.waitFor('.sign-in-card');
    await check('sign-in');
    await page.goto('about:blank');
    await client.openSignedIn(member.email, PASSWORD, '#inbox');
    // A short run loads each view at one of the widths.
    const isTried = ([hash]: (typeof VIEWS)[number]): boolean =>
      picked(VIEWPORTS, 1, ([one]) => `${hash} on ${one}`).some(([one]) => one === name);
    for (const [hash, ready] of VIEWS.filter(isTried)) {
      // A change of the part behind # alone loads nothing.
      await page.goto('about:blank');
      await client.goTo(hash);
      await client.waitFor(ready);
      await check(hash);
    }
    t.strictSame([client.faults, client.refusals], [[], []]);
  });
}

/** Opens a topic on a phone while a file of the client is late. @param isLate whether the path is of that file */
async function expectNoShift(t: Test, topic: string, isLate: (path: string) => boolean, last: string): Promise<void> {
  const client = await ClientPage.open(browser, host, { viewport: PHONE, isNewProfile: true });
  const { page } = client;
  await page.evaluateOnNewDocument(WATCH_SHIFTS);
  const gate = new Gate();
  let isAsked = false;
  await client.intercept(async (request) => {
    if (isLate(new URL(request.url()).pathname)) {
      isAsked = true;
      await gate.opened;
    }
    await request.continue();
  });
  const texts = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/api/v1/messages');
  await client.openSignedIn(member.email, PASSWORD, `#narrow/stream/${stream}-general/topic/${topic}`);
  await texts;
  await until('the file is asked for', () => isAsked);
  await page.evaluate(IDLE_TWICE);
  t.equal(await page.evaluate(`document.querySelectorAll('.message-row').length`), 0, 'no text is shown without it');
  gate.open();
  await client.waitFor(last);
  await page.evaluate(IDLE_TWICE);
  const shifts = (await page.evaluate('window.shifts')) as Shift[];
  const sum = shifts.reduce((before, { value }) => before + value, 0);
  t.ok(sum <= MAX_LATE_SHIFT, `${sum.toFixed(4)} ${JSON.stringify(shifts)}`);
  t.strictSame([client.faults, client.refusals], [[], []]);
}

t.test('formulas move nothing on a phone when their styles come after the texts', (t) =>
  expectNoShift(t, 'formulas', (path) => /\/formulas-[^/]*\.css$/.test(path), '.message-row .katex'),
);

t.test('a poll moves nothing on a phone when its code comes after the texts', (t) =>
  expectNoShift(t, 'polls', (path) => path === WIDGET_SCRIPT, '.message-row .widget'),
);

t.test('styles of formulas that do not come leave the texts readable', async (t) => {
  const client = await ClientPage.open(browser, host, { viewport: PHONE, isNewProfile: true });
  await client.intercept((request) =>
    /\/formulas-[^/]*\.css$/.test(request.url()) ? request.abort() : request.continue(),
  );
  await client.openSignedIn(member.email, PASSWORD, `#narrow/stream/${stream}-general/topic/formulas`);
  await client.waitFor('.message-row', 'the sum');
  t.match(client.faults, [/ERR_FAILED/], 'nothing else fails');
});

t.test('the observer of layout shifts sees an element that moves', async (t) => {
  const client = await ClientPage.open(browser, host, { isNewProfile: true });
  const { page } = client;
  await page.evaluateOnNewDocument(WATCH_SHIFTS);
  await client.goTo('');
  await client.waitFor('.sign-in-card');
  await page.evaluate(`document.querySelector('.sign-in-card').style.marginTop = '300px'`);
  await page.waitForFunction(`window.shifts.some(({ value }) => value > 0.01)`);
  t.strictSame(client.faults, []);
});

t.test('a page has a title, a language, a description and a viewport that can be zoomed', async (t) => {
  const client = await ClientPage.open(browser, host);
  const { page } = client;
  const facts = () =>
    page.evaluate(`({
      lang: document.documentElement.lang,
      title: document.title,
      charset: document.characterSet,
      viewport: document.querySelector('meta[name=viewport]').content,
      isDescribed: document.querySelector('meta[name=description]').content.length > 20,
      isDoctype: document.doctype?.name === 'html' && document.compatMode === 'CSS1Compat',
      canZoom: !/user-scalable=no|maximum-scale/.test(document.querySelector('meta[name=viewport]').content),
    })`) as Promise<Readonly<Record<string, unknown>>>;
  const base = {
    lang: 'en',
    charset: 'UTF-8',
    viewport: 'width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content',
    isDescribed: true,
    isDoctype: true,
    canZoom: true,
  };
  await client.goTo('');
  await client.waitFor('.sign-in-card');
  t.strictSame(await facts(), { ...base, title: (await facts()).title });
  t.match((await facts()).title, /\S/);
  await page.goto('about:blank');
  await client.openSignedIn(member.email, PASSWORD, '#recent');
  await client.waitFor('.overview-row', 'tides');
  t.match(await facts(), { ...base, title: /Recent conversations · The / });
  await member.api.ok('PATCH /settings', { default_language: 'de' });
  await page.waitForFunction(`document.documentElement.lang === 'de'`);
  await page.waitForFunction(`document.title.startsWith('Letzte Unterhaltungen · The ')`);
  t.match(await facts(), { ...base, lang: 'de' });
  t.equal(await page.evaluate(`document.querySelector('[aria-label="Hinweise"]')?.localName`), 'section');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('the title of an unknown stream is in the language of the settings, unlike that of the browser', async (t) => {
  await other.api.ok('PATCH /settings', { default_language: 'de' });
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(other.email, PASSWORD, '#narrow/stream/999999');
  await client.page.waitForFunction(`document.title.startsWith('unbekannter Stream · The ')`);
  await other.api.ok('PATCH /settings', { default_language: 'en' });
  t.strictSame(client.faults, []);
});

t.test('the client begins in English if the chunk of the texts of another language does not come', async () => {
  const client = await ClientPage.open(browser, host, { isNewProfile: true });
  await client.page.evaluateOnNewDocument(`Object.defineProperty(navigator, 'languages', { value: ['de'] })`);
  await client.intercept((request) => (/\/de-[^/]*\.js$/.test(request.url()) ? request.abort() : request.continue()));
  await client.goTo('');
  await client.waitFor('.sign-in-card', 'Sign in');
});

t.test('a form that is sent while the client starts has what was typed last', async (t) => {
  const client = await ClientPage.open(browser, host, { isNewProfile: true });
  // The start ends when the browser is idle.
  await client.page.evaluateOnNewDocument('window.requestIdleCallback = () => 0');
  await client.openSignedIn(other.email, PASSWORD, '#organization/bots');
  await client.click('button', 'Create bot');
  await client.waitFor('dialog form');
  // Both fields and the form within one task, in which a render that waits for the next one does not happen.
  await client.page.evaluate(`(async () => {
    const form = document.querySelector('dialog form');
    for (const [index, text] of ['Ferry', 'ferry'].entries()) {
      const field = form.querySelectorAll('input')[index];
      field.value = text;
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      for (let turn = 0; turn < 10; turn++) await undefined;
    }
    form.requestSubmit();
  })()`);
  await client.waitFor('.row-line', 'Ferry');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('a browser without scripts shows a page that says so, and others do not', async (t) => {
  const client = await ClientPage.open(browser, host, { isNewProfile: true });
  const { page } = client;
  const shown = () =>
    page.evaluate(`(() => {
      const notice = document.querySelector('.no-script');
      const app = document.querySelector('#app');
      return {
        heading: notice?.checkVisibility() ? notice.querySelector('h1').textContent : undefined,
        text: notice?.checkVisibility() ? notice.textContent.includes('needs JavaScript') : undefined,
        isAppEmpty: app.childElementCount === 0,
        isOnScreen: notice ? notice.getBoundingClientRect().top < innerHeight && notice.offsetHeight > 50 : undefined,
      };
    })()`);
  await page.setJavaScriptEnabled(false);
  await client.goTo('');
  t.strictSame(await shown(), { heading: 'Conclave', text: true, isAppEmpty: true, isOnScreen: true });
  await page.setJavaScriptEnabled(true);
  await page.reload();
  await client.waitFor('.sign-in-card');
  t.match(await shown(), { heading: undefined, isAppEmpty: false });
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('pictures of messages are thumbnails, and have their size before they are loaded', async (t) => {
  const client = await ClientPage.open(browser, host, { isNewProfile: true });
  const { page } = client;
  // No picture comes, so that none gives its element a size.
  const asked = new Set<string>();
  await client.intercept((request) => {
    if (request.resourceType() !== 'image') return request.continue();
    asked.add(pathOf(request));
    return request.abort();
  });
  await client.openSignedIn(member.email, PASSWORD, `#narrow/stream/${stream}-general/topic/plans`);
  await client.waitFor('.message_inline_image');
  // The rows on screen come first, those around them before a scroll; another language renders all of them again.
  await page.mouse.move(400, 300);
  const found = await page.waitForFunction(`(() => {
    const links = [...document.querySelectorAll('.message_inline_image a')];
    return links.length > 5 && links.map(({ offsetHeight }) => offsetHeight);
  })()`);
  const heights = (await found.jsonValue()) as number[];
  t.strictSame(new Set(heights), new Set([heights[0]]));
  t.ok(heights[0]! > 100, `${heights[0]} pixels`);
  const uploaded = [...asked].filter((path) => path.startsWith('/user_uploads/'));
  t.strictSame(uploaded, [
    `${picture.replace('/user_uploads/', '/user_uploads/thumbnail/')}/${THUMBNAIL_FORMATS[0]!.name}`,
  ]);
});

/**
 * Opens a page of this server without the client, once no tab leads: only then does the next page register early. No
 * script comes from a cache, which an interception would not see.
 */
async function leaveClient(client: ClientPage): Promise<void> {
  await client.page.setCacheEnabled(false);
  await client.goTo('robots.txt');
  await client.page.waitForFunction('navigator.locks.query().then(({ held }) => held.length === 0)');
}

const pathOf = (at: { url(): string }): string => new URL(at.url()).pathname;

for (const [title, isHinted] of [
  ['', true],
  [' by a browser that does not know of a session', false],
] as const) {
  t.test(
    `session, registration and messages are asked for while the client is loaded, once each${title}`,
    async (t) => {
      const client = await ClientPage.open(browser, host, { isNewProfile: true });
      const { page } = client;
      await client.openSignedIn(member.email, PASSWORD, '#recent');
      await client.waitFor('.overview-row', 'tides');
      const script = await page.evaluate(`new URL(document.querySelector('script[type=module]').src).pathname`);
      await leaveClient(client);
      if (!isHinted) await page.deleteCookie({ name: HINT_COOKIE });
      let isHeld = false;
      const asked: string[] = [];
      const came = new Map<string, () => void>();
      const until = (path: string): Promise<void> => new Promise((resolve) => came.set(path, resolve));
      const [registered, filled] = [until('/api/v1/register'), until('/api/v1/messages')];
      page.on('response', (answer) => {
        const path = pathOf(answer);
        if (!['/web/session', '/api/v1/register', '/api/v1/messages'].includes(path)) return;
        asked.push(path);
        came.get(path)?.();
      });
      await client.intercept(async (request) => {
        const path = pathOf(request);
        // The client itself comes only after the messages that it shows.
        if (path === script) {
          await filled;
          isHeld = true;
        }
        if (path === '/web/session' && isHinted) await registered;
        await request.continue();
      });
      await client.goTo(`#narrow/stream/${stream}-general/topic/plans`);
      await client.waitFor('.message-body', 'number 29');
      const [first, second] = isHinted ? ['/api/v1/register', '/web/session'] : ['/web/session', '/api/v1/register'];
      t.ok(isHeld);
      t.strictSame(asked, [first, second, '/api/v1/messages']);
      await say(other, 'general', 'plans', `after the registration${title}`);
      await client.waitFor('.message-body', `after the registration${title}`);
      t.strictSame([client.faults, client.refusals], [[], []]);
    },
  );
}

t.test('after a session ended elsewhere, one registration is refused and the sign-in is shown', async (t) => {
  const client = await ClientPage.open(browser, host, { isNewProfile: true });
  const { page } = client;
  await client.openSignedIn(member.email, PASSWORD, '#recent');
  await client.waitFor('.overview-row', 'tides');
  await leaveClient(client);
  for (const { name } of await page.cookies()) if (name !== HINT_COOKIE) await page.deleteCookie({ name });
  t.strictSame(
    (await page.cookies()).map(({ name }) => name),
    [HINT_COOKIE],
  );
  for (const refusals of [[401], [401]]) {
    await client.goTo('robots.txt');
    await client.goTo('#recent');
    await client.waitFor('.sign-in-card');
    t.strictSame([client.faults, client.refusals], [[], refusals]);
  }
});

t.test('messages that were asked for early are not shown after the first poll', async (t) => {
  const client = await ClientPage.open(browser, host, { isNewProfile: true });
  const { page } = client;
  await client.openSignedIn(member.email, PASSWORD, '#recent');
  await client.waitFor('.overview-row', 'tides');
  const script = await page.evaluate(`new URL(document.querySelector('script[type=module]').src).pathname`);
  await leaveClient(client);
  const gate = new Gate();
  await client.intercept(async (request) => {
    if (pathOf(request) === script) await gate.opened;
    await request.continue();
  });
  const early = page.waitForResponse((answer) => pathOf(answer) === '/api/v1/messages');
  // The page is complete only with the client.
  const opened = page.goto(`http://${host}/#narrow/stream/${stream}-general/topic/formulas`);
  await early;
  t.equal(await page.$('.app'), null, 'the client has not run');
  await page.evaluate(`location.hash = '#narrow/dm/${other.id}'`);
  gate.open();
  await opened;
  await client.waitFor('.message-body', 'hello');
  await say(other, 'general', 'formulas', 'after the early answer');
  await client.waitFor('.row.stream', 'general');
  await page.waitForFunction(`/^\\(\\d+\\)/.test(document.title)`);
  await client.goTo(`#narrow/stream/${stream}-general/topic/formulas`);
  await client.waitFor('.message-body', 'after the early answer');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('a view whose script comes between its render and its effects is shown', async (t) => {
  const client = await ClientPage.open(browser, host, { viewport: PHONE, isNewProfile: true });
  const { page } = client;
  await client.openSignedIn(member.email, PASSWORD, '#recent');
  await client.waitFor('.overview-row', 'tides');
  await leaveClient(client);
  // Effects of components run after a frame, or 35 ms later where no frame comes.
  await page.evaluateOnNewDocument(`{
    const held = [];
    const { setTimeout: later, requestAnimationFrame: frame } = window;
    window.setTimeout = (run, ms, ...args) =>
      window.areEffectsHeld && ms === 35 ? held.push(run) : later(run, ms, ...args);
    window.requestAnimationFrame = (run) => (window.areEffectsHeld ? held.push(run) : frame(run));
    window.areEffectsHeld = true;
    window.releaseEffects = () => {
      window.areEffectsHeld = false;
      for (const run of held) run(performance.now());
    };
  }`);
  const gate = new Gate();
  let [script, texts] = ['', ''];
  await client.intercept(async (request) => {
    if (/\/later-[^/]*\.js$/.test(request.url())) texts = request.url();
    if (/\/messages-[^/]*\.js$/.test(request.url())) {
      script = request.url();
      await gate.opened;
    }
    await request.continue();
  });
  // A client that follows its event queue has applied the registration, which renders the view again.
  const followed = page.waitForRequest((request) => /\/events\?/.test(request.url()));
  // The page is complete only with the script.
  const opened = page.goto(`http://${host}/#narrow/dm/${other.id}`);
  await client.waitFor('.view .spinner');
  await followed;
  // The client's own imports end before these, which begin later.
  const load = (address: string): Promise<unknown> =>
    page.evaluate(`import(${JSON.stringify(address)}).then(() => new Promise((done) => setTimeout(done)))`);
  await load(texts);
  gate.open();
  await opened;
  await load(script);
  t.ok(await page.$('.view .spinner'), 'nothing else renders the view again');
  await page.evaluate('window.releaseEffects()');
  await client.waitFor('.message-body', 'hello');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('the frame is drawn without the columns beside the view, which wait for no message', async (t) => {
  const client = await ClientPage.open(browser, host, { isNewProfile: true });
  await client.openSignedIn(member.email, PASSWORD);
  // The answer with the messages never comes.
  await client.intercept((request) => request.url().includes('/api/v1/messages?') || request.continue());
  await client.page.evaluateOnNewDocument(`new MutationObserver((_, observer) => {
    if (!document.querySelector('.app')) return;
    observer.disconnect();
    window.columnsAtFirst = document.querySelectorAll('.side-content').length;
  }).observe(document, { childList: true, subtree: true })`);
  await client.page.goto(`http://${host}/?again#narrow/stream/${stream}-general/topic/plans`);
  await client.page.waitForFunction("document.querySelectorAll('.side-content').length === 2");
  await client.waitFor('.row-name', member.name);
  t.equal(await client.page.evaluate('window.columnsAtFirst'), 0);
  t.equal(await client.page.$('.message-row'), null);
  t.strictSame(client.faults, []);
});

/**
 * Counts what the list of messages costs from the first row on: rows in the document after each change, rows that went,
 * texts that were sanitized, and the turns in between.
 */
const WATCH_ROWS = `{
  const rows = window.rows = { counts: [], removed: 0, sanitized: 0, atFirstRows: undefined, turns: 0, turnsOfTexts: [] };
  const { parseFromString } = DOMParser.prototype;
  DOMParser.prototype.parseFromString = function (...args) {
    rows.sanitized++;
    rows.turnsOfTexts.push(rows.turns);
    return parseFromString.apply(this, args);
  };
  const { yield: giveWay } = Scheduler.prototype;
  Scheduler.prototype.yield = function (...args) {
    rows.turns++;
    return giveWay.apply(this, args);
  };
  const isRow = (node) => node instanceof Element && node.matches('.message-row');
  new MutationObserver((changes) => {
    const count = document.querySelectorAll('.message-row').length;
    for (const { removedNodes } of changes) rows.removed += [...removedNodes].filter(isRow).length;
    if (count === 0 || count === rows.counts.at(-1)) return;
    rows.counts.push(count);
    rows.atFirstRows ??= { sanitized: rows.sanitized, turns: rows.turns };
  }).observe(document, { childList: true, subtree: true });
}`;

interface WatchedRows {
  readonly counts: readonly number[];
  readonly removed: number;
  readonly sanitized: number;
  readonly atFirstRows: { readonly sanitized: number; readonly turns: number };
  readonly turnsOfTexts: readonly number[];
}

/** Rows above and below those on screen that the list has at rest, and those of the first render. */
const [ROWS_AROUND, FIRST_ROWS_AROUND] = [24, 6];

t.test('a conversation is rendered at its place with the rows on screen; others come before a scroll', async (t) => {
  const client = await ClientPage.open(browser, host, { viewport: PHONE, isNewProfile: true });
  const { page } = client;
  await page.evaluateOnNewDocument(WATCH_ROWS);
  await client.openSignedIn(other.email, PASSWORD, `#narrow/stream/${stream}-general/topic/long`);
  await client.waitFor('.message-row', 'line 79');
  const onScreen = (await page.evaluate(`[...document.querySelectorAll('.message-row')].filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  }).length`)) as number;
  await page.evaluate(IDLE_TWICE);
  const few = ((await page.evaluate('window.rows')) as WatchedRows).counts.at(-1)!;
  t.ok(few <= onScreen + FIRST_ROWS_AROUND, `${few} rows while no key, finger or pointer moves`);
  await page.mouse.move(200, 300);
  // Above the newest message.
  await page.waitForFunction(`document.querySelectorAll('.message-row').length >= ${onScreen + ROWS_AROUND / 2}`);
  await page.evaluate(IDLE_TWICE);
  const rows = (await page.evaluate('window.rows')) as WatchedRows;
  t.ok(onScreen > 5, `${onScreen} rows on screen`);
  t.ok(rows.counts[0]! <= onScreen + FIRST_ROWS_AROUND, `${rows.counts.join()} rows, ${onScreen} on screen`);
  t.ok(rows.counts.length > 2, 'not all of the others come at once');
  t.equal(rows.removed, 0, 'no row is rendered in vain');
  t.equal(rows.sanitized, rows.counts.at(-1), 'no text is sanitized twice');
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('the first texts of a page are sanitized in turns, before the list is rendered', async (t) => {
  const client = await ClientPage.open(browser, host, { viewport: PHONE, isNewProfile: true });
  const { page } = client;
  await page.evaluateOnNewDocument(WATCH_ROWS);
  // Each look at the clock finds that ten milliseconds have passed, as on a slow phone.
  await page.evaluateOnNewDocument(`{
    const { now } = performance;
    let late = 0;
    performance.now = () => now.call(performance) + (late += 10);
  }`);
  await client.openSignedIn(other.email, PASSWORD, `#narrow/stream/${stream}-general/topic/long`);
  await client.waitFor('.message-row', 'line 79');
  const { atFirstRows, turnsOfTexts } = (await page.evaluate('window.rows')) as WatchedRows;
  const first = turnsOfTexts.slice(0, atFirstRows.sanitized);
  t.ok(first.length > 5, `${first.length} texts`);
  t.equal(new Set(first).size, first.length, 'each text has a turn of its own on a slow machine');
  t.ok(first.at(-1)! < atFirstRows.turns, 'the list has another one');
  t.strictSame(client.faults, []);
});

t.test('a connection that is lost while the script of push notifications is loaded is no fault', async (t) => {
  const client = await ClientPage.open(browser, host, { isNewProfile: true });
  let cutOff = (): void => {};
  const isCutOff = new Promise<void>((resolve) => {
    cutOff = resolve;
  });
  await client.intercept((request) => {
    if (!/\/push-[^/]+\.js$/.test(pathOf(request))) return request.continue();
    cutOff();
    return request.abort();
  });
  await client.openSignedIn(member.email, PASSWORD, '#recent');
  await isCutOff;
  await client.waitFor('.overview-row', 'tides');
  await until('the failed script', () => client.faults.some((fault) => fault.includes('net::ERR_FAILED')));
  // A rejection without a handler is reported after the task in which it happened.
  await client.page.evaluate('new Promise((resolve) => setTimeout(resolve))');
  t.strictSame(
    client.faults.filter((fault) => !fault.includes('net::ERR_FAILED')),
    [],
  );
});

const EMOJI = '\u{1f642}';
/** Draws texts on a canvas, and says whether a pixel has a colour other than that of the text. */
const DRAW = `const draw = (text, font) => {
  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  pen.font = '24px ' + font;
  pen.fillText(text, 4, 30);
  return [...pen.getImageData(0, 0, 40, 40).data];
};
const isColoured = (pixels) => pixels.some((value, at) => at % 4 < 2 && value !== pixels[at + 1]);`;
/** Whether a font of the system draws the emoji in colours: asked of a page without the server's font. */
const HAS_SYSTEM_EMOJI = `{ ${DRAW} isColoured(draw('${EMOJI}', 'sans-serif')); }`;
const FONT_FILES = `performance.getEntriesByType('resource').map(({ name }) => name)
  .filter((name) => name.endsWith('.woff2'))`;

t.test('an emoji that the system lacks is drawn by one file of the server’s font, others load none', async (t) => {
  await say(other, 'general', 'smiles', `1, 2, 3 © ™ ${EMOJI}`);
  const client = await ClientPage.open(browser, host, { isNewProfile: true });
  const { page } = client;
  const hasSystemEmoji = await page.evaluate(HAS_SYSTEM_EMOJI);
  await client.openSignedIn(member.email, PASSWORD, `#narrow/stream/${stream}-general/topic/smiles`);
  await client.waitFor('.message-body', EMOJI);
  if (hasSystemEmoji) await page.evaluate(IDLE_TWICE);
  else await page.waitForFunction(`${FONT_FILES}.length > 0`);
  t.equal(((await page.evaluate(FONT_FILES)) as readonly string[]).length, hasSystemEmoji ? 0 : 1);
  // Also where the system has emoji, the font is there for those that its font lacks.
  const faces = await page.evaluate(`(async () => {
    const link = document.querySelector('link[data-later="emoji-font"]');
    if (link.disabled) {
      link.disabled = false;
      await new Promise((done) => link.addEventListener('load', done));
    }
    return (await document.fonts.load('24px "Conclave Emoji"', '${EMOJI}')).map(({ status }) => status);
  })()`);
  // Two files have it; for a text, the browser takes one of them.
  t.strictSame([...new Set(faces as readonly string[])], ['loaded']);
  t.ok(await page.evaluate(`{ ${DRAW} isColoured(draw('${EMOJI}', '"Conclave Emoji"')); }`), 'it is drawn in colours');
  const [address = ''] = (await page.evaluate(FONT_FILES)) as readonly string[];
  const { pathname, host: from } = new URL(address);
  t.equal(from, host);
  const { status, headers } = await exchange(server.nextPort(), {
    method: 'GET',
    path: pathname,
    headers: { host, 'accept-encoding': 'br, gzip' },
  });
  t.equal(status, 200);
  t.match(headers, { 'content-type': 'font/woff2', 'cache-control': 'public, max-age=31536000, immutable' });
  t.equal(headers['content-encoding'], undefined);
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('an emoji in a topic that is on screen before the server’s font comes is drawn by the font', async (t) => {
  await say(other, 'general', `sails ${EMOJI}`, 'all set');
  const client = await ClientPage.open(browser, host, { isNewProfile: true });
  const { page } = client;
  const hasSystemEmoji = await page.evaluate(HAS_SYSTEM_EMOJI);
  await client.openSignedIn(member.email, PASSWORD, `#narrow/stream/${stream}-general`);
  await client.waitFor('.row-name', `sails ${EMOJI}`);
  if (hasSystemEmoji) return;
  const tools = await page.createCDPSession();
  await tools.send('DOM.enable');
  await tools.send('CSS.enable');
  const { root } = await tools.send('DOM.getDocument');
  const isDrawnByFontOfServer = async (): Promise<boolean> => {
    const { nodeIds } = await tools.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: '.row-name' });
    const lists = await Promise.all(nodeIds.map((nodeId) => tools.send('CSS.getPlatformFontsForNode', { nodeId })));
    return lists.some(({ fonts }) => fonts.some(({ isCustomFont }) => isCustomFont));
  };
  const deadline = Date.now() + 20_000;
  while (!(await isDrawnByFontOfServer()) && Date.now() < deadline) await page.evaluate(IDLE_TWICE);
  t.ok(await isDrawnByFontOfServer());
  t.strictSame(client.faults, []);
});

t.test('a message has its buttons when the pointer or the focus comes to it', async (t) => {
  const client = await ClientPage.open(browser, host);
  const { page } = client;
  await client.openSignedIn(other.email, PASSWORD, `#narrow/stream/${stream}-general/topic/long`);
  await client.waitFor('.message-row', 'line 79');
  const buttons = () => page.$$eval('.message-tools button', (found) => found.length);
  t.equal(await buttons(), 0);
  await page.hover('.message-row:nth-last-of-type(4) .message-body');
  await page.waitForSelector('.message-row:nth-last-of-type(4) .message-tools button', { visible: true });
  const ofOne = await buttons();
  await page.hover('.message-row:nth-last-of-type(2) .message-body');
  await page.waitForSelector('.message-row:nth-last-of-type(2) .message-tools button', { visible: true });
  t.equal(await buttons(), 2 * ofOne);
  await page.mouse.move(0, 0);
  await page.keyboard.press('k');
  await page.waitForSelector('.message-row.selected .message-tools button', { visible: true });
  await page.keyboard.press('i');
  await client.waitFor('.menu-item', 'Quote and reply');
  t.strictSame(client.faults, []);
});

t.test('a tooltip over a time shows the whole date', async (t) => {
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(other.email, PASSWORD, `#narrow/dm/${member.id}`);
  await client.waitFor('.message-body', 'hello');
  await client.page.hover('.message-time');
  await client.waitFor('.tooltip', String(new Date().getFullYear()));
  t.match(await client.textOf('.tooltip'), /^\w+day, /);
  t.strictSame(client.faults, []);
});
