/** Simulated hosts with keys in memory and one clock: which partitions each host owns after events of every kind. */
import t from 'tap';
import { toPartition } from '#model';
import { ALL_PARTITIONS, ClusterPlacement, HOST_LEASE_TIMES, HostAbsenceWatch } from '#ports/placement';
import { chooseHostByRendezvousHash } from '../../src/ports/placement/rendezvous.js';
import { FakeClock } from '../support/fake-clock.js';
import { Gate } from '../support/gate.js';
import { MemoryKv, MemoryKvServer } from '../support/memory-kv.js';
import { SimulatedCluster, type SimulatedHost } from '../support/placement-world.js';
import { MemoryEpochs, placementContract } from './placement.js';

const HOST = { name: 'here/1', version: '1', address: 'here' };
const LEASE = HOST_LEASE_TIMES.leaseMs;

placementContract(t, 'ClusterPlacement', async () => {
  const [server, store, clock] = [new MemoryKvServer(), new MemoryEpochs(), new FakeClock()];
  return {
    store,
    host: () => new ClusterPlacement(new MemoryKv(server), clock, store, HOST),
    close: async () => {},
  };
});

const sizes = [1, 2, 3, 4, 5];
const epochsOf = (host: SimulatedHost): Map<number, number> => new Map(host.owner.owned);

/** Whether each partition that the host owned before and still owns kept its epoch. */
const keptEpochs = (host: SimulatedHost, before: ReadonlyMap<number, number>): boolean =>
  [...host.owner.owned].every(([p, epoch]) => !before.has(p) || before.get(p) === epoch);

t.test('a host whose lease lapses logs one warning, with its likely causes', async (t) => {
  const cluster = new SimulatedCluster();
  const [host, other] = await cluster.startHosts(2);
  host!.freeze();
  await cluster.run(2 * LEASE);
  host!.thaw();
  await cluster.until(() => cluster.settled());
  t.equal(host!.warnings.length, 1);
  t.match(host!.warnings[0], /the lease lapsed.*CPU.*NATS/);
  t.same(other!.warnings, []);
});

t.test('HostAbsenceWatch knows when no host is alive, and does not conclude it from unreachable keys', async (t) => {
  const cluster = new SimulatedCluster();
  const watch = new HostAbsenceWatch(cluster.operatorKv, cluster.clock);
  t.teardown(() => watch.stop());
  await watch.start();
  t.equal(watch.isNoHostAlive, true, 'no host has joined yet');
  const [host] = await cluster.startHosts(2);
  t.equal(watch.isNoHostAlive, false);
  host!.crash();
  await cluster.run(3 * LEASE);
  t.equal(watch.isNoHostAlive, false, 'the other host is alive');
  cluster.hosts[1]!.crash();
  await cluster.run(3 * LEASE);
  t.equal(watch.isNoHostAlive, true);
  t.ok(watch.noHostAliveMs > 0);
  const all = cluster.operatorKv.readAll.bind(cluster.operatorKv);
  cluster.operatorKv.readAll = () => Promise.reject(new Error('out of reach'));
  await cluster.run(LEASE);
  t.same([watch.isNoHostAlive, watch.noHostAliveMs], [false, 0], 'the state is unknown');
  cluster.operatorKv.readAll = all;
  await cluster.host().start();
  await cluster.run(LEASE);
  t.equal(watch.isNoHostAlive, false);
});

t.test('HostAbsenceWatch knows whether a living host can take partitions, or could lately', async (t) => {
  const cluster = new SimulatedCluster();
  const watch = new HostAbsenceWatch(cluster.operatorKv, cluster.clock);
  t.teardown(() => watch.stop());
  await watch.start();
  t.equal(watch.isHostAble, false, 'no host exists');
  const [a, b] = (await cluster.startHosts(2)) as [SimulatedHost, SimulatedHost];
  t.equal(watch.isHostAble, true);
  a.store.fail = true;
  await cluster.run(20_000);
  t.equal(watch.isHostAble, true, 'the other host reaches the store');
  b.store.fail = true;
  await cluster.run(20_000);
  t.equal(watch.isHostAble, false, 'no host reaches the store');
  a.store.fail = false;
  b.store.fail = false;
  await cluster.run(7_000);
  t.equal(watch.isHostAble, true);
  const all = cluster.operatorKv.readAll.bind(cluster.operatorKv);
  cluster.operatorKv.readAll = () => Promise.reject(new Error('out of reach'));
  a.freeze();
  b.freeze();
  await cluster.run(3 * LEASE);
  t.equal(watch.isHostAble, true, 'silence or unreachable keys for a few seconds are no proof of inability');
  cluster.operatorKv.readAll = all;
  a.crash();
  b.thaw();
  await cluster.until(() => b.answering.length === 256);
  b.owner.finishing = new Promise(() => {});
  void b.stop();
  await cluster.run(15_000);
  t.equal(watch.isHostAble, false, 'the last host is leaving');
});

