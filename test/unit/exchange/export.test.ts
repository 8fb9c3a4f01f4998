/** Tables of an export: what they contain of a live organization, in which form, and what an import makes of them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { DIRECT_GROUP_RECIPIENT_PART_PREFIX } from '#actors/realm';
import { IdSet, type Json, type JsonObject } from '#base';
import type { DirectorySnapshot } from '#directory';
import { MAX_CUSTOM_EMOJI, productEmojiForm } from '#domain/emoji';
import { blobNameOfFile } from '#domain/files';
import { encodeMarkedMessageIdsPart, type StoredMessage, toMessageRecord } from '#domain/messages';
import {
  MAX_ALERT_WORDS_PER_USER,
  MAX_LINKIFIERS,
  MAX_PLAYGROUNDS,
  NOTIFICATION_BOT_ID,
  WELCOME_BOT_ID,
} from '#domain/people';
import { ServerCryptography } from '#domain/secrets';
import { makeDefaultSubscription, STREAM_MEMBER_PART_PREFIX } from '#domain/streams';
import {
  DEFAULT_REALM_SETTINGS,
  PASSWORD_LOGIN_METHOD,
  type RealmSettings,
  realmActorKey,
  SINGLE_SIGN_ON_LOGIN_METHOD,
  streamActorKey,
  toRealmId,
  toStreamId,
  toUserId,
  type UserSettings,
  userActorKey,
} from '#model';
import type { DirectoryStream } from '#model/records';
import { BackgroundExporter } from '../../../src/app/exchange/export/background.js';
import { exportOrganizationToFolder } from '../../../src/app/exchange/export/run.js';
import { readExportSource } from '../../../src/app/exchange/export/source.js';
import { unpackExportArchive } from '../../../src/app/exchange/format/archive.js';
import { ExportFolder } from '../../../src/app/exchange/format/folder.js';
import type { ImportedOrganizationDraft } from '../../../src/app/exchange/import/draft.js';
import { buildDraftWithoutMessagesAndFiles, readSmallExportTables } from '../../../src/app/exchange/import/read.js';
import { type OrganizationImportReport, runOrganizationImportOrDryRun } from '../../../src/app/exchange/import/run.js';
import { runAndCapture } from '../../support/command-output.js';
import { snapshotWith } from '../../support/directory.js';
import { MemoryBlobs } from '../../support/memory-blobs.js';
import { MemoryStore } from '../../support/memory-store.js';
import { messageBody } from '../../support/message-body.js';
import { person } from '../../support/person.js';
import { FORMAT_COLUMNS } from './format-columns.js';

const REALM = toRealmId(1);
const SECRETS = new ServerCryptography('a secret of the export');
const [ADA, BEN] = [11, 12];
const [SQUARE, CELLAR, ATTIC] = [4, 5, 6];
const FILE_PATH = '1/aa/000000000000000000000000/salaries.txt';

const stream = (id: number, more: Partial<DirectoryStream> = {}): DirectoryStream => ({
  id: toStreamId(id),
  recipient: 100 + id,
  name: `Stream ${id}`,
  description: '',
  renderedDescription: '',
  created: 5,
  creator: toUserId(ADA),
  inviteOnly: false,
  historyPublic: true,
  webPublic: false,
  postPolicy: 1,
  retentionDays: null,
  canRemoveGroup: 3,
  firstMessage: null,
  archived: false,
  isDefault: false,
  ...more,
});

const [BOT, ZOE] = [13, 14];

const RECORDS_OF_ALL_KINDS: Partial<DirectorySnapshot> = {
  users: [ADA, BEN, BOT, ZOE].map((id) => person(id, id === BOT ? { botType: 3, botOwner: toUserId(ADA) } : {})),
  streams: [stream(SQUARE, { isDefault: true })],
  personals: [
    {
      user: toUserId(ADA),
      settings: {},
      alertWords: ['tide'],
      muted: [{ id: BEN, timestamp: 5 }],
      status: { text: 'out', emoji: null, away: false },
    },
  ],
  groups: [
    { id: 20, name: 'crew', description: '', members: [toUserId(ADA)], subgroups: [21], system: false },
    { id: 21, name: 'mates', description: '', members: [], subgroups: [], system: false },
  ],
  emoji: [{ id: 1, name: 'buoy', url: '/e/1.png', stillUrl: null, deactivated: false, author: toUserId(ADA) }],
  profiles: [{ user: toUserId(ADA), values: { 1: { value: 'rope', rendered: '', at: 1 } } }],
  profileFields: [{ id: 1, type: 1, name: 'Knot', hint: '', data: '', order: 1, inSummary: false, added: [] }],
  bots: [
    {
      user: toUserId(BOT),
      keySealed: '',
      sendingStream: null,
      eventsStream: null,
      allPublicStreams: false,
      service: { baseUrl: 'https://a.example', interface: 1, tokenSealed: '' },
      config: { depth: '5' },
    },
  ],
  linkifiers: [{ id: 1, pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://a.example/{id}' }],
  playgrounds: [{ id: 1, name: 'Play', language: 'Python', urlPrefix: 'https://a.example/' }],
  domains: [{ id: 1, domain: 'a.example', allowSubdomains: false }],
};

const SCHEDULED_MESSAGE: JsonObject = {
  id: 1,
  type: 'stream',
  to: [SQUARE],
  topic: 'Tides',
  content: 'later',
  html: '<p>later</p>',
  wildcard: false,
  at: 4_000_000_000,
  phase: 'waiting',
  client: 'test',
  origin: 'http://team.example',
};

/** Parts of a user's actor. */
const PARTS_OF_ALL_KINDS: Readonly<Record<string, Json>> = {
  [`topic/${SQUARE}/tides`]: { stream: SQUARE, name: 'Tides', policy: 3, updated: 5 },
  'storage/depth': { key: 'depth', value: '5' },
  'scheduled/1': SCHEDULED_MESSAGE,
};

