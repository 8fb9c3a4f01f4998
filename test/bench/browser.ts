/** Chromium for the case `web`: pages of the built client, with probes that measure when something was painted. */
import { existsSync } from 'node:fs';
import type { Browser, CDPSession, CookieData, Page } from 'puppeteer-core';
import type { Face } from './faces.js';

const CHROMIUM = '/usr/bin/chromium';
const TIMEOUT_MS = 30_000;

/**
 * Script that runs in each page before the page's own scripts.
 * - `painted` calls back after the next frame.
 * - `opened` is the time from the navigation to the second frame with messages; `whenOpened` resolves with it.
 * - `shows` resolves when one of the newest five messages on screen has the text and is painted.
 * - `keys` has the time of each keystroke until its frame is painted. `keyWork` has the part of that time in handlers
 *   and in the frame, without the wait for the frame, which is up to 16.7 ms.
 */
const PROBES = `(() => {
  const now = () => performance.timeOrigin + performance.now();
  const painted = (then) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => then(now());
    port2.postMessage(0);
  });
  const bodies = () => [...document.querySelectorAll('.message-row .message-body')];
  const bench = { opened: 0, entered: 0, keys: [], keyWork: [] };
  globalThis.bench = bench;
  bench.whenOpened = new Promise((resolve) => {
    // A check in each animation frame would make the browser draw frames in which nothing changes.
    const observer = new MutationObserver(() => {
      if (bodies().length === 0) return;
      observer.disconnect();
      painted(() => painted((at) => resolve(bench.opened = at - performance.timeOrigin)));
    });
    observer.observe(document, { childList: true, subtree: true });
  });
  bench.shows = (text) => new Promise((resolve) => {
    const observer = new MutationObserver(() => check());
    const check = () => {
      if (!bodies().slice(-5).some((body) => body.textContent.includes(text))) return;
      observer.disconnect();
      painted(resolve);
    };
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    check();
  });
  addEventListener('keydown', ({ key, timeStamp }) => {
    const at = performance.timeOrigin + timeStamp;
    if (key === 'Enter') bench.entered = at;
    else {
      const began = now();
      let handled = began, frame = 0;
      addEventListener('input', () => { handled = now(); }, { once: true });
      requestAnimationFrame(() => { frame = now(); });
      painted((then) => {
        bench.keys.push(then - at);
        bench.keyWork.push(handled - began + then - frame);
      });
    }
  }, true);
})()`;

export async function openBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`no ${CHROMIUM}`);
  // The package is loaded only here, because other cases need no browser.
  const { default: puppeteer } = await import('puppeteer-core');
  return puppeteer.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      ...['--disable-background-timer-throttling', '--disable-renderer-backgrounding'],
      '--disable-backgrounding-occluded-windows',
    ],
  });
}

/** Page in a browser profile of its own, so that each page has its own session and cache. */
export class BenchPage {
  private constructor(
    readonly page: Page,
    readonly cdp: CDPSession,
    private readonly origin: string,
  ) {}

  static async open(
    browser: Browser,
    { port }: Pick<Face, 'port'>,
    cookies: readonly CookieData[] = [],
  ): Promise<BenchPage> {
    const context = await browser.createBrowserContext();
    await context.setCookie(...cookies);
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.setViewport({ width: 1280, height: 800 });
    await page.evaluateOnNewDocument(PROBES);
    const cdp = await page.createCDPSession();
    // Ticks of the thread leave out the time in which other programs had the processor.
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new BenchPage(page, cdp, `http://127.0.0.1:${port}`);
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.page.goto(`${this.origin}/#sign-in`);
    await (await this.page.waitForSelector('input[name=username]'))!.type(email);
    await this.page.type('input[name=password]', password);
    await this.page.keyboard.press('Enter');
    await this.page.waitForSelector('.app');
  }

  /** Loads a view as a new page. @returns the time and the main thread's CPU time until messages were painted, ms */
  async load(hash: string): Promise<{ readonly painted: number; readonly work: number }> {
    await this.page.goto('about:blank');
    const before = await this.mainThreadSeconds();
    await this.page.goto(`${this.origin}/${hash}`);
    const painted = await this.evaluate<number>('bench.whenOpened');
    return { painted, work: 1_000 * ((await this.mainThreadSeconds()) - before) };
  }

  /** Evaluates a JavaScript expression in the page. */
  evaluate<T>(expression: string): Promise<T> {
    return this.page.evaluate(expression) as Promise<T>;
  }

  /** Waits for a message. @returns the time at which it was painted, in milliseconds of the epoch */
  waitUntilShown(text: string): Promise<number> {
    const timeout = `new Promise((_, reject) => setTimeout(reject, ${TIMEOUT_MS}, new Error('not shown: ${text}')))`;
    return this.evaluate<number>(`Promise.race([bench.shows('${text}'), ${timeout}])`);
  }

  /** @returns the size of the JavaScript heap after a garbage collection, MiB */
  async heapMib(): Promise<number> {
    await this.cdp.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.cdp.send('Runtime.getHeapUsage');
    return usedSize / 2 ** 20;
  }

  /** @returns the numbers of DOM nodes, detached ones included, and of event listeners, after a garbage collection */
  async countElementsAndListeners(): Promise<readonly [elements: number, listeners: number]> {
    await this.cdp.send('HeapProfiler.collectGarbage');
    const { nodes, jsEventListeners } = await this.cdp.send('Memory.getDOMCounters');
    return [nodes, jsEventListeners];
  }

  /**
   * Goes to another view of the same page. A handle of an element would keep the whole view alive, so it is disposed.
   *
   * @param ready selector of an element that the view has once it is drawn
   */
  async goTo(hash: string, ready: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    const found = await this.page.waitForFunction(`document.querySelector(${JSON.stringify(ready)}) !== null`);
    await found.dispose();
  }

  /** @returns the CPU time of the page's main thread so far, s */
  async mainThreadSeconds(): Promise<number> {
    const { metrics } = await this.cdp.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  }

  close(): Promise<void> {
    return this.page.browserContext().close();
  }
}