for (const n of sizes) {
  t.test(`${n} hosts that start at once divide all partitions among them`, async (t) => {
    const cluster = new SimulatedCluster();
    const hosts = await cluster.startHosts(n);
    t.strictSame(cluster.misplaced(), []);
    t.strictSame(cluster.violations, []);
    const shares = hosts.map(({ answering }) => answering.length);
    t.ok(Math.min(...shares) > 256 / n / 2, `shares of ${shares.join()}`);
    for (const host of hosts) t.strictSame(host.placement.status().unowned, 0);
  });

  t.test(`a host that joins ${n} gets its share, and nothing else moves`, async (t) => {
    const cluster = new SimulatedCluster();
    const hosts = await cluster.startHosts(n);
    const before = new Map(hosts.map((host) => [host, epochsOf(host)]));
    const newcomer = cluster.host();
    await newcomer.start();
    const ms = await cluster.until(() => cluster.settled());
    t.ok(ms < 3_000, `settled after ${ms} ms`);
    t.ok(hosts.every((host) => keptEpochs(host, before.get(host)!)));
    const moved = hosts.reduce((sum, host) => sum + before.get(host)!.size - host.owner.owned.size, 0);
    t.equal(moved, newcomer.owner.owned.size);
    t.ok(newcomer.owner.history.length > 1, 'in batches');
    t.strictSame(cluster.violations, []);
  });

  t.test(`a host that leaves ${n + 1} hands its share over, and nothing else moves`, async (t) => {
    const cluster = new SimulatedCluster();
    const hosts = await cluster.startHosts(n + 1);
    const before = new Map(hosts.map((host) => [host, epochsOf(host)]));
    const [leaver, ...others] = hosts;
    await leaver!.stop();
    t.equal(leaver!.owner.owned.size, 0);
    const ms = await cluster.until(() => cluster.settled());
    t.ok(ms < 500, `settled after ${ms} ms`);
    t.ok(others.every((host) => keptEpochs(host, before.get(host)!)));
    t.ok(leaver!.owner.history.every((entry) => !entry.includes('lapsed')));
    t.strictSame(cluster.violations, []);
  });

  t.test(`a host that dies among ${n + 1} is replaced within five seconds, and nothing else moves`, async (t) => {
    const cluster = new SimulatedCluster();
    const hosts = await cluster.startHosts(n + 1);
    const before = new Map(hosts.map((host) => [host, epochsOf(host)]));
    await cluster.run(1_237);
    hosts[0]!.crash();
    const ms = await cluster.until(() => cluster.settled());
    t.ok(ms > LEASE * 0.8 && ms < 3_600, `settled after ${ms} ms`);
    const others = hosts.slice(1);
    t.ok(others.every((host) => keptEpochs(host, before.get(host)!)));
    for (const host of others) {
      for (const [p, epoch] of host.owner.owned) t.ok(epoch > (before.get(hosts[0]!)!.get(p) ?? 0));
    }
    t.strictSame(cluster.violations, []);
  });

  t.test(`${n} hosts: keys unreachable for a minute change no owner`, async (t) => {
    const cluster = new SimulatedCluster();
    const hosts = await cluster.startHosts(n);
    const before = cluster.owners();
    const epochs = new Map(hosts.map((host) => [host, epochsOf(host)]));
    for (const host of hosts) host.kv.cut = true;
    await cluster.run(2_100);
    t.equal(cluster.owners().size, 0, 'no host answers without a lease');
    await cluster.run(58_000);
    for (const host of hosts) host.kv.cut = false;
    const ms = await cluster.until(() => cluster.settled());
    t.ok(ms <= 1_000, `all answer again after ${ms} ms`);
    t.strictSame(cluster.owners(), before);
    for (const host of hosts) {
      t.ok(
        [...host.owner.owned].every(([p, epoch]) => epoch > epochs.get(host)!.get(p)!),
        'every partition has a new epoch',
      );
    }
    t.strictSame(cluster.violations, []);
  });

  t.test(`${n} hosts that all die are replaced by others`, async (t) => {
    const cluster = new SimulatedCluster();
    const hosts = await cluster.startHosts(n);
    const highest = Math.max(...hosts.map(({ owner }) => owner.highest));
    for (const host of hosts) host.crash();
    await cluster.run(10_000);
    const followers = [cluster.host(), cluster.host()];
    await Promise.all(followers.map((host) => host.start()));
    const ms = await cluster.until(() => cluster.settled());
    t.ok(ms <= 3_100, `settled after ${ms} ms`);
    t.ok(Math.min(...followers.flatMap(({ owner }) => [...owner.owned.values()])) >= highest);
    t.strictSame(cluster.violations, []);
  });

  t.test(`${n} hosts that all leave at once release everything`, async (t) => {
    const cluster = new SimulatedCluster();
    const hosts = await cluster.startHosts(n);
    await Promise.all(hosts.map((host) => host.stop()));
    t.ok(hosts.every(({ owner }) => owner.owned.size === 0));
    const [next] = [cluster.host()];
    await next.start();
    t.ok(cluster.settled(), 'the next host takes all partitions at once');
    t.strictSame(cluster.violations, []);
  });
}

