/** Import of a Slack export: users, channels, markup, threads, reactions and links to files. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { makeZip } from '../support/zip.js';
import { runCommand } from './support/command-line.js';
import { command } from './support/face.js';
import { remove, temporary } from './support/folders.js';

const USERS = [
  {
    id: 'U2',
    name: 'bo',
    real_name: 'Bo Quay',
    is_admin: true,
    tz: 'Europe/Oslo',
    profile: { email: 'bo@quay.example' },
  },
  { id: 'U1', name: 'ann', real_name: 'Ann Quay', is_owner: true, is_primary_owner: true, profile: {} },
  { id: 'U3', name: 'guest', real_name: 'Gil Guest', is_restricted: true, profile: {} },
  { id: 'U4', name: 'gone', real_name: 'Gone Away', deleted: true, profile: {} },
];
const CHANNELS = [
  {
    id: 'C1',
    name: 'general',
    created: 1_500_000_000,
    is_general: true,
    members: ['U1', 'U2', 'U3'],
    purpose: { value: 'All\nof us' },
  },
  { id: 'C2', name: 'old', created: 1_500_000_000, is_archived: true, members: [] },
];
const text = (ts: string, user: string, words: string, more: object = {}) => ({
  type: 'message',
  ts,
  user,
  text: words,
  ...more,
});
const FILES: Readonly<Record<string, unknown>> = {
  'users.json': USERS,
  'channels.json': CHANNELS,
  'groups.json': [{ id: 'G1', name: 'board', created: 1_500_000_000, members: ['U1', 'U2'] }],
  'mpims.json': [{ id: 'G9', name: 'mpdm-1', members: ['U1', 'U2', 'U3'] }],
  'dms.json': [{ id: 'D1', members: ['U1', 'U2'] }],
  'general/2020-01-02.json': [
    text('1577923200.000100', 'U1', 'joined', { subtype: 'channel_join' }),
    text(
      '1577923201.000200',
      'U1',
      'Hi <@U2>, <!here> see <#C1|general> and <https://a.example/x_y_z|the *site*> &amp; `<b> *c*`',
    ),
    text('1577923204.000500', 'U2', '*bold* _it_ ~no~ snake_case_name', {
      thread_ts: '1577923204.000500',
      reactions: [
        { name: '+1::skin-tone-2', users: ['U1', 'U9'] },
        { name: 'nosuch', users: ['U1'] },
      ],
    }),
    text('1577923206.000700', 'U1', 'a reply', { thread_ts: '1577923204.000500' }),
    text('1577923207.000800', 'U1', 'look', {
      files: [{ title: 'Plan', url_private: 'https://files.slack.example/a b' }, { mode: 'tombstone' }],
    }),
    {
      type: 'message',
      subtype: 'bot_message',
      ts: '1577923208.000900',
      bot_id: 'B1',
      username: 'Builder',
      text: 'done',
    },
  ],
  'board/2020-01-02.json': [text('1577923202.000300', 'U2', 'private words')],
  'mpdm-1/2020-01-02.json': [text('1577923203.000400', 'U3', 'three of us')],
  'D1/2020-01-01.json': [text('1577836800.000100', 'U2', 'direct words')],
};

t.test('a Slack export is imported', async (test) => {
  const base = temporary('slack');
  test.teardown(() => remove(base));
  writeSlackFiles(base, FILES);
  const dataDir = join(base, 'data');
  const zip = join(base, 'slack.zip');
  writeFileSync(zip, makeZip(Object.entries(FILES).map(([path, value]) => ({ path, text: JSON.stringify(value) }))));
  test.match(await command(['import', zip, '--subdomain', 'quay', '--data-dir', dataDir]), /8 {2}messages/);
  await command(['export', join(base, 'out'), '--subdomain', 'quay', '--data-dir', dataDir]);
  const read = (name: string) => JSON.parse(readFileSync(join(base, 'out', name), 'utf8')) as Tables;
  const realm = read('realm.json');
  const { zerver_message: messages, zerver_usermessage: rows } = read('messages-000001.json') as Required<Tables>;
  test.strictSame(
    realm.zerver_userprofile!.map(({ full_name, delivery_email, role, is_active, is_bot }) => [
      full_name,
      delivery_email,
      role,
      is_active,
      is_bot,
    ]),
    [
      ['Ann Quay', 'ann@conclave.invalid', 100, true, false],
      ['Bo Quay', 'bo@quay.example', 200, true, false],
      ['Gil Guest', 'guest@conclave.invalid', 600, true, false],
      ['gone', 'gone@conclave.invalid', 400, false, false],
      ['Builder', 'builder-bot@conclave.invalid', 400, true, true],
    ],
  );
  test.strictSame(
    realm.zerver_stream!.map(({ name, invite_only, deactivated, description }) => [
      name,
      invite_only,
      deactivated,
      description,
    ]),
    [
      ['general', false, false, 'All of us'],
      ['old', false, true, ''],
      ['board', true, false, ''],
    ],
  );
  const thread = '2020-01-02 bold it no snake_case_name';
  test.strictSame(
    messages!.map(({ subject, content }) => [subject, content]),
    [
      ['', 'direct words'],
      [
        'imported from Slack',
        'Hi @**Bo Quay|9**, @**all** see #**general** and [the *site*](https://a.example/x_y_z) & `<b> *c*`',
      ],
      ['imported from Slack', 'private words'],
      ['', 'three of us'],
      [thread, '**bold** *it* ~~no~~ snake_case_name'],
      [thread, 'a reply'],
      ['imported from Slack', 'look\n[Plan](https://files.slack.example/a%20b)'],
      ['imported from Slack', 'done'],
    ],
    'messages are in order of time',
  );
  test.strictSame(
    realm.zerver_reaction!.map(({ message, emoji_name }) => [message, emoji_name]),
    [[5, '+1']],
  );
  const receivers = messages!.map(({ id }) => rows!.filter(({ message }) => message === id).length);
  test.strictSame(receivers, [2, 3, 2, 3, 3, 3, 3, 3], 'each channel member has a copy of its messages');
});

/** Imports a Slack export from its files. @returns the report, and the tables of an export of the organization */
async function importedFromSlack(test: Test, files: Readonly<Record<string, unknown>>) {
  const base = temporary('slack');
  test.teardown(() => remove(base));
  writeSlackFiles(base, { 'users.json': USERS, ...files });
  const target = ['--subdomain', 'quay', '--data-dir', join(base, 'data')];
  const report = await command(['import', join(base, 'slack'), ...target]);
  await command(['export', join(base, 'out'), ...target]);
  const read = (name: string) => JSON.parse(readFileSync(join(base, 'out', name), 'utf8')) as Tables;
  const { zerver_message: messages, zerver_usermessage: rows } = read('messages-000001.json');
  return { report, realm: read('realm.json'), messages: messages!, rows: rows! };
}

