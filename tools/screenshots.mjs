/**
 * Makes the pictures of the README in docs/images: web-light.png, web-dark.png and web-phone.png.
 *
 *     npm run build && node tools/screenshots.mjs
 *
 * It starts the embedded server with data of its own, fills a small organization over the API, signs one of its people
 * in with Chromium and takes the pictures. The server and its data are gone at the end. Emoji need a font with colours
 * on the machine (fonts-noto-color-emoji).
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import sharp from 'sharp';

const TARGET = 'docs/images';
const CHROMIUM = '/usr/bin/chromium';
const PASSWORD = 'gentle-otter-lamp-63';
const MAX_BYTES = 200_000;
const START_MS = 30_000;

const PEOPLE = {
  mina: 'Mina Okafor',
  jonas: 'Jonas Weber',
  priya: 'Priya Raman',
  tomas: 'Tomás Silva',
  lena: 'Lena Fischer',
};
const STREAMS = {
  engineering: 'How the ferry timetable is built',
  design: 'Screens, words and colours',
  general: 'Everything else',
};
/** The person who looks at the pictures' pages. */
const READER = 'mina';

/** @returns the process and its address */
function startServer(folder) {
  const options = ['--port', '0', '--data-dir', folder, '--realm-name', 'Harbour Lines'];
  const child = spawn(process.execPath, ['dist/program/main.js', 'serve', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NATS_URL: '', MONGODB_URL: '', LOG_LEVEL: 'error' },
  });
  return new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(() => {
      child.kill();
      reject(new Error(`the server did not start: ${said}`));
    }, START_MS);
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const [, port] = /Conclave serves http:\/\/[^\s:]+:(\d+)/.exec(said) ?? [];
      if (!port) return;
      clearTimeout(late);
      resolve({ child, origin: `http://127.0.0.1:${port}` });
    });
  });
}

/** One account's way to the API. */
class Person {
  constructor(origin, email, key) {
    this.origin = origin;
    this.email = email;
    this.authorization = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
  }

  async ask(method, path, fields = {}) {
    const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
    const form = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, text(value)]));
    const answer = await fetch(`${this.origin}/api/v1${path}${method === 'GET' ? `?${form}` : ''}`, {
      method,
      headers: this.email ? { authorization: this.authorization } : {},
      ...(method === 'GET' ? {} : { body: form }),
    });
    const body = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(body)}`);
    return body;
  }

  /** @returns the id of the message */
  async say(to, topic, content) {
    const { id } = await this.ask('POST', '/messages', { type: 'stream', to, topic, content });
    return id;
  }

  async tell(id, content) {
    await this.ask('POST', '/messages', { type: 'direct', to: [id], content });
  }

  async react(message_id, ...names) {
    for (const emoji_name of names) await this.ask('POST', `/messages/${message_id}/reactions`, { emoji_name });
  }
}

async function makePeople(origin, folder) {
  const zuliprc = readFileSync(join(folder, 'owner.zuliprc'), 'utf8');
  const owner = new Person(origin, /^email=(.*)$/m.exec(zuliprc)[1], /^key=(.*)$/m.exec(zuliprc)[1]);
  const people = {};
  for (const [name, full_name] of Object.entries(PEOPLE)) {
    const email = `${name}@harbour.example.com`;
    const { user_id } = await owner.ask('POST', '/users', { email, password: PASSWORD, full_name });
    const nobody = new Person(origin, '', '');
    const { api_key } = await nobody.ask('POST', '/fetch_api_key', { username: email, password: PASSWORD });
    people[name] = Object.assign(new Person(origin, email, api_key), { id: user_id });
  }
  const principals = Object.values(people).map(({ id }) => id);
  for (const [name, description] of Object.entries(STREAMS)) {
    await people.mina.ask('POST', '/users/me/subscriptions', { subscriptions: [{ name, description }], principals });
  }
  for (const person of Object.values(people)) {
    if (person === people.tomas) continue;
    await person.ask('POST', '/users/me/presence', { status: 'active', new_user_input: true, ping_only: false });
  }
  return people;
}

/** Everything in the pictures. @returns ids of the last messages, above which the unread marker stands */
async function makeConversations({ mina, jonas, priya, tomas, lena }) {
  await lena.say('general', 'lunch', 'Soup or the noodle place? :ramen:');
  await tomas.say('design', 'dark mode', 'The new colours are in the style guide.');
  const asked = await jonas.say(
    'engineering',
    'summer timetable',
    'The summer timetable goes live on **Friday**. Are the island routes ready?',
  );
  await lena.react(asked, 'wave', 'sunny');
  await tomas.react(asked, 'wave');
  const code = await priya.say(
    'engineering',
    'summer timetable',
    [
      'Nearly. Crossings after midnight were counted for the wrong day; this is the repair:',
      '```ts',
      'function serviceDay(departure: Date): string {',
      '  const shifted = new Date(departure.getTime() - 4 * HOUR);',
      '  return shifted.toISOString().slice(0, 10); // a night boat belongs to the day before',
      '}',
      '```',
    ].join('\n'),
  );
  await jonas.react(code, '+1', 'tada');
  await mina.react(code, '+1');
  await lena.react(code, '+1');
  await mina.say(
    'engineering',
    'summer timetable',
    `Lovely. @**${PEOPLE.jonas}** can you run it against last year's data, please?`,
  );
  await jonas.say('engineering', 'summer timetable', 'Done: *1,204 crossings*, no differences. :ship:');
  await mina.ask('POST', '/mark_all_as_read');
  await tomas.say('general', 'lunch', 'Noodles!');
  await priya.say('design', 'dark mode', 'Looks calm. Could the links be a little brighter?');
  await tomas.say('design', 'icons', 'Three new icons for the piers.');
  await tomas.tell(mina.id, 'Do you have five minutes before the meeting?');
  const notes = await lena.say(
    'engineering',
    'summer timetable',
    `@**${PEOPLE.mina}** the release notes are written. One question is left:`,
  );
  const poll = await lena.say(
    'engineering',
    'summer timetable',
    '/poll Where do we celebrate?\nAboard the old ferry\nAt the noodle place',
  );
  const vote = (person, option) =>
    person.ask('POST', '/submessage', {
      message_id: String(poll),
      msg_type: 'widget',
      content: JSON.stringify({ type: 'vote', key: `canned,${option}`, vote: 1 }),
    });
  await vote(jonas, 0);
  await vote(priya, 0);
  await vote(tomas, 1);
  return [notes, poll];
}

