/** The web client through crashes of the server or of its frontend, lost queues and several tabs, in Chromium. */
import { readFileSync } from 'node:fs';
import { createServer, request as requestFar } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { HTTPRequest, Page } from 'puppeteer-core';
import t, { type Test } from 'tap';
import { PASSWORD, say, subscribe, tell } from '../api/support/organization.js';
import { repositoryRoot } from '../api/support/wire.js';
import { until } from '../support/until.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium } from './support/chromium.js';
import { startKillable } from './support/killable.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}

const server = await startKillable(t, 'staying');
const browser = await openChromium(t);
const [owner, member, other] = [server.person('owner'), server.person('member'), server.person('other')];
await subscribe(owner, 'general', { principals: [owner, member, other] });
/** Addresses of the client's scripts, of this build alone. */
const SCRIPTS = Object.entries(
  JSON.parse(readFileSync(join(repositoryRoot(), 'dist/web/manifest.json'), 'utf8')) as Record<
    string,
    { until?: number }
  >,
)
  .filter(
    ([address, { until }]) => address.startsWith('/web/assets/') && address.endsWith('.js') && until === undefined,
  )
  .map(([address]) => address);
/** Matches the error that Chromium writes to the console for a request to a stopped server. */
const DEAD = /net::ERR_/;

async function open(topic: string, host = server.host): Promise<ClientPage> {
  const client = await ClientPage.open(browser, host, { hasServiceWorker: true });
  await client.openSignedIn(member.email, PASSWORD);
  await client.waitFor('.row.stream', 'general');
  await client.click('.row.stream a', 'general');
  await client.click('.row.topic a', topic);
  return client;
}

const bodies = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.message-body')].map((e) => e.textContent.trim())`) as Promise<
    string[]
  >;

/** Leaving a page writes what was read of a topic; returns when it is written and the page needs no server to open. */
async function keepCopy(page: Page, topic: string): Promise<void> {
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
  await page.waitForFunction('navigator.serviceWorker.controller !== null');
  // Leaving the page writes the copy.
  await page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
  await page.waitForFunction(`new Promise((resolve) => {
    const open = indexedDB.open('conclave');
    open.onsuccess = () => {
      const keys = open.result.transaction('values').objectStore('values').getAllKeys();
      keys.onsuccess = () => {
        open.result.close();
        resolve(keys.result.some((key) => key.includes('offline/window/') && key.includes('${topic}')));
      };
    };
  })`);
}

/** Texts of a topic on the server. */
async function textsIn(topic: string): Promise<string[]> {
  const { messages } = await other.api.ok<{ messages: { content: string }[] }>('GET /messages', {
    anchor: 'newest',
    num_before: 50,
    num_after: 0,
    apply_markdown: false,
    narrow: [{ operator: 'topic', operand: topic }],
  });
  return messages.map(({ content }) => content);
}

async function pressSend({ keyboard }: Page): Promise<void> {
  await keyboard.down('Control');
  await keyboard.press('Enter');
  await keyboard.up('Control');
}

const faultsOf = ({ faults }: ClientPage): string[] => faults.filter((text) => !DEAD.test(text));

t.test('kill -9 in the middle of a conversation loses and doubles nothing', async (t) => {
  await say(other, 'general', 'plans', 'before the crash');
  const client = await open('plans');
  const { page } = client;
  await client.waitFor('.message-body', 'before the crash');
  await page.keyboard.press('r');
  await page.waitForSelector('textarea');
  await page.type('textarea', 'half a sent');
  await server.kill();
  await client.waitFor('.status-line', 'Connecting again');
  await page.type('textarea', 'ence');
  t.equal(await page.$eval('textarea', (e) => e.value), 'half a sentence', 'the text stays while the server is away');
  await server.start();
  await say(other, 'general', 'plans', 'after the crash');
  await client.waitFor('.message-body', 'after the crash');
  await page.waitForFunction(`!document.querySelector('.status-line p')`);
  t.equal(await page.$eval('textarea', (e) => e.value), 'half a sentence', 'the text stays after the return');
  await pressSend(page);
  await client.waitFor('.message-body[data-message]', 'half a sentence');
  t.strictSame(await bodies(page), ['before the crash', 'after the crash', 'half a sentence']);
  t.strictSame(faultsOf(client), []);
});

