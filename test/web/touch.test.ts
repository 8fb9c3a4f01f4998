/**
 * Targets of a finger on a phone, 390 pixels wide, in each view and dialog: 44 by 44 pixels or more (WCAG 2.5.5). The
 * long form judges each of them by axe-core, too, a short run one in eight.
 */
import t, { type Test } from 'tap';
import { upload } from '../api/support/files.js';
import { linkIn, mailed } from '../api/support/mails.js';
import { makeOrganization, PASSWORD, say, streamIdOf, subscribe, tell } from '../api/support/organization.js';
import { PICTURE } from '../support/identity-provider.js';
import { picked } from '../support/rounds.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium, PHONE, withPictures } from './support/chromium.js';
import { startFace } from './support/face.js';
import { findSmallTargets } from './support/targets.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}
t.setTimeout(240_000);

const server = await startFace('touch');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['admin', 'member', 'other']);
const { owner, member, other } = org;
const host = `${org.subdomain}.localhost:${server.nextPort()}`;
await subscribe(owner, ['general', 'harbour'], { principals: [owner, member, other] });
const stream = await streamIdOf(owner, 'general');

type Step = readonly [title: string, act: () => Promise<unknown>];

async function checkSteps(t: Test, client: ClientPage, steps: readonly Step[]): Promise<void> {
  const judged = picked(steps, Math.ceil(steps.length / 8), ([title]) => `touch ${title}`);
  for (const step of steps) {
    const [title, act] = step;
    const check = async () => {
      await act();
      if (judged.includes(step)) t.strictSame(await client.findings(), [], `${title}, by axe-core`);
      t.strictSame(await findSmallTargets(client), [], title);
    };
    await withPictures(t, { client }, check, title);
  }
  t.strictSame([client.faults, client.refusals], [[], []]);
}

/** Closes menus, dialogs and drawers, each by its Escape. */
async function closeAll({ page }: ClientPage): Promise<void> {
  const open = "document.querySelectorAll('.popover:popover-open, dialog[open]').length";
  for (let left = (await page.evaluate(open)) as number; left > 0; left--) {
    await page.keyboard.press('Escape');
    await page.waitForFunction(`${open} < ${left}`);
  }
}

async function openPhone(email: string, hash: string): Promise<ClientPage> {
  const client = await ClientPage.open(browser, host, { viewport: PHONE, isNewProfile: true });
  await client.openSignedIn(email, PASSWORD, hash);
  return client;
}

t.test('small targets are found, and only those', async (t) => {
  const client = await ClientPage.open(browser, host, { viewport: PHONE, isNewProfile: true });
  await client.page.setContent(`<style>
      button, a { display: inline-block; width: 44px; padding: 0; border: 0; height: 44px; }
      .small { height: 40px }
      .grown { position: relative; margin: 30px; width: 20px; height: 20px }
      .grown::after { content: ''; position: absolute; inset: -12px }
      p { margin: 60px }
    </style>
    <button>large</button> <button class="small">small</button> <button class="grown">grown</button>
    <p>A sentence with <a href="#" style="display: inline">a link</a></p> <a class="small" href="#">alone</a>
    <label style="display: block; height: 44px"><input type="checkbox"> a long label</label> <input type="checkbox">`);
  t.strictSame(await findSmallTargets(client), ['button.small "small" 44×40', 'a.small "alone" 44×40', 'input 13×13']);
});

const RICH = [
  'A text with [a link](https://example.com), #**general** and :tada:',
  '```js\nconst answer = 42;\n```',
  '```spoiler What happens\nEverybody lives.\n```',
  '| left | right |\n|------|------:|\n| one | 2 |',
].join('\n\n');

