/**
 * Embedded face: import and export. A generated organization arrives complete, can be used, survives kills of the
 * import, and is equal after an export. Invalid archives are refused and leave nothing behind.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { create, Header } from 'tar';
import { WELCOME_BOT_ID } from '#domain/people';
import {
  type GeneratedMessage,
  type GeneratedOrganization,
  type GeneratedStream,
  type GeneratedUser,
  makeExportedOrganization,
  type OrganizationSize,
} from '../support/exported-organization.js';
import { freePort } from '../support/free-port.js';
import { readProcStat } from '../support/proc-stat.js';
import { LONG, picked, rounds } from '../support/rounds.js';
import { startSmtp } from '../support/smtp.js';
import { Api, type Message, type QueueEvent } from './support/api.js';
import { runCommand } from './support/command-line.js';
import { command, Embedded } from './support/face.js';
import { remove, temporary } from './support/folders.js';
import { checkImportedTimers } from './support/imported-timers.js';
import { checkInvitations } from './support/invitations.js';
import { Child, cleanEnvironment, conclave, type Ended, MAIN } from './support/process.js';
import { HANG_TIMEOUT_MS, until } from './support/wait.js';

const SIZE: OrganizationSize = LONG
  ? { people: 2_000, streams: 300, messages: Number(process.env.IMPORT_MESSAGES ?? 1_000_000), seed: 7 }
  : { people: 40, streams: 9, messages: 1_100, seed: 7 };
const SMALL: OrganizationSize = { people: 8, streams: 3, messages: 200, seed: 3 };
const KILLS = rounds(1, 10);
/** Maximum time in ms from the first write of an import to its kill. */
const MAX_KILL_DELAY_MS = LONG ? 20_000 : 700;
const ROUND_TRIPS = LONG ? 20 : 1;
/** Number of hostile exports that a short run picks of 18. */
const HOSTILE_COUNT = 6;
/** Timeout of one import in ms. */
const IMPORT_TIMEOUT_MS = LONG ? 3_600_000 : HANG_TIMEOUT_MS;
/** A picture of one pixel. */
const PIXEL_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
/** First id of an imported user: ids follow those of system bots, in the order of the ids in the export. */
const FIRST_USER = 8;

function folder(test: Test): string {
  const made = temporary('import');
  test.teardown(() => remove(made));
  return made;
}

const importing = (from: string, dataDir: string, ...more: string[]): Promise<Ended> =>
  runCommand(['import', from, '--data-dir', dataDir, ...more], IMPORT_TIMEOUT_MS);

async function imported(from: string, dataDir: string, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await importing(from, dataDir, ...more);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** Id after the import of a user or stream of the export. */
const importedId = (of: readonly { readonly id: number }[], id: number, first: number): number =>
  first + of.findIndex((one) => one.id === id);

const NAMES: readonly (readonly [number, string])[] = [
  [1, 'read'],
  [2, 'starred'],
  [8, 'mentioned'],
];
const flagsOf = (mask: number): string[] => NAMES.filter(([bit]) => (mask & bit) !== 0).map(([, name]) => name);

/** All messages in a user's own history, which are those with a copy for the user. */
async function copiesOf(api: Api): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const anchor = all.at(-1)?.id ?? 0;
    const { messages } = (await api.ok('GET', '/messages', {
      anchor,
      num_before: 0,
      num_after: 1_000,
      include_anchor: false,
      apply_markdown: false,
    })) as { messages: Message[] };
    if (messages.length === 0) return all;
    all.push(...messages);
  }
}

async function apiOf(user: GeneratedUser, dataDir: string, site: string): Promise<Api> {
  const key = await command(['user', 'key', '--email', user.email, '--data-dir', dataDir]);
  return new Api(site, { email: user.email, key });
}

interface Serving {
  readonly made: GeneratedOrganization;
  readonly dataDir: string;
  readonly site: string;
  readonly report: string;
}

/** Imports a generated organization as the organization without subdomain, and serves it. */
async function serveImported(test: Test): Promise<Serving> {
  const base = folder(test);
  const made = makeExportedOrganization(join(base, 'export'), SIZE);
  const dataDir = join(base, 'data');
  const report = await imported(join(base, 'export'), dataDir, '--subdomain=');
  const port = await freePort();
  const server = conclave(['serve', '--data-dir', dataDir, '--port', String(port)]);
  test.teardown(() => server.stop());
  await server.says('Conclave serves');
  return { made, dataDir, site: `http://127.0.0.1:${port}`, report };
}

