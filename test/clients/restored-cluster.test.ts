/**
 * Restored database of a cluster: old event queues end, message ids are not reused, and every process checks the
 * storage format.
 */
import { type Document, MongoClient } from 'mongodb';
import t from 'tap';
import { REAL_CLOCK } from '#base/clock';
import {
  CURRENT_STORAGE_FORMAT,
  MongoStore,
  raiseMongoStorageFormat,
  readOrInitMongoStorageFormat,
} from '#ports/store';
import { Cluster } from './support/face.js';
import { services } from './support/missing.js';
import { bounded, conclave } from './support/process.js';
import { HANG_TIMEOUT_MS } from './support/wait.js';

const STREAM = 'general';

/** Documents of a database by collection, as mongodump takes them while no process writes. */
async function dump(url: string): Promise<Map<string, Document[]>> {
  const client = await MongoClient.connect(url);
  try {
    const names = (await client.db().listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
    const all = names.map(async (name) => [name, await client.db().collection(name).find().toArray()] as const);
    return new Map(await Promise.all(all));
  } finally {
    await client.close();
  }
}

async function load(url: string, dumped: ReadonlyMap<string, Document[]>): Promise<void> {
  const client = await MongoClient.connect(url);
  try {
    await client.db().dropDatabase();
    for (const [name, found] of dumped) if (found.length > 0) await client.db().collection(name).insertMany(found);
  } finally {
    await client.close();
  }
}

const cluster = services();
if (cluster) {
  t.test('after `store restored` earlier event queues have ended and message ids are not reused', async (test) => {
    const face = await Cluster.start(cluster, 1, []);
    test.teardown(() => face.stop());
    await face.api(0).subscribe(STREAM);
    const kept = await face.api(0).send(STREAM, 'kept');
    const queue = await face.api(0).register();
    await face.down();
    const dumped = await dump(face.mongodb);
    const up = async (): Promise<void> => {
      await face.addHost();
      await face.addFrontend();
    };
    await up();
    const lost = await face.api(0).send(STREAM, 'lost');
    const [event] = await face.api(0).events(queue.queue_id, queue.last_event_id);
    test.equal(event?.message?.id, lost);
    await test.rejects(face.command('store', 'restored'), /stop every process of the cluster first/);
    test.ok(await face.api(0).send(STREAM, 'nothing happened'));
    await Promise.all(face.hosts.map((host) => host.stop()));
    await test.rejects(face.command('store', 'restored'), /stop every process of the cluster first: \S+\/\d+/);
    await face.down();

    await load(face.mongodb, dumped);
    test.match(await face.command('store', 'restored'), 'earlier event queues end');
    await up();
    const api = face.api(0);
    test.strictSame(
      (await api.history(STREAM)).map(({ id }) => id),
      [kept],
    );
    const refused = await api.call('GET', '/events', { queue_id: queue.queue_id, last_event_id: event!.id });
    test.match(refused, { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } });
    const again = await api.register();
    const id = await api.send(STREAM, 'anew');
    test.ok(id > lost + 900_000, 'new message ids are far above all earlier ones');
    const [first] = await api.events(again.queue_id, again.last_event_id);
    test.equal(first?.message?.id, id);
  });

  t.test('only the upgrade command raises the storage format of a database', async (test) => {
    const url = `${cluster.mongodb.replace(/\/*$/, '')}/conclave_format_${process.pid}`;
    const client = await MongoClient.connect(url);
    test.teardown(async () => {
      await client.db().dropDatabase();
      await client.close();
    });
    test.equal(await readOrInitMongoStorageFormat(url, 3), 3, 'a new database gets the format of the program');
    test.equal(
      await readOrInitMongoStorageFormat(url, 4),
      3,
      'the next version reads the format and does not raise it',
    );
    test.equal(await readOrInitMongoStorageFormat(url, 3), 3);
    await test.rejects(
      readOrInitMongoStorageFormat(url, 2),
      /the database conclave_format_\d+ at .* is in format 3, this program knows/,
    );
    await test.rejects(readOrInitMongoStorageFormat(url, 5), /reads 4 and 5: upgrade one version at a time/);
    test.equal(await raiseMongoStorageFormat(url, 4), 4);
    await test.rejects(readOrInitMongoStorageFormat(url, 3), /is in format 4/);
    await test.rejects(raiseMongoStorageFormat(url, 6), /one version at a time/);
    test.equal(await raiseMongoStorageFormat(url, 4), 4, 'raising again changes nothing');

    const tagsReactions = async (): Promise<boolean> => {
      const store = await MongoStore.connect(url, REAL_CLOCK);
      await store.close();
      return store.tagsReactions;
    };
    test.equal(await tagsReactions(), true, 'a new database tags messages with reactions');

    const options = ['--nats', cluster.nats, '--mongodb', url, '--secret', 'a secret for tests only'];
    for (const role of ['http', 'actors', 'all']) {
      const ended = await bounded(conclave(['serve', '--role', role, '--port', '0', ...options]), HANG_TIMEOUT_MS);
      test.equal(ended.code, 1);
      test.match(
        ended.stderr,
        /^conclave: the database .* is in format 4, this program knows up to \d+: use the newer/m,
      );
      test.notMatch(ended.stderr, 'a secret');
    }

    await client.db().dropDatabase();
    await client.db().collection('roots').insertOne({ old: true });
    test.equal(await readOrInitMongoStorageFormat(url, 2), 1, 'a database without a format has format 1');
    test.equal(await tagsReactions(), false, 'a database without a format has no tags of reactions');
    test.ok(CURRENT_STORAGE_FORMAT >= 1);
  });
}