t.test('a host cut off from the keys stops answering before another starts, and rejoins under a new id', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = (await cluster.startHosts(2)) as [SimulatedHost, SimulatedHost];
  const share = a.answering;
  a.kv.cut = true;
  const stopped = await cluster.until(() => a.answering.length === 0);
  const taken = await cluster.until(() => b.answering.length === 256);
  t.ok(stopped <= 2_000, `stopped after ${stopped} ms`);
  t.ok(taken >= 400, `taken ${taken} ms later`);
  t.ok(stopped + taken <= 3_600);
  a.kv.cut = false;
  await cluster.until(() => cluster.settled());
  t.equal(a.answering.length, share.length, 'the host gets a share as large as before');
  t.equal(a.placement.status().id, 'h1-2');
  t.strictSame(cluster.violations, []);
});

t.test('a host that stalled for a lease owns nothing when it wakes up', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = (await cluster.startHosts(2)) as [SimulatedHost, SimulatedHost];
  a.freeze();
  await cluster.until(() => b.answering.length === 256);
  await cluster.run(10_000);
  a.thaw();
  t.equal(a.answering.length, 0, 'the host does not answer after the stall');
  await cluster.until(() => cluster.settled());
  t.strictSame(cluster.violations, []);
});

for (const n of [1, 2, 4]) {
  t.test(`${n} hosts that all stall at once keep their partitions without taking them again`, async (t) => {
    const cluster = new SimulatedCluster();
    const hosts = await cluster.startHosts(n);
    const [before, owners] = [hosts.map(({ owner }) => [...owner.history]), cluster.owners()];
    for (const ms of [1_700, 3_000, 10_000]) {
      for (const host of hosts) host.freeze();
      await cluster.run(ms);
      for (const host of hosts) host.thaw();
      await cluster.run(1_000);
      t.strictSame(cluster.owners(), owners, `after ${ms} ms`);
    }
    t.strictSame(
      hosts.map(({ owner }) => owner.history),
      before,
    );
    t.strictSame(cluster.violations, []);
  });
}

t.test('a host whose key was ended by another host gives up its partitions as soon as it reads this', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = (await cluster.startHosts(2)) as [SimulatedHost, SimulatedHost];
  a.freeze();
  await cluster.until(() => b.answering.length === 256);
  a.thaw();
  await cluster.run(25);
  t.equal(a.owner.owned.size, 0);
  t.equal(a.owner.history.at(-1), 'lose 128 lapsed');
  await cluster.until(() => cluster.settled());
  t.strictSame(cluster.violations, []);
});