t.test('lists of conversations and menus of the frame have large targets', async (t) => {
  await say(other, 'general', 'plans', RICH);
  await say(other, 'general', 'x', `@**${member.name}** hello`);
  await say(other, 'harbour', 'tides', 'high at noon');
  await tell(other, [member], 'hello');
  await member.api.ok('POST /scheduled_messages', {
    ...{ type: 'stream', to: stream, topic: 'plans', content: 'later' },
    scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 86_400,
  });
  await member.api.ok('POST /drafts', {
    drafts: [{ type: 'stream', to: [stream], topic: 'elsewhere', content: 'half a thought', timestamp: 1 }],
  });
  const client = await openPhone(member.email, '#inbox');
  const { page } = client;
  const close = () => closeAll(client);
  await checkSteps(t, client, [
    ['inbox', () => client.waitFor('.overview-row', 'tides')],
    ['recent conversations', () => client.goTo('#recent').then(() => client.waitFor('.overview-row', 'tides'))],
    ['drafts', () => client.goTo('#drafts').then(() => client.waitFor('.overview-row', 'half a thought'))],
    ['scheduled', () => client.goTo('#scheduled').then(() => client.waitFor('.overview-row', 'later'))],
    ['no such place', () => client.goTo('#nowhere').then(() => client.waitFor('.opening button'))],
    [
      'sidebar',
      async () => {
        await client.click('.open-sidebar button');
        await client.waitFor('dialog .row.stream', 'general');
        await client.click('dialog .stream-toggle');
        await client.waitFor('dialog .row.topic');
      },
    ],
    [
      'menu of the organization',
      async () => {
        await client.click('dialog .realm-button');
        await client.waitFor('.menu-item', 'Browse streams');
      },
    ],
    [
      'menu of the reader',
      async () => {
        await client.click('dialog .own-button');
        await client.waitFor('.menu-item', 'Sign out');
      },
    ],
    [
      'people',
      async () => {
        await close();
        await client.click('.bar button', 'people');
        await client.waitFor('dialog .row.person', other.name);
      },
    ],
    [
      'quick switcher',
      async () => {
        await close();
        await client.pressControl('k');
        await client.waitFor('dialog .palette-option');
      },
    ],
    [
      'search',
      async () => {
        await close();
        await client.click('.bar-search');
        await client.waitFor('dialog input');
        await page.keyboard.type('stream:general ');
        await client.waitFor('dialog .search-chip');
      },
    ],
    [
      'shortcuts',
      async () => {
        await close();
        await page.keyboard.press('?');
        await client.waitFor('.help-row');
      },
    ],
  ]);
});

