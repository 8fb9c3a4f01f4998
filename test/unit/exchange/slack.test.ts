/** Conversion of a Slack export to the format of exports. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { convertSlackExportToFolder } from '#app/exchange';

t.test('a refused conversion leaves no file open', async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'conclave-slack-'));
  t.teardown(() => rmSync(base, { recursive: true }));
  const target = join(base, 'converted');
  const channel = { created: 1, members: ['U1'] };
  const files = {
    'users.json': [{ id: 'U1', name: 'ada', profile: { email: 'ada@example.com' } }],
    'channels.json': [
      { ...channel, id: 'C1', name: 'general' },
      { ...channel, id: 'C2', name: 'general' },
    ],
  };
  mkdirSync(join(base, 'general'));
  for (const [name, rows] of Object.entries(files)) writeFileSync(join(base, name), JSON.stringify(rows));
  await t.rejects(convertSlackExportToFolder(base, target), /two conversations have the folder/);
  t.ok(readdirSync(target).length > 0, 'tables were begun');
  t.same(openFilesIn(target), []);
});

/** Writes a Slack export with one channel, `general`. @returns its folder, and a folder for its conversion */
function writeSlackExport(test: Test, files: Readonly<Record<string, unknown>>): { folder: string; target: string } {
  const folder = test.testdir();
  const all = {
    'users.json': [
      { id: 'U1', name: 'ada', is_primary_owner: true },
      { id: 'U2', name: 'bob' },
    ],
    'channels.json': [{ id: 'C1', name: 'general', created: 1, members: ['U1', 'U2'] }],
    ...files,
  };
  for (const [name, rows] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(rows));
  }
  return { folder, target: join(folder, 'converted') };
}

const DAY_FILE = 'general/2020-01-02.json';
const FIRST_MESSAGE = { type: 'message', ts: '1577923201.000200', user: 'U1', text: 'hi' };

t.test('an error about a row of a Slack export names its file and the row', async (test) => {
  const { user, ts, ...without } = FIRST_MESSAGE;
  const channel = { id: 'C1', name: 'general', created: 1, members: [] };
  const cases: readonly (readonly [string, readonly unknown[], RegExp])[] = [
    [DAY_FILE, [FIRST_MESSAGE, null], /^general\/2020-01-02\.json, row 2: is no object$/],
    [DAY_FILE, [FIRST_MESSAGE, 'hi'], /^general\/2020-01-02\.json, row 2: is no object$/],
    [DAY_FILE, [{ ...FIRST_MESSAGE, user: 5 }], /^general\/2020-01-02\.json, row 1: user is 5 instead of a text$/],
    [DAY_FILE, [{ user, ...without }], /^general\/2020-01-02\.json, row 1: ts is no time$/],
    [DAY_FILE, [{ ...FIRST_MESSAGE, ts: '-1' }], /^general\/2020-01-02\.json, row 1: ts is no time$/],
    [DAY_FILE, [{ ...FIRST_MESSAGE, user: 'U9', user_profile: { name: [] } }], /\.json, row 1: name is \[\] instead/],
    ['users.json', [{ id: 'U1', profile: { email: 5 } }], /^users\.json, row U1: email is 5 instead of a text$/],
    ['users.json', [null], /^users\.json, row 1: is no object$/],
    ['channels.json', [{ ...channel, purpose: { value: 5 } }], /^channels\.json, row C1: value is 5 instead/],
  ];
  for (const [name, rows, expected] of cases) {
    const { folder, target } = writeSlackExport(test, { [name]: rows });
    await test.rejects(convertSlackExportToFolder(folder, target), { name: 'ExportFormatError', message: expected });
  }
});

t.test('lists and objects of a Slack message that have another form count as empty', async (test) => {
  const { folder, target } = writeSlackExport(test, {
    [DAY_FILE]: [
      { ...FIRST_MESSAGE, reactions: [null, { name: '+1', users: null }, { name: '+1', users: ['U2'] }], files: null },
      { ...FIRST_MESSAGE, files: [null, 'x'], reactions: null, attachments: [null], blocks: {}, file: null },
      { ...FIRST_MESSAGE, user: undefined, bot_id: 'B1', bot_profile: 5, user_profile: ['x'], username: 'Builder' },
    ],
  });
  test.strictSame([...(await convertSlackExportToFolder(folder, target))], []);
  const { zerver_message } = JSON.parse(readFileSync(join(target, 'messages-000001.json'), 'utf8'));
  test.strictSame(
    zerver_message.map(({ content }: { content: string }) => content),
    ['hi', 'hi', 'hi'],
  );
  const { zerver_reaction } = JSON.parse(readFileSync(join(target, 'realm.json'), 'utf8'));
  test.match(zerver_reaction, [{ message: 1, emoji_name: '+1' }]);
});