t.test('an imported organization is complete and can be used', { timeout: IMPORT_TIMEOUT_MS * 2 }, async (test) => {
  const { made, dataDir, site, report } = await serveImported(test);
  const counted = (kind: string): number => Number(new RegExp(`(\\d+)  ${kind}\n`).exec(report)?.[1] ?? 0);
  test.strictSame(
    ['people', 'streams', 'messages', 'files', 'reactions', 'scheduled messages'].map(counted),
    [made.users.length, made.streams.length, made.messages.length, made.files, made.reactions, 1],
    "the report's counts match the generator",
  );
  const people = [100, 200, 300, 400, 600].map((role) => made.users.find((user) => user.role === role && user.active)!);
  const apis = await Promise.all(people.map((user) => apiOf(user, dataDir, site)));

  for (const [i, user] of people.entries()) {
    const copies = await copiesOf(apis[i]!);
    const expected = made.messages.filter(({ rows }) => rows.has(user.id));
    test.strictSame(
      copies.map(({ id, flags }) => [id, [...flags].filter((flag) => flag !== 'wildcard_mentioned').sort()]),
      expected.map(({ rank, rows }) => [rank, flagsOf(rows.get(user.id)!).sort()]),
      `role ${user.role}: the user has the expected copies and flags`,
    );
    const wrong = copies.filter((message, at) => !equalsGenerated(message, expected[at]!, made));
    test.strictSame(wrong.slice(0, 2), [], `role ${user.role}: copies have the expected senders, topics and texts`);
  }

  const [owner, , , member, guest] = apis as [Api, Api, Api, Api, Api];
  const closed = [
    ['private stream, member', member, people[3]!, made.streams.find(isClosedTo(people[3]!, true))],
    ['public stream, guest', guest, people[4]!, made.streams.find(isClosedTo(people[4]!, false))],
  ] as const;
  for (const [title, api, user, stream] of closed) {
    if (!stream) continue;
    const narrow = [{ operator: 'stream', operand: importedId(made.streams, stream.id, 1) }];
    const { body } = await api.call('GET', '/messages', { anchor: 'newest', num_before: 1_000, num_after: 0, narrow });
    const foreign = ((body.messages ?? []) as Message[]).filter(({ id }) => !made.messages[id - 1]!.rows.has(user.id));
    test.strictSame(foreign, [], `${title}: only messages with an own copy are visible`);
  }

  const linked = made.messages.find(({ content }) => content.includes('/user_uploads/'))!;
  const { raw_content } = (await owner.ok('GET', `/messages/${linked.rank}`)) as { raw_content?: string };
  if (linked.rows.has(people[0]!.id)) {
    const uri = /\/user_uploads\/[^)]+/.exec(String(raw_content))![0];
    const { url } = (await owner.ok('GET', uri)) as { url: string };
    test.equal(await (await fetch(`${site}${url}`)).text(), `bytes of ${linked.rank}`, 'a linked file is imported');
  }
  await checkUsable(test, owner, made);
});

/** Predicate for a stream that the user can't read: not a member, and private or public as given. */
const isClosedTo =
  (user: GeneratedUser, inviteOnly: boolean) =>
  (stream: GeneratedStream): boolean =>
    stream.inviteOnly === inviteOnly && !stream.members.has(user.id);

