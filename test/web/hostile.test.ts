/** Hostile names in every place that shows names, in Chromium: nothing runs, nothing is broken out of its place. */
import fc from 'fast-check';
import t from 'tap';
import {
  addPerson,
  makeOrganization,
  PASSWORD,
  say,
  streamIdOf,
  subscribe,
  tell,
} from '../api/support/organization.js';
import { picked, rounds } from '../support/rounds.js';
import { CHROMIUM_IS_MISSING, ClientPage, DESK, openChromium, PHONE } from './support/chromium.js';
import { startFace } from './support/face.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}
t.setTimeout(240_000);

const server = await startFace('hostile');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['member']);
const { owner, member } = org;

const RUN = 'onerror=window.ran=1';
const IMAGE = `<img src=x ${RUN}>`;
/** Right-to-left override, bidirectional isolate, zero-width characters, stacked marks. */
const ODD = '\u202E\u2067\u200B\u200D\uFEFFZ\u0351\u036B\u0343\u032A';
/** One word without a place to break a line. */
const wide = (length: number): string => 'W'.repeat(length);

const villain = await addPerson(org, 'villain');
const rtl = await addPerson(org, 'rtl');
await villain.api.ok('PATCH /settings', { full_name: `'-{{window.ran=2}}-&lt;img&gt;'${wide(50)}` });
await rtl.api.ok('PATCH /settings', { full_name: `אבג &lt;script&gt; ;${wide(50)}` });
const people = [owner, member, villain, rtl];
const muted = await addPerson(org, 'muted');
await muted.api.ok('PATCH /settings', { full_name: `&lt;script&gt;window.ran=22${wide(50)}` });
await owner.api.ok('POST /users/me/muted_users/{muted_user_id}', { muted_user_id: muted.id });
await owner.api.ok('POST /realm/domains', { domain: `${wide(60).toLowerCase()}.example.com`, allow_subdomains: true });
/** Streams: 60 characters at most. */
const streams = [`<svg onload=window.ran=3>${wide(30)}`, `${ODD}"><script>window.ran=4</script>`, wide(60)];
for (const name of streams) {
  await subscribe(owner, name, { principals: people });
  const id = await streamIdOf(owner, name);
  await owner.api.ok('PATCH /streams/{stream_id}', {
    stream_id: id,
    description: `${IMAGE} [x](javascript:window.ran=5) ${wide(500)}`,
  });
}
const stream = await streamIdOf(owner, streams[0]!);
await owner.api.ok('POST /user_groups/create', {
  name: `<b ${RUN}>${wide(60)}`,
  description: `${IMAGE}${wide(300)}`,
  members: [member.id, villain.id],
});
await owner.api.ok('PATCH /realm', {
  name: `${IMAGE}${wide(5)}`,
  description: `${IMAGE}[x](javascript:window.ran=6)`,
});
await owner.api.ok('POST /realm/filters', {
  pattern: 'EVIL-(?P<id>[^ ]+)',
  url_template: 'https://elsewhere.example.com/{+id}',
});
await owner.api.ok('POST /realm/profile_fields', { name: wide(40), field_type: 1, hint: wide(80) });
await owner.api.ok('POST /realm/profile_fields', { name: `<i ${RUN}>`, field_type: 5 });
const { custom_fields: fields } = await owner.api.ok<{ custom_fields: { id: number; type: number }[] }>(
  'GET /realm/profile_fields',
);
const idOf = (type: number): number => fields.find((one) => one.type === type)!.id;
await villain.api.ok('PATCH /users/me/profile_data', {
  data: [
    { id: idOf(1), value: `${IMAGE}${wide(18)}` },
    { id: idOf(5), value: 'https://elsewhere.example.com/"><script>window.ran=8</script>' },
  ],
});
await villain.api.ok('POST /users/me/status', { status_text: `${IMAGE}${wide(20)}`, emoji_name: 'heart' });

