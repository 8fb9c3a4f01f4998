/** A host that alone loses the Store hands its partitions over; if no host reaches the Store, no partition moves. */
import t from 'tap';
import type { HostStatus } from '#ports/placement';
import { SimulatedCluster, type SimulatedHost } from '../support/placement-world.js';

const shares = (hosts: readonly SimulatedHost[]): number[] => hosts.map(({ answering }) => answering.length);
const histories = (hosts: readonly SimulatedHost[]): number[] => hosts.map(({ owner }) => owner.history.length);
const seen = (by: SimulatedHost, of: SimulatedHost): HostStatus =>
  by.placement.status().hosts.find(({ id }) => id === of.name) as HostStatus;

for (const n of [2, 3, 5]) {
  t.test(`one of ${n} hosts loses the store: the others serve its partitions within six seconds`, async (t) => {
    const cluster = new SimulatedCluster();
    const hosts = await cluster.startHosts(n);
    await cluster.run(4_000);
    const before = shares(hosts);
    const [a, b] = hosts as [SimulatedHost, SimulatedHost];
    a.store.fail = true;
    const others = hosts.slice(1);
    const ms = await cluster.until(() => cluster.settled(others));
    t.ok(ms > 3_000 && ms < 6_000, `after ${ms} ms`);
    t.equal(a.answering.length, 0);
    t.match(seen(b, a), { state: 'alive', store: 'fails', partitions: 0 });
    t.match(seen(b, b), { store: 'works' });
    t.equal(a.placement.status().store, 'fails');
    const quiet = histories(hosts);
    await cluster.run(60_000, 100);
    t.strictSame(histories(hosts), quiet, "the others keep the partitions while the host's store is unreachable");
    a.store.fail = false;
    await cluster.run(4_000);
    t.equal(a.answering.length, 0, 'a store that has just come back may fail again, so the host waits');
    await cluster.until(() => cluster.settled());
    t.strictSame(shares(hosts).sort(), before.sort(), 'after the wait the host gets a share as large as before');
    t.equal(a.placement.status().store, 'works');
    t.strictSame(cluster.violations, []);
  });
}

t.test(
  'a store outage of a minute for all hosts moves nothing, however unevenly the outage begins and ends',
  async (t) => {
    const cluster = new SimulatedCluster();
    const hosts = await cluster.startHosts(4);
    await cluster.run(6_000);
    const before = histories(hosts);
    for (let round = 0; round < 6; round++) {
      // Connections notice the outage up to about a second apart.
      for (const host of hosts) {
        host.store.fail = true;
        await cluster.run(round * 60);
      }
      await cluster.run(round % 2 === 0 ? 10_000 : 60_000, 50);
      t.equal(hosts[0]!.placement.status().store, 'fails');
      for (const host of [...hosts].reverse()) {
        host.store.fail = false;
        await cluster.run(round * 250);
      }
      await cluster.run(3_000 + round * 2_000, 50);
      t.strictSame(histories(hosts), before, `round ${round}`);
    }
    t.strictSame(cluster.violations, []);
  },
);

t.test('when the last host with the store loses it, the others are ready when the store is back', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = (await cluster.startHosts(2)) as [SimulatedHost, SimulatedHost];
  await cluster.run(6_000);
  a.store.fail = true;
  await cluster.until(() => b.answering.length === 256);
  b.store.fail = true;
  await cluster.run(20_000);
  t.equal(b.answering.length, 256, 'no other host reaches the store');
  b.crash();
  await cluster.run(20_000);
  t.equal(a.answering.length, 0);
  a.store.fail = false;
  const ms = await cluster.until(() => a.answering.length === 256);
  t.ok(ms < 3_000, `after ${ms} ms`);
  t.strictSame(cluster.violations, []);
});

t.test('a host whose store fails repeatedly gets its share back later each time', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = (await cluster.startHosts(2)) as [SimulatedHost, SimulatedHost];
  await cluster.run(6_000);
  const away: number[] = [];
  for (let round = 0; round < 4; round++) {
    a.store.fail = true;
    await cluster.until(() => b.answering.length === 256);
    a.store.fail = false;
    away.push(await cluster.until(() => cluster.settled(), 120_000));
    await cluster.run(2_000);
  }
  for (let i = 1; i < away.length; i++) t.ok(away[i]! > 1.5 * away[i - 1]!, away.join());
  t.strictSame(cluster.violations, []);
});

t.test('a store that answers one host far more slowly than the others counts as lost for that host', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b, c] = (await cluster.startHosts(3)) as [SimulatedHost, SimulatedHost, SimulatedHost];
  const answer = (ms: number) => () => new Promise<void>((resolve) => void cluster.clock.setTimeout(resolve, ms));
  for (const host of [b, c]) host.store.answer = answer(20);
  a.store.answer = answer(600);
  await cluster.until(() => cluster.settled([b, c]), 50_000);
  t.match(seen(b, a), { store: 'slow', partitions: 0 });
  a.store.answer = answer(20);
  await cluster.until(() => cluster.settled(), 30_000);
  t.match(seen(b, a), { store: 'works' });
  t.strictSame(cluster.violations, []);
});

t.test('a store that is slow for all, or a little slower for one, moves nothing', async (t) => {
  const cluster = new SimulatedCluster();
  const hosts = (await cluster.startHosts(3)) as [SimulatedHost, SimulatedHost, SimulatedHost];
  const before = histories(hosts);
  const times = { all: [700, 650, 800], one: [300, 5, 5], most: [600, 600, 5] };
  for (const [name, answers] of Object.entries(times)) {
    hosts.forEach((host, i) => {
      host.store.answer = () => new Promise((resolve) => void cluster.clock.setTimeout(resolve, answers[i]!));
    });
    await cluster.run(60_000, 50);
    if (name !== 'most') t.strictSame(histories(hosts), before, name);
  }
  t.strictSame(cluster.violations, []);
});

t.test('a host that stalled does not take its own pause for a store outage', async (t) => {
  const cluster = new SimulatedCluster();
  const [a] = (await cluster.startHosts(1)) as [SimulatedHost];
  const b = cluster.host();
  await b.start();
  await cluster.until(() => cluster.settled());
  await cluster.run(6_000);
  a.freeze();
  await cluster.until(() => b.answering.length === 256);
  await cluster.run(20_000, 100);
  a.thaw();
  await cluster.until(() => cluster.settled());
  t.equal(a.placement.status().store, 'works');
  t.strictSame(cluster.violations, []);
});