/** Whether a message equals the generated one, apart from ids and file paths. */
function equalsGenerated(
  message: Message,
  { sender, stream, topic, content }: GeneratedMessage,
  made: GeneratedOrganization,
): boolean {
  const text = content
    .replace(/\|(\d+)\*\*/g, (_, id: string) => `|${importedId(made.users, Number(id), FIRST_USER)}**`)
    .replace(/#narrow\/stream\/(\d+)/g, (_, id: string) => `#narrow/stream/${importedId(made.streams, Number(id), 1)}`)
    .replace(/near\/(\d+)/g, (_, id: string) => `near/${made.messages.find((one) => one.id === Number(id))!.rank}`);
  const plain = (of: string): string => of.replace(/\/user_uploads\/[^)]+\//g, '/user_uploads/');
  return (
    message.sender_id === importedId(made.users, sender, FIRST_USER) &&
    (stream === 0 || message.stream_id === importedId(made.streams, stream, 1)) &&
    message.subject === topic &&
    plain(message.content) === plain(text)
  );
}

/** Registers, sends, edits, moves and marks as unread, in the imported organization. */
async function checkUsable(test: Test, api: Api, made: GeneratedOrganization): Promise<void> {
  const registered = (await api.ok('POST', '/register', {
    event_types: ['message', 'update_message', 'update_message_flags'],
    fetch_event_types: ['subscription', 'realm_user', 'message', 'muted_topics', 'scheduled_messages'],
  })) as { queue_id: string; last_event_id: number; max_message_id: number; subscriptions: unknown[] };
  test.equal(registered.max_message_id <= made.messages.length, true);
  const first = made.streams[0]!;
  const { id } = (await api.ok('POST', '/messages', {
    type: 'stream',
    to: first.name,
    topic: 'Topic 1',
    content: 'the first one here',
  })) as { id: number };
  test.equal(id, made.messages.length + 1, 'new message ids follow the imported ones');
  const old = made.messages.filter(({ stream, rows }) => stream === first.id && rows.has(made.users[0]!.id)).at(-1)!;
  await api.ok('PATCH', `/messages/${old.rank}`, { topic: 'Moved', propagate_mode: 'change_one' });
  await api.ok('POST', '/messages/flags', { messages: [old.rank], op: 'remove', flag: 'read' });
  await api.ok('PATCH', `/messages/${id}`, { content: 'the first one, edited' });
  const events: QueueEvent[] = [];
  await until('the queue has four events', async () => {
    const last = events.at(-1)?.id ?? registered.last_event_id;
    const answer = await api.ok('GET', '/events', {
      queue_id: registered.queue_id,
      last_event_id: last,
      dont_block: true,
    });
    events.push(...(answer.events as QueueEvent[]));
    return events.filter(({ type }) => type !== 'heartbeat').length >= 4;
  });
  test.strictSame(
    [...new Set(events.map(({ type }) => type))].sort(),
    ['message', 'update_message', 'update_message_flags'],
    'the queue has only events of new changes',
  );
}

/** Files of an export, without the random parts of paths and the name of the organization. */
function contentsOf(exported: string): Record<string, string> {
  const plain = (text: string): string =>
    text
      .replace(/\d+\/[0-9a-f]{1,2}\/[0-9A-Za-z]{24}\//g, 'PATH/')
      .replace(/"(string_id|name)":"(one|two|three|Made)"/g, '"$1":"…"');
  const names = readdirSync(exported).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(names.sort().map((name) => [name, plain(readFileSync(join(exported, name), 'utf8'))]));
}

async function exported(dataDir: string, subdomain: string, to: string): Promise<Record<string, string>> {
  const { code, stderr } = await runCommand(
    ['export', to, '--subdomain', subdomain, '--data-dir', dataDir],
    IMPORT_TIMEOUT_MS,
  );
  if (code !== 0) throw new Error(stderr);
  return contentsOf(to);
}

t.test('an import beside a running server, killed and repeated, gives an equal organization', async (test) => {
  const base = folder(test);
  const face = await Embedded.start();
  test.teardown(() => face.stop());
  const from = join(base, 'export');
  makeExportedOrganization(from, { ...SIZE, seed: 11 });
  await imported(from, face.dataDir, '--subdomain', 'one');
  for (let kill = 0; kill < KILLS; kill++) {
    const child = conclave(['import', from, '--data-dir', face.dataDir, '--subdomain', 'two']);
    // Uploaded files are stored first. Realm 3 is this import, after the server's own organization and 'one'.
    await until('the import writes its first file', () => child.over || existsSync(join(face.dataDir, 'blobs', '3')));
    // Kill at a random moment of the import, which may be before its first message or after its last one.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_KILL_DELAY_MS));
    child.signal('SIGKILL');
    await child.ended;
  }
  const realms = await command(['realm', 'list', '--data-dir', face.dataDir]);
  if (!realms.includes('two')) {
    const other = join(base, 'other');
    makeExportedOrganization(other, { ...SIZE, seed: 12 });
    const refused = await importing(other, face.dataDir, '--subdomain', 'two');
    test.match(
      refused.stderr,
      /Another export's import to 'two' has not ended/,
      "another export can't continue the unfinished import",
    );
    await imported(from, face.dataDir, '--subdomain', 'two');
  }
  const one = await exported(face.dataDir, 'one', join(base, 'one'));
  const two = await exported(face.dataDir, 'two', join(base, 'two'));
  test.strictSame(two, one, 'the kills do not change the result');
  test.notOk(face.server.over, `the server still runs: ${face.server.stderr.slice(-2_000)}`);
  test.equal((await face.api().call('GET', '/users/me')).status, 200, "the server's own organization is still served");
});

t.test('a dropped import leaves no files and no records, beside a running server', async (test) => {
  const base = folder(test);
  const face = await Embedded.start();
  test.teardown(() => face.stop());
  const from = join(base, 'export');
  makeExportedOrganization(from, { ...SIZE, seed: 13 });
  const child = conclave(['import', from, '--data-dir', face.dataDir, '--subdomain', 'two']);
  const files = join(face.dataDir, 'blobs', '2');
  await until('the import writes its first file', () => child.over || existsSync(files));
  child.signal('SIGKILL');
  await child.ended;
  test.ok(existsSync(files));
  await command(['import', '--drop', '--subdomain', 'two', '--data-dir', face.dataDir]);
  test.notOk(existsSync(files), 'its files are gone');
  await imported(from, face.dataDir, '--subdomain', 'two');
  test.ok(existsSync(join(face.dataDir, 'blobs', '3')), 'the next import gets the subdomain and a new number');
});

/** Scheduling policy and nice value of each thread of a process, as `POLICY NICE` (see proc_pid_stat(5)). */
const prioritiesOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const fields = readProcStat(`${pid}/task/${thread}`);
    return fields ? [`${fields[38]} ${fields[16]}`] : [];
  });

const IDLE_THREAD = '5 19';
const WRITING_THREAD = '0 10';

t.test('threads of an import are idle ones, but for those that hold the lock of the store', async (test) => {
  const base = folder(test);
  makeExportedOrganization(join(base, 'export'), SIZE);
  const words = ['import', join(base, 'export'), '--data-dir', join(base, 'data'), '--subdomain='];
  const child = new Child(process.execPath, [MAIN, ...words], cleanEnvironment());
  await until('both kinds of threads are there, and no others', () => {
    if (child.over) throw new Error(child.stderr);
    const kinds = new Set(prioritiesOf(child.pid));
    return kinds.size === 2 && kinds.has(IDLE_THREAD) && kinds.has(WRITING_THREAD);
  });
  await child.kill();
});

t.test('an exported and reimported organization is equal', async (test) => {
  const sizes = fc.record({
    people: fc.integer({ min: 2, max: 25 }),
    streams: fc.integer({ min: 1, max: 8 }),
    messages: fc.integer({ min: 0, max: 1_500 }),
    seed: fc.nat(),
  });
  for (const size of fc.sample(sizes, ROUND_TRIPS)) {
    const base = folder(test);
    const dataDir = join(base, 'data');
    makeExportedOrganization(join(base, 'made'), size);
    await imported(join(base, 'made'), dataDir, '--subdomain', 'one');
    const once = await exported(dataDir, 'one', join(base, 'once'));
    await imported(join(base, 'once'), dataDir, '--subdomain', 'two');
    const twice = await exported(dataDir, 'two', join(base, 'twice'));
    test.strictSame(twice, once, JSON.stringify(size));
    const archive = join(base, 'archive.tar.gz');
    await command(['export', archive, '--subdomain', 'one', '--data-dir', dataDir]);
    test.match(await imported(archive, dataDir, '--subdomain', 'three'), /Imported/, 'an archive can be imported, too');
  }
});