/** Writes an export's files into the folder `slack` of `base`. */
function writeSlackFiles(base: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(base, 'slack', name)), { recursive: true });
    writeFileSync(join(base, 'slack', name), JSON.stringify(value));
  }
}

t.test('mentions of people with equal or unusual names mention these people', async (test) => {
  const users = [
    ...USERS,
    { id: 'U5', name: 'bo2', real_name: 'Bo Quay' },
    { id: 'U6', name: 'st', real_name: 'A *B* C|D' },
  ];
  const { messages } = await importedFromSlack(test, {
    'users.json': users,
    'channels.json': CHANNELS,
    'general/2020-01-02.json': [
      text('1577923201.000200', 'U1', '<@U5>, <@U2> and <@U6>', { thread_ts: '1577923201.000200' }),
    ],
  });
  const [{ content, rendered_content, subject }] = messages as [Tables[string][number]];
  test.equal(content, '@**Bo Quay|12**, @**Bo Quay|9** and @**A B C|D|13**');
  const mentioned = [...String(rendered_content).matchAll(/data-user-id="(\d+)"/g)].map(([, id]) => id);
  test.strictSame(mentioned, ['12', '9', '13']);
  test.equal(subject, '2020-01-02 @Bo Quay, @Bo Quay and @A B C|D');
});

