/**
 * Both faces: a deleted organization leaves no rows and no files, beside running servers and after kills, and the other
 * organization is not touched.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import t, { type Test } from 'tap';
import { openSharedLmdbEnvironment } from '#ports/store';
import { makeExportedOrganization } from '../support/exported-organization.js';
import { Api } from './support/api.js';
import { runCommand } from './support/command-line.js';
import { Cluster, command, Embedded } from './support/face.js';
import { remove, temporary } from './support/folders.js';
import { services } from './support/missing.js';
import { type Child, conclave, type Ended } from './support/process.js';

interface Face {
  /** Site of each frontend. */
  readonly sites: readonly string[];
  readonly owner: Api;
  run(...words: readonly string[]): Promise<string>;
  attempt(...words: string[]): Promise<Ended>;
  /** Runs a command as a process of its own, for kills. */
  process(...words: string[]): Child;
  /** Keys of all stored rows and files, without those of realm 0 and of the event log. */
  listStored(): Promise<string[]>;
}

const OWNER = ['--email', 'new@example.com', '--full-name', 'New Owner'];
const LMDB_TABLES = ['root-heads', 'roots', 'parts', 'sleepers', 'messages', 'message-index', 'packed-postings'];
const COLLECTIONS = ['roots', 'parts', 'messages', 'blobs.files', 'blobs.chunks'];
/** Matches a log line of an error. */
const ERROR_LINE = /"level":[56]0/;
/** Matches the key of a row of realm 0, which remembers its replies to commands. */
const ROW_OF_REALM_ZERO = /"realm\/0["\s]/;

async function listStoredInDataDir(dataDir: string): Promise<string[]> {
  const environment = await openSharedLmdbEnvironment(dataDir);
  try {
    const rows = LMDB_TABLES.flatMap((table) =>
      Array.from(environment.openTable(table).getKeys(), (key) => `${table} ${JSON.stringify(key)}`),
    );
    const files = readdirSync(join(dataDir, 'blobs'), { recursive: true }).map((file) => `file ${String(file)}`);
    return [...rows.filter((row) => !ROW_OF_REALM_ZERO.test(row)), ...files].sort();
  } finally {
    await environment.close();
  }
}

async function listStoredInDatabase(url: string): Promise<string[]> {
  const client = new MongoClient(url);
  try {
    const rows = COLLECTIONS.map(async (name) => {
      const found = await client
        .db()
        .collection(name)
        .find({}, { projection: { _id: 1 } })
        .toArray();
      return found.map(({ _id }) => `${name} ${JSON.stringify(_id)}`);
    });
    return (await Promise.all(rows))
      .flat()
      .filter((row) => !ROW_OF_REALM_ZERO.test(row))
      .sort();
  } finally {
    await client.close();
  }
}

/** Imports an organization, and has one of its users do things that make rows, files, timers and an event queue. */
async function makeUsedOrganization(face: Face, base: string): Promise<Api> {
  const from = join(base, 'export');
  const made = makeExportedOrganization(from, { people: 8, streams: 3, messages: 300, seed: 9 });
  await face.run('import', from, '--subdomain', 'two', '--no-invitations');
  const { email } = made.users[0]!;
  const api = new Api(face.sites[0]!, {
    email,
    key: await face.run('user', 'key', '--email', email, '--realm', 'two'),
  });
  await api.subscribe('fresh');
  const id = await api.send('fresh', 'a message @**all**');
  await api.ok('POST', `/messages/${id}/reactions`, { emoji_name: 'tada' });
  const tomorrow = Math.ceil(Date.now() / 1_000) + 86_400;
  const scheduled = {
    type: 'direct',
    to: [made.users.length],
    content: 'later',
    scheduled_delivery_timestamp: tomorrow,
  };
  await api.call('POST', '/scheduled_messages', scheduled);
  const { queue_id, last_event_id } = await api.register(['message']);
  // The poll waits until the end: its client has not asked for the event of the deactivation.
  api.events(queue_id, last_event_id).catch(() => undefined);
  return api;
}