t.test(
  'a host cut off from its key keeps its partitions in memory for a lease after it stopped answering',
  async (t) => {
    const cluster = new SimulatedCluster();
    const [a] = (await cluster.startHosts(1)) as [SimulatedHost];
    a.kv.cut = true;
    await cluster.until(() => a.answering.length === 0);
    await cluster.run(LEASE - 100);
    t.equal(a.owner.owned.size, 256);
    await cluster.run(200);
    t.equal(a.owner.owned.size, 0);
  },
);

t.test('a host that stalled does not count its own pause against others', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = (await cluster.startHosts(2)) as [SimulatedHost, SimulatedHost];
  b.crash();
  // A stall counts as at most one second, which is shorter than a lease.
  await cluster.run(700);
  a.freeze();
  await cluster.run(60_000);
  a.thaw();
  await cluster.run(100);
  const named = a.placement.status().hosts.find(({ id }) => id === 'h2')!;
  t.not(named.state, 'dead');
  await cluster.until(() => cluster.settled());
});

t.test("lost replies to heartbeats don't end the lease while keys can be read", async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = (await cluster.startHosts(2)) as [SimulatedHost, SimulatedHost];
  const before = [epochsOf(a), epochsOf(b)];
  a.kv.losesReplies = true;
  await cluster.run(1_600);
  a.kv.losesReplies = false;
  await cluster.run(5_000);
  t.strictSame([epochsOf(a), epochsOf(b)], before);
});

t.test('a host that fails to take over lets others try', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b, c] = (await cluster.startHosts(3)) as [SimulatedHost, SimulatedHost, SimulatedHost];
  b.store.fail = true;
  a.crash();
  const ms = await cluster.until(() => b.answering.length + c.answering.length === 256);
  t.ok(ms < 4_000, `after ${ms} ms`);
  t.not(b.failures.length, 0);
  b.store.fail = false;
  await cluster.until(() => cluster.settled());
  t.strictSame(cluster.violations, []);
});

t.test('when no host reaches the store, all hosts try until it is back', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = [cluster.host(), cluster.host()];
  for (const { store } of [a, b]) store.fail = true;
  await Promise.all([a.start(), b.start()]);
  await cluster.run(20_000);
  t.equal(cluster.owners().size, 0);
  for (const { store } of [a, b]) store.fail = false;
  const ms = await cluster.until(() => cluster.settled());
  t.ok(ms < 4_000, `after ${ms} ms`);
});

t.test('a listener whose take fails gets a lose', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = [cluster.host(), cluster.host()];
  a.owner.takeFails = true;
  await Promise.all([a.start(), b.start()]);
  await cluster.until(() => b.answering.length === 256);
  a.owner.takeFails = false;
  await cluster.until(() => cluster.settled());
  t.strictSame(cluster.violations, []);
});

t.test('a drained host hands over, and takes its share again when asked', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b, c] = (await cluster.startHosts(3)) as [SimulatedHost, SimulatedHost, SimulatedHost];
  await cluster.drain(a);
  const ms = await cluster.until(() => cluster.settled([b, c]));
  t.ok(ms < 1_000, `drained after ${ms} ms`);
  const state = (): string | undefined => b.placement.status().hosts.find(({ id }) => id === 'h1')?.state;
  await cluster.run(1_000);
  t.equal(state(), 'drained');
  b.crash();
  await cluster.until(() => c.answering.length === 256);
  c.crash();
  await cluster.until(() => a.answering.length === 256);
  const d = cluster.host();
  await d.start();
  await cluster.until(() => d.answering.length === 256);
  await cluster.undrain(a);
  await cluster.until(() => cluster.settled());
  t.equal(d.placement.status().hosts.find(({ id }) => id === 'h1')?.state, 'alive');
  t.strictSame(cluster.violations, []);
});

t.test('a drained host takes no partition of a dead host while the heartbeat of another host is late', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b, c] = (await cluster.startHosts(3)) as [SimulatedHost, SimulatedHost, SimulatedHost];
  await cluster.drain(a);
  await cluster.until(() => cluster.settled([b, c]));
  await cluster.run(1_000);
  const taken = (): number => a.placement.status().own.length;
  b.crash();
  await cluster.run(800);
  c.freeze();
  for (let ms = 0; ms < 1_600; ms += 25) {
    await cluster.run(25);
    if (taken() > 0) break;
  }
  t.equal(taken(), 0);
  c.thaw();
  await cluster.until(() => c.answering.length === 256);
  t.equal(taken(), 0);
  t.strictSame(cluster.violations, []);
});

