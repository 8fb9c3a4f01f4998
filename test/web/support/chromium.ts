/** The built client in Debian's Chromium. Everything that must not happen in a page is collected on the way. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, {
  type Browser,
  type BrowserContext,
  type CDPSession,
  type HTTPRequest,
  type KeyInput,
  type Page,
} from 'puppeteer-core';
import type { Test } from 'tap';
import { exchange } from '../../api/support/http.js';
import { atEndOfProcess } from '../../runner/shared.js';
import { FIND_CONTROL } from './controls.js';
import { describePage, explainWaits } from './explained-waits.js';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const SHELL = '/usr/bin/chromium-headless-shell';
/**
 * Chromium's headless shell, the same engine without windows and notifications, if it is installed: it takes a fifth
 * less CPU.
 */
const CHROMIUM_SHELL = process.env.CHROMIUM === undefined && existsSync(SHELL) ? SHELL : CHROMIUM;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Chromium writes each refused request to the console; the client says refusals itself. */
const REFUSED = /^Failed to load resource: the server responded with a status of (4\d\d)/;
/** The console does not report each violation of the policy, so the page does. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('the policy forbids ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`;
/** Text and name of an element have the words. */
const has = (words: string): string =>
  `(e) => (e.textContent + (e.ariaLabel ?? '')).includes(${JSON.stringify(words)})`;
const all = (selector: string): string => `[...document.querySelectorAll(${JSON.stringify(selector)})]`;

/** Reason to skip; false: run. CI never skips. */
export const CHROMIUM_IS_MISSING = existsSync(CHROMIUM) || process.env.CI ? false : 'Chromium is not installed';

const WAIT_MS = 45_000;
/** Pause between two looks at an awaited condition. Puppeteer looks at each frame, and frames cost CPU. */
const POLL_MS = 40;
/** Chromium starts a renderer in advance for each profile; without it a journey takes a tenth less CPU. */
const NO_SPARE_RENDERER = '--disable-features=SpareRendererForSitePerProcess';

export const DESK = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844, hasTouch: true, isMobile: true };

/** Files that run in one process share a browser, by its path: its start takes as much CPU as a short journey. */
const shared = new Map<string, Promise<Browser>>();

/** Pages of the running subtest. */
const opened: ClientPage[] = [];

/**
 * Chromium for a test. A page is left at the end of the subtest that opened it, since pages in the background take
 * every event and draw it; profiles that are still open at the end of the test are closed then.
 *
 * @param needs `windows`: the journey shows notifications or hides tabs, so that the headless shell will not do
 */
export async function openChromium(t: Test, needs?: 'windows'): Promise<Browser> {
  const executablePath = needs ? CHROMIUM : CHROMIUM_SHELL;
  let launched = shared.get(executablePath);
  if (!launched) {
    launched = puppeteer.launch({
      executablePath,
      headless: true,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', NO_SPARE_RENDERER],
    });
    shared.set(executablePath, launched);
    atEndOfProcess(t, async () => (await launched)?.close());
  }
  const browser = await launched;
  t.beforeEach((subtest) => {
    if (subtest.parent === t) opened.length = 0;
  });
  t.afterEach(async (subtest) => {
    if (subtest.parent !== t) return;
    await Promise.all(opened.splice(0).map((client) => client.leave(subtest.passing())));
  });
  t.teardown(async () => {
    parked.splice(0, parked.length, ...parked.filter(({ page }) => page.browser() !== browser));
    const profiles = browser.browserContexts().filter((one) => one !== browser.defaultBrowserContext());
    await Promise.all(profiles.map((profile) => profile.close()));
  });
  return browser;
}

interface Look {
  readonly viewport?: typeof DESK | typeof PHONE;
  readonly scheme?: 'light' | 'dark';
  /** The wish of the system. */
  readonly contrast?: 'no-preference' | 'more';
  /**
   * Whether the browser has service workers, which make the page come up without a network and take push messages. By
   * default it has none, as a private window of Firefox: the worker's cache costs a page 0.2 s of CPU.
   */
  readonly hasServiceWorker?: boolean;
  /**
   * For journeys about the first load, because a page that was left has the client's files in caches, and for those
   * that wait until no request is open, since puppeteer counts some of an earlier document.
   */
  readonly isNewProfile?: boolean;
}

/** Pages that were left and have no account, by which the next journeys begin. */
const parked: ClientPage[] = [];
/** Each of them is a process. */
const MAX_PARKED = 4;
/** A small file of the server, shown by a page that waits for its next journey. */
const PARKING_PATH = '/site.webmanifest';