/** Converts messages of one day. @returns the reasons of what was left out, and the tables */
async function convertedMessages(
  test: Test,
  messages: readonly object[],
  files: Readonly<Record<string, unknown>> = {},
) {
  const rows = messages.map((message) => ({ ...FIRST_MESSAGE, ...message }));
  const { folder, target } = writeSlackExport(test, { [DAY_FILE]: rows, ...files });
  const leftOut = [...(await convertSlackExportToFolder(folder, target))];
  const read = (name: string) => JSON.parse(readFileSync(join(target, name), 'utf8'));
  const converted: readonly { content: string; subject: string }[] = read('messages-000001.json').zerver_message;
  return { leftOut, contents: converted.map(({ content }) => content), converted, realm: read('realm.json') };
}

t.test('a link to a file is outside of a quote before it', async (test) => {
  const files = [{ name: 'a.pdf', url_private: 'https://files.slack.com/a.pdf' }];
  const { contents } = await convertedMessages(test, [{ text: '&gt; a quote', files }]);
  test.strictSame(contents, ['> a quote\n\n[a.pdf](https://files.slack.com/a.pdf)']);
});

t.test('a link to a file has no token of the export', async (test) => {
  const files = [{ title: 'Pay', url_private: 'https://files.slack.com/pay.pdf?t=xoxe-123-secret' }];
  const { contents } = await convertedMessages(test, [{ text: '', files }]);
  test.strictSame(contents, ['[Pay](https://files.slack.com/pay.pdf)']);
});

t.test('the purpose and the topic of a channel become a description in Markdown, without mentions', async (test) => {
  const purpose = { value: 'Q&amp;A at <https://w.example|wiki> for <@U2> &lt;3, see <#C2|help>' };
  const channel = { created: 1, members: ['U1'] };
  const { realm } = await convertedMessages(test, [{}], {
    'channels.json': [
      { ...channel, id: 'C1', name: 'general', purpose, topic: { value: '*new*' } },
      { ...channel, id: 'C2', name: 'help', purpose: { value: 'Help' }, topic: { value: 'Help' } },
    ],
  });
  test.strictSame(
    realm.zerver_stream.map(({ description }: { description: string }) => description),
    ['Q&A at [wiki](https://w.example) for @bob <3, see #help · **new**', 'Help'],
  );
});

t.test('the topic of a thread has names of mentioned people without a blank', async (test) => {
  const { converted } = await convertedMessages(test, [{ text: 'ask <@U2>', thread_ts: FIRST_MESSAGE.ts }]);
  test.equal(converted[0]!.subject, '2020-01-02 ask @bob');
});

t.test('a canvas is a link to its page; files without content and deleted messages are counted', async (test) => {
  const permalink = 'https://quay.slack.com/docs/T1/F1';
  const { leftOut, contents, realm } = await convertedMessages(test, [
    { text: '', files: [{ title: 'Plan', permalink }, { mode: 'tombstone', permalink }, { name: 'x' }] },
    { text: 'old', files: [{ mode: 'hidden_by_limit', url_private: permalink }] },
    { text: 'This message was deleted.', subtype: 'tombstone', user: 'USLACKBOT' },
  ]);
  test.strictSame(contents, [`[Plan](${permalink})`, 'old']);
  test.equal(realm.zerver_userprofile.length, 2, 'Slackbot gets no account');
  test.strictSame(leftOut, [
    ['file that was deleted in Slack', 1],
    ['file without an address', 1],
    ["file that the limits of Slack's plan hide", 1],
    ['message that was deleted in Slack, above its replies', 1],
  ]);
});

t.test('an account whose address another one has is reported by name', async (test) => {
  const { leftOut } = await convertedMessages(test, [{}], {
    'users.json': [
      { id: 'U1', name: 'bob', profile: { email: 'bob@quay.example' } },
      { id: 'U2', name: 'bob2', profile: { email: 'BOB@quay.example' } },
    ],
  });
  test.strictSame(leftOut, [
    ['address BOB@quay.example of bob2, which another account has: it gets bob2-2@conclave.invalid', 1],
  ]);
});

t.test("a message that an app signed with another name than its account's begins with this name", async (test) => {
  const app = { user: undefined, bot_id: 'B1', subtype: 'bot_message' };
  const { contents } = await convertedMessages(
    test,
    [
      { ...app, username: 'Daily *stand-up*', text: 'What is next?' },
      { ...app, username: 'Workflows', text: 'own' },
      { username: 'ignored', text: 'of a person' },
    ],
    {
      'users.json': [
        { id: 'U1', name: 'ada' },
        { id: 'U2', name: 'workflows', real_name: 'Workflows', is_bot: true, profile: { bot_id: 'B1' } },
      ],
    },
  );
  test.strictSame(contents, ['**Daily stand-up**\nWhat is next?', 'own', 'of a person']);
});