interface ExportedMessages {
  readonly zerver_message: Record<string, unknown>[];
  readonly zerver_usermessage: { user_profile: number; message: number; flags_mask: number }[];
}

t.test('topic mentions keep the mentioned users', async (test) => {
  const base = folder(test);
  const dataDir = join(base, 'data');
  const file = 'messages-000001.json';
  makeExportedOrganization(join(base, 'made'), { people: 12, streams: 2, messages: 60, seed: 3 });
  const read = (name: string) => JSON.parse(readFileSync(join(base, name, file), 'utf8')) as ExportedMessages;
  const made = read('made');
  const rowsOf = (of: ExportedMessages, id: unknown) => of.zerver_usermessage.filter(({ message }) => message === id);
  const candidates = made.zerver_message.filter(({ id }) => rowsOf(made, id).length > 3);
  const [topic, channel, older, before] = candidates as [object, object, object, object] as typeof candidates;
  const span = '<span class="topic-mention">@topic</span>';
  const set = (message: Record<string, unknown>, content: string, rendered_content: string, bit: number) => {
    Object.assign(message, { content, rendered_content, edit_history: null, last_edit_time: null });
    for (const [i, row] of rowsOf(made, message.id).entries()) row.flags_mask = 1 | (i < 2 || bit === 16 ? bit : 0);
  };
  set(topic!, '@**topic** first', `<p>${span} first</p>`, 32);
  set(channel!, '@**channel** second', '<p><span class="user-mention" data-user-id="*">@channel</span> second</p>', 16);
  set(older!, '@**topic** third', '<p>@<strong>topic</strong> third</p>', 32);
  set(before!, '@**topic** fourth', `<p>${span} fourth</p>`, 32);
  for (const row of rowsOf(made, before!.id)) if (row.flags_mask === 33) row.flags_mask = 17;
  writeFileSync(join(base, 'made', file), JSON.stringify(made));
  await imported(join(base, 'made'), dataDir, '--subdomain', 'one');
  const once = await exported(dataDir, 'one', join(base, 'once'));
  const check = (name: string): void => {
    const now = read(name);
    const masksOf = (word: string) => {
      const message = now.zerver_message.find(({ content }) => String(content).endsWith(` ${word}`))!;
      const masks = rowsOf(now, message.id).map(({ flags_mask }) => flags_mask & (16 | 32));
      return [
        String(message.rendered_content),
        masks.filter((mask) => mask === 16).length,
        masks.filter((mask) => mask === 32).length,
      ];
    };
    test.strictSame(masksOf('first'), [`<p>${span} first</p>`, 0, 2], `${name}: a topic mention keeps its users`);
    const [html, everybody, ofTopic] = masksOf('second');
    test.match(html, '<span class="user-mention" data-user-id="*">@channel</span>');
    test.ok(Number(everybody) > 3 && ofTopic === 0, `${name}: a channel mention keeps all members`);
    test.strictSame(
      masksOf('third'),
      ['<p>@<strong>topic</strong> third</p>', 0, 0],
      `${name}: a text without topic mention gets no mention flags`,
    );
    test.strictSame(
      masksOf('fourth'),
      [`<p>${span} fourth</p>`, 0, 2],
      `${name}: a topic mention keeps its users in an export of an earlier version`,
    );
  };
  check('once');
  await imported(join(base, 'once'), dataDir, '--subdomain', 'two');
  test.strictSame(await exported(dataDir, 'two', join(base, 'twice')), once, 'a second round trip changes nothing');
  check('twice');
});

type Row = Record<string, unknown>;

/** Changes the rows of a file of an export. */
function changeTables(exported: string, name: string, change: (tables: Record<string, Row[]>) => void): void {
  const file = JSON.parse(readFileSync(join(exported, name), 'utf8'));
  change(file);
  writeFileSync(join(exported, name), JSON.stringify(file));
}

/** Writes a folder of files into an export, with its list. */
function writeFiles(
  exported: string,
  folder: string,
  files: readonly { path: string; bytes: Uint8Array; more: Row }[],
) {
  for (const { path, bytes } of files) {
    mkdirSync(dirname(join(exported, folder, path)), { recursive: true });
    writeFileSync(join(exported, folder, path), bytes);
  }
  const records = files.map(({ path, bytes, more }) => ({
    realm_id: 9,
    path,
    s3_path: path,
    size: bytes.length,
    ...more,
  }));
  writeFileSync(join(exported, folder, 'records.json'), JSON.stringify(records));
}

