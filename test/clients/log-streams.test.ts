/** Event log with several streams: every process of a cluster must be configured with the same number. */
import { MongoClient } from 'mongodb';
import t from 'tap';
import { readOrInitMongoLogStreamCount, replaceMongoLogStreamCount } from '#ports/store';
import { readZuliprc } from '../support/credentials.js';
import { Api } from './support/api.js';
import { Cluster } from './support/face.js';
import { services } from './support/missing.js';

const STREAM = 'general';
const SAME = /--log-streams \(LOG_STREAMS\): the cluster with .* has 3, this process was given 1/;

const cluster = services();
if (cluster) {
  t.test(
    'organizations in different log streams get their events, and a process with another number of streams is refused',
    async (test) => {
      const face = await Cluster.start({ ...cluster, options: ['--log-streams', '3'] });
      test.teardown(() => face.stop());
      const second = `${face.folder}/second.zuliprc`;
      const who = ['--name', 'Second', '--subdomain', 'second', '--email', 'owner@example.com', '--full-name', 'Owner'];
      await face.command('realm', 'create', ...who, '--zuliprc', second, '--site', face.site(1));
      const both = [face.api(0), new Api(face.site(1), readZuliprc(second))];
      const queues = [];
      for (const api of both) {
        await api.subscribe(STREAM);
        queues.push(await api.register());
      }
      for (const [i, api] of both.entries()) {
        const id = await api.send(STREAM, `of ${i}`);
        const { queue_id, last_event_id } = queues[i]!;
        const [event] = await api.events(queue_id, last_event_id);
        test.equal(event?.message?.id, id);
      }
      const wrong = await face.attempt('serve', '--role', 'actors', '--log-streams', '1');
      test.equal(wrong.code, 2, 'exit code of a wrong configuration');
      test.match(wrong.stderr, SAME);
      const beside = await face.attempt('store', 'log-streams', '--log-streams', '1');
      test.match(beside.stderr, /stop every process of the cluster first/);

      await face.down();
      test.match(await face.command('store', 'log-streams'), 'log streams: 3, earlier event queues end');
      await face.addHost();
      await face.addFrontend();
      const api = face.api(0);
      const { queue_id, last_event_id } = queues[0]!;
      const refused = await api.call('GET', '/events', { queue_id, last_event_id });
      test.match(refused, { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } });
      const again = await api.register();
      const id = await api.send(STREAM, 'anew');
      const [event] = await api.events(again.queue_id, again.last_event_id);
      test.equal(event?.message?.id, id);
    },
  );

  t.test('the first process sets the number of log streams; a cluster of an earlier version has one', async (test) => {
    const url = `${cluster.mongodb.replace(/\/*$/, '')}/conclave_streams_${process.pid}`;
    const client = await MongoClient.connect(url);
    test.teardown(async () => {
      await client.db().dropDatabase();
      await client.close();
    });
    const counts = await Promise.all([5, 5, 5].map((wanted) => readOrInitMongoLogStreamCount(url, wanted)));
    test.strictSame(counts, [5, 5, 5]);
    test.equal(await readOrInitMongoLogStreamCount(url, 2), 5);
    await replaceMongoLogStreamCount(url, 2);
    test.equal(await readOrInitMongoLogStreamCount(url, 5), 2);
    await client.db().dropDatabase();
    await client.db().collection<{ _id: string }>('roots').insertOne({ _id: 'realm/1' });
    test.equal(await readOrInitMongoLogStreamCount(url, 5), 1);
  });
}
