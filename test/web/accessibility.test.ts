/**
 * axe-core on each view and on the dialogs and menus of messages and rows, light and dark, and on each view of a phone
 * in the other looks. The pages of the settings are in settings.test.ts, and dialogs on a phone in touch.test.ts.
 */
import t from 'tap';
import { upload } from '../api/support/files.js';
import { makeOrganization, PASSWORD, say, streamIdOf, subscribe, tell } from '../api/support/organization.js';
import { PICTURE } from '../support/identity-provider.js';
import { picked } from '../support/rounds.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium, PHONE, withPictures } from './support/chromium.js';
import { startFace } from './support/face.js';

/** One of each construct that messages are made of. */
const RICH = [
  '**bold** *italic* ~~gone~~ `code` [a link](https://example.com) :tada: <time:2026-11-24T10:00:00Z>',
  '> quoted',
  '```js\nconst answer = 42;\n```',
  '```spoiler What happens\nEverybody lives.\n```',
  '```math\n\\sum_{i=1}^n i\n```',
  '| left | right |\n|------|------:|\n| one | 2 |',
  '1. first\n2. second\n   * inside',
].join('\n\n');

/** Looks in which dialogs are opened. On a phone, touch.test.ts opens them. */
const DESK_LOOKS: readonly string[] = ['light', 'dark'];

/** Looks in which something is opened and judged: all, in a short run one of them by seed. */
const looksOf = (title: string, all: readonly string[]): readonly string[] =>
  picked(all, 1, (one) => `${title} ${one}`);

t.setTimeout(240_000);