t.test('polls with their votes survive an import and an export', async (test) => {
  const base = folder(test);
  const dataDir = join(base, 'data');
  const { users } = makeExportedOrganization(join(base, 'made'), SMALL);
  const [ada, ben] = users.map(({ id }) => id) as [number, number];
  const [newAda, newBen] = [ada, ben].map((id) => importedId(users, id, FIRST_USER)) as [number, number];
  const poll = JSON.stringify({ widget_type: 'poll', extra_data: { question: 'Lunch?', options: ['Soup'] } });
  const vote = (key: string) => JSON.stringify({ type: 'vote', key, vote: 1 });
  const added = (from: number, by: number): (readonly [number, string])[] => [
    [from, poll],
    [by, vote('canned,0')],
    [by, JSON.stringify({ type: 'new_option', option: 'Rice', idx: 1 })],
    [from, vote(`${by},1`)],
  ];
  changeTables(join(base, 'made'), 'messages-000001.json', ({ zerver_message: messages }) => {
    const prev_content = 'before';
    const edit_history = JSON.stringify([{ user_id: ada, timestamp: 1_600_000_000, prev_content }]);
    const common = { sender: ada, content: '/poll Lunch?\n* Soup', rendered_content: '', edit_history: null };
    for (const [i, more] of [{}, {}, { edit_history }].entries()) Object.assign(messages![i]!, common, more);
    const [{ id: message } = {}] = messages!;
    changeTables(join(base, 'made'), 'realm.json', (tables) => {
      const all = [...added(ada, ben), [ben, vote('canned,x')] as const];
      const rows = all.map(([sender, content], id) => ({ id, message, sender, msg_type: 'widget', content }));
      tables.conclave_submessage = rows as Row[];
    });
  });
  const report = await imported(join(base, 'made'), dataDir, '--subdomain', 'one');
  test.match(report, /1 +part of a poll/, 'a vote that the API refuses is left out');
  const once = await exported(dataDir, 'one', join(base, 'once'));
  const { conclave_submessage: rows } = JSON.parse(once['realm.json']!) as Record<string, Row[]>;
  test.strictSame(
    rows!.map(({ message, sender, content }) => [message, sender, content]),
    [...added(newAda, newBen).map((of) => [1, ...of]), [2, newAda, poll]],
    'a poll of an export without submessages has its options, and a text that was edited into a command is none',
  );
  await imported(join(base, 'once'), dataDir, '--subdomain', 'two');
  test.strictSame(await exported(dataDir, 'two', join(base, 'twice')), once);
});

t.test('emoji and avatars are imported from records without ids, and a dry run reads them, too', async (test) => {
  const base = folder(test);
  const made = join(base, 'made');
  makeExportedOrganization(made, SMALL);
  const party = { name: 'party', file_name: '77.png', author: 501, deactivated: false };
  const broken = { ...party, name: 'broken', file_name: '78.png' };
  changeTables(made, 'realm.json', (tables) => {
    tables.zerver_realmemoji = [
      { id: 77, realm: 9, ...party },
      { id: 78, realm: 9, ...broken },
    ];
  });
  writeFiles(made, 'emoji', [
    { path: '9/emoji/images/77.png', bytes: PIXEL_PNG, more: party },
    { path: '9/emoji/images/78.png', bytes: Buffer.from('no picture'), more: broken },
  ]);
  writeFiles(made, 'avatars', [{ path: '9/abc.png', bytes: PIXEL_PNG, more: { user_profile_id: 501 } }]);
  const target = [join(base, 'data'), '--subdomain', 'one'] as const;
  const would = await imported(made, ...target, '--check');
  const report = await imported(made, ...target);
  test.equal(would.replace('Would be imported', 'Imported'), report, 'the reports are equal');
  test.match(report, / 1 {2}picture of the emoji broken\n/);
  test.match(report, / 1 {2}avatars\n/);
  const { 'realm.json': tables } = await exported(target[0], 'one', join(base, 'out'));
  const rows = (JSON.parse(tables!) as Record<string, Row[]>).zerver_realmemoji!;
  test.strictSame(
    rows.map(({ name, deactivated }) => [name, deactivated]),
    [
      ['party', false],
      ['broken', true],
    ],
  );
  writeFiles(made, 'emoji', [{ path: '../77.png', bytes: PIXEL_PNG, more: party }]);
  const { code, stderr } = await importing(made, target[0], '--subdomain', 'two', '--check');
  test.strictSame([code, /no plain path/.test(stderr)], [1, true], 'a dry run refuses records that an import refuses');
});

/** Rows of the system bots in an export, with the names and recipients of the peer's. */
const SYSTEM_BOT_ROWS: readonly Row[] = [
  { id: 1, email: 'notification-bot@zulip.com', recipient_id: 11 },
  { id: 2, email: 'welcome-bot@zulip.com', recipient_id: 22 },
  { id: 3, email: 'emailgateway@zulip.com', recipient_id: 33 },
];

const addSystemBots = (made: string): void =>
  changeTables(made, 'realm.json', (tables) => {
    tables.zerver_userprofile_crossrealm = [...SYSTEM_BOT_ROWS];
  });

t.test('files that came by e-mail are imported as files of the first owner', async (test) => {
  const base = folder(test);
  const made = join(base, 'made');
  makeExportedOrganization(made, SMALL);
  addSystemBots(made);
  const names: unknown[] = [];
  changeTables(made, 'attachment.json', ({ zerver_attachment: files }) => {
    for (const file of files!) file.owner = 3;
    names.push(...files!.map(({ file_name }) => file_name));
  });
  const dataDir = join(base, 'data');
  await imported(made, dataDir, '--subdomain', 'one');
  const { 'attachment.json': out } = await exported(dataDir, 'one', join(base, 'out'));
  const { zerver_attachment: files } = JSON.parse(out!) as { zerver_attachment: Row[] };
  test.ok(names.length > 0);
  test.strictSame(
    files.map(({ file_name, owner }) => [file_name, owner]),
    names.map((name) => [name, FIRST_USER]),
  );
});

t.test('files of an export without types get the types of their names', async (test) => {
  const base = folder(test);
  const made = join(base, 'made');
  makeExportedOrganization(made, SMALL);
  const names = ['Notes.txt', 'boat.PNG', 'unknown'];
  changeTables(made, 'attachment.json', ({ zerver_attachment: files }) => {
    for (const [i, file] of files!.entries()) file.file_name = names[i % names.length];
  });
  const dataDir = join(base, 'data');
  await imported(made, dataDir, '--subdomain', 'one');
  await exported(dataDir, 'one', join(base, 'out'));
  const records = JSON.parse(readFileSync(join(base, 'out/uploads/records.json'), 'utf8')) as Record<string, string>[];
  const types = new Map(records.map(({ path, content_type }) => [basename(path!), content_type]));
  test.strictSame(
    names.map((name) => types.get(name)),
    ['text/plain', 'image/png', 'application/octet-stream'],
  );
});