t.test('a drained host takes nothing when only its Store answers', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b, c] = (await cluster.startHosts(3)) as [SimulatedHost, SimulatedHost, SimulatedHost];
  await cluster.drain(a);
  await cluster.until(() => cluster.settled([b, c]));
  await cluster.run(10_000);
  for (const host of [b, c]) host.store.fail = true;
  await cluster.run(20_000);
  t.equal(a.placement.status().own.length, 0);
  t.equal(b.answering.length + c.answering.length, 256, 'no host that should own partitions has the Store: none moves');
  t.strictSame(cluster.violations, []);
});

t.test('a drained host that was suspended for minutes is still drained', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = (await cluster.startHosts(2)) as [SimulatedHost, SimulatedHost];
  await cluster.drain(a);
  await cluster.until(() => b.answering.length === 256);
  a.freeze();
  await cluster.run(120_000, 250);
  a.thaw();
  await cluster.run(10_000);
  t.equal(b.answering.length, 256);
  t.equal(b.placement.status().hosts.find(({ id }) => id === 'h1-2')?.state, 'drained');
  await cluster.undrain(a);
  await cluster.until(() => cluster.settled());
  t.strictSame(cluster.violations, []);
});

t.test('drained hosts own everything when there are no others', async (t) => {
  const cluster = new SimulatedCluster();
  const [a] = (await cluster.startHosts(1)) as [SimulatedHost];
  await cluster.drain(a);
  await cluster.run(3_000);
  t.equal(a.answering.length, 256);
  const b = cluster.host();
  await cluster.drain(b);
  await b.start();
  await cluster.until(() => cluster.settled());
  t.strictSame(cluster.violations, []);
});

t.test(
  'while a batch is handed over, other partitions are served, and the old owner answers until the end',
  async (t) => {
    const cluster = new SimulatedCluster();
    const [a] = (await cluster.startHosts(1)) as [SimulatedHost];
    const gate = new Gate();
    a.owner.finishing = gate.opened;
    const b = cluster.host();
    await b.start();
    await cluster.run(3_000);
    t.equal(a.answering.length, 256);
    const leaving = a.placement.status().own.filter(({ phase }) => phase === 'leaving');
    t.ok(leaving.length > 0 && leaving.length <= 8, `a batch of ${leaving.length}`);
    gate.open();
    await cluster.until(() => cluster.settled());
    t.strictSame(cluster.violations, []);
  },
);

t.test(
  'a new host waits for its share while others take over from a dead host; a leaving host does not wait',
  async (t) => {
    const cluster = new SimulatedCluster();
    const [a, b, c] = (await cluster.startHosts(3)) as [SimulatedHost, SimulatedHost, SimulatedHost];
    a.crash();
    await cluster.until(() => b.answering.length + c.answering.length === 256);
    const d = cluster.host();
    await d.start();
    await cluster.run(2_000);
    t.equal(d.answering.length, 0);
    const leaving = c.stop();
    await cluster.until(() => b.answering.length + d.answering.length === 256);
    await leaving;
    t.ok(d.answering.length > 0);
    await cluster.until(() => cluster.settled());
    t.strictSame(cluster.violations, []);
  },
);

t.test('a host that dies while it takes a batch gets no further one', async (t) => {
  const cluster = new SimulatedCluster();
  const [a] = (await cluster.startHosts(1)) as [SimulatedHost];
  const b = cluster.host();
  await b.start();
  b.crash();
  await cluster.run(2_000);
  t.ok(a.answering.length >= 248, `${a.answering.length} left`);
  await cluster.until(() => cluster.settled());
  t.strictSame(cluster.violations, []);
});

const haveLargerEpochs = (host: SimulatedHost, before: ReadonlyMap<number, number>): boolean =>
  [...before].every(([p, epoch]) => host.owner.owned.get(toPartition(p))! > epoch);

t.test('a lost store cannot bring back old epochs', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = (await cluster.startHosts(2)) as [SimulatedHost, SimulatedHost];
  const before = epochsOf(a);
  cluster.epochs.clear();
  await a.stop();
  await cluster.until(() => cluster.settled());
  t.ok(haveLargerEpochs(b, before), 'the epochs are read from the table');
  t.strictSame(cluster.violations, []);
});

