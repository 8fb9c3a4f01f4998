import { randomBytes } from 'node:crypto';
import { connect } from 'nats';
import t from 'tap';
import { RealClock } from '../../src/clock/index.js';
import { partition } from '../../src/core/index.js';
import { type KeyValue, LeasePlacement, NatsKv } from '../../src/placement/index.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryKv, MemoryKvServer } from '../support/memory-kv.js';
import { natsServerBinary, natsUrl, OwnNats } from '../support/nats.js';
import { until } from '../support/until.js';
import { MemoryEpochs, placementContract, RecordingOwner } from './placement.js';

const some = partition(3);

placementContract(t, 'LeasePlacement', async () => {
  const [server, store, clock] = [new MemoryKvServer(), new MemoryEpochs(), new FakeClock()];
  return {
    store,
    host: () => new LeasePlacement(new MemoryKv(server), clock, store, { host: 'h' }),
    close: async () => {},
  };
});

class Host {
  readonly kv: MemoryKv;
  readonly owner = new RecordingOwner();
  readonly placement: LeasePlacement;
  readonly failures: unknown[] = [];

  constructor(cluster: Cluster, name: string) {
    this.kv = new MemoryKv(cluster.server);
    this.placement = new LeasePlacement(this.kv, cluster.clock, cluster.store, {
      host: name,
      failed: (error) => this.failures.push(error),
    });
  }

  get answers(): boolean {
    return this.placement.mayAnswer(some);
  }

  start(): Promise<void> {
    return this.placement.start(this.owner);
  }
}

class Cluster {
  readonly server = new MemoryKvServer();
  readonly store = new MemoryEpochs();
  readonly clock = new FakeClock();
  readonly a = new Host(this, 'a');
  readonly b = new Host(this, 'b');
}

async function running(): Promise<Cluster> {
  const cluster = new Cluster();
  await cluster.a.start();
  await cluster.b.start();
  return cluster;
}

t.test('one host owns everything as long as it lives, the other stands by', async (t) => {
  const { a, b, clock } = await running();
  for (let i = 0; i < 100; i++) {
    await clock.advanceAsync(137);
    t.ok(a.answers);
    t.notOk(b.answers);
  }
  t.strictSame(a.owner.history, ['take 256']);
  t.strictSame(b.owner.history, []);
});

t.test('a released lease is taken at once, with larger epochs', async (t) => {
  const { a, b, clock } = await running();
  await a.placement.stop();
  await clock.advanceAsync(0);
  t.ok(b.answers);
  t.notOk(a.answers);
  t.ok(b.owner.highest > a.owner.highest);
});

t.test('a host that is cut off stops answering before the other starts, and stands by later', async (t) => {
  const { a, b, clock } = await running();
  await clock.advanceAsync(1_250);
  a.kv.cut = true;
  let stopped: number | undefined;
  let started: number | undefined;
  for (let ms = 0; ms < 4_000; ms += 10) {
    await clock.advanceAsync(10);
    if (!a.answers) stopped ??= ms;
    if (b.answers) started ??= ms;
    if (a.answers && b.answers) t.fail('both answer');
  }
  t.ok(stopped! <= 2_010, `stopped after ${stopped} ms`);
  t.ok(started! >= stopped! + 400, `started after ${started} ms`);
  t.ok(started! <= 3_100);
  t.strictSame(a.owner.history, ['take 256', 'lose 256 lapsed']);
  a.kv.cut = false;
  await clock.advanceAsync(10_000);
  t.ok(b.answers);
  t.notOk(a.answers);
  await b.placement.stop();
  await clock.advanceAsync(0);
  t.ok(a.answers);
  t.ok(a.owner.highest > b.owner.highest);
});

t.test('heartbeats whose answers are lost do not cost the lease while the key can be read', async (t) => {
  const { a, b, clock } = await running();
  await clock.advanceAsync(1_000);
  a.kv.deaf = true;
  await clock.advanceAsync(600);
  a.kv.deaf = false;
  await clock.advanceAsync(10_000);
  t.strictSame(a.owner.history, ['take 256']);
  t.notOk(b.answers);
});

t.test('when everything was away for long, the last owner comes back with new epochs', async (t) => {
  const { a, b, clock } = await running();
  const before = a.owner.highest;
  a.kv.cut = true;
  b.kv.cut = true;
  await clock.advanceAsync(60_000);
  t.notOk(a.answers || b.answers);
  a.kv.cut = false;
  await clock.advanceAsync(1_000);
  b.kv.cut = false;
  await clock.advanceAsync(5_000);
  t.ok(a.answers);
  t.notOk(b.answers);
  t.ok(a.owner.highest > before);
  t.strictSame(a.owner.history, ['take 256', 'lose 256 lapsed', 'take 256']);
});

t.test('a host that can not take over lets others try', async (t) => {
  const cluster = await running();
  const { a, b, clock } = cluster;
  b.owner.takeFails = true;
  await a.placement.stop();
  await clock.advanceAsync(100);
  t.notOk(b.answers);
  t.ok(b.failures.length > 0);
  const c = new Host(cluster, 'c');
  await c.start();
  await clock.advanceAsync(5_000);
  t.ok(c.answers);
});

t.test('a lost bucket can not bring back old epochs, nor can a lost store', async (t) => {
  const { a, b, clock, store } = await running();
  await clock.advanceAsync(1_000);
  const before = a.owner.highest;
  store.stored.clear();
  await a.placement.stop();
  await clock.advanceAsync(0);
  t.ok(b.owner.highest > before, 'the key carries the largest epoch');
});

