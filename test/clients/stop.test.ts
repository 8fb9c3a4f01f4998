/** SIGTERM: requests under way are completed or refused, no outbox is left, and the process exits by itself. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { REAL_CLOCK } from '#base/clock';
import { ALL_PARTITIONS } from '#ports/placement';
import { LmdbStore, MongoStore, openLmdbEnvironment, type Store } from '#ports/store';
import { type Answer, RefusedError } from './support/api.js';
import {
  Follower,
  findEventFaults,
  findHistoryFaults,
  isUnavailableError,
  Sender,
  stopTraffic,
} from './support/chatter.js';
import { Cluster, Embedded } from './support/face.js';
import { missing, services } from './support/missing.js';
import { type Ended, MAIN, WITH_WORKERS } from './support/process.js';
import { scrape } from './support/scrape.js';
import { hasTmux, Terminal } from './support/tmux.js';
import { HANG_TIMEOUT_MS, until } from './support/wait.js';

const STREAM = 'general';

const outcome = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => value,
    (error: unknown) => error,
  );

async function checkCleanExit(test: Test, stopping: Promise<Ended>): Promise<void> {
  const start = performance.now();
  const { code, signal } = await stopping;
  const ms = Math.round(performance.now() - start);
  // A process that hangs is killed and has no exit code.
  test.equal(code ?? signal, 0, `the process exits with code 0 (${ms} ms)`);
}

async function checkNoOutboxLeft(test: Test, store: Store): Promise<void> {
  const left = (await store.listActorsToWake(ALL_PARTITIONS)).filter(({ pending }) => pending);
  test.strictSame(left, [], 'no outbox entry is left for the next start');
}

/** Whether the connection broke, which is allowed while the server stops. */
const isConnectionError = (error: unknown): boolean => error instanceof Error && !(error instanceof RefusedError);

const embedded = await Embedded.start(WITH_WORKERS);
t.teardown(() => embedded.stop());

t.test('embedded: SIGTERM under traffic answers waiting polls and loses no acknowledged send', async (test) => {
  const face = embedded;
  const api = face.api();
  await api.subscribe(STREAM, 'quiet');
  const { queue_id, last_event_id } = await api.ok('POST', '/register', {
    event_types: ['message'],
    narrow: [['stream', 'quiet']],
  });
  const held = outcome(api.call('GET', '/events', { queue_id, last_event_id }));
  const follower = await Follower.start([api]);
  const sender = new Sender([api], STREAM, 'm', HANG_TIMEOUT_MS, 3);
  test.teardown(() => stopTraffic(sender, follower));
  await until('30 sends are acknowledged', () => sender.acknowledged.size >= 30);
  const seen = follower.last;
  await checkCleanExit(test, face.server.stop());

  const answer = (await held) as Answer;
  test.same(
    [answer.status, answer.body],
    [200, { result: 'success', msg: '', events: [], queue_id }],
    'the waiting poll is answered without events',
  );
  const unclean = sender.failed
    .map(({ error }) => error)
    .filter((error) => !isUnavailableError(error) && !isConnectionError(error));
  test.strictSame(unclean, [], 'each send is acknowledged, refused or cut off');

  const environment = await openLmdbEnvironment(face.dataDir);
  await checkNoOutboxLeft(test, new LmdbStore(environment, REAL_CLOCK));
  await environment.close();

  await face.up();
  await until('60 sends are acknowledged', () => [...sender.acknowledged.keys()].length >= 60);
  await sender.stop();
  await follower.has(sender.acknowledged.keys());
  follower.stop();
  test.strictSame(findEventFaults(follower), [], 'the queue continues under its id, with growing event ids');
  test.ok(follower.last > seen);
  test.strictSame(findHistoryFaults(await api.history(STREAM, 5_000), sender), [], 'every acknowledged send is stored');
});

