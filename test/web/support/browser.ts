/**
 * A real Chromium on a test server. One browser serves a file of tests; each page has cookies of its own. A refusal by
 * the page's policy, an error in the console, an exception in a page, or a request to another host fails the test.
 */
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import type { Test } from 'tap';
import type { TestServer } from '../../api/support/faces.js';
import { type Organization, PASSWORD, type Person } from '../../api/support/organization.js';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const WAIT_MS = 45_000;

/** The first organization of a server answers at its address without a subdomain. */
const originOf = ({ subdomain }: Organization, server: TestServer): string =>
  `http://${subdomain}.localhost:${server.nextPort()}`;

export async function openBrowser(t: Test): Promise<Browser> {
  const browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  t.teardown(() => browser.close());
  return browser;
}

interface Options {
  /** Size of the window in pixels; 1280 × 800 by default. */
  readonly width?: number;
  readonly height?: number;
  /** Lines of the console that the test provokes. */
  readonly allowed?: RegExp;
}

/** A page of the organization's web client, signed in by password, at the address behind `#`. */
export async function openPage(
  t: Test,
  browser: Browser,
  org: Organization,
  person: Person,
  hash: string,
  { width = 1280, height = 800, allowed }: Options = {},
): Promise<Page> {
  const origin = originOf(org, org.server);
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  t.teardown(() => context.close());
  page.setDefaultTimeout(WAIT_MS);
  await page.setViewport({ width, height });
  await page.goto(`${origin}/robots.txt`);
  const status = await page.evaluate(
    async (body) =>
      (
        await fetch('/web/session', {
          method: 'POST',
          headers: { 'X-Conclave-Web': '1', 'Content-Type': 'application/x-www-form-urlencoded' },
          body,
        })
      ).status,
    new URLSearchParams({ username: person.email, password: PASSWORD }).toString(),
  );
  if (status !== 200) throw new Error(`signing in as ${person.email} was answered with ${status}`);
  watch(t, page, origin, allowed);
  await page.goto(`${origin}/${hash}`);
  return page;
}

/** Fails the test at what a visitor of the page should never see. */
function watch(t: Test, page: Page, origin: string, allowed?: RegExp): void {
  page.on('console', (message) => {
    if (allowed?.test(message.text())) return;
    if (message.type() === 'error' || message.type() === 'warn') t.fail(`the console says: ${message.text()}`);
  });
  page.on('pageerror', (error) => t.fail(`the page throws: ${error instanceof Error ? error.stack : String(error)}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(?:data|blob|about):/.test(url)) t.fail(`the page asks another host: ${url}`);
  });
}