t.test('views without a finding of axe', { skip: CHROMIUM_IS_MISSING }, async (t) => {
  const server = await startFace('accessibility');
  const browser = await openChromium(t);
  const org = await makeOrganization(server, ['member', 'other']);
  const { owner, member, other } = org;
  await subscribe(owner, ['general', 'design'], { principals: [owner, member, other] });
  const [general, design] = [await streamIdOf(member, 'general'), await streamIdOf(member, 'design')];
  const mine = await say(member, 'general', 'plans', RICH);
  await say(other, 'general', 'plans', `@**${member.name}** @**all** see #**design** and #**general>plans**`);
  await other.api.ok('POST /messages/{message_id}/reactions', { message_id: mine, emoji_name: 'tada' });
  await member.api.ok('POST /messages/flags', { messages: [mine], op: 'add', flag: 'starred' });
  await owner.api.ok('PATCH /realm', { enable_read_receipts: true });
  await member.api.ok('PATCH /messages/{message_id}', { message_id: mine, content: `${RICH}\n\nedited` });
  const shore = await upload(other, 'shore.png', PICTURE, 'image/png');
  const bay = await upload(other, 'bay.png', PICTURE, 'image/png');
  await say(other, 'general', 'plans', `[shore](${shore}) and [bay](${bay})`);
  await say(other, 'design', 'colours', '/poll Which one?\nred\nblue');
  await tell(other, [member], 'hello');
  await member.api.ok('POST /scheduled_messages', {
    ...{ type: 'stream', to: general, topic: 'plans', content: 'later' },
    scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 86_400,
  });
  await member.api.ok('POST /drafts', {
    drafts: [{ type: 'stream', to: [general], topic: 'elsewhere', content: 'half a thought', timestamp: 1 }],
  });

  const topic = `#narrow/stream/${general}-general/topic/plans`;
  /** Address, and an element that is there when the view is. */
  const views: readonly (readonly [name: string, hash: string, ready: string, words: string])[] = [
    ['inbox', '#inbox', '.overview-row, .empty', ''],
    ['recent conversations', '#recent', '.overview', 'plans'],
    ['drafts', '#drafts', '.overview', 'half a thought'],
    ['scheduled messages', '#scheduled', '.overview', 'later'],
    ['all messages', '#all_messages', '.message-body', 'hello'],
    ['a topic', topic, '.message-body', 'bold'],
    ['a poll', `#narrow/stream/${design}-design/topic/colours`, '.message-row', 'Which one?'],
    ['a direct conversation', `#narrow/dm/${other.id}`, '.message-body', 'hello'],
    ['mentions', '#narrow/is/mentioned', '.message-row.mentioned', ''],
    ['starred messages', '#narrow/is/starred', '.message-body', 'bold'],
    ['results of a search', '#narrow/search/quoted', '.message-body .highlight', 'quoted'],
    ['an empty conversation', '#narrow/stream/1-general/topic/nothing', '.messages', 'No messages here'],
    ['no such place', '#nowhere', '.opening', 'nothing at this address'],
  ];

  const looks = {
    light: { scheme: 'light' },
    dark: { scheme: 'dark' },
    'dark on a phone': { scheme: 'dark', viewport: PHONE },
    'high contrast on a phone': { scheme: 'light', contrast: 'more', viewport: PHONE },
    'dark high contrast on a phone': { scheme: 'dark', contrast: 'more', viewport: PHONE },
  } as const;
  const schemes = Object.keys(looks);
  for (const [scheme, look] of Object.entries(looks)) {
    const client = await ClientPage.open(browser, `${org.subdomain}.localhost:${server.nextPort()}`, look);
    const isPhone = 'viewport' in look;
    const check = (title: string, run: () => Promise<unknown>): Promise<unknown> =>
      t.test(`${title}, ${scheme}`, async (t) =>
        withPictures(t, { page: client }, async () => {
          await run();
          t.strictSame(await client.findings(), []);
        }),
      );
    const { keyboard } = client.page;
    if (looksOf('sign-in', schemes).includes(scheme)) {
      await check('sign-in', async () => {
        await client.goTo('');
        await client.waitFor('h1', 'Sign in to');
      });
      await client.signIn(member.email, PASSWORD);
    } else await client.openSignedIn(member.email, PASSWORD);
    await client.waitFor(isPhone ? '.open-sidebar button' : '.row.stream', isPhone ? '' : 'general');
    for (const [name, hash, ready, words] of views) {
      if (!looksOf(name, schemes).includes(scheme)) continue;
      await check(name, async () => {
        await client.goTo(hash);
        await client.waitFor(ready);
        // A key brings the rows beside the screen, and the words may be in one of them.
        await keyboard.press('Shift');
        await client.waitFor(ready, words);
      });
    }
    if (!isPhone) {
      await client.goTo(topic);
      await client.waitFor('.message-body', 'bold');
    }
    const dialogs: readonly (readonly [name: string, open: () => Promise<unknown>])[] = [
      [
        'menu of a message',
        async () => {
          await client.openMessageMenu();
          await client.waitFor('.menu-item', 'Quote and reply');
        },
      ],
      [
        'moving messages',
        async () => {
          await client.click('.menu-item', 'Move message');
          await client.waitFor('dialog h2', 'Move');
        },
      ],
      [
        'quick switcher',
        async () => {
          await client.pressControl('k');
          await client.waitFor('dialog input');
        },
      ],
      [
        'search',
        async () => {
          await keyboard.press('/');
          await client.waitFor('[role=listbox], dialog input');
        },
      ],
      [
        'a message to a stream, with suggestions',
        async () => {
          await client.fill('.compose-text', 'see #');
          await client.waitFor('[role=option]', 'design');
        },
      ],
      [
        'emoji picker',
        async () => {
          await client.fill('.compose-text', 'hello');
          await client.click('.compose-box button', 'Emoji');
          await client.waitFor('.emoji-grid button');
        },
      ],
    ];
    const chooseFor = async (words: string, item: string) => {
      await client.openMessageMenu(words);
      await client.click('.menu-item', item);
    };
    const openRowMenu = async (row: string, words: string) => {
      await client.waitFor(row, words);
      await client.page.evaluate(`[...document.querySelectorAll(${JSON.stringify(`${row} a`)})]
        .find((one) => one.textContent.includes(${JSON.stringify(words)}))
        .dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, button: 2, clientX: 40, clientY: 40 }))`);
      await client.waitFor('.menu-item', 'Copy link');
    };
    const more: readonly (readonly [name: string, open: () => Promise<unknown>])[] = [
      ['edit history', () => chooseFor('bold', 'Edit history').then(() => client.waitFor('dialog .history-entry'))],
      ['read receipts', () => chooseFor('bold', 'Read receipts').then(() => client.waitFor('dialog', 'has read'))],
      ['source of a message', () => chooseFor('shore', 'View source').then(() => client.waitFor('dialog', '[shore]'))],
      [
        'a confirmation',
        async () => {
          await openRowMenu('.row.stream', 'design');
          await client.click('.menu-item.danger');
          await client.waitFor('dialog button.danger');
        },
      ],
      [
        'times to send',
        async () => {
          await client.fill('.compose-text', 'hello');
          await client.click('.compose-box button', 'Send later');
          await client.waitFor('dialog .schedule-choice');
        },
      ],
      [
        'a picture',
        async () => {
          await client.click('.message_inline_image a');
          await client.waitFor('.viewer .viewer-count', '1 of 2');
        },
      ],
      [
        'menu of a person',
        () => client.click('.message-sender', other.name).then(() => client.waitFor('.menu-item', 'Profile')),
      ],
      ['menu of a stream', () => openRowMenu('.row.stream', 'design')],
      ['menu of a topic', () => openRowMenu('.row.topic', 'plans')],
    ];
    const isOpenedHere = (title: string): boolean => !isPhone && looksOf(title, DESK_LOOKS).includes(scheme);
    for (const [name, open] of dialogs) {
      // Messages are moved from their menu.
      if (!isOpenedHere(name === 'moving messages' ? 'menu of a message' : name)) continue;
      await check(name, open);
      if (name !== 'menu of a message') {
        await keyboard.press('Escape');
        await client.waitUntilGone('dialog, .emoji-picker, [role=listbox]');
        await client.page.evaluate('document.activeElement?.blur()');
      }
    }
    for (const [name, open] of more) {
      if (!isOpenedHere(name)) continue;
      await t.test(`${name}, ${scheme}`, async (t) =>
        withPictures(t, { page: client }, async () => {
          await open();
          t.strictSame(await client.findings(), []);
          await keyboard.press('Escape');
          await client.waitUntilGone('dialog, .popover:popover-open');
          await client.page.evaluate('document.activeElement?.blur()');
        }),
      );
    }
    t.strictSame([client.faults, client.refusals], [[], []], scheme);
    await client.leave();
  }
});