/** Settings for which an organization has no default of its own: new accounts get that of the importing server. */
const SETTINGS_WITHOUT_DEFAULT = ['default_language', 'enable_login_emails', 'enable_marketing_emails'];

/** An organization in a Store of its own, with two owners, a public and a private stream. */
class Organization {
  readonly store = new MemoryStore({ atomicRecords: true });
  readonly blobs = new MemoryBlobs();
  /** Called when the export reads the directory, after the newest message id. */
  onReadingDirectory = (): void => undefined;
  snapshot: DirectorySnapshot = snapshotWith({
    users: [person(ADA, { role: 100 }), person(BEN, { role: 100 })],
    streams: [stream(SQUARE), stream(CELLAR, { inviteOnly: true })],
  });

  /** Stores a message. @param to id of a stream, or of the other participants */
  send(id: number, to: number | readonly number[], more: Partial<StoredMessage['body']> = {}, sender = ADA): void {
    const place = typeof to === 'number' ? to : 0;
    const participants = typeof to === 'number' ? [] : [sender, ...to].sort((a, b) => a - b);
    const body = messageBody({
      topic: place === 0 ? '' : 'Tides',
      recipient: typeof to === 'number' ? 100 + to : to[0]!,
      stream: place,
      ...more,
    });
    const value = toMessageRecord({ id, sender, participants, originStream: place, body }, `d${participants}`);
    this.store.contents.put({ type: 'message', realm: REALM, id, rev: 1, value });
  }

  delete(id: number): void {
    this.store.contents.put({ type: 'message', realm: REALM, id, rev: 2, value: null });
  }

  putPart(user: number, part: string, value: Json, rev = 1): void {
    this.store.contents.put({ type: 'part', key: userActorKey(REALM, toUserId(user)), part, rev, value });
  }

  /** Stores a file of Ada that these messages link to. */
  async linkFile(...messages: number[]): Promise<void> {
    await this.blobs.put(REALM, blobNameOfFile(FILE_PATH), Buffer.from('bytes'), 'text/plain');
    const linking = messages.map((id) => ({ id, sent: 5 }));
    const file = { id: 1, path: FILE_PATH, name: 'salaries.txt', size: 5, created: 5_000, ready: true, expires: null };
    this.putPart(ADA, 'file/000000000000000000000000', { ...file, messages: linking }, messages.length);
  }

  /** Exports to a new folder. @returns the rows of a table in a file */
  async export(test: Test, options: { readonly publicOnly?: boolean } = {}) {
    const folder = test.testdir();
    const { store, blobs } = this;
    const readSnapshot = async () => {
      this.onReadingDirectory();
      return this.snapshot;
    };
    const productEmoji = productEmojiForm('conclave');
    const source = await readExportSource({ store, blobs, realm: REALM, productEmoji, readSnapshot, ...options });
    await exportOrganizationToFolder(source, folder);
    const tables = (file: string) =>
      JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, JsonObject[]>;
    return { folder, tables };
  }
}

/** Reads the organization of an export as an import does, without its messages and files. */
async function readDraft(folder: string): Promise<ImportedOrganizationDraft> {
  const facts = { realm: REALM, subdomain: 'team', origin: 'http://team.example', seed: 'seed', begun: 0 };
  const opened = new ExportFolder(folder);
  return buildDraftWithoutMessagesAndFiles(opened, await readSmallExportTables(opened), facts, SECRETS);
}

/** Checks an export, as `conclave import --check` does. */
const checkImport = (folder: string): Promise<OrganizationImportReport> =>
  runOrganizationImportOrDryRun({
    folder,
    workFolder: `${folder}/work`,
    subdomain: 'team',
    origin: 'http://team.example',
    secrets: SECRETS,
    extraEmoji: productEmojiForm('conclave'),
    imageProxyKey: '',
    passwords: new Map(),
    isInviting: false,
    target: undefined,
  });

/** The texts of all JSON files of an export. */
const readJsonFiles = (folder: string): string =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');