async function openPage(browser, { origin, email }, { scheme, viewport, hash }) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport(viewport);
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.goto(`${origin}/#sign-in`);
  await (await page.waitForSelector('input[name=username]')).type(email);
  await page.type('input[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.app');
  await page.goto(`${origin}/${hash}`);
  await page.waitForFunction(
    `[...document.querySelectorAll('.message-body')].some((e) => /celebrate/.test(e.textContent))`,
  );
  await page.waitForNetworkIdle({ idleTime: 1_000, concurrency: 2 });
  return page;
}

/** Fewer colours keep the picture small. */
async function savePicture(name, bytes) {
  const { size } = await sharp(bytes)
    .png({ palette: true, colours: 128, effort: 10, compressionLevel: 9 })
    .toFile(join(TARGET, name));
  if (size > MAX_BYTES) throw new Error(`${name} has ${size} bytes`);
  process.stdout.write(`${name}: ${Math.round(size / 1024)} KiB\n`);
}

const DESK = { width: 1280, height: 900, deviceScaleFactor: 1.5 };
const PHONE = { width: 390, height: 844, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

const folder = mkdtempSync(join(tmpdir(), 'conclave-screenshots-'));
const { child, origin } = await startServer(folder);
let browser;
try {
  const people = await makePeople(origin, folder);
  const messages = await makeConversations(people);
  const reader = people[READER];
  const { stream_id } = await reader.ask('GET', '/get_stream_id', { stream: 'engineering' });
  const hash = `#narrow/stream/${stream_id}-engineering/topic/summer.20timetable`;
  browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  mkdirSync(TARGET, { recursive: true });
  for (const [name, look] of [
    ['web-light.png', { scheme: 'light', viewport: DESK, hash }],
    ['web-dark.png', { scheme: 'dark', viewport: DESK, hash }],
    ['web-phone.png', { scheme: 'light', viewport: PHONE, hash }],
  ]) {
    // A page that was open before has read them.
    await reader.ask('POST', '/messages/flags', { messages, op: 'remove', flag: 'read' });
    const page = await openPage(browser, reader, look);
    await savePicture(name, await page.screenshot());
    await page.browserContext().close();
  }
} finally {
  await browser?.close();
  child.kill();
  await new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve()));
  rmSync(folder, { recursive: true, force: true });
}