t.test('messages to system bots are imported', async (test) => {
  const base = folder(test);
  const made = join(base, 'made');
  makeExportedOrganization(made, SMALL);
  addSystemBots(made);
  changeTables(made, 'messages-000001.json', ({ zerver_message: messages, zerver_usermessage: rows }) => {
    const last = messages!.at(-1)!;
    Object.assign(last, { sender: 501, recipient: 22, subject: '', content: 'hello bot', edit_history: null });
    while (rows!.at(-1)?.message === last.id) rows!.pop();
    rows!.push({ id: 99_999, user_profile: 501, message: last.id, flags_mask: 1 });
  });
  const dataDir = join(base, 'data');
  const report = await imported(made, dataDir, '--subdomain', 'one');
  test.match(report, `${SMALL.messages}  messages\n`);
  const out = await exported(dataDir, 'one', join(base, 'out'));
  const last = (JSON.parse(out['messages-000001.json']!) as ExportedMessages).zerver_message.at(-1)!;
  test.strictSame([last.content, last.sender, last.recipient], ['hello bot', FIRST_USER, WELCOME_BOT_ID]);
  await imported(join(base, 'out'), dataDir, '--subdomain', 'two');
  test.strictSame(await exported(dataDir, 'two', join(base, 'twice')), out, 'a round trip keeps them');
});

t.test(
  'direct conversations and empty topics of newer versions are imported, and their reminders are counted',
  async (test) => {
    const base = folder(test);
    const made = join(base, 'made');
    const { users } = makeExportedOrganization(made, SMALL);
    const [sender, other] = [users[0]!.id, users[1]!.id];
    const group = { id: 900, recipient: 901 };
    const user_profile = [sender, other];
    changeTables(made, 'realm.json', (tables) => {
      Object.assign(tables, { import_source: 'zulip' });
      tables.zerver_huddle!.push({ ...group, huddle_hash: '' });
      tables.zerver_recipient!.push({ id: group.recipient, type: 3, type_id: group.id });
      for (const [i, id] of user_profile.entries())
        tables.zerver_subscription!.push({
          id: 90_000 + i,
          user_profile: id,
          recipient: group.recipient,
          active: true,
        });
      tables.zerver_scheduledmessage!.push({ ...tables.zerver_scheduledmessage![0]!, id: 2, delivery_type: 2 });
    });
    writeFileSync(join(made, 'migration_status.json'), '{"migrations_by_app": {}, "zulip_version": "11.4"}');
    const edits = [
      { user_id: sender, timestamp: 1_600_000_001, prev_topic: 'Tides', topic: '' },
      { user_id: sender, timestamp: 1_600_000_000, prev_topic: '', topic: 'Tides' },
    ];
    changeTables(made, 'messages-000001.json', ({ zerver_message: messages, zerver_usermessage: rows }) => {
      const first = messages!.find(({ subject }) => subject !== '')!;
      Object.assign(first, { subject: '', content: 'moved', edit_history: JSON.stringify(edits) });
      const last = messages!.at(-1)!;
      // The topic of direct messages in newer versions.
      const direct = { sender, recipient: group.recipient, subject: '\u0007', content: 'direct', edit_history: null };
      Object.assign(last, direct);
      while (rows!.at(-1)?.message === last.id) rows!.pop();
      for (const id of user_profile)
        rows!.push({ id: 90_000 + id, user_profile: id, message: last.id, flags_mask: 2049 });
    });
    const dataDir = join(base, 'data');
    test.match(await imported(made, dataDir, '--subdomain', 'one'), / 1 {2}reminder\n/);
    const out = await exported(dataDir, 'one', join(base, 'out'));
    const { zerver_message: messages } = JSON.parse(out['messages-000001.json']!) as ExportedMessages;
    const moved = messages.find(({ content }) => content === 'moved')!;
    test.equal(moved.subject, '(no topic)');
    test.match(JSON.parse(String(moved.edit_history)), [
      { prev_topic: 'Tides', topic: '(no topic)' },
      { prev_topic: '(no topic)', topic: 'Tides' },
    ]);
    const { subject, recipient } = messages.at(-1)!;
    test.strictSame([subject, recipient], ['', importedId(users, other, FIRST_USER)]);
  },
);

t.test('a message beyond the maximum length ends with a note, and the report counts it', async (test) => {
  const base = folder(test);
  const made = join(base, 'made');
  makeExportedOrganization(made, SMALL);
  changeTables(made, 'messages-000001.json', ({ zerver_message: messages }) => {
    Object.assign(messages!.at(-1)!, { content: '🙂'.repeat(10_000) });
    for (const message of messages!.slice(0, 2)) Object.assign(message, { content: 'é'.repeat(10_001) });
  });
  const dataDir = join(base, 'data');
  const reason = / 2 {2}end of a message that is too long\n/;
  test.match(await imported(made, dataDir, '--subdomain', 'one', '--check'), reason);
  test.match(await imported(made, dataDir, '--subdomain', 'one'), reason);
  const out = await exported(dataDir, 'one', join(base, 'out'));
  const { zerver_message: messages } = JSON.parse(out['messages-000001.json']!) as ExportedMessages;
  const note = '\n[message truncated]';
  test.equal(messages[0]!.content, 'é'.repeat(10_000 - note.length) + note);
  test.equal(messages.at(-1)!.content, '🙂'.repeat(10_000), 'a text of the maximum length stays whole');
});