/** Changes the rows of a table in realm.json. */
function changeTable(folder: string, table: string, change: (rows: readonly JsonObject[]) => JsonObject[]): void {
  const file = join(folder, 'realm.json');
  const tables = JSON.parse(readFileSync(file, 'utf8')) as Record<string, JsonObject[]>;
  writeFileSync(file, JSON.stringify({ ...tables, [table]: change(tables[table] ?? []) }));
}

t.test('a file of a direct message that is sent while a public export runs is not exported', async (test) => {
  const organization = new Organization();
  organization.send(1, SQUARE);
  let isSent = false;
  organization.store.gate = async (step) => {
    if (step !== 'after:scanMessages' || isSent) return;
    isSent = true;
    organization.send(2, [BEN]);
    await organization.linkFile(2);
  };
  const { tables } = await organization.export(test, { publicOnly: true });
  test.ok(isSent);
  test.strictSame(tables('attachment.json').zerver_attachment, []);
  test.strictSame(tables('uploads/records.json'), []);
});

t.test('a file of a direct message that is deleted while a public export runs is not exported', async (test) => {
  const organization = new Organization();
  organization.send(1, [BEN]);
  organization.send(2, SQUARE);
  await organization.linkFile(1);
  organization.store.gate = (step, keys) => {
    if (step === 'after:listParts' && keys[0] === userActorKey(REALM, toUserId(ADA))) organization.delete(1);
  };
  const { tables } = await organization.export(test, { publicOnly: true });
  test.strictSame(tables('attachment.json').zerver_attachment, []);
});

t.test('a message moved to a stream that became private while a public export ran is not exported', async (test) => {
  const organization = new Organization();
  organization.send(2, SQUARE);
  const folder = test.testdir();
  const { store, blobs } = organization;
  const exporter = new BackgroundExporter({
    store,
    blobs,
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    productEmoji: productEmojiForm('conclave'),
    workFolder: join(folder, 'work'),
    ownsWorkFolder: true,
    readSnapshot: async () => {
      const before = organization.snapshot;
      const streams = [SQUARE, CELLAR].map((id) => stream(id, { inviteOnly: true }));
      organization.snapshot = { ...before, streams };
      organization.send(1, CELLAR, { stream: SQUARE });
      return before;
    },
  });
  await exporter.storePublicExport(REALM, 'exports/a.tar.gz', new AbortController().signal);
  const archive = await blobs.find(REALM, 'exports/a.tar.gz');
  writeFileSync(join(folder, 'a.tar.gz'), await archive!.read());
  await unpackExportArchive(join(folder, 'a.tar.gz'), join(folder, 'out'));
  test.strictSame(
    (readdirSync(join(folder, 'out')) as string[]).filter((name) => name.startsWith('messages')),
    [],
  );
});

/** Texts that an export of the public data must not have, whatever the table. */
const PRIVATE_TEXTS = [
  'ada.secret@',
  'zoe.secret@',
  'spinnaker',
  'awaytext',
  'Cellar',
  'hushed',
  'Attic',
  'mutedtopic',
  'sentlater',
  'snippettext',
  'storedkey',
  'storedvalue',
  'configkey',
  'configvalue',
  'hook.example',
  '#123456',
  'heard by few',
];