t.test('a lost bucket cannot bring back old epochs', async (t) => {
  const cluster = new SimulatedCluster();
  const [a, b] = (await cluster.startHosts(2)) as [SimulatedHost, SimulatedHost];
  const before = [epochsOf(a), epochsOf(b)] as const;
  cluster.server.entries.clear();
  const ms = await cluster.until(() => cluster.owners().size === 0);
  t.ok(ms <= 600, 'a host whose key is gone stops answering at once');
  await cluster.until(() => cluster.settled());
  t.ok(haveLargerEpochs(a, before[0]) && haveLargerEpochs(b, before[1]), 'the epochs are read from the store');
  t.strictSame(cluster.violations, []);
});

t.test('keys of dead hosts are removed, with requests to drain them', async (t) => {
  const cluster = new SimulatedCluster();
  const [a] = await cluster.startHosts(2);
  await cluster.drain(a!);
  await cluster.run(1_000);
  await a!.stop();
  await cluster.run(120_000, 250);
  t.strictSame([...cluster.server.entries.keys()].sort(), ['host.h2', 'table']);
});

t.test('a host that cannot reach the keys does not start', async (t) => {
  const cluster = new SimulatedCluster();
  const host = cluster.host();
  host.kv.cut = true;
  await t.rejects(host.start(), { message: 'cut off' });
  host.kv.cut = false;
  await host.start();
  t.equal(host.answering.length, 256);
});

t.test('a stop ends also while the keys are unreachable', async (t) => {
  const cluster = new SimulatedCluster();
  const [a] = await cluster.startHosts(1);
  a!.kv.cut = true;
  let stopped = false;
  void a!.stop().then(() => {
    stopped = true;
  });
  const ms = await cluster.until(() => stopped, 30_000);
  t.ok(ms < 3_000, `after ${ms} ms`);
  t.equal(a!.owner.owned.size, 0);
});

t.test('a host that is alone reads the keys once per lease, and finds a new host also without a hint', async (t) => {
  const cluster = new SimulatedCluster();
  const [host] = await cluster.startHosts(1);
  const { kv } = host!;
  let reads = 0;
  const all = kv.readAll.bind(kv);
  kv.readAll = () => {
    reads++;
    return all();
  };
  await cluster.run(10 * LEASE);
  t.ok(reads >= 9 && reads <= 11, `${reads} times`);
  cluster.server.watchers.clear();
  const newcomer = cluster.host();
  await newcomer.start();
  const ms = await cluster.until(() => newcomer.answering.length > 0);
  t.ok(ms < LEASE + 1_000, `the new host has a share after ${ms} ms`);
  reads = 0;
  await cluster.run(10 * LEASE);
  t.ok(reads >= 39, `the host reads the keys more often from then on: ${reads} times`);
  t.strictSame(cluster.violations, []);
});

t.test(
  'hosts of an earlier version are replaced one by one: no partition moves twice, and the shares become even',
  async (t) => {
    const cluster = new SimulatedCluster();
    const old = [cluster.host('rendezvous'), cluster.host('rendezvous'), cluster.host('rendezvous')];
    await Promise.all(old.map((host) => host.start()));
    await cluster.run(5_000);
    for (const leaver of old) {
      const living = (): string[] => cluster.living.map(({ name }) => name);
      const newcomer = cluster.host();
      await newcomer.start();
      const placed = (): boolean => {
        const owners = cluster.owners();
        return ALL_PARTITIONS.every((p) => owners.get(p) === chooseHostByRendezvousHash(p, living()));
      };
      await cluster.until(placed);
      const histories = cluster.living.map(({ owner }) => owner.history.length);
      await cluster.run(5_000);
      t.strictSame(
        cluster.living.map(({ owner }) => owner.history.length),
        histories,
        'hosts of both versions agree',
      );
      await leaver.stop();
    }
    await cluster.until(() => cluster.settled());
    const histories = cluster.living.map(({ owner }) => owner.history.length);
    await cluster.run(5_000);
    t.strictSame(
      cluster.living.map(({ owner }) => owner.history.length),
      histories,
    );
    t.strictSame(cluster.violations, []);
  },
);