t.test('weak first passwords are refused, and those of unknown addresses are counted', async (test) => {
  const base = folder(test);
  const made = join(base, 'made');
  const { users } = makeExportedOrganization(made, SMALL);
  const file = join(base, 'passwords');
  const words = ['--subdomain', 'one', '--passwords', file, '--check'];
  writeFileSync(file, `nobody@made.example tide-lamp-47-harbour\n\n${users[0]!.email} short\n`);
  const refused = await importing(made, join(base, 'data'), ...words);
  test.equal(refused.code, 1);
  test.match(refused.stderr, /passwords, line 3: the password is too weak/);
  writeFileSync(file, `nobody@made.example tide-lamp-47-harbour\n${users[0]!.email} rope-anchor-18-mast\n`);
  const report = await imported(made, join(base, 'data'), ...words);
  test.match(report, / 1 {2}password for an address that no person has\n/);
});

t.test('HTML in an export becomes text, in messages, edit histories and descriptions', async (test) => {
  const base = folder(test);
  const dataDir = join(base, 'data');
  const script = '<script>steal()</script><img src=x onerror=steal()>';
  const made = join(base, 'made');
  makeExportedOrganization(made, SMALL);
  const edit = { user_id: 501, timestamp: 1_600_000_000, prev_content: script, prev_rendered_content: script };
  changeTables(made, 'messages-000001.json', ({ zerver_message: messages }) => {
    const more = { content: script, rendered_content: `<p>${script}</p>`, edit_history: JSON.stringify([edit]) };
    for (const message of messages!.slice(0, 3)) Object.assign(message, more);
  });
  changeTables(made, 'realm.json', ({ zerver_stream: streams }) => {
    for (const stream of streams!) Object.assign(stream, { description: script, rendered_description: script });
  });
  await imported(made, dataDir, '--subdomain', 'one');
  const out = await exported(dataDir, 'one', join(base, 'out'));
  const { zerver_message: messages } = JSON.parse(out['messages-000001.json']!) as ExportedMessages;
  const { zerver_stream: streams } = JSON.parse(out['realm.json']!) as { zerver_stream: Record<string, string>[] };
  const html = [
    ...messages.map(({ rendered_content }) => String(rendered_content)),
    ...messages.flatMap(({ edit_history }) =>
      (JSON.parse(String(edit_history ?? '[]')) as Record<string, string>[]).map((of) => of.prev_rendered_content!),
    ),
    ...streams.map(({ rendered_description }) => rendered_description!),
  ];
  test.equal(html.filter((text) => text.includes('&lt;script&gt;')).length, 6 + SMALL.streams);
  test.strictSame(
    html.filter((text) => /<script|<img/.test(text)),
    [],
  );
});

t.test('messages are imported in order of time if the ids in the export are not', async (test) => {
  const base = folder(test);
  const dataDir = join(base, 'data');
  const size = { people: 9, streams: 3, messages: rounds(1_200, 2_300), seed: 5 };
  makeExportedOrganization(join(base, 'plain'), size);
  makeExportedOrganization(join(base, 'mixed'), { ...size, sortedByDate: true });
  await imported(join(base, 'plain'), dataDir, '--subdomain', 'one');
  await imported(join(base, 'mixed'), dataDir, '--subdomain', 'two');
  const plain = await exported(dataDir, 'one', join(base, 'one'));
  test.strictSame(
    await exported(dataDir, 'two', join(base, 'two')),
    plain,
    'the result equals that of an export with ids in order of time',
  );
});

t.test('each imported user gets one mail with a link that sets a password', async (test) => {
  const base = folder(test);
  const smtp = await startSmtp();
  test.teardown(() => smtp.away());
  const mail = ['--smtp-url', smtp.url, '--mail-from', 'noreply@example.com'];
  const face = await Embedded.start(mail);
  test.teardown(() => face.stop());
  await checkInvitations(test, {
    base,
    smtp,
    site: face.site,
    run: (...words) => command([...words, '--data-dir', face.dataDir, ...mail]),
    restart: async () => {
      face.server.signal('SIGKILL');
      await face.server.ended;
      await face.up();
    },
  });
});

t.test('a scheduled message of an imported organization is sent by the running server', async (test) => {
  const face = await Embedded.start();
  test.teardown(() => face.stop());
  await checkImportedTimers(test, folder(test), face.site, (...words) =>
    command([...words, '--data-dir', face.dataDir]),
  );
});

interface Entry {
  readonly path: string;
  readonly type?: 'File' | 'SymbolicLink' | 'Link' | 'CharacterDevice';
  readonly linkpath?: string;
  readonly bytes?: Buffer;
}

/** Path of a gzipped tar file with the given entries, including malicious ones. */
function tarball(file: string, entries: readonly Entry[]): string {
  const blocks = entries.flatMap(({ path, type = 'File', linkpath = '', bytes = Buffer.alloc(0) }) => {
    const header = new Header({ path, type, linkpath, size: bytes.length, mode: 0o644, mtime: new Date(0) });
    const block = Buffer.alloc(512);
    header.encode(block, 0);
    return [block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  writeFileSync(file, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)])));
  return file;
}