/** An organization with private data of all kinds. Ada and Zoe hide their addresses, Ben shows it to members. */
function organizationWithPrivateData(): Organization {
  const organization = new Organization();
  const hidden = (id: number, name: string, emailVisibility: number, role = 400) =>
    person(id, {
      deliveryEmail: `${name}@a.example`,
      email: `user${id}@team.example`,
      emailVisibility,
      role,
      rateLimits: '5/60',
    });
  organization.snapshot = snapshotWith({
    ...RECORDS_OF_ALL_KINDS,
    users: [
      hidden(ADA, 'ada.secret', 4, 100),
      hidden(BEN, 'ben', 2),
      person(BOT, { botType: 3, botOwner: toUserId(ADA) }),
      hidden(ZOE, 'zoe.secret', 5),
    ],
    streams: [
      stream(SQUARE, { isDefault: true }),
      stream(CELLAR, { name: 'Cellar', description: 'hushed', inviteOnly: true, isDefault: true }),
      stream(ATTIC, { name: 'Attic', archived: true }),
    ],
    settings: { notifications_stream_id: CELLAR, signup_notifications_stream_id: SQUARE },
    streamGroups: [{ id: 3, name: 'Crew', description: '', streams: [CELLAR, SQUARE].map(toStreamId) }],
    userDefaults: { enter_sends: true },
    personals: [
      {
        user: toUserId(ADA),
        settings: { color_scheme: 2, send_read_receipts: false, automatically_follow_topics_policy: 1 },
        alertWords: ['spinnaker'],
        muted: [{ id: BEN, timestamp: 5 }],
        status: { text: 'awaytext', emoji: null, away: true },
      },
    ],
    bots: RECORDS_OF_ALL_KINDS.bots!.map((bot) => ({
      ...bot,
      sendingStream: toStreamId(SQUARE),
      eventsStream: toStreamId(CELLAR),
      allPublicStreams: true,
      service: { baseUrl: 'https://hook.example', interface: 1, tokenSealed: '' },
      config: { configkey: 'configvalue' },
    })),
  });
  const moved = { user: BEN, at: 7, stream: { from: CELLAR, to: SQUARE } };
  organization.send(1, SQUARE, {
    content: 'see #**Hold**',
    html: `<p>see <a class="stream" data-stream-id="${CELLAR}" href="/#narrow/stream/${CELLAR}-Hold">#Hold</a></p>`,
    flags: { [ADA]: ['has_alert_word', 'mentioned'] },
  });
  organization.send(2, SQUARE, {
    edits: [moved, { user: BEN, at: 6, content: { raw: 'before', html: '<p>before</p>' } }],
  });
  organization.send(3, CELLAR, { content: 'heard by few' });
  organization.send(4, [BEN, ZOE], { content: 'heard by few' });
  organization.send(5, ATTIC, { content: 'heard by few' });
  const { store } = organization;
  const group = { part: `${DIRECT_GROUP_RECIPIENT_PART_PREFIX}${[ADA, BEN, ZOE]}`, rev: 1, value: 300 };
  store.contents.put({ type: 'part', key: realmActorKey(REALM), ...group });
  const stay = { stays: [{ from: 1, to: 0, after: 0, until: 0 }] };
  for (const of of [SQUARE, CELLAR]) {
    const part = `${STREAM_MEMBER_PART_PREFIX}${ADA}`;
    store.contents.put({ type: 'part', key: streamActorKey(REALM, toStreamId(of)), part, rev: 1, value: stay });
    const own = { ...makeDefaultSubscription(of, '#123456'), muted: true, pinned: true };
    organization.putPart(ADA, `sub/${of}`, { ...own });
    organization.putPart(ZOE, `sub/${of}`, { ...own, active: false });
  }
  for (const [part, value] of Object.entries(encodeMarkedMessageIdsPart('starred', IdSet.fromIds([1]))))
    organization.putPart(ADA, part, value as Json);
  organization.putPart(ADA, 'topic/4/x', { stream: SQUARE, name: 'mutedtopic', policy: 1, updated: 5 });
  organization.putPart(BOT, 'storage/x', { key: 'storedkey', value: 'storedvalue' });
  organization.putPart(ADA, 'scheduled/1', { ...SCHEDULED_MESSAGE, content: 'sentlater', html: 'sentlater' });
  organization.putPart(ADA, 'snippet/45057', { id: 45_057, title: 'T', content: 'snippettext', date_created: 5 });
  return organization;
}