/** Methods of a page whose effect outlives the document: a page on which a test called one of them is closed. */
const LASTING = [
  ...(['evaluateOnNewDocument', 'createCDPSession', 'exposeFunction', 'setCacheEnabled', 'setOfflineMode'] as const),
  'emulateNetworkConditions',
] as const;

/** The type of puppeteer's own method leaves this feature out; each call replaces all of them. */
async function emulateContrast(page: Page, scheme: string): Promise<void> {
  const features = [
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-contrast', value: 'more' },
  ];
  await (await page.createCDPSession()).send('Emulation.setEmulatedMedia', { features });
}

/** Waits that look at the page by the clock, since a tab in the background paints no frames, and explain a failure. */
function prepareWaits(page: Page, faults: readonly string[]): void {
  page.setDefaultTimeout(WAIT_MS);
  const waitForFunction = page.waitForFunction.bind(page);
  page.waitForFunction = (condition, options, ...args) =>
    waitForFunction(condition, { polling: POLL_MS, ...options }, ...args);
  explainWaits(page, faults);
}

/** A page of this organization that was left, if there is one. */
function takeParked(browser: Browser, host: string): ClientPage | undefined {
  const at = parked.findIndex((one) => one.isAt(browser, host));
  return at < 0 ? undefined : parked.splice(at, 1)[0]?.takeAgain();
}

/** A page of a browser profile of its own. */
export class ClientPage {
  /** Console errors, violations of the policy, uncaught errors, requests to other hosts. */
  readonly faults: string[] = [];
  /** Status of each refused request. */
  readonly refusals: number[] = [];
  /** Path of each refused request. */
  readonly refusedPaths: string[] = [];

  /** False as soon as a test changed something about the page that its next journey would meet. */
  #isReusable: boolean;
  #isLeft = false;
  #isIntercepted = false;
  /** Listeners of the running journey. */
  readonly #listeners: Parameters<Page['on']>[] = [];