async function checkDeletion(test: Test, face: Face, kills: number): Promise<void> {
  const base = temporary('delete');
  test.teardown(() => remove(base));
  const { owner } = face;
  const queue = await owner.register();
  const before = await face.listStored();
  const inTwo = await makeUsedOrganization(face, base);
  test.ok((await face.listStored()).length > before.length + 300);

  const refused = async (subdomain: string, expected: RegExp): Promise<void> => {
    const { code, stderr } = await face.attempt('realm', 'delete', subdomain, '--yes');
    test.equal(code, 1);
    test.match(stderr, expected);
  };
  await refused('two', /the organization 'two' is active: .* conclave realm deactivate --realm='two'/);
  await refused('three', /there is no organization 'three'/);
  test.equal((await inTwo.call('GET', '/users/me')).status, 200, 'a refused deletion changes nothing');
  await face.run('realm', 'deactivate', '--realm', 'two');
  const unconfirmed = await face.attempt('realm', 'delete', 'two');
  test.match(unconfirmed, { code: 1, stderr: /confirmed at a terminal, or by --yes/ });

  for (let kill = 0; kill < kills; kill++) {
    const child = face.process('realm', 'delete', 'two', '--yes');
    await child.says('organization two: ');
    // Kill at a random moment of the deletion.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
    await child.kill();
    test.equal((await owner.call('GET', '/users/me')).status, 200, 'the other organization is served');
  }
  test.match(
    await face.run('realm', 'list'),
    /^2\ttwo\t(deactivated|being deleted)$/m,
    'its subdomain stays reserved until all is removed',
  );
  test.match(await face.run('realm', 'delete', 'two', '--yes'), /^organization two: deleted$/m);
  await refused('two', /there is no organization 'two'/);
  const left = (await face.listStored()).filter((row) => !before.includes(row));
  test.strictSame(left, [], 'no row and no file is left');

  const sent = await owner.send('general', 'and on');
  const events = await owner.events(queue.queue_id, queue.last_event_id);
  test.equal(events.find(({ type }) => type === 'message')?.message?.id, sent, "the other one's events go on");
  await face.run('realm', 'create', '--subdomain', 'two', '--name', 'New', ...OWNER);
  test.match(await face.run('realm', 'list'), /^3\ttwo$/m, 'the subdomain is free, and the number is not used again');
  for (const site of face.sites) {
    const { status, body } = await new Api(site, inTwo.account).call('GET', '/users/me');
    test.match([status, body.msg], [401, 'Invalid API key'], 'its API keys are unknown to each frontend');
  }
}

t.test('embedded: a deleted organization leaves nothing, beside a running server and after kills', async (test) => {
  const embedded = await Embedded.start();
  test.teardown(() => embedded.stop());
  const dataDir = ['--data-dir', embedded.dataDir];
  const face: Face = {
    sites: [embedded.site],
    owner: embedded.api(),
    run: (...words) => command([...words, ...dataDir]),
    attempt: (...words) => runCommand([...words, ...dataDir]),
    process: (...words) => conclave([...words, ...dataDir]),
    listStored: () => listStoredInDataDir(embedded.dataDir),
  };
  await checkDeletion(test, face, 3);
  test.notOk(embedded.server.over, 'the server runs on');
  test.notMatch(embedded.server.stderr, ERROR_LINE);
});

const cluster = services();
if (cluster) {
  t.test('cluster: a deleted organization leaves nothing, on any host', { timeout: 180_000 }, async (test) => {
    const running = await Cluster.start(cluster);
    test.teardown(() => running.stop());
    const face: Face = {
      sites: [running.site(0), running.site(1)],
      owner: running.api(1),
      run: (...words) => running.command(...words),
      attempt: (...words) => running.attempt(...words),
      process: (...words) => running.process(...words),
      listStored: () => listStoredInDatabase(running.mongodb),
    };
    await checkDeletion(test, face, 2);
    for (const child of running.children) {
      test.notOk(child.over, 'each process runs on');
      test.notMatch(child.stderr, ERROR_LINE);
    }
  });
}