t.test('what real exports contain is converted without losing text', async (test) => {
  const root = { thread_ts: '1577923200.000100', parent_user_id: 'U2' };
  const block = (elements: readonly object[]) => ({ blocks: [{ type: 'rich_text', elements }], text: '' });
  const { leftOut, contents } = await convertedMessages(
    test,
    [
      block([{ type: 'rich_text_section', elements: [{ type: 'text', text: 'only in a block' }] }]),
      { text: '', attachments: [{ fallback: 'an unfurl', from_url: 'https://a.example' }] },
      { text: 'broadcast', subtype: 'thread_broadcast', root: {}, ...root },
      { text: 'reply to a missing parent', ...root },
      { text: 'set the channel topic: x', subtype: 'channel_topic', topic: 'x' },
      { text: 'A huddle started', subtype: 'huddle_thread', room: { participants: ['U1'] } },
      { text: 'from elsewhere', user: 'U9', user_team: 'T9', user_profile: { real_name: 'Pat', is_stranger: true } },
      { text: '<!date^1392734382^{date}|18 Feb> <!subteam^S1|@team> <tel:+4912|+49 12>' },
    ],
    { 'dms.json': [{ id: 'D1', created: 1, members: ['U1'] }], 'D1/2020-01-03.json': [FIRST_MESSAGE] },
  );
  test.strictSame(leftOut, []);
  test.strictSame(contents, [
    'only in a block',
    'an unfurl',
    'broadcast',
    'reply to a missing parent',
    'set the channel topic: x',
    'A huddle started',
    'from elsewhere',
    '18 Feb @team [+49 12](tel:+4912)',
    'hi',
  ]);
});

/** Converts messages of one day. @returns accounts that no list has, and the sender of each message, by name */
async function convertedSenders(test: Test, messages: readonly object[]) {
  const rows = messages.map((message, i) => ({ type: 'message', ts: `157792320${i}.000200`, text: 'hi', ...message }));
  const { folder, target } = writeSlackExport(test, { [DAY_FILE]: rows });
  await convertSlackExportToFolder(folder, target);
  const read = (name: string) => JSON.parse(readFileSync(join(target, name), 'utf8'));
  const accounts: readonly { id: number; full_name: string; is_bot?: boolean }[] =
    read('realm.json').zerver_userprofile;
  const nameOf = ({ full_name, is_bot }: (typeof accounts)[number]) => (is_bot ? `${full_name} (bot)` : full_name);
  const nameById = new Map(accounts.map((account) => [account.id, nameOf(account)]));
  const converted: readonly { sender: number }[] = read('messages-000001.json').zerver_message;
  return {
    unlisted: accounts.slice(2).map(nameOf),
    senders: converted.map(({ sender }) => nameById.get(sender)),
  };
}

t.test("an app's own messages stay its own, even if it also writes in the name of a person", async (test) => {
  const asPerson = { user: 'U9', bot_id: 'B8', bot_profile: { name: 'Merger' } };
  const asApp = { bot_id: 'B8', username: 'Merger' };
  const profile = { user_profile: { real_name: 'Pat' } };
  for (const [written, name] of [
    [[{ user: 'U9' }, asPerson, asApp], 'U9'],
    [[asPerson, asApp, { user: 'U9' }], 'U9'],
    [[asPerson, asApp, { user: 'U9', ...profile }], 'Pat'],
  ] as const) {
    const { unlisted, senders } = await convertedSenders(test, written);
    test.strictSame([...unlisted].sort(), ['Merger (bot)', name]);
    test.strictSame(
      senders,
      written.map((message) => ('user' in message ? name : 'Merger (bot)')),
    );
  }
});

t.test('a bot id with which two unlisted users wrote belongs to neither of them', async (test) => {
  const { senders } = await convertedSenders(test, [
    { user: 'U8', bot_id: 'B8', username: 'Merger' },
    { user: 'U7', bot_id: 'B8', username: 'Deployer' },
    { bot_id: 'B8', username: 'Hooks' },
  ]);
  test.strictSame(senders, ['Merger (bot)', 'Deployer (bot)', 'Hooks (bot)']);
});

t.test('an app whose first message has only a bot id gets one account, with its name', async (test) => {
  const { unlisted, senders } = await convertedSenders(test, [
    { user: 'U8', subtype: 'channel_join' },
    { bot_id: 'B8', username: 'Merger' },
    { user: 'U8', bot_id: 'B8' },
  ]);
  test.strictSame(unlisted, ['Merger (bot)']);
  test.strictSame(senders, ['Merger (bot)', 'Merger (bot)']);
});

t.test('a message about a file is not attributed to the owner of the file', async (test) => {
  const { senders } = await convertedSenders(test, [
    { subtype: 'file_share', bot_id: 'B8', username: 'Merger', file: { user: 'U2' } },
    { subtype: 'file_comment', file: { user: 'U2' }, comment: { user: 'U1' } },
    { subtype: 'file_share', file: { user: 'U2' } },
  ]);
  test.strictSame(senders, ['Merger (bot)', 'ada', 'bob']);
});

function openFilesIn(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', fd));
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // The descriptor of this listing, which is closed already.
      return [];
    }
  });
}