t.test('embedded: events acknowledged before SIGTERM are not delivered again', async (test) => {
  const face = embedded;
  const api = face.api();
  const { queue_id, last_event_id } = await api.register();
  await api.send(STREAM, 'one');
  const [one] = await api.events(queue_id, last_event_id);
  // Wait until no poll is left: a poll that arrives during the stop is answered without its queue, so its
  // acknowledgement may be lost.
  const ops = await face.server.ops();
  const waits = async (polls: number): Promise<boolean> =>
    (await scrape(ops)).sum('conclave_queues', { phase: 'polling' }) === polls;
  await until("no poll waits, including the previous test's", () => waits(0));
  const held = outcome(api.events(queue_id, one!.id));
  await until('the queue has the acknowledgement', () => waits(1));
  await checkCleanExit(test, face.server.stop());
  test.strictSame(await held, []);
  await face.up();
  const early = await api.call('GET', '/events', { queue_id, last_event_id, dont_block: true });
  test.equal(early.status, 400, 'an id below the acknowledged one is refused, so the acknowledgement was stored');
  test.strictSame(await api.events(queue_id, one!.id, { dont_block: true }), []);
});

t.test('embedded: a server without a terminal ignores SIGHUP, as under nohup', async (test) => {
  const face = embedded;
  face.server.signal('SIGHUP');
  face.server.signal('SIGHUP');
  await face.api().send(STREAM, 'after the signals');
  await checkCleanExit(test, face.server.stop());
  test.notMatch(face.server.stderr, 'SIGHUP');
  await face.up();
});

if (!(await hasTmux())) missing('tmux is not installed');
else
  t.test('embedded: a closed terminal stops the server as SIGTERM does', async (test) => {
    const face = await Embedded.start();
    test.teardown(() => face.stop());
    await face.server.stop();
    const words = [process.execPath, MAIN, 'serve', '--data-dir', face.dataDir, '--port', String(face.port)];
    const terminal = await Terminal.start({ words: [...words, '--workers', 'auto'] });
    await terminal.shows('Health and metrics');
    const { queue_id, last_event_id } = await face.api().register();
    const ops = await terminal.shows(/Health and metrics: (\S+)/);
    const held = outcome(face.api().events(queue_id, last_event_id));
    await until('the poll waits', async () => (await scrape(ops)).sum('conclave_queues', { phase: 'polling' }) === 1);
    await terminal.stop();
    test.strictSame(await held, []);
    await until('the server closes its admin channel', () => !existsSync(join(face.dataDir, 'admin.sock')));
    await face.up();
    test.strictSame(await face.api().events(queue_id, last_event_id, { dont_block: true }), [], 'the queue goes on');
  });

const cluster = services();
if (cluster) {
  t.test('cluster: SIGTERM to the owning host, then to a frontend, loses no acknowledged send', async (test) => {
    const face = await Cluster.start(cluster);
    test.teardown(() => face.stop());
    const both = [face.api(0), face.api(1)];
    await both[1]!.subscribe(STREAM);
    const follower = await Follower.start([both[1]!]);
    const sender = new Sender([both[1]!], STREAM, 'm', HANG_TIMEOUT_MS, 3);
    test.teardown(() => stopTraffic(sender, follower));
    const more = async (n: number): Promise<number> => {
      const goal = sender.acknowledged.size + n;
      return until(`${n} more acknowledged sends`, () => sender.acknowledged.size >= goal);
    };
    await more(20);
    await checkCleanExit(test, (await face.busiestHost()).stop());
    test.comment(`handed over: 20 more acknowledged within ${Math.round(await more(20))} ms`);
    test.strictSame([sender.failed, follower.errors], [[], []], 'no send or poll fails while another host takes over');

    const other = await Follower.start(both);
    await more(10);
    await checkCleanExit(test, face.frontends[0]!.child.stop());
    await more(10);
    await sender.stop();
    for (const one of [follower, other]) {
      const all = [...sender.acknowledged.keys()];
      // The other queue was registered later, so it has only the last sends.
      await one.has(one === other ? all.slice(-10) : all);
      one.stop();
      test.strictSame(findEventFaults(one), [], 'the queue continues under its id');
    }
    const history = await both[1]!.history(STREAM, 5_000);
    test.strictSame(findHistoryFaults(history, sender), [], 'every acknowledged send is stored');

    const [host] = face.hosts.filter((one) => !one.over);
    await checkCleanExit(test, host!.stop());
    const store = await MongoStore.connect(face.mongodb, REAL_CLOCK);
    await checkNoOutboxLeft(test, store);
    await store.close();
  });
}