t.test('an export of the public data has what ordinary members see, and no more', async (test) => {
  const organization = organizationWithPrivateData();
  await organization.linkFile(1, 3);
  const whole = await organization.export(test);
  const wholeText = readJsonFiles(whole.folder);
  for (const text of PRIVATE_TEXTS) test.ok(wholeText.includes(text), `a full export has ${text}`);

  const { folder, tables } = await organization.export(test, { publicOnly: true });
  const text = readJsonFiles(folder);
  for (const one of PRIVATE_TEXTS) test.notOk(text.includes(one), one);
  const realm = tables('realm.json');
  const empty = Object.keys(realm).filter((table) => realm[table]!.length === 0);
  test.strictSame(
    empty.sort(),
    [
      'conclave_savedsnippet',
      'conclave_submessage',
      'zerver_alertword',
      'zerver_botconfigdata',
      'zerver_botstoragedata',
      'zerver_huddle',
      'zerver_muteduser',
      'zerver_reaction',
      'zerver_scheduledmessage',
      'zerver_service',
      'zerver_useractivity',
      'zerver_useractivityinterval',
      'zerver_userpresence',
      'zerver_userprofile_mirrordummy',
      'zerver_userstatus',
      'zerver_usertopic',
    ],
    'tables without rows; a table that is new must be decided on',
  );
  const pick = (table: string, ...columns: string[]) => realm[table]!.map((row) => columns.map((name) => row[name]));
  test.strictSame(pick('zerver_userprofile', 'id', 'delivery_email', 'email', 'email_address_visibility'), [
    [ADA, 'user11@team.example', 'user11@team.example', 4],
    [BEN, 'ben@a.example', 'user12@team.example', 2],
    [BOT, 'u13@example.com', 'u13@example.com', 1],
    [ZOE, 'user14@team.example', 'user14@team.example', 4],
  ]);
  const settings = ['enter_sends', 'color_scheme', 'send_read_receipts', 'rate_limits'];
  const streams = ['default_sending_stream', 'default_events_register_stream', 'default_all_public_streams'];
  for (const row of pick('zerver_userprofile', ...settings, ...streams))
    test.strictSame(row, [true, 1, true, '', null, null, false]);
  for (const row of pick('conclave_usersettings', 'automatically_follow_topics_policy')) test.not(row[0], 1);
  test.strictSame(pick('zerver_realm', 'notifications_stream', 'signup_notifications_stream'), [[null, SQUARE]]);
  test.strictSame(pick('zerver_stream', 'id'), [[SQUARE]]);
  test.strictSame(pick('zerver_defaultstream', 'stream'), [[SQUARE]]);
  test.strictSame(pick('conclave_defaultstreamgroup', 'streams'), [[[SQUARE]]]);
  test.strictSame(pick('zerver_recipient', 'id', 'type'), [...[ADA, BEN, BOT, ZOE].map((id) => [id, 1]), [104, 2]]);
  const ownSubscriptions = [ADA, BEN, BOT, ZOE].map((id) => [id, id]);
  const subscriptions = pick('zerver_subscription', 'user_profile', 'recipient').sort();
  test.strictSame(subscriptions, [...ownSubscriptions, [ADA, 104]].sort());
  for (const row of pick('zerver_subscription', 'is_muted', 'pin_to_top')) test.strictSame(row, [false, false]);
  test.strictSame(pick('zerver_customprofilefieldvalue', 'user_profile', 'value'), [[ADA, 'rope']]);
  const { zerver_message, zerver_usermessage } = tables('messages-000001.json');
  test.strictSame(zerver_usermessage, []);
  test.match(zerver_message, [{ id: 1 }, { id: 2, last_edit_time: 7 }]);
  test.equal(zerver_message!.length, 2);
  test.match(JSON.parse(String(zerver_message![1]!.edit_history)), [{ timestamp: 6, prev_content: 'before' }]);
  test.notMatch(zerver_message![1]!.edit_history, /prev_stream/);
  test.match(tables('attachment.json').zerver_attachment, [{ owner: ADA, messages: [1] }]);
  test.match(tables('uploads/records.json'), [{ user_profile_id: ADA, user_profile_email: 'user11@team.example' }]);

  const { counts, leftOut } = await checkImport(folder);
  test.strictSame([counts.get('people'), counts.get('bots'), counts.get('messages')], [3, 1, 2]);
  test.strictSame([...leftOut.keys()], ['picture of the emoji buoy'], 'the test stores none');
  const { directoryRecords, userIdMap } = await readDraft(folder);
  const addresses = directoryRecords.users.map(({ id, deliveryEmail }) => [id, deliveryEmail]);
  test.strictSame(
    addresses,
    [
      [ADA, 'user11@conclave.invalid'],
      [BEN, 'ben@a.example'],
      [BOT, 'u13@example.com'],
      [ZOE, 'user14@conclave.invalid'],
    ].map(([id, address]) => [userIdMap.findNewId(Number(id)), address]),
    'nobody has the mailbox of a made-up address',
  );
});

t.test('an organization comes from an export of its public data', { timeout: 60_000 }, async (test) => {
  const { folder } = await organizationWithPrivateData().export(test, { publicOnly: true });
  const to = ['--subdomain', 'team', '--usual-priority', '--data-dir', join(folder, 'data')];
  const { code, stdout } = await runAndCapture(['import', folder, ...to]);
  test.equal(code, 0);
  test.match(stdout, / 1 {2}invitations by mail\n/, 'of the three people one has an address with a mailbox');
  const again = join(folder, 'again');
  test.equal((await runAndCapture(['export', again, ...to])).code, 0);
  const read = (file: string) =>
    JSON.parse(readFileSync(join(again, file), 'utf8')) as Record<string, readonly JsonObject[]>;
  const { zerver_userprofile, zerver_stream, zerver_subscription } = read('realm.json');
  const [square] = zerver_stream!;
  const subscribed = zerver_subscription!.filter((row) => row.recipient === square!.recipient);
  test.match(subscribed, [{ user_profile: zerver_userprofile![0]!.id, active: true }]);
  test.match(read('messages-000001.json').zerver_message, [
    { content: 'see #**Hold**', recipient: square!.recipient },
    { recipient: square!.recipient },
  ]);
});

t.test('an export of the public data has edit histories only if members see them', async (test) => {
  const organization = organizationWithPrivateData();
  const { snapshot } = organization;
  organization.snapshot = { ...snapshot, settings: { ...snapshot.settings, allow_edit_history: false } };
  const { tables } = await organization.export(test, { publicOnly: true });
  test.match(tables('messages-000001.json').zerver_message, [{}, { id: 2, last_edit_time: 7, edit_history: null }]);
});

t.test('a file is public if an exported message in a public stream links to it', async (test) => {
  for (const [linking, isPublic] of [
    [[1], false],
    [[1, 2], false],
    [[1, 3], true],
    [[1, 4], false],
  ] as const) {
    const organization = new Organization();
    organization.send(1, [BEN]);
    organization.send(2, CELLAR);
    organization.send(3, SQUARE);
    await organization.linkFile(...linking);
    organization.onReadingDirectory = () => organization.send(4, SQUARE);
    const { tables } = await organization.export(test);
    const messages = linking.filter((id) => id !== 4);
    test.match(tables('attachment.json').zerver_attachment, [{ messages, is_realm_public: isPublic }], String(linking));
  }
});