t.test('a conversation, its menus and its dialogs have large targets', async (t) => {
  const address = await upload(member, 'shore.png', PICTURE, 'image/png');
  await say(member, 'general', 'shapes', RICH);
  await say(member, 'general', 'shapes', 'a second one by the same person');
  const id = await say(other, 'general', 'shapes', `[shore.png](${address}) and @**${member.name}**`);
  await other.api.ok('POST /messages/{message_id}/reactions', { message_id: id, emoji_name: 'tada' });
  await say(other, 'general', 'shapes', '/poll Which one?\nred\nblue');
  await say(other, 'general', 'shapes', '/todo Ropes\nmend: them');
  const edited = await say(member, 'general', 'shapes', 'before');
  await member.api.ok('PATCH /messages/{message_id}', { message_id: edited, content: 'after' });
  const client = await openPhone(member.email, `#narrow/stream/${stream}-general/topic/shapes`);
  const { page } = client;
  const close = () => closeAll(client);
  await checkSteps(t, client, [
    [
      'messages',
      async () => {
        await client.waitFor('.message-row', 'after');
        const isBelow = await page.evaluate(`document.querySelector('.codehilite pre').getBoundingClientRect().top >=
          document.querySelector('.code-copy').getBoundingClientRect().bottom`);
        t.ok(isBelow, 'the button of a code block covers no code');
      },
    ],
    [
      'a chosen message',
      async () => {
        await client.click('.message-row:last-of-type .message-body', 'after');
        await page.waitForSelector('.message-row.selected .message-tools .icon-button');
      },
    ],
    [
      'menu of a message',
      async () => {
        await client.click('.message-row.selected .message-tools [aria-haspopup=menu]');
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
      'edit history',
      async () => {
        await close();
        await client.click('.message-edited');
        await client.waitFor('dialog .history-entry');
      },
    ],
    [
      'menu of the topic',
      async () => {
        await close();
        await client.click('.bar > [aria-haspopup=menu]');
        await client.waitFor('.menu-item', 'Rename or move topic');
      },
    ],
    [
      'emoji picker',
      async () => {
        await close();
        await client.click('.message-row.selected .message-tools button', 'reaction');
        await client.waitFor('.emoji-grid button');
      },
    ],
    [
      'editing',
      async () => {
        await close();
        await client.click('.message-row.selected .message-tools button', 'Edit');
        await client.waitFor('.edit-box');
      },
    ],
    [
      'a person',
      async () => {
        await client.click('.edit-box button', 'Cancel');
        await client.click('.message-sender', other.name);
        await client.waitFor('.menu-item, .person-card');
      },
    ],
    [
      'a picture',
      async () => {
        await close();
        await client.click('.message_inline_image a');
        // The message shows a thumbnail, the viewer the picture itself.
        await page.waitForSelector('.viewer-stage img[src^="/user_uploads/"][src$="/shore.png"]');
      },
    ],
    [
      'compose box',
      async () => {
        await close();
        await client.fill('.compose-text', 'hello');
      },
    ],
    [
      'suggestions',
      async () => {
        await client.fill('.compose-text', 'see #');
        await client.waitFor('[role=option]', 'harbour');
      },
    ],
    [
      'compose box with its address',
      async () => {
        await close();
        await client.goTo('#narrow/is/mentioned');
        await page.waitForSelector('.compose-address input');
      },
    ],
    [
      'times to send',
      async () => {
        await client.goTo(`#narrow/stream/${stream}-general/topic/shapes`);
        await client.waitFor('.message-row', 'after');
        await client.fill('.compose-text', 'hello');
        await client.click('.compose-tools button', 'later');
        await client.waitFor('dialog .schedule-choice');
      },
    ],
    [
      'a direct message',
      async () => {
        await close();
        await client.goTo(`#narrow/dm/${other.id}`);
        await client.waitFor('.message-body', 'hello');
      },
    ],
    [
      'an empty conversation',
      () => client.goTo('#narrow/is/starred').then(() => client.waitFor('.messages', 'No messages here')),
    ],
    ['a stream', () => client.goTo(`#narrow/stream/${stream}-general`).then(() => client.waitFor('.recipient'))],
  ]);
});

const OWN = ['profile', 'account', 'display', 'notifications', 'privacy', 'muted', 'alert-words', 'sessions'];
const ORGANIZATION = [
  ...['profile', 'permissions', 'messages', 'people', 'invitations', 'bots', 'groups', 'emoji', 'linkifiers'],
  ...['playgrounds', 'profile-fields', 'default-streams', 'defaults', 'exports'],
];

t.test('settings, streams and organization have large targets', async (t) => {
  await owner.api.ok('POST /realm/profile_fields', { name: 'Favourite food', field_type: 1 });
  await owner.api.ok('POST /realm/profile_fields', { name: 'Mentor', field_type: 6 });
  await owner.api.ok('POST /user_groups/create', { name: 'sailors', description: '', members: [owner.id] });
  await owner.api.ok('POST /realm/filters', { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' });
  await owner.api.ok('POST /bots', { full_name: 'Lighthouse', short_name: 'light' });
  await owner.api.ok('POST /users/me/alert_words', { alert_words: ['fog'] });
  await owner.api.ok('POST /users/me/muted_users/{muted_user_id}', { muted_user_id: other.id });
  const client = await openPhone(owner.email, '#settings');
  const hashes = [
    ...['#settings', '#organization', '#streams', '#streams/all', '#streams/new'],
    ...['general', 'personal', 'subscribers'].map((part) => `#streams/${stream}/${part}`),
    ...OWN.map((part) => `#settings/${part}`),
    ...ORGANIZATION.map((part) => `#organization/${part}`),
    `#users/${member.id}`,
  ];
  const ready = '.settings-content h2, .person-card, .settings-content .empty, .stream-list, .settings-nav';
  const steps = hashes.map((hash): Step => [hash, () => client.goTo(hash).then(() => client.waitFor(ready))]);
  await checkSteps(t, client, steps);
});

/** Address, button, and words of what it opens. */
const SETTINGS_DIALOGS = [
  ['#settings/account', 'Change address'],
  ['#settings/account', 'Change password'],
  ['#settings/account', 'Show API key'],
  ['#organization/people', 'Actions for'],
  ['#organization/bots', 'Create bot'],
  ['#organization/groups', 'Create group'],
  ['#organization/groups', 'Edit sailors'],
  ['#organization/linkifiers', 'Add linkifier'],
  ['#organization/playgrounds', 'Add playground'],
  ['#organization/profile-fields', 'Add field'],
  ['#organization/profile-fields', 'Edit Favourite food'],
] as const;

t.test('dialogs of the settings have large targets', async (t) => {
  const client = await openPhone(owner.email, '#settings');
  const steps = SETTINGS_DIALOGS.map(
    ([hash, button]): Step => [
      `${hash}: ${button}`,
      async () => {
        await closeAll(client);
        await client.goTo(hash);
        await client.click('.settings-content button', button);
        await client.waitFor('dialog[open] button, .menu-item');
      },
    ],
  );
  steps.push([
    'a bot',
    async () => {
      await closeAll(client);
      await client.goTo('#organization/bots');
      await client.click('.row-line button', 'Actions for');
      await client.click('.menu-item', 'Edit bot');
      await client.waitFor('dialog[open] .picture-entry');
    },
  ]);
  await checkSteps(t, client, steps);
});

t.test('pages of readers without an account have large targets', async (t) => {
  const client = await ClientPage.open(browser, host, { viewport: PHONE, isNewProfile: true });
  const { page } = client;
  const at =
    (path: string, wait: string): (() => Promise<unknown>) =>
    async () => {
      await page.goto(`http://${host}${path}`);
      await client.waitFor(wait);
    };
  await checkSteps(t, client, [
    ['sign-in', at('/', '.sign-in-card')],
    ['a forgotten password', at('/accounts/password/reset', 'input[name=email]')],
    [
      'a new password',
      async () => {
        await client.fill('input[name=email]', other.email);
        await client.click('button', 'Send the link');
        await client.waitFor('h1', 'Check your mail');
        const [mail] = await mailed(server, other.email);
        await page.goto(`http://${host}${linkIn(mail!)}`);
        await client.waitFor('.choice');
      },
    ],
  ]);
});