const topics = [`${IMAGE}${wide(20)}`, `${ODD}${wide(40)}`, `'"><script>window.ran=9</script>`, wide(60)];
const texts = [
  `${IMAGE}<a href="javascript:window.ran=10">x</a>`,
  wide(9_000),
  `${ODD.repeat(50)} \u202E reversed`,
  'Z\u0351\u036B\u0343\u032A\u0302\u036B\u033D\u034F'.repeat(200),
  `EVIL-"><script>window.ran=11</script> EVIL-${wide(400)} EVIL-javascript:window.ran=12`,
  `@**${'x'.repeat(50)}** @_**|${villain.id}** #**${streams[0]}** #**${streams[0]}>${topics[0]}**`,
  `[${wide(300)}](javascript:window.ran=13) [y](data:text/html,<script>window.ran=14</script>) <vbscript:x>`,
  `| ${Array.from({ length: 40 }, () => wide(40)).join(' | ')} |\n|${'---|'.repeat(40)}`,
  `\`\`\`${wide(60)}\n${wide(2_000)}\n\`\`\``,
  `\`\`\`spoiler ${IMAGE}${wide(300)}\n${wide(300)}\n\`\`\``,
  `${'> '.repeat(60)}deep`,
  `${Array.from({ length: 40 }, (_, n) => `${' '.repeat(n * 2)}* ${n}`).join('\n')}`,
  `$$${'\\frac{1}{'.repeat(30)}x${'}'.repeat(30)}$$ $$\\href{javascript:window.ran=15}{x}$$ $$\\rule{9999em}{9999em}$$`,
  `/poll ${IMAGE}${wide(300)}\n<script>window.ran=16</script>${wide(300)}\n${ODD}`,
  '/me <img src=x onerror=window.ran=17>',
  `<time:9999-12-31T23:59:59Z> <time:${wide(200)}> :${wide(200)}:`,
];
for (const [n, text] of texts.entries()) await say(villain, streams[n % 3]!, topics[n % 4]!, text);
for (const text of texts) await say(rtl, streams[0]!, topics[0]!, text);
await tell(villain, [owner], `${IMAGE} ${wide(500)}`);
await tell(rtl, [owner, villain], `${ODD} hi`);
const file = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran=18"><script>parent.ran=19</script></svg>',
);
const form = new FormData();
form.append('file', new Blob([file], { type: 'image/svg+xml' }), `${wide(60)}"onload=window.ran=20 <b>.svg`);
const host = `${org.subdomain}.localhost:${server.nextPort()}`;
const sent = await fetch(`http://127.0.0.1:${server.nextPort()}/api/v1/user_uploads`, {
  method: 'POST',
  headers: { ...villain.api.headers },
  body: form,
});
const { uri } = (await sent.json()) as { uri: string };
await say(villain, streams[0]!, topics[0]!, `![${IMAGE}](${uri}) [${wide(100)}](${uri})`);
await owner.api.ok('POST /drafts', {
  drafts: [{ type: 'stream', to: [stream], topic: topics[0], content: `${IMAGE}${wide(500)}`, timestamp: 1 }],
});
await owner.api.ok('POST /scheduled_messages', {
  ...{ type: 'stream', to: stream, topic: topics[3], content: `${IMAGE}${wide(500)}` },
  scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 86_400,
});
await owner.api.ok('POST /bots', { full_name: `'-{{window.ran=21}}-&lt;s&gt;'${wide(50)}`, short_name: 'wide' });
await owner.api.ok('POST /invites', {
  ...{ invitee_emails: `${wide(50)}@${wide(60)}.example.com`, invite_as: 400 },
  ...{ stream_ids: [stream], invite_expires_in_minutes: 60 },
});
await owner.api.ok('POST /default_streams', { stream_id: stream });
await owner.api.ok('POST /realm/playgrounds', {
  ...{ name: `${IMAGE}${wide(40)}`, highlighter_language: 'Python' },
  url_prefix: `https://elsewhere.example.com/${wide(60)}?code=`,
});
await owner.api.ok('POST /user_topics', { stream_id: stream, topic: topics[2], visibility_policy: 1 });
await owner.api.ok('POST /users/me/alert_words', { alert_words: [`${IMAGE}`, wide(80)] });

const topicHash = (topic: string): string =>
  `#narrow/stream/${stream}/topic/${encodeURIComponent(topic).replaceAll('.', '%2E').replaceAll('%', '.')}`;