t.test('a file whose record lists only the newest messages is exported with all that link to it', async (test) => {
  const organization = new Organization();
  const ids = Array.from({ length: 150 }, (_, i) => i + 1);
  for (const id of ids) organization.send(id, SQUARE, { files: [FILE_PATH] });
  await organization.linkFile(...ids.slice(-100));
  const { tables } = await organization.export(test);
  test.match(tables('attachment.json').zerver_attachment, [{ messages: ids, is_realm_public: true }]);
});

t.test('settings of the organization survive an export and an import', async (test) => {
  const changed: Partial<RealmSettings> = {
    name: 'Tides',
    message_retention_days: 90,
    message_content_edit_limit_seconds: null,
    default_code_block_language: 'python',
    digest_weekday: 3,
  };
  for (const authentication_methods of ['', PASSWORD_LOGIN_METHOD, SINGLE_SIGN_ON_LOGIN_METHOD]) {
    const organization = new Organization();
    const settings = { ...DEFAULT_REALM_SETTINGS, ...changed, authentication_methods };
    organization.snapshot = { ...organization.snapshot, settings };
    const { folder, tables } = await organization.export(test);
    test.strictSame(
      tables('realm.json').zerver_realmauthenticationmethod!.map(({ name }) => name),
      [PASSWORD_LOGIN_METHOD, SINGLE_SIGN_ON_LOGIN_METHOD].filter((name) => name !== authentication_methods),
      'a row for each way to log in that is on',
    );
    const draft = await readDraft(folder);
    test.strictSame(draft.settings, settings);
    test.equal(draft.adjustedRowCounts.countByReason.size, 0);
  }
});

t.test('ways to log in come from exports of earlier versions of this server, and of other servers', async (test) => {
  const { folder } = await new Organization().export(test);
  for (const [column, names, stored] of [
    ['', ['Email'], ''],
    ['Email', ['Email'], 'Email'],
    [null, ['Email', 'Google'], 'OpenID Connect'],
    [null, ['OpenID Connect'], 'Email'],
    [null, ['Google', 'SAML'], ''],
    [null, [], ''],
    ['Email,OpenID Connect', ['Email'], ''],
  ] as const) {
    changeTable(folder, 'zerver_realm', ([row]) => [{ ...row, authentication_methods: column }]);
    changeTable(folder, 'zerver_realmauthenticationmethod', () => names.map((name, id) => ({ id, name, realm: 1 })));
    test.equal((await readDraft(folder)).settings.authentication_methods, stored, `${column} ${names.join()}`);
  }
});

t.test('an import leaves out settings that the API refuses', async (test) => {
  const { folder } = await new Organization().export(test);
  const ofUser = { color_scheme: 9, notification_sound: 'moo', email_notifications_batching_period_seconds: 'soon' };
  const ofOrganization = {
    authentication_methods: { Email: false, 'OpenID Connect': true },
    message_retention_days: 'ninety',
    message_content_edit_limit_seconds: 0,
    default_language: 7,
    video_chat_provider: 9,
  };
  changeTable(folder, 'zerver_realm', ([row]) => [{ ...row, ...ofOrganization }]);
  changeTable(folder, 'zerver_userprofile', (rows) => rows.map((row) => ({ ...row, ...ofUser })));
  changeTable(folder, 'zerver_realmuserdefault', ([row]) => [{ ...row, ...ofUser }]);
  const { settings, directoryRecords, directorySingletons, adjustedRowCounts } = await readDraft(folder);
  test.strictSame(settings, { ...DEFAULT_REALM_SETTINGS, name: 'team' });
  test.strictSame(directoryRecords.personals, []);
  test.strictSame(directorySingletons.userDefaults, {});
  test.equal(adjustedRowCounts.countByReason.size, 7, 'all but the ways to log in, which are no column');
});