t.test('a message that is written while the server is away goes out once', async (t) => {
  await say(other, 'general', 'outage', 'hello');
  const client = await open('outage');
  const { page } = client;
  await client.waitFor('.message-body', 'hello');
  await page.keyboard.press('r');
  await page.waitForSelector('textarea');
  await server.kill();
  await page.type('textarea', 'sent into the dark');
  await pressSend(page);
  await client.waitFor('main', 'sent into the dark');
  await server.start();
  await client.waitFor('.message-body[data-message]', 'sent into the dark');
  t.strictSame(await textsIn('outage'), ['hello', 'sent into the dark']);
  t.strictSame(faultsOf(client), []);
});

t.test('the page and messages that were read are shown while the server is away', async (t) => {
  await say(other, 'general', 'archive', 'worth keeping');
  const client = await open('archive');
  const { page } = client;
  await client.waitFor('.message-body', 'worth keeping');
  await keepCopy(page, 'archive');
  await server.kill();
  await page.reload();
  await client.waitFor('.message-body', 'worth keeping');
  await client.waitFor('.status-line', 'Connecting again');
  await server.start();
  await say(other, 'general', 'archive', 'and back');
  await client.waitFor('.message-body', 'and back');
  t.strictSame(await bodies(page), ['worth keeping', 'and back']);
  t.strictSame(faultsOf(client), []);
});

