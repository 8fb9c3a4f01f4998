/**
 * Lighthouse on the built web client of a filled server: the sign-in, recent conversations and a topic. It is no
 * dependency; install it elsewhere and name the folder:
 *
 *     npm install --prefix /tmp/lighthouse lighthouse@12
 *     node tools/lighthouse.mjs /tmp/lighthouse [PEOPLE STREAMS MESSAGES] [--page topic] [--form mobile] [--runs 5]
 *
 * `--page` is sign-in, recent or topic, `--form` desktop or mobile: all without them. A signed-in browser has the
 * cookies of a reader who was here before, and nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import puppeteer from 'puppeteer-core';
import { startFace } from '../dist/test/bench/faces.js';
import { PASSWORD } from '../dist/test/bench/prepare.js';
import { makeWebOrganization } from '../dist/test/bench/web-fill.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { page: { type: 'string' }, form: { type: 'string' }, runs: { type: 'string', default: '1' } },
});
const [folder = '', people = '200', streams = '50', messages = '5000'] = positionals;
const core = resolve(folder, 'node_modules/lighthouse/core');
const { default: lighthouse } = await import(join(core, 'index.js'));
const { default: desktop } = await import(join(core, 'config/desktop-config.js'));

const DEBUGGING_PORT = 9_222;
const onlyCategories = ['performance', 'accessibility', 'best-practices'];

/** Cookie of the client that says that there was a session (web/src/contract/registration.ts). */
const HINT = { name: 'conclave_known', value: '1', sameSite: 'Strict' };
/** Audits whose figures make up the score of performance. */
const METRICS = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'speed-index',
  'total-blocking-time',
  'cumulative-layout-shift',
];

/** Signs in without a browser. @returns the cookie of the session */
async function signIn(origin, username) {
  const headers = { 'X-Conclave-Web': '1' };
  const body = new URLSearchParams({ username, password: PASSWORD });
  const answer = await fetch(`${origin}/web/session`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  const [name, value] = answer.headers.getSetCookie()[0].split(';', 1)[0].split('=');
  return { name, value, sameSite: 'Strict', httpOnly: true };
}

/** The browser has these cookies and no others. */
async function setCookies(browser, origin, cookies) {
  const page = await browser.newPage();
  const session = await page.createCDPSession();
  await session.send('Network.clearBrowserCookies');
  await page.setCookie(...cookies.map((cookie) => ({ ...cookie, url: origin })));
  await page.close();
}

const dataDir = mkdtempSync(join(tmpdir(), 'conclave-lighthouse-'));
const size = { people: Number(people), streams: Number(streams), messages: Number(messages) };
const { writers, hall } = await makeWebOrganization(dataDir, size);
const face = await startFace('embedded', { dataDir });
const browser = await puppeteer.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', `--remote-debugging-port=${DEBUGGING_PORT}`],
});
try {
  const origin = `http://127.0.0.1:${face.port}`;
  const session = await signIn(origin, writers[0].email);
  const pages = {
    'sign-in': ['/', []],
    recent: ['/#recent', [session, HINT]],
    topic: [`/#narrow/stream/${hall}-hall/topic/bench`, [session, HINT]],
  };
  const forms = { desktop, mobile: undefined };
  const runs = Object.keys(pages)
    .filter((name) => (values.page ?? name) === name)
    .flatMap((name) => Object.keys(forms).map((form) => ({ name, form })))
    .filter(({ form }) => (values.form ?? form) === form)
    .flatMap((run) => Array(Number(values.runs)).fill(run));
  for (const { name, form } of runs) {
    const [path, cookies] = pages[name];
    await setCookies(browser, origin, cookies);
    const flags = { port: DEBUGGING_PORT, logLevel: 'error', onlyCategories };
    const { lhr } = await lighthouse(origin + path, flags, forms[form]);
    const scores = Object.values(lhr.categories).map(({ id, score }) => `${id} ${Math.round(score * 100)}`);
    process.stdout.write(`${name}, ${form}: ${scores.join(', ')}\n`);
    process.stdout.write(`    ${METRICS.map((id) => `${id} ${lhr.audits[id].displayValue}`).join(', ')}\n`);
    const failed = Object.values(lhr.audits).filter(({ score }) => score !== null && score < 0.9);
    for (const { id, displayValue = '' } of failed) process.stdout.write(`    ${id} ${displayValue}\n`);
  }
} finally {
  await browser.close();
  await face.stop();
  rmSync(dataDir, { recursive: true });
}