t.test('lists that are too large for an event are imported up to their maximum', async (test) => {
  const { folder } = await new Organization().export(test);
  const listOf = (count: number, more: (i: number) => JsonObject) =>
    Array.from({ length: count }, (_, i) => ({ id: i + 1, realm: 1, user_profile: ADA, ...more(i) }));
  for (const [table, rows] of [
    ['zerver_realmemoji', listOf(MAX_CUSTOM_EMOJI + 2, (i) => ({ name: `e${i}`, deactivated: false, author: ADA }))],
    [
      'zerver_realmfilter',
      listOf(MAX_LINKIFIERS + 2, (i) => ({ pattern: `#${i}`, url_template: 'https://a.example/' })),
    ],
    ['zerver_realmplayground', listOf(MAX_PLAYGROUNDS + 2, (i) => ({ name: `${i}`, pygments_language: 'Python' }))],
    ['zerver_customprofilefield', listOf(102, (i) => ({ name: `${i}`, hint: '', field_type: 1, field_data: '' }))],
    ['zerver_alertword', listOf(MAX_ALERT_WORDS_PER_USER + 2, (i) => ({ word: `${i}` }))],
  ] as const)
    changeTable(folder, table, () => rows);
  const { directoryRecords, directorySingletons, adjustedRowCounts } = await readDraft(folder);
  const { emoji, personals } = directoryRecords;
  const { linkifiers, playgrounds, profileFields } = directorySingletons;
  test.strictSame(
    [emoji.filter((one) => !one.deactivated), linkifiers, playgrounds, profileFields, personals[0]!.alertWords].map(
      ({ length }) => length,
    ),
    [MAX_CUSTOM_EMOJI, MAX_LINKIFIERS, MAX_PLAYGROUNDS, 100, MAX_ALERT_WORDS_PER_USER],
  );
  test.strictSame(
    [...adjustedRowCounts.countByReason.values()].reduce((sum, count) => sum + count),
    10,
  );
});

t.test('conversations with system bots survive an export and an import', async (test) => {
  const organization = new Organization();
  organization.send(1, [ADA], {}, WELCOME_BOT_ID);
  organization.send(2, [WELCOME_BOT_ID]);
  organization.send(3, SQUARE, {}, NOTIFICATION_BOT_ID);
  const { folder, tables } = await organization.export(test);
  const { zerver_recipient = [], zerver_userprofile_crossrealm = [] } = tables('realm.json');
  const bots = zerver_userprofile_crossrealm.map(({ recipient_id }) => recipient_id);
  test.ok(bots.includes(WELCOME_BOT_ID));
  test.notOk(
    zerver_recipient.some(({ id }) => bots.includes(id!)),
    'the importing server has recipients of its bots',
  );
  const { counts, leftOut } = await checkImport(folder);
  test.equal(counts.get('messages'), 3);
  test.equal(leftOut.size, 0);
});

t.test('recipients of system bots may be among those of users, as in exports of earlier versions', async (test) => {
  const organization = new Organization();
  organization.send(1, [WELCOME_BOT_ID]);
  const { folder } = await organization.export(test);
  const bot = { id: WELCOME_BOT_ID, type: 1, type_id: WELCOME_BOT_ID };
  changeTable(folder, 'zerver_recipient', (rows) => [bot, ...rows]);
  const { counts } = await checkImport(folder);
  test.equal(counts.get('messages'), 1);
});

t.test('tables have the columns of the format, so that other servers can import them', async (test) => {
  const organization = new Organization();
  organization.snapshot = { ...organization.snapshot, ...RECORDS_OF_ALL_KINDS };
  organization.send(1, SQUARE, { reactions: [{ user: BEN, name: 'tada', code: '1f389', type: 'unicode_emoji' }] });
  organization.send(2, [BEN, ZOE]);
  await organization.linkFile(1);
  for (const [part, value] of Object.entries(PARTS_OF_ALL_KINDS)) organization.putPart(ADA, part, value);
  const { tables } = await organization.export(test);
  const all = Object.assign({}, ...['realm.json', 'attachment.json', 'messages-000001.json'].map(tables)) as ReturnType<
    typeof tables
  >;
  for (const [table, columns] of FORMAT_COLUMNS) {
    const [row = {}] = all[table] ?? [];
    const left = table === 'zerver_realmuserdefault' ? SETTINGS_WITHOUT_DEFAULT : [];
    test.strictSame([...Object.keys(row), ...left].sort(), columns, table);
  }
  const others = Object.keys(all).filter((table) => !FORMAT_COLUMNS.has(table) && all[table]!.length > 0);
  test.strictSame(others, ['conclave_realmuserdefault', 'conclave_usersettings']);
});

t.test('settings of users that the format does not have survive an export and an import', async (test) => {
  const organization = new Organization();
  const settings: Partial<UserSettings> = { color_scheme: 2, automatically_follow_topics_policy: 1 };
  const userDefaults: Partial<UserSettings> = { enter_sends: true, enable_followed_topic_email_notifications: false };
  const personals = [{ user: toUserId(BEN), settings, alertWords: [], muted: [] }];
  organization.snapshot = { ...organization.snapshot, personals, userDefaults };
  const { folder } = await organization.export(test);
  const read = async () => {
    const { directoryRecords, directorySingletons, userIdMap } = await readDraft(folder);
    test.match(directoryRecords.personals, [{ user: userIdMap.findNewId(BEN) }]);
    test.strictSame(directoryRecords.personals[0]!.settings, settings);
    test.strictSame(directorySingletons.userDefaults, userDefaults);
  };
  await read();
  // Earlier versions exported them as columns of the format's tables.
  changeTable(folder, 'zerver_userprofile', ([ada, ben]) => [ada!, { ...ben, ...settings }]);
  changeTable(folder, 'zerver_realmuserdefault', ([row]) => [{ ...row, ...userDefaults }]);
  for (const table of ['conclave_usersettings', 'conclave_realmuserdefault']) changeTable(folder, table, () => []);
  await read();
});