/** A proxy before the server, which answers 502 while the server is away. @returns its port */
async function startProxy(t: Test): Promise<number> {
  const proxy = createServer((near, answer) => {
    const { method, url: path } = near;
    const headers = { ...near.headers, host: server.host };
    const far = requestFar({ host: '127.0.0.1', port: server.host.split(':')[1], method, path, headers }, (from) => {
      answer.writeHead(from.statusCode!, from.headers);
      from.pipe(answer);
    });
    far.on('error', () => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
    });
    near.pipe(far);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  t.teardown(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return (proxy.address() as AddressInfo).port;
}

t.test('a page is shown from its copy while a proxy says that the server is away', async (t) => {
  await say(other, 'general', 'proxied', 'worth keeping');
  const client = await open('proxied', `${server.host.split(':')[0]}:${await startProxy(t)}`);
  await client.waitFor('.message-body', 'worth keeping');
  await keepCopy(client.page, 'proxied');
  await server.kill();
  const answer = await client.page.reload();
  t.equal(answer?.fromServiceWorker(), true);
  await client.waitFor('.message-body', 'worth keeping');
  await server.start();
  await say(other, 'general', 'proxied', 'and back');
  await client.waitFor('.message-body', 'and back');
});

t.test('a message that waits in one of two tabs without Web Locks goes out once', async (t) => {
  await say(other, 'general', 'unlocked', 'hello');
  const withoutLocks = 'delete Navigator.prototype.locks';
  const client = await ClientPage.open(browser, server.host, { isNewProfile: true });
  const { page } = client;
  await page.evaluateOnNewDocument(withoutLocks);
  await client.openSignedIn(member.email, PASSWORD);
  await client.click('.row.stream a', 'general');
  await client.click('.row.topic a', 'unlocked');
  await client.waitFor('.message-body', 'hello');
  await page.keyboard.press('r');
  await page.waitForSelector('textarea');
  await page.setOfflineMode(true);
  await page.type('textarea', 'only once');
  await pressSend(page);
  await client.waitFor('main', 'only once');
  const tab = await client.openTab();
  await tab.evaluateOnNewDocument(`{
    ${withoutLocks};
    window.answers = [];
    new BroadcastChannel('conclave').onmessage = ({ data }) => window.answers.push(data);
  }`);
  await tab.goto(page.url());
  await tab.waitForFunction(`document.querySelector('.message-body')?.textContent.includes('hello')`);
  await tab.waitForFunction('window.answers.length > 0');
  await page.bringToFront();
  await page.setOfflineMode(false);
  await client.waitFor('.message-body[data-message]', 'only once');
  t.strictSame(await textsIn('unlocked'), ['hello', 'only once']);
  t.strictSame(faultsOf(client), []);
});

t.test('requests of the API do not pass through the service worker', async (t) => {
  await say(other, 'general', 'straight', 'the first one');
  const client = await open('straight');
  const { page } = client;
  await client.waitFor('.message-body', 'the first one');
  await keepCopy(page, 'straight');
  await page.reload();
  await client.waitFor('.message-body', 'the first one');
  await say(other, 'general', 'straight', 'the second one');
  await client.waitFor('.message-body', 'the second one');
  // Chromium says which rule of the worker a request matched; empty if the worker got it.
  const routes = (await page.evaluate(
    `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/'))
      .map(({ workerMatchedSourceType }) => workerMatchedSourceType)`,
  )) as readonly string[];
  t.ok(routes.length > 1, `${routes.length} requests of the API`);
  t.ok(
    routes.every((route) => route === 'network'),
    `${routes}`,
  );
  t.strictSame(faultsOf(client), []);
});

t.test('menus that were never open open while the server is away', async (t) => {
  await say(other, 'general', 'menus', 'look closer');
  const client = await open('menus');
  const { page } = client;
  await client.waitFor('.message-body', 'look closer');
  await keepCopy(page, 'menus');
  // The service worker keeps the scripts when the page has nothing else to do.
  await page.waitForFunction(
    `Promise.all(${JSON.stringify(SCRIPTS)}.map((address) => caches.match(address))).then((all) => all.every(Boolean))`,
  );
  await server.kill();
  await page.reload();
  await client.waitFor('.message-body', 'look closer');
  await client.openMessageMenu();
  await client.waitFor('.menu-item', 'Quote and reply');
  await page.keyboard.press('Escape');
  await client.waitUntilGone('.menu-item');
  await page.keyboard.press('?');
  await client.waitFor('dialog', 'Keyboard shortcuts');
  await server.start();
  await page.waitForFunction(`!document.querySelector('.status-line p')`);
  t.strictSame(faultsOf(client), []);
});

t.test('a message goes out once though the server is killed while it is sent', async (t) => {
  await say(other, 'general', 'crashes', 'hello');
  const client = await open('crashes');
  const { page } = client;
  await client.waitFor('.message-body', 'hello');
  await page.keyboard.press('r');
  await page.waitForSelector('textarea');
  const texts = ['before the answer', 'and once more'];
  for (const text of texts) {
    const killed = new Promise<void>((done) => {
      const onRequest = (request: HTTPRequest): void => {
        if (request.method() !== 'POST' || !request.url().endsWith('/api/v1/messages')) return;
        page.off('request', onRequest);
        void server.kill().then(done);
      };
      page.on('request', onRequest);
    });
    await page.type('textarea', text);
    await pressSend(page);
    await killed;
    await client.waitFor('main', text);
    await server.start();
    await client.waitFor('.message-body[data-message]', text);
  }
  t.strictSame(await textsIn('crashes'), ['hello', ...texts]);
  t.strictSame(await bodies(page), ['hello', ...texts]);
  t.strictSame(faultsOf(client), []);
});

t.test('a message of a closed page is there when it is opened without a server, and goes out once', async (t) => {
  await say(other, 'general', 'closed', 'read before');
  const client = await open('closed');
  const { page } = client;
  await client.waitFor('.message-body', 'read before');
  await page.keyboard.press('r');
  await page.waitForSelector('textarea');
  await keepCopy(page, 'closed');
  const address = page.url();
  await server.kill();
  await page.type('textarea', 'written in the dark');
  await pressSend(page);
  await client.waitFor('main', 'written in the dark');
  const again = await client.openTab();
  await page.close();
  await again.goto(address);
  for (const text of ['read before', 'written in the dark']) {
    await again.waitForFunction(`document.querySelector('[data-messages]')?.textContent.includes('${text}')`);
  }
  await server.start();
  await again.waitForFunction(
    `[...document.querySelectorAll('.message-body[data-message]')].some((e) => /in the dark/.test(e.textContent))`,
  );
  await say(other, 'general', 'closed', 'the end');
  await again.waitForFunction(`document.querySelector('[data-messages]').textContent.includes('the end')`);
  t.strictSame(await textsIn('closed'), ['read before', 'written in the dark', 'the end']);
  t.strictSame(await bodies(again), ['read before', 'written in the dark', 'the end']);
  t.strictSame(faultsOf(client), []);
});

/**
 * Makes the server look like a newer version without scripts of these names. `count` counts the loads of the page.
 * @param isMended true if a reload gets the newer client, false if it gets the old one again
 */
async function upgradeServer(client: ClientPage, missing: RegExp, isMended: boolean): Promise<{ count: number }> {
  const loads = { count: 0 };
  await client.intercept((request) => {
    const { pathname } = new URL(request.url());
    if (request.isNavigationRequest()) loads.count++;
    const isOld = loads.count === 0 || !isMended;
    if (isOld && missing.test(pathname)) return request.respond({ status: 404 });
    if (isOld && pathname === '/' && !request.isNavigationRequest()) return request.respond({ body: 'a newer page' });
    return request.continue();
  });
  return loads;
}

/** Makes the page an hour old, because a page younger than a minute does not reload itself. */
const makeOld = ({ page }: ClientPage): Promise<unknown> => page.evaluate('performance.now = () => 3_600_000');
const SETTINGS_SCRIPT = /^\/web\/assets\/settings-/;

t.test('a page that is older than the server reloads itself once to show a view, and keeps the draft', async (t) => {
  await say(other, 'general', 'upgrade', 'hello');
  const client = await ClientPage.open(browser, server.host, { isNewProfile: true });
  await client.openSignedIn(member.email, PASSWORD, '#narrow/topic/upgrade');
  await client.waitFor('.message-body', 'hello');
  await client.page.keyboard.press('c');
  await client.page.waitForSelector('textarea');
  await client.page.type('textarea', 'half a word');
  const loads = await upgradeServer(client, SETTINGS_SCRIPT, true);
  await makeOld(client);
  await client.page.evaluate("location.hash = '#settings/display'");
  await client.waitFor('h2', 'Display');
  t.equal(loads.count, 1);
  await client.goTo('#drafts');
  await client.waitFor('main', 'half a word');
  t.strictSame([client.faults, client.refusals], [[], [404]]);
});

t.test('a page whose reload did not help offers another one, and does not reload itself again', async (t) => {
  const client = await ClientPage.open(browser, server.host, { isNewProfile: true });
  await client.openSignedIn(member.email, PASSWORD, '#inbox');
  const loads = await upgradeServer(client, SETTINGS_SCRIPT, false);
  await makeOld(client);
  await client.page.evaluate("location.hash = '#settings/display'");
  await client.waitFor('.opening', 'Reload the page to go on.');
  t.equal(loads.count, 1);
  await client.click('.opening button', 'Reload');
  await until('another load', async () => loads.count === 2);
  await client.waitFor('.opening', 'Reload the page to go on.');
  t.equal(loads.count, 2);
  t.strictSame(client.faults, []);
});

t.test('a menu of a page that is older than the server offers a reload, and loses no edit', async (t) => {
  const client = await ClientPage.open(browser, server.host, { isNewProfile: true });
  await client.openSignedIn(member.email, PASSWORD, '#inbox');
  await client.waitFor('.own-button');
  const loads = await upgradeServer(client, /^\/web\/assets\/menus-/, true);
  await makeOld(client);
  await client.click('.own-button');
  await client.waitFor('.toast', 'Reload the page to go on.');
  t.equal(loads.count, 0);
  await client.click('.toast button', 'Reload');
  await until('the load', async () => loads.count === 1);
  await client.click('.own-button');
  await client.waitFor('.menu-item', 'Sign out');
  t.strictSame(client.faults, []);
});

t.test('four tabs share one queue, also after the leading one is closed', async (t) => {
  await say(other, 'general', 'tabs', 'one');
  const queues = await server.queues();
  const first = await open('tabs');
  await first.waitFor('.message-body', 'one');
  const registrations: string[] = [];
  const address = first.page.url();
  const pages = [first.page];
  for (let n = 2; n <= 4; n++) {
    const page = await first.openTab();
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/register')) registrations.push(`tab ${n}`);
    });
    await page.goto(address);
    await page.waitForFunction(`document.querySelector('.message-body')?.textContent.includes('one')`);
    pages.push(page);
  }
  t.strictSame(registrations, [], 'only the first tab registered');
  const seen = async (text: string, among: readonly Page[]) => {
    await say(other, 'general', 'tabs', text);
    for (const page of among) {
      await page.bringToFront();
      await page.waitForFunction(`document.querySelector('[data-messages]').textContent.includes('${text}')`);
    }
  };
  await seen('two', pages);
  await first.page.close();
  await seen('three', pages.slice(1));
  t.strictSame(registrations, [], 'the next tab goes on with the same queue');
  t.equal(await server.queues(), queues + 1, 'the server has one queue for all of them');
  for (const page of pages.slice(1)) t.equal((await bodies(page)).length, 3);
  t.strictSame(faultsOf(first), []);
});