  private constructor(
    readonly page: Page,
    private readonly host: string,
    private readonly profile: BrowserContext,
    private readonly tools: CDPSession,
    isReusable: boolean,
  ) {
    this.#isReusable = isReusable;
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warn') return;
      const [, status] = REFUSED.exec(message.text()) ?? [];
      if (status === undefined) {
        this.faults.push(message.text());
        return;
      }
      this.refusals.push(Number(status));
      this.refusedPaths.push(new URL(message.location().url ?? '', `http://${host}`).pathname);
    });
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (!['data:', 'blob:'].includes(url.protocol) && url.host !== host) this.faults.push(`asks ${url.host}`);
    });
    this.#watchForChanges();
  }

  /** @param host of the organization, with the port */
  static async open(browser: Browser, host: string, look: Look = {}): Promise<ClientPage> {
    const { viewport = DESK, scheme = 'light', contrast = 'no-preference', hasServiceWorker = false } = look;
    const isReusable = !hasServiceWorker && contrast === 'no-preference' && !look.isNewProfile;
    const client =
      (isReusable && takeParked(browser, host)) || (await ClientPage.#make(browser, host, look, isReusable));
    opened.push(client);
    await client.page.setViewport(viewport);
    await client.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    if (contrast === 'more') await emulateContrast(client.page, scheme);
    return client;
  }

  static async #make(
    browser: Browser,
    host: string,
    { hasServiceWorker = false }: Look,
    isReusable: boolean,
  ): Promise<ClientPage> {
    const profile = await browser.createBrowserContext();
    const page = await profile.newPage();
    await page.evaluateOnNewDocument(REPORT_VIOLATIONS);
    await page.evaluateOnNewDocument(FIND_CONTROL);
    if (!hasServiceWorker) await page.evaluateOnNewDocument('delete Navigator.prototype.serviceWorker');
    const client = new ClientPage(page, host, profile, await page.createCDPSession(), isReusable);
    prepareWaits(page, client.faults);
    return client;
  }

  #watchForChanges(): void {
    const { page } = this;
    for (const name of LASTING) {
      const method = page[name].bind(page) as (...args: unknown[]) => unknown;
      const noted = (...args: unknown[]): unknown => {
        this.#isReusable = false;
        return method(...args);
      };
      Object.assign(page, { [name]: noted });
    }
    const on = page.on.bind(page);
    page.on = (...listener) => {
      this.#listeners.push(listener);
      return on(...listener);
    };
  }

  isAt(browser: Browser, host: string): boolean {
    return this.host === host && this.page.browser() === browser;
  }

  /** Makes the page as a new one, after `leave`. */
  takeAgain(): this {
    this.#isLeft = false;
    for (const list of [this.faults, this.refusals, this.refusedPaths]) list.length = 0;
    return this;
  }

  /**
   * Ends the journey of this page. The page waits without an account and without stored values for the next journey,
   * which takes 0.3 s of CPU to load the client in it, and 0.5 s in a new profile. A page that a journey changed for
   * good is closed.
   */
  async leave(isClean = true): Promise<void> {
    if (this.#isLeft) return;
    this.#isLeft = true;
    const { page, host, profile, tools } = this;
    try {
      if (!isClean || !this.#isReusable || parked.length >= MAX_PARKED || (await profile.pages()).length > 1) {
        return await profile.close();
      }
      for (const listener of this.#listeners.splice(0)) page.off(...listener);
      if (this.#isIntercepted) {
        await page.setRequestInterception(false);
        await page.setBypassServiceWorker(false);
        this.#isIntercepted = false;
      }
      await profile.clearPermissionOverrides();
      // A text that is not sent asks whether to leave it.
      page.once('dialog', (dialog) => void dialog.accept());
      await page.goto(`http://${host}${PARKING_PATH}`, { waitUntil: 'domcontentloaded' });
      for (const listener of this.#listeners.splice(0)) page.off(...listener);
      await page.mouse.move(-1, -1);
      await page.evaluate('sessionStorage.clear()');
      const storageTypes = 'cookies,local_storage,indexeddb';
      await tools.send('Storage.clearDataForOrigin', { origin: `http://${host}`, storageTypes });
      parked.push(this);
    } catch {
      // The page has crashed, or the server has gone.
      await profile.close().catch(() => {});
    }
  }

  /** Another tab of the same profile, which is brought to the front. */
  async openTab(): Promise<Page> {
    const tab = await this.profile.newPage();
    prepareWaits(tab, this.faults);
    return tab;
  }

  /** Gives each request from now on to `handle`, which continues it. */
  async intercept(handle: (request: HTTPRequest) => unknown): Promise<void> {
    this.#isIntercepted = true;
    // A request that the service worker answers may hang.
    await this.page.setBypassServiceWorker(true);
    await this.page.setRequestInterception(true);
    this.page.on('request', (request) => void handle(request));
  }

  /**
   * Opens an address of this server. A change of the part behind # alone loads nothing, and is complete when the client
   * has rendered it: what is typed then goes into the new view.
   */
  async goTo(address: string): Promise<void> {
    const url = new URL(address, `http://${this.host}`);
    const isWithinPage = await this.page.evaluate(`(async ({ origin, pathname, search, hash }) => {
      if (location.origin !== origin || location.pathname + location.search !== pathname + search) return false;
      if (hash === '' || location.hash === hash) return false;
      const changed = new Promise((done) => addEventListener('hashchange', done, { once: true }));
      location.hash = hash;
      await changed;
      return true;
    })(new URL(${JSON.stringify(url)}))`);
    if (!isWithinPage) await this.page.goto(url.href);
  }

  /** Waits for an element whose text or name has the words. */
  waitFor(selector: string, words = ''): Promise<unknown> {
    return this.page.waitForFunction(`${all(selector)}.some(${has(words)})`);
  }

  waitUntilGone(selector: string, words = ''): Promise<unknown> {
    return this.page.waitForFunction(`!${all(selector)}.some(${has(words)})`);
  }

  /** Clicks an element as soon as it is there and enabled. */
  async click(selector: string, words = ''): Promise<void> {
    const found = `${all(selector)}.find((e) => !e.matches(':disabled') && (${has(words)})(e))`;
    let isClicked = false;
    while (!isClicked) {
      await this.page.waitForFunction(`${found} !== undefined`);
      // A view that renders between the wait and the click may replace the element.
      isClicked = (await this.page.evaluate(`((e) => e !== undefined && (e.click(), true))(${found})`)) as boolean;
    }
  }

  /** Presses the menu button of a message that has the words: it is made when a pointer comes to the message. */
  async openMessageMenu(words = ''): Promise<void> {
    await this.waitFor('.message-row', words);
    await this.page.evaluate(
      `${all('.message-row')}.find(${has(words)}).dispatchEvent(new PointerEvent('pointerenter'))`,
    );
    const button = `${all('.message-row')}.find(${has(words)})?.querySelector('.message-tools [aria-haspopup=menu]')`;
    const found = await this.page.waitForFunction(button);
    await this.page.evaluate((element) => (element as { click(): void }).click(), found);
    await found.dispose();
  }

  /** Types into a field in place of what it has. */
  async fill(selector: string, text: string): Promise<void> {
    await this.page.waitForSelector(selector);
    await this.page.focus(selector);
    await this.page.evaluate(`document.querySelector(${JSON.stringify(selector)}).select()`);
    await this.page.keyboard.type(text);
  }

  /** Types full stops into the focused field, two per second, until the promise is settled. */
  async typeUntil(settled: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    settled.then(settle, settle);
    while (!isSettled) await this.page.keyboard.type('.', { delay: 500 });
    await settled;
  }

  /** Presses a key together with Control. */
  async pressControl(key: KeyInput): Promise<void> {
    await this.page.keyboard.down('Control');
    await this.page.keyboard.press(key);
    await this.page.keyboard.up('Control');
  }

  textOf(selector: string): Promise<string> {
    return this.page.evaluate(
      `document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`,
    ) as Promise<string>;
  }

  valueOf(selector: string): Promise<string> {
    return this.page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.value ?? ''`) as Promise<string>;
  }

  /**
   * Opens an address of the client with a session, for journeys that are not about signing in: the form, its page and
   * its change to the app are a third of the CPU of a page.
   */
  async openSignedIn(email: string, password: string, hash = ''): Promise<void> {
    // A page of another account would notice the new session, and ask to sign in.
    const parking = `http://${this.host}${PARKING_PATH}`;
    if (!['about:blank', parking].includes(this.page.url())) await this.page.goto(parking);
    await this.takeSession(email, password);
    await this.goTo(hash);
    await this.waitFor('.app');
  }

  /** Gives the browser a session without the client, as single sign-on does. */
  async takeSession(email: string, password: string): Promise<void> {
    const { status, headers } = await exchange(Number(this.host.split(':')[1]), {
      method: 'POST',
      path: '/web/session',
      headers: {
        host: this.host,
        'x-conclave-web': '1',
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': await this.page.browser().userAgent(),
      },
      body: new URLSearchParams({ username: email, password }).toString(),
    });
    const [, name, value] = /^(conclave_session_\d+)=(\w+)/.exec(headers['set-cookie']?.[0] ?? '') ?? [];
    if (name === undefined || value === undefined) throw new Error(`${email} is not signed in: ${status}`);
    const url = `http://${this.host}/`;
    await this.page.setCookie({ name, value, url, httpOnly: true, sameSite: 'Strict' });
  }

  /** Signs in by the form. */
  async signIn(email: string, password: string): Promise<void> {
    await this.goTo('#sign-in');
    await this.page.waitForSelector('input[name=username]');
    for (const [field, text] of [
      ['username', email],
      ['password', password],
    ] as const) {
      await this.page.focus(`input[name=${field}]`);
      // As one entry: fifty keys cost more than the rest of the sign-in.
      await this.page.keyboard.sendCharacter(text);
    }
    await this.page.keyboard.press('Enter');
  }

  /** Rules of axe that the page breaks, and whether it is wider than the window. */
  async findings(): Promise<string[]> {
    if (!(await this.page.evaluate('"axe" in window'))) await this.page.evaluate(AXE);
    const found = await this.page.evaluate(`axe.run(document).then(({ violations }) => [
      ...violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')),
      ...(document.documentElement.scrollWidth > innerWidth ? ['scrolls sideways'] : []),
    ])`);
    return found as string[];
  }
}

/**
 * Runs a step of a journey. If it fails, the error names the step and the content of each page. Screenshots of all
 * pages go into the temporary folder, which is kept if the file runs alone.
 */
export async function withPictures(
  t: Test,
  pages: Readonly<Record<string, ClientPage>>,
  run: () => Promise<void>,
  step?: string,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const folder = mkdtempSync(join(tmpdir(), 'conclave-journey-'));
    const shown: Record<string, unknown> = {};
    for (const [name, { page, faults }] of Object.entries(pages)) {
      await page.screenshot({ path: join(folder, `${name}.png`) }).catch(() => {});
      t.comment(`${name} at ${page.url()}: ${join(folder, `${name}.png`)}`);
      shown[name] = { ...(await describePage(page)), faults };
    }
    throw Object.assign(error as Error, { ...(step === undefined ? {} : { step }), pages: shown });
  }
}