t.test('threads that begin with the same words have topics of their own', async (test) => {
  const words = 'The deployment of the payment service to production has failed again';
  const root = (second: number, content: string) => {
    const ts = `157792320${second}.000200`;
    return text(ts, 'U1', content, { thread_ts: ts });
  };
  const { messages } = await importedFromSlack(test, {
    'channels.json': CHANNELS,
    'general/2020-01-02.json': [
      root(1, 'Deploy failed'),
      root(2, 'deploy failed'),
      root(3, words),
      root(4, words),
      text('1577923205.000200', 'U2', 'a reply', { thread_ts: '1577923202.000200' }),
    ],
  });
  test.strictSame(
    messages.map(({ subject }) => subject),
    [
      '2020-01-02 Deploy failed',
      '2020-01-02 deploy failed (2)',
      '2020-01-02 The deployment of the payment service to product…',
      '2020-01-02 The deployment of the payment service to pro… (2)',
      '2020-01-02 deploy failed (2)',
    ],
  );
});

t.test('channels with long names that begin alike become streams to which links lead', async (test) => {
  const long = 'incident-2023-06-01-payments-database-failover-and-restore-team';
  const { realm, messages } = await importedFromSlack(test, {
    'channels.json': [
      ...CHANNELS,
      { id: 'C3', name: `${long}-a`, created: 1, members: [] },
      { id: 'C4', name: `${long}-b`, created: 1, members: ['U1'] },
    ],
    [`${long}-b/2020-01-02.json`]: [text('1577923201.000200', 'U1', `see <#C4|${long}-b> and <#C3>`)],
  });
  const names = realm.zerver_stream!.map(({ name }) => String(name));
  const expected = [`${long.slice(0, 59)}…`, `${long.slice(0, 55)}… (2)`];
  test.strictSame(names.slice(2), expected);
  test.equal(messages[0]!.content, `see #**${expected[1]}** and #**${expected[0]}**`);
  const linked = [...String(messages[0]!.rendered_content).matchAll(/data-stream-id="(\d+)"/g)].map(([, id]) => id);
  test.strictSame(linked, ['4', '3']);
});