const MESSAGES = '[data-message]';
const ROWS = '.settings-content .rows';
/** Addresses, and an element with words that is there when the view shows what is hostile. */
const VIEWS: readonly (readonly [hash: string, ready: string, words: string])[] = [
  ['#inbox', '.overview', 'script'],
  ['#recent', '.overview', 'script'],
  ['#all_messages', MESSAGES, ''],
  [`#narrow/stream/${stream}`, MESSAGES, ''],
  ...topics.map((topic) => [topicHash(topic), MESSAGES, ''] as const),
  [`#narrow/dm/${villain.id}`, MESSAGES, ''],
  [`#narrow/dm/${villain.id},${rtl.id}`, MESSAGES, ''],
  ['#narrow/search/reversed', MESSAGES, ''],
  ['#drafts', '.overview', IMAGE],
  ['#scheduled', '.overview', IMAGE],
  [`#users/${villain.id}`, '.person-card', `${IMAGE}${wide(18)}`],
  [`#users/${rtl.id}`, '.person-card', 'script'],
  ['#streams/all', '.stream-list', streams[0]!],
  [`#streams/${stream}/general`, '.settings-page h2', streams[0]!],
  [`#streams/${stream}/personal`, '.settings-page h2', streams[0]!],
  [`#streams/${stream}/subscribers`, '.people-list', 'window.ran'],
  ['#groups', ROWS, `<b ${RUN}>`],
  ['#settings/profile', '.settings-page h2', 'Profile'],
  ['#settings/alert-words', '.settings-content', IMAGE],
  ['#settings/muted', '.settings-content', 'window.ran=22'],
  ['#organization/profile', '.settings-page h2', 'Organization profile'],
  ['#organization/permissions', '.settings-page h2', 'Permissions'],
  ['#organization/people', '.people-list', 'window.ran'],
  ['#organization/invitations', '.settings-content', streams[0]!],
  ['#organization/bots', ROWS, 'window.ran=21'],
  ['#organization/groups', ROWS, `<b ${RUN}>`],
  ['#organization/linkifiers', ROWS, 'EVIL'],
  ['#organization/playgrounds', ROWS, IMAGE],
  ['#organization/profile-fields', ROWS, `<i ${RUN}>`],
  ['#organization/default-streams', ROWS, streams[0]!],
  ['#organization/defaults', '.settings-page h2', 'Defaults'],
];
/** Hostile addresses, which lead to no place. */
const NO_PLACES: readonly (readonly [hash: string, ready: string, words: string])[] = [
  [`#narrow/stream/9999-${IMAGE}/topic/${IMAGE}`, '.messages', 'no such stream'],
  [`#settings/${IMAGE}`, '.settings', ''],
  [`#${IMAGE}`, '.opening', 'nothing at this address'],
];
/** Notices of views that have nothing to show. On a desk, one stands beside the list of streams. */
const NOTHING_HERE = '.opening, .settings-content .empty';
const CHOOSE = 'Choose a stream.';

/** Elements that stick out of the window, other than inside a block that scrolls or cuts by itself. */
const STICKING = `(() => {
  const clipped = (e) => {
    for (let of = e.parentElement; of && !of.matches('[data-messages], .view, .side'); of = of.parentElement) {
      if (getComputedStyle(of).overflowX !== 'visible') return true;
    }
    return false;
  };
  return [...document.body.querySelectorAll('*')]
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && e.getBoundingClientRect().width > 0 && !clipped(e))
    .slice(0, 3)
    .map((e) => e.outerHTML.slice(0, 160));
})()`;

/** Faults of the page: script that ran, parts that are too wide, elements and links that may not be there. */
const LOOK = `({
  ran: typeof window.ran,
  wide: [document.documentElement, ...document.querySelectorAll('.view, .side, [data-messages]')]
    .filter((e) => e.scrollWidth > e.clientWidth + 1)
    .map((e) => e.className + ' ' + e.scrollWidth + '>' + e.clientWidth),
  sticking: ${STICKING},
  links: [...document.querySelectorAll('a[href]')].map(({ protocol }) => protocol)
    .filter((protocol) => !['http:', 'https:', 'mailto:'].includes(protocol)),
  elements: [...document.querySelectorAll('.view script, .view iframe, .view object, .view embed, [onerror], [onload]')]
    .map((e) => e.outerHTML),
})`;

/** Screens of messages that are looked at in a view. */
const STEPS = 12;
/** Shows the screen of messages above; false: there is none. */
const SCROLL_UP = `(async () => {
  const list = document.querySelector('[data-messages]');
  if (!list || list.scrollTop < 2) return false;
  list.scrollTop -= list.clientHeight * 0.8;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return true;
})()`;

const VIEWPORTS = [DESK, PHONE];
/** A short run looks at each view at one of the widths. */
const isTriedAt = ([hash]: (typeof VIEWS)[number], viewport: typeof DESK | typeof PHONE): boolean =>
  picked(VIEWPORTS, 1, ({ width }) => `${hash} ${width}`).includes(viewport);

