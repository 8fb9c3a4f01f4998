/** Tables of an export: what they contain of a live organization, in which form, and what an import makes of them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Json, JsonObject } from '#base';
import type { DirectorySnapshot } from '#directory';
import { MAX_CUSTOM_EMOJI, productEmojiForm } from '#domain/emoji';
import { blobNameOfFile } from '#domain/files';
import { type StoredMessage, toMessageRecord } from '#domain/messages';
import {
  MAX_ALERT_WORDS_PER_USER,
  MAX_LINKIFIERS,
  MAX_PLAYGROUNDS,
  NOTIFICATION_BOT_ID,
  WELCOME_BOT_ID,
} from '#domain/people';
import { ServerCryptography } from '#domain/secrets';
import {
  DEFAULT_REALM_SETTINGS,
  PASSWORD_LOGIN_METHOD,
  type RealmSettings,
  SINGLE_SIGN_ON_LOGIN_METHOD,
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
import { snapshotWith } from '../../support/directory.js';
import { MemoryBlobs } from '../../support/memory-blobs.js';
import { MemoryStore } from '../../support/memory-store.js';
import { messageBody } from '../../support/message-body.js';
import { person } from '../../support/person.js';
import { FORMAT_COLUMNS } from './format-columns.js';

const REALM = toRealmId(1);
const SECRETS = new ServerCryptography('a secret of the export');
const [ADA, BEN] = [11, 12];
const [SQUARE, CELLAR] = [4, 5];
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
    const source = await readExportSource({ store, blobs, realm: REALM, productEmoji, readSnapshot });
    await exportOrganizationToFolder(source, folder, options);
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