t.test('saved snippets are exported, but not with the public data', async (test) => {
  const organization = new Organization();
  const snippet = { title: 'Greeting', content: 'Ahoy', date_created: 5 };
  organization.putPart(ADA, 'snippet/45057', { id: 45_057, ...snippet });
  const { tables } = await organization.export(test);
  test.match(tables('realm.json').conclave_savedsnippet, [{ id: 1, user_profile: ADA, ...snippet }]);
  const ofPublicData = await organization.export(test, { publicOnly: true });
  test.strictSame(ofPublicData.tables('realm.json').conclave_savedsnippet, []);
});

t.test('saved snippets beyond the limits of the API are left out of an import', async (test) => {
  const { folder } = await new Organization().export(test);
  const texts = [
    ['Greeting', 'Ahoy'],
    ['', 'Ahoy'],
    ['x'.repeat(61), 'Ahoy'],
    ['Greeting', '\0'],
  ] as const;
  const rows = texts.map(([title, content], id) => ({ id, user_profile: BEN, title, content, date_created: 5 }));
  for (const table of ['conclave_savedsnippet', 'zerver_savedsnippet']) {
    changeTable(folder, 'conclave_savedsnippet', () => []);
    changeTable(folder, table, () => rows);
    const { counts, leftOut } = await checkImport(folder);
    test.strictSame([counts.get('saved snippets'), [...leftOut.values()]], [1, [3]], table);
  }
});

t.test('groups of default streams survive an export and an import', async (test) => {
  const organization = new Organization();
  const group = { id: 3, name: 'Crew', description: 'All hands', streams: [CELLAR, SQUARE].map(toStreamId) };
  organization.snapshot = { ...organization.snapshot, streamGroups: [group] };
  const { folder } = await organization.export(test);
  changeTable(folder, 'conclave_defaultstreamgroup', ([row]) => [row!, { ...row!, id: 4 }]);
  const { directorySingletons, streamIdMap, adjustedRowCounts } = await readDraft(folder);
  const streams = group.streams.map((id) => streamIdMap.findNewId(id));
  test.strictSame(directorySingletons.streamGroups, [{ ...group, id: 1, streams }]);
  test.equal(adjustedRowCounts.countByReason.size, 1, 'a second group of the same name is left out');
});

t.test('a bot whose default stream is archived has none after an import', async (test) => {
  const organization = new Organization();
  const bots = RECORDS_OF_ALL_KINDS.bots!.map((bot) => ({
    ...bot,
    sendingStream: toStreamId(SQUARE),
    eventsStream: toStreamId(CELLAR),
  }));
  const streams = [stream(SQUARE, { archived: true }), stream(CELLAR)];
  const { snapshot } = organization;
  const users = [...snapshot.users, person(BOT, { botType: 1, botOwner: toUserId(ADA) })];
  organization.snapshot = { ...snapshot, users, streams, bots };
  const { folder } = await organization.export(test);
  const { directoryRecords, streamIdMap } = await readDraft(folder);
  test.match(directoryRecords.bots, [{ sendingStream: null, eventsStream: streamIdMap.findNewId(CELLAR) }]);
});

t.test('an export has no rows of users and streams that came after its directory', async (test) => {
  const organization = new Organization();
  const [newcomer, harbour] = [99, 98];
  organization.send(1, SQUARE, { reactions: [{ user: newcomer, name: 'tada', code: '1f389', type: 'unicode_emoji' }] });
  organization.send(2, harbour);
  for (const [i, target] of [
    { type: 'stream', to: [harbour] },
    { type: 'private', to: [newcomer] },
    { type: 'private', to: [BEN] },
  ].entries())
    organization.putPart(ADA, `scheduled/${i}`, { ...SCHEDULED_MESSAGE, ...target, topic: '' });
  const { folder, tables } = await organization.export(test);
  const { zerver_message } = tables('messages-000001.json');
  test.match(zerver_message, [{ id: 1 }]);
  test.equal(zerver_message!.length, 1);
  const { zerver_reaction, zerver_scheduledmessage } = tables('realm.json');
  test.strictSame(zerver_reaction, []);
  test.strictSame(
    zerver_scheduledmessage!.map(({ recipient }) => recipient),
    [BEN],
  );
  test.equal((await checkImport(folder)).leftOut.size, 0);
});

t.test('group conversations with system bots are left out with their messages', async (test) => {
  const organization = new Organization();
  organization.send(1, [BEN, WELCOME_BOT_ID]);
  organization.send(2, [BEN]);
  const { folder, tables } = await organization.export(test);
  test.strictSame(tables('realm.json').zerver_huddle, []);
  test.strictSame(
    tables('messages-000001.json').zerver_message!.map(({ id }) => id),
    [2],
  );
  test.equal((await checkImport(folder)).leftOut.size, 0);
});