for (const viewport of VIEWPORTS) {
  t.test(`nothing of hostile names and texts runs or breaks the layout at ${viewport.width} px`, async (t) => {
    const client = await ClientPage.open(browser, host, { viewport });
    const { page } = client;
    page.on('dialog', (dialog) => {
      t.fail(`a dialog opens: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await client.openSignedIn(owner.email, PASSWORD, '#recent');
    const clean = { ran: 'undefined', wide: [], sticking: [], links: [], elements: [] };
    const views = [...VIEWS, ...NO_PLACES].filter((view) => isTriedAt(view, viewport));
    for (const [hash, ready, words] of views) {
      await client.goTo(hash);
      await client.waitFor(ready, words);
      await page.waitForFunction(
        `document.querySelector('main') !== null && document.querySelector('.spinner, [aria-busy=true]') === null`,
      );
      if (!NO_PLACES.some(([one]) => one === hash)) {
        const said = await client.textOf(NOTHING_HERE);
        t.equal(said, hash === '#streams/all' && viewport === DESK ? CHOOSE : '', `${hash} shows something`);
      }
      t.strictSame(await page.evaluate(LOOK), clean, hash);
      for (let step = 0; step < STEPS && (await page.evaluate(SCROLL_UP)); step++) {
        t.strictSame(await page.evaluate(LOOK), clean, `${hash}, ${step + 1} screens further up`);
      }
    }
    t.strictSame(client.faults, []);
    await client.leave();
  });
}

/** Links whose addresses no browser opens. */
const INVALID_LINKS = ['http://a:99999999/x', '[b](http://[)', '[c](https://example.com:999999/)', '[d](http://%zz/)'];
const ADDRESS_PIECES = [
  'a',
  '%',
  '%ff',
  '%00',
  '[',
  ']',
  ':',
  '99999999',
  '@',
  '\\',
  '?',
  '#',
  '.',
  '/',
  'é',
  '\u202E',
];
const randomPath = fc.string({ unit: fc.constantFrom(...ADDRESS_PIECES), maxLength: 8 });
const randomLink = fc
  .tuple(fc.constantFrom('http://', 'https://a', '//', '#', '/', 'mailto:'), randomPath)
  .map(([start, path]) => `${start}${path} [x](${start}${path})`);

/** Links of messages that no browser opens. */
const INVALID_HREFS = `[...document.querySelectorAll('[data-message] a[href]')]
  .map((link) => link.getAttribute('href'))
  .filter((href) => !URL.canParse(href, location.href))`;

t.test('addresses that are not valid leave their texts and the other messages on screen', async (t) => {
  const topic = 'invalid addresses';
  const sayHere = (text: string) => say(villain, streams[0]!, topic, text);
  await sayHere(INVALID_LINKS.join('\n'));
  await sayHere('[](/user_uploads/1/aa/100%25%ff.png) [](/user_uploads/1/aa/100%25.png)');
  const links = fc.sample(randomLink, rounds(30, 150));
  await sayHere(links.join('\n'));
  await sayHere('the last word');
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(owner.email, PASSWORD, topicHash(topic));
  await client.waitFor(MESSAGES, 'http://a:99999999/x\nb\nc\nd');
  await client.waitFor(MESSAGES, 'the last word');
  t.strictSame(await client.page.evaluate(INVALID_HREFS), []);
  // Their files do not exist, so each picture becomes its name when its load has failed.
  const pictures = `[...document.querySelectorAll('${MESSAGES} .message_inline_image')]`;
  t.strictSame(await client.page.evaluate(`${pictures}.map((e) => e.querySelector('img')?.alt ?? e.textContent)`), [
    '100%25%ff.png',
    '100%.png',
  ]);
  t.strictSame(client.faults, [], links.join(' '));
});

t.test('a text that the client fails to decorate leaves itself and the other messages on screen', async (t) => {
  const topic = 'failing decoration';
  await say(villain, streams[0]!, topic, 'meet at <time:2026-05-28T13:00:00Z>');
  await say(villain, streams[0]!, topic, 'see you there');
  const client = await ClientPage.open(browser, host);
  await client.page.evaluateOnNewDocument(
    `Object.defineProperty(HTMLTimeElement.prototype, 'dateTime', { get() { throw new Error('no time'); } })`,
  );
  await client.openSignedIn(owner.email, PASSWORD, topicHash(topic));
  await client.waitFor(MESSAGES, 'meet at');
  await client.waitFor(MESSAGES, 'see you there');
  t.match(client.faults, [/no time/], 'the error is on the console');
});

t.test('a hostile picture is offered as a download, and runs no script', async (t) => {
  const client = await ClientPage.open(browser, host);
  const { page } = client;
  await client.openSignedIn(owner.email, PASSWORD, topicHash(topics[0]!));
  const answer = await page.evaluate(`fetch(${JSON.stringify(uri)}).then(({ status, headers }) => ({
    status,
    disposition: headers.get('content-disposition').replace(/;.*/, ''),
    policy: headers.get('content-security-policy').replace(/;.*/, ''),
    sniff: headers.get('x-content-type-options'),
  }))`);
  t.match(answer, { status: 200, disposition: 'attachment', policy: "default-src 'none'", sniff: 'nosniff' });
  // The browser gives up the change of page in favour of a download.
  await t.rejects(page.goto(`http://${host}${uri}`), { message: /ERR_ABORTED/ });
  t.match(page.url(), '#narrow', 'the page stays');
  t.equal(await page.evaluate('typeof window.ran'), 'undefined');
  t.strictSame([client.faults, client.refusals], [[], []]);
});