t.test(
  'one of two tabs notifies, not of what is being read, until the message is read or the session ends',
  async (t) => {
    await say(other, 'general', 'notices', 'first');
    const client = await open('notices');
    await client.waitFor('.message-body', 'first');
    const second = await client.openTab();
    const pages = [client.page, second];
    await second.goto(client.page.url());
    await second.waitForFunction(`document.querySelector('.message-body')?.textContent.includes('first')`);
    for (const page of pages) {
      await page.evaluate(`{
      window.noted = [];
      window.Notification = class {
        static permission = 'granted';
        constructor(title, { body }) { window.noted.push(title + ': ' + body); }
        close() { window.noted.push('closed'); }
      };
    }`);
    }
    const noted = async (): Promise<string[]> =>
      (await Promise.all(pages.map((page) => page.evaluate('window.noted')))).flat() as string[];
    await second.bringToFront();
    await say(other, 'general', 'notices', `@**${member.name}** in sight`);
    await second.waitForFunction(`document.querySelector('[data-messages]').textContent.includes('in sight')`);
    await tell(other, [member], 'a **direct** message & more');
    await until('the notification', async () => (await noted()).length > 0);
    t.strictSame(await noted(), [`${other.name}: a direct message & more`]);
    const readIcon = (): Promise<string> => client.page.$eval('link[rel=icon]', (link) => link.href);
    // It is drawn when the number has rested.
    await until('another icon', async () => !(await readIcon()).endsWith('/favicon.ico'));
    t.match(await readIcon(), /^data:image\/png/, 'the icon has a number');
    await member.api.ok('POST /mark_all_as_read');
    await until('the end of the notification', async () => (await noted()).includes('closed'));
    await until('the plain icon', async () => (await readIcon()).endsWith('/favicon.ico'));
    await tell(other, [member], 'for nobody else');
    await until('another notification', async () => (await noted()).at(-1)?.endsWith('for nobody else') === true);
    await client.page.bringToFront();
    await client.click('.own-button');
    await client.click('.menu-item', 'Sign out');
    await until('its end', async () => (await noted()).at(-1) === 'closed');
    t.strictSame(faultsOf(client), []);
  },
);