t.test('whatever is cut and for how long, never do two hosts answer, and epochs only grow', async (t) => {
  const cluster = new Cluster();
  const hosts = [cluster.a, cluster.b, new Host(cluster, 'c')];
  for (const host of hosts) await host.start();
  let seed = 12345;
  const random = (n: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % n;
  };
  let both = 0;
  let changes = 0;
  let last: Host | undefined;
  let highest = 0;
  let older = 0;
  for (let i = 0; i < 3_000; i++) {
    const host = hosts[random(3)]!;
    const dice = random(40);
    if (dice < 2) host.kv.cut = true;
    else if (dice < 3) host.kv.deaf = true;
    else if (dice < 10) {
      host.kv.cut = false;
      host.kv.deaf = false;
    }
    await cluster.clock.advanceAsync(random(400));
    const answering = hosts.filter((h) => h.answers);
    if (answering.length > 1) both++;
    const now = answering[0];
    if (now && now !== last) {
      changes++;
      last = now;
      if (now.owner.highest < highest) older++;
      highest = now.owner.highest;
    }
  }
  t.equal(both, 0);
  t.equal(older, 0);
  t.ok(changes > 10, `${changes} changes of owner`);
});

const url = natsUrl();
if (url) {
  placementContract(t, 'LeasePlacement on NATS', async () => {
    const bucket = `TEST_${randomBytes(6).toString('hex')}`;
    const store = new MemoryEpochs();
    const kv = await NatsKv.connect(url, { bucket });
    return {
      store,
      host: () => new LeasePlacement(kv, new RealClock(), store, { host: 'h' }),
      close: async () => {
        await kv.close();
        const nats = await connect({ servers: url });
        await (await nats.jetstreamManager()).streams.delete(`KV_${bucket}`);
        await nats.close();
      },
    };
  });

  t.test('keys: writing wants the present revision, and watchers are told', async (t) => {
    const bucket = `TEST_${randomBytes(6).toString('hex')}`;
    const [a, b]: KeyValue[] = [await NatsKv.connect(url, { bucket }), await NatsKv.connect(url, { bucket })];
    let told = 0;
    const unwatch = b!.watch('k', () => told++);
    t.equal(await b!.get('k'), undefined);
    const first = await a!.put('k', 'one', 0);
    t.strictSame(await b!.get('k'), { value: 'one', revision: first });
    t.equal(await b!.put('k', 'two', 0), undefined);
    t.equal(await b!.put('k', 'two', first! + 1), undefined);
    const second = await b!.put('k', 'two', first!);
    t.ok(second! > first!);
    t.strictSame(await a!.get('k'), { value: 'two', revision: second });
    await until('told', () => told >= 2);
    unwatch();
    const nats = await connect({ servers: url });
    await (await nats.jetstreamManager()).streams.delete(`KV_${bucket}`);
    await nats.close();
    t.ok(await a!.put('k', 'again', 0).catch(() => a!.put('k', 'again', 0)), 'a lost bucket is made anew');
    const clean = await connect({ servers: url });
    await (await clean.jetstreamManager()).streams.delete(`KV_${bucket}`);
    await clean.close();
    await a!.close();
    await b!.close();
  });
}

const binary = natsServerBinary();
if (binary) {
  t.test(
    'on NATS: released is taken at once, silence after a lease, and a restarted server changes nothing',
    async (t) => {
      const nats = await OwnNats.start(binary);
      const store = new MemoryEpochs();
      const clock = new RealClock();
      const kvs = [await NatsKv.connect(nats.url), await NatsKv.connect(nats.url), await NatsKv.connect(nats.url)];
      const hosts = kvs.map((kv, i) => new LeasePlacement(kv, clock, store, { host: `h${i}` }));
      const owners = hosts.map(() => new RecordingOwner());
      for (const [i, host] of hosts.entries()) await host.start(owners[i]!);
      const answering = (): number[] => hosts.flatMap((h, i) => (h.mayAnswer(some) ? [i] : []));
      t.strictSame(answering(), [0]);
      const first = 0;
      await hosts[first]!.stop();
      const took = await until('another one answers', () => answering().length === 1);
      t.ok(took < 1_000, `${took} ms after the release`);
      await nats.kill();
      await nats.up();
      // Whether the restart fits into the lease or not: in the end one host answers and goes on renewing.
      const revision = async (): Promise<number> => (await kvs[0]!.get('owner').catch(() => undefined))?.revision ?? 0;
      await until('heartbeats go on', async () => (await revision()) > 8);
      await until('one answers again', () => answering().length === 1);
      const second = answering()[0]!;
      t.ok(owners[second]!.highest > owners[first]!.highest);
      // Its connection ends without a word, as if it had been killed.
      await kvs[second]!.close();
      const third = 3 - first - second;
      const took2 = await until('the last one answers', () => hosts[third]!.mayAnswer(some));
      t.notOk(hosts[second]!.mayAnswer(some));
      t.ok(took2 > 1_900 && took2 < 4_000, `${took2} ms after the silence`);
      await until('the silent one was told', () => owners[second]!.history.at(-1) === 'lose 256 lapsed');
      await Promise.all(hosts.map((h) => h.stop()));
      await Promise.all(kvs.map((kv) => kv.close()));
      await nats.stop();
    },
  );
}