t.test('messages whose text is in attachments or blocks have this text, and dropped ones are counted', async (test) => {
  const bot = (second: number, more: object) => ({
    ...{ type: 'message', subtype: 'bot_message', ts: `157792320${second}.000200`, bot_id: 'B1', username: 'CI' },
    ...more,
  });
  const { report, messages } = await importedFromSlack(test, {
    'channels.json': CHANNELS,
    'general/2020-01-02.json': [
      bot(1, { text: '', attachments: [{ text: '*Build 5* failed', fallback: 'x' }, { fallback: 'in 3 s' }] }),
      bot(2, { attachments: [{ title: 'Build 6', title_link: 'https://ci.example/6', text: 'ok', color: 'good' }] }),
      bot(3, { text: 'see https://a.example', attachments: [{ text: 'a preview', from_url: 'https://a.example' }] }),
      bot(4, { text: 'Build 7', attachments: [{ fields: [{ title: 'State', value: '*down*' }] }] }),
      bot(4, { text: '', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*Deploy* by <@U2>' } }] }),
      bot(4, { text: '', attachments: [{ color: 'good' }] }),
      bot(5, { text: 'from nobody', bot_id: undefined }),
      bot(6, { text: 'joined', subtype: 'channel_join' }),
    ],
  });
  test.strictSame(
    messages.map(({ content }) => content),
    [
      '**Build 5** failed\n\nin 3 s',
      '**[Build 6](https://ci.example/6)**\n\nok',
      'see https://a.example',
      'Build 7\n\n**State**: **down**',
      '**Deploy** by @**Bo Quay|9**',
    ],
  );
  test.match(report, / 1 {2}message without text\n/);
  test.match(report, / 1 {2}message without a sender/);
});

t.test(
  'a message that an app sent into a direct or group conversation reaches its members, in another group',
  async (test) => {
    const app = { type: 'message', subtype: 'bot_message', bot_id: 'B1', username: 'Builder' };
    const { realm, messages, rows } = await importedFromSlack(test, {
      'channels.json': CHANNELS,
      'mpims.json': [{ id: 'G9', name: 'mpdm-1', members: ['U1', 'U2', 'U3'] }],
      'dms.json': [{ id: 'D1', members: ['U1', 'U2'] }],
      'D1/2020-01-02.json': [
        text('1577923201.000200', 'U1', 'to Bo'),
        { ...app, ts: '1577923202.000200', text: 'a reminder' },
        { ...app, ts: '1577923203.000200', text: 'another' },
      ],
      'mpdm-1/2020-01-02.json': [
        text('1577923204.000200', 'U1', 'three of us'),
        { ...app, ts: '1577923205.000200', text: 'to all three' },
      ],
    });
    const nameById = new Map(realm.zerver_userprofile!.map(({ id, full_name }) => [id, full_name]));
    const receivers = messages.map(({ id, content }) => [
      content,
      rows
        .filter(({ message }) => message === id)
        .map(({ user_profile }) => nameById.get(user_profile))
        .sort(),
    ]);
    test.strictSame(receivers, [
      ['to Bo', ['Ann Quay', 'Bo Quay']],
      ['a reminder', ['Ann Quay', 'Bo Quay', 'Builder']],
      ['another', ['Ann Quay', 'Bo Quay', 'Builder']],
      ['three of us', ['Ann Quay', 'Bo Quay', 'Gil Guest']],
      ['to all three', ['Ann Quay', 'Bo Quay', 'Builder', 'Gil Guest']],
    ]);
    const [direct, reminder, another, group, toAll] = messages.map(({ recipient }) => recipient);
    test.equal(reminder, another);
    test.equal(new Set([direct, reminder, group, toAll]).size, 4);
  },
);

t.test('only folders of listed conversations of a Slack export are read', async (test) => {
  const { realm } = await importedFromSlack(test, {
    'channels.json': CHANNELS,
    'general/2020-01-02.json': [text('1577923201.000200', 'U1', 'hi')],
    'elsewhere/2020-01-02.json': [text('1577923202.000200', 'U7', 'not imported')],
  });
  test.notOk(realm.zerver_userprofile!.some(({ full_name }) => full_name === 'U7'));
});

t.test(
  'senders whom a Slack export does not list have the names of their messages, and apps are bots',
  async (test) => {
    const { realm, messages } = await importedFromSlack(test, {
      'channels.json': CHANNELS,
      'general/2020-01-02.json': [
        text('1577923201.000200', 'U1', 'hi <@U9>'),
        text('1577923202.000200', 'U9', 'hello', { user_profile: { real_name: 'Pat Partner', name: 'pat' } }),
        text('1577923203.000200', 'U8', 'merged', { bot_id: 'B8', bot_profile: { name: 'Merger' } }),
        { type: 'message', subtype: 'bot_message', ts: '1577923204.000200', bot_id: 'B8', text: 'merged again' },
        { type: 'message', ts: '1577923205.000200', bot_id: 'B9', bot_profile: { name: 'Tickets' }, text: 'new' },
      ],
    });
    test.strictSame(
      realm.zerver_userprofile!.slice(USERS.length).map(({ full_name, is_bot }) => [full_name, is_bot]),
      [
        ['Pat Partner', false],
        ['Merger', true],
        ['Tickets', true],
      ],
    );
    test.match(messages[0]!.content, /^hi @\*\*Pat Partner\|\d+\*\*$/);
    test.equal(messages[2]!.sender, messages[3]!.sender);
  },
);

t.test("reactions with Slack's names of emoji are kept, and dropped ones are counted", async (test) => {
  const names = ['man-shrugging', 'flag-us', 'simple_smile', 'star-struck', 'partyparrot'];
  const { report, realm } = await importedFromSlack(test, {
    'channels.json': CHANNELS,
    'general/2020-01-02.json': [
      text('1577923201.000200', 'U1', 'react', { reactions: names.map((name) => ({ name, users: ['U1', 'U99'] })) }),
    ],
  });
  test.strictSame(
    realm.zerver_reaction!.map(({ emoji_code }) => emoji_code),
    ['1f937-200d-2642', '1f1fa-1f1f8', '1f642', '1f929'],
  );
  test.match(report, / 1 {2}reaction with an unknown emoji/);
  test.match(report, / 5 {2}reaction of an unknown person\n/);
});

t.test('the folder of a channel is found in another form of Unicode, and a missing one is counted', async (test) => {
  const { report, messages } = await importedFromSlack(test, {
    'channels.json': [...CHANNELS, { id: 'C3', name: 'caf\u00e9', created: 1, members: ['U1'] }],
    'cafe\u0301/2020-01-02.json': [text('1577923201.000200', 'U1', 'in the folder')],
  });
  test.strictSame(
    messages.map(({ content }) => content),
    ['in the folder'],
  );
  test.match(report, / 2 {2}conversation without a folder of messages/);
});

t.test('a folder that two Slack conversations share is refused, as one of them may be private', async (test) => {
  const base = temporary('slack');
  test.teardown(() => remove(base));
  const files = {
    'users.json': USERS,
    'channels.json': CHANNELS,
    'groups.json': [{ id: 'G1', name: 'general', created: 1, members: ['U1'] }],
    'general/2020-01-02.json': [text('1577923201.000200', 'U1', 'private words')],
  };
  writeSlackFiles(base, files);
  const target = ['--subdomain', 'quay', '--data-dir', join(base, 'data')];
  const { code, stderr } = await runCommand(['import', join(base, 'slack'), ...target]);
  test.equal(code, 1);
  test.match(stderr, /two conversations have the folder "general"/);
});

t.test('a group conversation that is also listed as a private channel is one group conversation', async (test) => {
  const group = { id: 'G9', name: 'mpdm-1', members: ['U1', 'U2', 'U3'] };
  for (const asChannel of [
    { ...group, is_mpim: true, created: 1, members: ['U1'] },
    { ...group, id: 'C9', created: 1, members: ['U3', 'U2', 'U1'] },
  ]) {
    const { report, realm, messages } = await importedFromSlack(test, {
      'channels.json': CHANNELS.slice(0, 1),
      'groups.json': [asChannel],
      'mpims.json': [group],
      'general/2020-01-02.json': [],
      'mpdm-1/2020-01-02.json': [text('1577923201.000200', 'U1', 'three of us')],
    });
    test.strictSame(
      realm.zerver_stream!.map(({ name }) => name),
      ['general'],
    );
    test.match(messages, [{ subject: '', content: 'three of us' }]);
    test.equal(messages.length, 1);
    test.notMatch(report, /without a folder/);
  }
});

t.test('a damaged Slack export gets a clear error', async (test) => {
  const base = temporary('slack');
  test.teardown(() => remove(base));
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['channels.json', '[{"id":"C1","name":"../../etc","created":1,"members":[]}]', /can't be the name of a folder/],
    ['channels.json', '[{"id":"C1"', /channels\.json is no JSON/],
    ['users.json', '{}', /users\.json is no list/],
  ];
  for (const [i, [name, bad, expected]] of cases.entries()) {
    const folder = join(base, String(i));
    mkdirSync(folder);
    writeFileSync(join(folder, 'users.json'), JSON.stringify(USERS));
    writeFileSync(join(folder, 'channels.json'), '[]');
    writeFileSync(join(folder, name), bad);
    const target = ['--subdomain', 'quay', '--data-dir', join(base, 'data')];
    const { code, stderr } = await runCommand(['import', folder, ...target]);
    test.equal(code, 1);
    test.match(stderr, expected);
  }
});

type Tables = { readonly [table: string]: readonly Readonly<Record<string, unknown>>[] };