t.test('a hostile or damaged export gets a clear error and leaves nothing behind', async (test) => {
  const base = folder(test);
  const dataDir = join(base, 'data');
  const good = join(base, 'good');
  makeExportedOrganization(good, SMALL);
  /** Path of an export with one file changed. */
  const changed = (name: string, file: string, change: (text: string) => string): string => {
    const copy = join(base, name);
    makeExportedOrganization(copy, SMALL);
    writeFileSync(join(copy, file), change(readFileSync(join(copy, file), 'utf8')));
    return copy;
  };
  const packed = join(base, 'packed.tar.gz');
  await create({ file: packed, cwd: base, gzip: true }, ['good']);
  const half = join(base, 'half.tar.gz');
  writeFileSync(half, readFileSync(packed));
  truncateSync(half, 900);
  const text = join(base, 'text');
  writeFileSync(text, 'hello');
  const linkInside = join(base, 'linked');
  makeExportedOrganization(linkInside, SMALL);
  const { path } = (
    JSON.parse(readFileSync(join(linkInside, 'uploads/records.json'), 'utf8')) as { path: string }[]
  )[0]!;
  remove(join(linkInside, 'uploads', path));
  mkdirSync(dirname(join(linkInside, 'uploads', path)), { recursive: true });
  symlinkSync('/etc/hostname', join(linkInside, 'uploads', path));

  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['a path that leads upwards', tarball(join(base, 'up.tar.gz'), [{ path: 'x/../../evil' }]), /path that no archive/],
    ['an absolute path', tarball(join(base, 'abs.tar.gz'), [{ path: '/tmp/evil' }]), /path that no archive|no gzip/],
    [
      'a link',
      tarball(join(base, 'link.tar.gz'), [{ path: 'x/realm.json', type: 'SymbolicLink', linkpath: '/etc/passwd' }]),
      /neither a file nor a folder/,
    ],
    ['two top folders', tarball(join(base, 'two.tar.gz'), [{ path: 'a/b' }, { path: 'c/d' }]), /outside the archive/],
    [
      'a bomb',
      tarball(join(base, 'bomb.tar.gz'), [{ path: 'x/realm.json', bytes: Buffer.alloc(90 * 1_048_576) }]),
      /unpacks to more than/,
    ],
    ['a truncated archive', half, /damaged|truncated/],
    ['no archive', text, /no gzip tarball/],
    ['a missing file', join(base, 'nothing'), /there is no/],
    ['a folder without tables', base, /no realm\.json/],
    ['a link in place of an uploaded file', linkInside, /no plain file/],
    ['truncated tables', changed('cut', 'realm.json', (text) => text.slice(0, -200)), /truncated/],
    ['HTML', changed('html', 'realm.json', () => '<!DOCTYPE html><p>Not found</p>'), /is no JSON/],
    [
      'an id that is no number',
      changed('text-id', 'realm.json', (text) => text.replace('"id":301', '"id":"301"')),
      /instead of an id/,
    ],
    [
      'an id out of range',
      changed('large-id', 'realm.json', (text) => text.replace('"id":301', '"id":1e300')),
      /instead of an id/,
    ],
    [
      'a message of an unknown user',
      changed('stranger', 'messages-000001.json', (text) => text.replace(/"sender":\d+/, '"sender":77777')),
      /messages-000001\.json: zerver_message, row \d+: sender: there is no user with id 77777/,
    ],
    [
      'a file path outside the folder',
      changed('outside', 'uploads/records.json', (text) =>
        text.replace(/"path":"[^"]*"/, '"path":"../../../etc/passwd"'),
      ),
      /no plain path/,
    ],
    [
      'an unknown flag',
      changed('flag', 'realm.json', (text) => text.replace('{', '{"sort_by_date": "yes",')),
      /sort_by_date is "yes" instead of true or false/,
    ],
    [
      'two accounts with the same address',
      changed('twins', 'realm.json', (text) => text.replaceAll('person1@made.example', 'person0@made.example')),
      /address of another account/,
    ],
  ];
  for (const [title, from, expected] of picked(cases, HOSTILE_COUNT, ([title]) => title)) {
    const { code, stdout, stderr } = await importing(from, dataDir, '--subdomain', 'evil');
    test.match(`${stderr}${stdout}`, expected, title);
    test.notOk(/at .*\.js:\d+/.test(stderr), `${title}: the error has no stack trace`);
    test.equal(code, 1, `${title}: refused`);
  }
  const useless = await importing(packed, dataDir, '--subdomain', 'evil', '--drop');
  test.match(useless.stderr, /--drop takes --subdomain alone/, 'an option without an effect is refused');
  const unschemed = await importing(packed, dataDir, '--subdomain', 'evil', '--former-site', 'old.example');
  test.equal(unschemed.code, 2, 'a former site without a scheme is refused');
  test.match(unschemed.stderr, /'old\.example' is no address with https:/);
  test.equal(await command(['realm', 'list', '--data-dir', dataDir]), '', 'no organization is created');
  test.strictSame(
    readdirSync(join(dataDir, 'blobs')).filter((name) => /^\d+$/.test(name)),
    [],
    'no files are left',
  );
  test.notOk(existsSync(join(base, 'evil')) || existsSync('/tmp/evil'), 'no file is written outside the folder');
  test.match(
    await imported(packed, dataDir, '--subdomain', 'fine', '--check'),
    /Would be imported/,
    'a dry run reports the import',
  );
  test.notMatch(await command(['realm', 'list', '--data-dir', dataDir]), /fine/, 'a dry run imports nothing');
});
