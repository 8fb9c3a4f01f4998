/**
 * Lighthouse on the built web client of a filled server: the sign-in, recent conversations and a topic. It is no
 * dependency; install it elsewhere and name the folder:
 *
 *     npm install --prefix /tmp/lighthouse lighthouse@12
 *     node tools/lighthouse.mjs /tmp/lighthouse [PEOPLE STREAMS MESSAGES]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import puppeteer from 'puppeteer-core';
import { startFace } from '../dist/test/bench/faces.js';
import { PASSWORD } from '../dist/test/bench/prepare.js';
import { makeWebOrganization } from '../dist/test/bench/web-fill.js';

const [folder = '', people = '200', streams = '50', messages = '5000'] = process.argv.slice(2);
const core = resolve(folder, 'node_modules/lighthouse/core');
const { default: lighthouse } = await import(join(core, 'index.js'));
const { default: desktop } = await import(join(core, 'config/desktop-config.js'));

const DEBUGGING_PORT = 9_222;
const onlyCategories = ['performance', 'accessibility', 'best-practices'];

/** Signs in without a browser. @returns the cookie of the session */
async function signIn(origin, username) {
  const headers = { 'X-Conclave-Web': '1' };
  const body = new URLSearchParams({ username, password: PASSWORD });
  const answer = await fetch(`${origin}/web/session`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.headers.getSetCookie()[0].split(';', 1)[0];
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
  const signedIn = { Cookie: await signIn(origin, writers[0].email) };
  const pages = [
    ['/', {}],
    ['/#recent', signedIn],
    [`/#narrow/stream/${hall}-hall/topic/bench`, signedIn],
  ];
  for (const [path, extraHeaders] of pages) {
    for (const [form, config] of Object.entries({ desktop, mobile: undefined })) {
      const flags = { port: DEBUGGING_PORT, logLevel: 'error', extraHeaders, onlyCategories };
      const { lhr } = await lighthouse(origin + path, flags, config);
      const scores = Object.values(lhr.categories).map(({ id, score }) => `${id} ${Math.round(score * 100)}`);
      process.stdout.write(`${path}, ${form}: ${scores.join(', ')}\n`);
      const failed = Object.values(lhr.audits).filter(({ score }) => score !== null && score < 0.9);
      for (const { id, displayValue = '' } of failed) process.stdout.write(`    ${id} ${displayValue}\n`);
    }
  }
} finally {
  await browser.close();
  await face.stop();
  rmSync(dataDir, { recursive: true });
}
