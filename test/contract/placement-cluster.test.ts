/** Simulated hosts with keys in memory and one clock: which partitions each host owns after events of every kind. */
import t from 'tap';
import { toPartition } from '#model';
import { ALL_PARTITIONS, ClusterPlacement, HOST_LEASE_TIMES, HostAbsenceWatch } from '#ports/placement';
import { chooseHostByRendezvousHash } from '../../src/ports/placement/rendezvous.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryKv, MemoryKvServer } from '../support/memory-kv.js';
import { PlacementWorld, type WorldHost } from '../support/placement-world.js';
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
const epochsOf = (host: WorldHost): Map<number, number> => new Map(host.owner.owned);

/** Whether each partition that the host owned before and still owns kept its epoch. */
const untouched = (host: WorldHost, before: ReadonlyMap<number, number>): boolean =>
  [...host.owner.owned].every(([p, epoch]) => !before.has(p) || before.get(p) === epoch);

t.test('a host whose lease lapses logs one warning, with its likely causes', async (t) => {
  const world = new PlacementWorld();
  const [host, other] = await world.started(2);
  host!.freeze();
  await world.run(2 * LEASE);
  host!.thaw();
  await world.until(() => world.settled());
  t.equal(host!.warnings.length, 1);
  t.match(host!.warnings[0], /the lease lapsed.*CPU.*NATS/);
  t.same(other!.warnings, []);
});

t.test('HostAbsenceWatch knows when no host is alive, and does not conclude it from unreachable keys', async (t) => {
  const world = new PlacementWorld();
  const watch = new HostAbsenceWatch(world.outside, world.clock);
  t.teardown(() => watch.stop());
  await watch.start();
  t.equal(watch.isNoHostAlive, true, 'no host has joined yet');
  const [host] = await world.started(2);
  t.equal(watch.isNoHostAlive, false);
  host!.crash();
  await world.run(3 * LEASE);
  t.equal(watch.isNoHostAlive, false, 'the other host is alive');
  world.hosts[1]!.crash();
  await world.run(3 * LEASE);
  t.equal(watch.isNoHostAlive, true);
  t.ok(watch.noHostAliveMs > 0);
  const all = world.outside.readAll.bind(world.outside);
  world.outside.readAll = () => Promise.reject(new Error('out of reach'));
  await world.run(LEASE);
  t.same([watch.isNoHostAlive, watch.noHostAliveMs], [false, 0], 'the state is unknown');
  world.outside.readAll = all;
  await world.host().start();
  await world.run(LEASE);
  t.equal(watch.isNoHostAlive, false);
});

t.test('HostAbsenceWatch knows whether a living host can take partitions, or could lately', async (t) => {
  const world = new PlacementWorld();
  const watch = new HostAbsenceWatch(world.outside, world.clock);
  t.teardown(() => watch.stop());
  await watch.start();
  t.equal(watch.isHostAble, false, 'no host exists');
  const [a, b] = (await world.started(2)) as [WorldHost, WorldHost];
  t.equal(watch.isHostAble, true);
  a.store.fail = true;
  await world.run(20_000);
  t.equal(watch.isHostAble, true, 'the other host reaches the store');
  b.store.fail = true;
  await world.run(20_000);
  t.equal(watch.isHostAble, false, 'no host reaches the store');
  a.store.fail = false;
  b.store.fail = false;
  await world.run(7_000);
  t.equal(watch.isHostAble, true);
  const all = world.outside.readAll.bind(world.outside);
  world.outside.readAll = () => Promise.reject(new Error('out of reach'));
  a.freeze();
  b.freeze();
  await world.run(3 * LEASE);
  t.equal(watch.isHostAble, true, 'silence or unreachable keys for a few seconds are no proof of inability');
  world.outside.readAll = all;
  a.crash();
  b.thaw();
  await world.until(() => b.answering.length === 256);
  b.owner.finishing = new Promise(() => {});
  void b.stop();
  await world.run(15_000);
  t.equal(watch.isHostAble, false, 'the last host is leaving');
});

for (const n of sizes) {
  t.test(`${n} hosts that start at once divide all partitions among them`, async (t) => {
    const world = new PlacementWorld();
    const hosts = await world.started(n);
    t.strictSame(world.misplaced(), []);
    t.strictSame(world.faults, []);
    const shares = hosts.map(({ answering }) => answering.length);
    t.ok(Math.min(...shares) > 256 / n / 2, `shares of ${shares.join()}`);
    for (const host of hosts) t.strictSame(host.placement.status().unowned, 0);
  });

  t.test(`a host that joins ${n} gets its share, and nothing else moves`, async (t) => {
    const world = new PlacementWorld();
    const hosts = await world.started(n);
    const before = new Map(hosts.map((host) => [host, epochsOf(host)]));
    const newcomer = world.host();
    await newcomer.start();
    const ms = await world.until(() => world.settled());
    t.ok(ms < 3_000, `settled after ${ms} ms`);
    t.ok(hosts.every((host) => untouched(host, before.get(host)!)));
    const moved = hosts.reduce((sum, host) => sum + before.get(host)!.size - host.owner.owned.size, 0);
    t.equal(moved, newcomer.owner.owned.size);
    t.ok(newcomer.owner.history.length > 1, 'in batches');
    t.strictSame(world.faults, []);
  });

  t.test(`a host that leaves ${n + 1} hands its share over, and nothing else moves`, async (t) => {
    const world = new PlacementWorld();
    const hosts = await world.started(n + 1);
    const before = new Map(hosts.map((host) => [host, epochsOf(host)]));
    const [leaver, ...others] = hosts;
    await leaver!.stop();
    t.equal(leaver!.owner.owned.size, 0);
    const ms = await world.until(() => world.settled());
    t.ok(ms < 500, `settled after ${ms} ms`);
    t.ok(others.every((host) => untouched(host, before.get(host)!)));
    t.ok(leaver!.owner.history.every((entry) => !entry.includes('lapsed')));
    t.strictSame(world.faults, []);
  });

  t.test(`a host that dies among ${n + 1} is replaced within five seconds, and nothing else moves`, async (t) => {
    const world = new PlacementWorld();
    const hosts = await world.started(n + 1);
    const before = new Map(hosts.map((host) => [host, epochsOf(host)]));
    await world.run(1_237);
    hosts[0]!.crash();
    const ms = await world.until(() => world.settled());
    t.ok(ms > LEASE * 0.8 && ms < 3_600, `settled after ${ms} ms`);
    const others = hosts.slice(1);
    t.ok(others.every((host) => untouched(host, before.get(host)!)));
    for (const host of others) {
      for (const [p, epoch] of host.owner.owned) t.ok(epoch > (before.get(hosts[0]!)!.get(p) ?? 0));
    }
    t.strictSame(world.faults, []);
  });

  t.test(`${n} hosts: keys unreachable for a minute change no owner`, async (t) => {
    const world = new PlacementWorld();
    const hosts = await world.started(n);
    const before = world.owners();
    const epochs = new Map(hosts.map((host) => [host, epochsOf(host)]));
    for (const host of hosts) host.kv.cut = true;
    await world.run(2_100);
    t.equal(world.owners().size, 0, 'no host answers without a lease');
    await world.run(58_000);
    for (const host of hosts) host.kv.cut = false;
    const ms = await world.until(() => world.settled());
    t.ok(ms <= 1_000, `all answer again after ${ms} ms`);
    t.strictSame(world.owners(), before);
    for (const host of hosts) {
      t.ok(
        [...host.owner.owned].every(([p, epoch]) => epoch > epochs.get(host)!.get(p)!),
        'every partition has a new epoch',
      );
    }
    t.strictSame(world.faults, []);
  });

  t.test(`${n} hosts that all die are replaced by others`, async (t) => {
    const world = new PlacementWorld();
    const hosts = await world.started(n);
    const highest = Math.max(...hosts.map(({ owner }) => owner.highest));
    for (const host of hosts) host.crash();
    await world.run(10_000);
    const followers = [world.host(), world.host()];
    await Promise.all(followers.map((host) => host.start()));
    const ms = await world.until(() => world.settled());
    t.ok(ms <= 3_100, `settled after ${ms} ms`);
    t.ok(Math.min(...followers.flatMap(({ owner }) => [...owner.owned.values()])) >= highest);
    t.strictSame(world.faults, []);
  });

  t.test(`${n} hosts that all leave at once release everything`, async (t) => {
    const world = new PlacementWorld();
    const hosts = await world.started(n);
    await Promise.all(hosts.map((host) => host.stop()));
    t.ok(hosts.every(({ owner }) => owner.owned.size === 0));
    const [next] = [world.host()];
    await next.start();
    t.ok(world.settled(), 'the next host takes all partitions at once');
    t.strictSame(world.faults, []);
  });
}

t.test('a host cut off from the keys stops answering before another starts, and rejoins under a new id', async (t) => {
  const world = new PlacementWorld();
  const [a, b] = (await world.started(2)) as [WorldHost, WorldHost];
  const share = a.answering;
  a.kv.cut = true;
  const stopped = await world.until(() => a.answering.length === 0);
  const taken = await world.until(() => b.answering.length === 256);
  t.ok(stopped <= 2_000, `stopped after ${stopped} ms`);
  t.ok(taken >= 400, `taken ${taken} ms later`);
  t.ok(stopped + taken <= 3_600);
  a.kv.cut = false;
  await world.until(() => world.settled());
  t.equal(a.answering.length, share.length, 'the host gets a share as large as before');
  t.equal(a.placement.status().id, 'h1-2');
  t.strictSame(world.faults, []);
});

t.test('a host that stalled for a lease owns nothing when it wakes up', async (t) => {
  const world = new PlacementWorld();
  const [a, b] = (await world.started(2)) as [WorldHost, WorldHost];
  a.freeze();
  await world.until(() => b.answering.length === 256);
  await world.run(10_000);
  a.thaw();
  t.equal(a.answering.length, 0, 'the host does not answer after the stall');
  await world.until(() => world.settled());
  t.strictSame(world.faults, []);
});

for (const n of [1, 2, 4]) {
  t.test(`${n} hosts that all stall at once keep their partitions without taking them again`, async (t) => {
    const world = new PlacementWorld();
    const hosts = await world.started(n);
    const [before, owners] = [hosts.map(({ owner }) => [...owner.history]), world.owners()];
    for (const ms of [1_700, 3_000, 10_000]) {
      for (const host of hosts) host.freeze();
      await world.run(ms);
      for (const host of hosts) host.thaw();
      await world.run(1_000);
      t.strictSame(world.owners(), owners, `after ${ms} ms`);
    }
    t.strictSame(
      hosts.map(({ owner }) => owner.history),
      before,
    );
    t.strictSame(world.faults, []);
  });
}

t.test('a host whose key was ended by another host gives up its partitions as soon as it reads this', async (t) => {
  const world = new PlacementWorld();
  const [a, b] = (await world.started(2)) as [WorldHost, WorldHost];
  a.freeze();
  await world.until(() => b.answering.length === 256);
  a.thaw();
  await world.run(25);
  t.equal(a.owner.owned.size, 0);
  t.equal(a.owner.history.at(-1), 'lose 128 lapsed');
  await world.until(() => world.settled());
  t.strictSame(world.faults, []);
});

t.test(
  'a host cut off from its key keeps its partitions in memory for a lease after it stopped answering',
  async (t) => {
    const world = new PlacementWorld();
    const [a] = (await world.started(1)) as [WorldHost];
    a.kv.cut = true;
    await world.until(() => a.answering.length === 0);
    await world.run(LEASE - 100);
    t.equal(a.owner.owned.size, 256);
    await world.run(200);
    t.equal(a.owner.owned.size, 0);
  },
);

t.test('a host that stalled does not count its own pause against others', async (t) => {
  const world = new PlacementWorld();
  const [a, b] = (await world.started(2)) as [WorldHost, WorldHost];
  b.crash();
  // A stall counts as at most one second, which is shorter than a lease.
  await world.run(700);
  a.freeze();
  await world.run(60_000);
  a.thaw();
  await world.run(100);
  const named = a.placement.status().hosts.find(({ id }) => id === 'h2')!;
  t.not(named.state, 'dead');
  await world.until(() => world.settled());
});

t.test("lost replies to heartbeats don't end the lease while keys can be read", async (t) => {
  const world = new PlacementWorld();
  const [a, b] = (await world.started(2)) as [WorldHost, WorldHost];
  const before = [epochsOf(a), epochsOf(b)];
  a.kv.deaf = true;
  await world.run(1_600);
  a.kv.deaf = false;
  await world.run(5_000);
  t.strictSame([epochsOf(a), epochsOf(b)], before);
});

t.test('a host that fails to take over lets others try', async (t) => {
  const world = new PlacementWorld();
  const [a, b, c] = (await world.started(3)) as [WorldHost, WorldHost, WorldHost];
  b.store.fail = true;
  a.crash();
  const ms = await world.until(() => b.answering.length + c.answering.length === 256);
  t.ok(ms < 4_000, `after ${ms} ms`);
  t.not(b.failures.length, 0);
  b.store.fail = false;
  await world.until(() => world.settled());
  t.strictSame(world.faults, []);
});

t.test('when no host reaches the store, all hosts try until it is back', async (t) => {
  const world = new PlacementWorld();
  const [a, b] = [world.host(), world.host()];
  for (const { store } of [a, b]) store.fail = true;
  await Promise.all([a.start(), b.start()]);
  await world.run(20_000);
  t.equal(world.owners().size, 0);
  for (const { store } of [a, b]) store.fail = false;
  const ms = await world.until(() => world.settled());
  t.ok(ms < 4_000, `after ${ms} ms`);
});

t.test('a listener whose take fails gets a lose', async (t) => {
  const world = new PlacementWorld();
  const [a, b] = [world.host(), world.host()];
  a.owner.takeFails = true;
  await Promise.all([a.start(), b.start()]);
  await world.until(() => b.answering.length === 256);
  a.owner.takeFails = false;
  await world.until(() => world.settled());
  t.strictSame(world.faults, []);
});

t.test('a drained host hands over, and takes its share again when asked', async (t) => {
  const world = new PlacementWorld();
  const [a, b, c] = (await world.started(3)) as [WorldHost, WorldHost, WorldHost];
  await world.drain(a);
  const ms = await world.until(() => world.settled([b, c]));
  t.ok(ms < 1_000, `drained after ${ms} ms`);
  const state = (): string | undefined => b.placement.status().hosts.find(({ id }) => id === 'h1')?.state;
  await world.run(1_000);
  t.equal(state(), 'drained');
  b.crash();
  await world.until(() => c.answering.length === 256);
  c.crash();
  await world.until(() => a.answering.length === 256);
  const d = world.host();
  await d.start();
  await world.until(() => d.answering.length === 256);
  await world.undrain(a);
  await world.until(() => world.settled());
  t.equal(d.placement.status().hosts.find(({ id }) => id === 'h1')?.state, 'alive');
  t.strictSame(world.faults, []);
});

t.test('drained hosts own everything when there are no others', async (t) => {
  const world = new PlacementWorld();
  const [a] = (await world.started(1)) as [WorldHost];
  await world.drain(a);
  await world.run(3_000);
  t.equal(a.answering.length, 256);
  const b = world.host();
  await world.drain(b);
  await b.start();
  await world.until(() => world.settled());
  t.strictSame(world.faults, []);
});

t.test(
  'while a batch is handed over, other partitions are served, and the old owner answers until the end',
  async (t) => {
    const world = new PlacementWorld();
    const [a] = (await world.started(1)) as [WorldHost];
    let finish = (): void => {};
    a.owner.finishing = new Promise((resolve) => {
      finish = resolve;
    });
    const b = world.host();
    await b.start();
    await world.run(3_000);
    t.equal(a.answering.length, 256);
    const leaving = a.placement.status().own.filter(({ phase }) => phase === 'leaving');
    t.ok(leaving.length > 0 && leaving.length <= 8, `a batch of ${leaving.length}`);
    finish();
    await world.until(() => world.settled());
    t.strictSame(world.faults, []);
  },
);

t.test(
  'a new host waits for its share while others take over from a dead host; a leaving host does not wait',
  async (t) => {
    const world = new PlacementWorld();
    const [a, b, c] = (await world.started(3)) as [WorldHost, WorldHost, WorldHost];
    a.crash();
    await world.until(() => b.answering.length + c.answering.length === 256);
    const d = world.host();
    await d.start();
    await world.run(2_000);
    t.equal(d.answering.length, 0);
    const leaving = c.stop();
    await world.until(() => b.answering.length + d.answering.length === 256);
    await leaving;
    t.ok(d.answering.length > 0);
    await world.until(() => world.settled());
    t.strictSame(world.faults, []);
  },
);

t.test('a host that dies while it takes a batch gets no further one', async (t) => {
  const world = new PlacementWorld();
  const [a] = (await world.started(1)) as [WorldHost];
  const b = world.host();
  await b.start();
  b.crash();
  await world.run(2_000);
  t.ok(a.answering.length >= 248, `${a.answering.length} left`);
  await world.until(() => world.settled());
  t.strictSame(world.faults, []);
});

const larger = (host: WorldHost, before: ReadonlyMap<number, number>): boolean =>
  [...before].every(([p, epoch]) => host.owner.owned.get(toPartition(p))! > epoch);

t.test('a lost store cannot bring back old epochs', async (t) => {
  const world = new PlacementWorld();
  const [a, b] = (await world.started(2)) as [WorldHost, WorldHost];
  const before = epochsOf(a);
  world.epochs.clear();
  await a.stop();
  await world.until(() => world.settled());
  t.ok(larger(b, before), 'the epochs are read from the table');
  t.strictSame(world.faults, []);
});

t.test('a lost bucket cannot bring back old epochs', async (t) => {
  const world = new PlacementWorld();
  const [a, b] = (await world.started(2)) as [WorldHost, WorldHost];
  const before = [epochsOf(a), epochsOf(b)] as const;
  world.server.entries.clear();
  const ms = await world.until(() => world.owners().size === 0);
  t.ok(ms <= 600, 'a host whose key is gone stops answering at once');
  await world.until(() => world.settled());
  t.ok(larger(a, before[0]) && larger(b, before[1]), 'the epochs are read from the store');
  t.strictSame(world.faults, []);
});

t.test('keys of dead hosts are removed, with requests to drain them', async (t) => {
  const world = new PlacementWorld();
  const [a] = await world.started(2);
  await world.drain(a!);
  await world.run(1_000);
  a!.crash();
  await world.run(120_000, 250);
  t.strictSame([...world.server.entries.keys()].sort(), ['host.h2', 'table']);
});

t.test('a host that cannot reach the keys does not start', async (t) => {
  const world = new PlacementWorld();
  const host = world.host();
  host.kv.cut = true;
  await t.rejects(host.start(), { message: 'cut off' });
  host.kv.cut = false;
  await host.start();
  t.equal(host.answering.length, 256);
});

t.test('a stop ends also while the keys are unreachable', async (t) => {
  const world = new PlacementWorld();
  const [a] = await world.started(1);
  a!.kv.cut = true;
  let stopped = false;
  void a!.stop().then(() => {
    stopped = true;
  });
  const ms = await world.until(() => stopped, 30_000);
  t.ok(ms < 3_000, `after ${ms} ms`);
  t.equal(a!.owner.owned.size, 0);
});

t.test('a host that is alone reads the keys once per lease, and finds a new host also without a hint', async (t) => {
  const world = new PlacementWorld();
  const [host] = await world.started(1);
  const { kv } = host!;
  let reads = 0;
  const all = kv.readAll.bind(kv);
  kv.readAll = () => {
    reads++;
    return all();
  };
  await world.run(10 * LEASE);
  t.ok(reads >= 9 && reads <= 11, `${reads} times`);
  world.server.watchers.clear();
  const newcomer = world.host();
  await newcomer.start();
  const ms = await world.until(() => newcomer.answering.length > 0);
  t.ok(ms < LEASE + 1_000, `the new host has a share after ${ms} ms`);
  reads = 0;
  await world.run(10 * LEASE);
  t.ok(reads >= 39, `the host reads the keys more often from then on: ${reads} times`);
  t.strictSame(world.faults, []);
});

t.test(
  'hosts of an earlier version are replaced one by one: no partition moves twice, and the shares become even',
  async (t) => {
    const world = new PlacementWorld();
    const old = [world.host('rendezvous'), world.host('rendezvous'), world.host('rendezvous')];
    await Promise.all(old.map((host) => host.start()));
    await world.run(5_000);
    for (const leaver of old) {
      const living = (): string[] => world.living.map(({ name }) => name);
      const newcomer = world.host();
      await newcomer.start();
      const placed = (): boolean => {
        const owners = world.owners();
        return ALL_PARTITIONS.every((p) => owners.get(p) === chooseHostByRendezvousHash(p, living()));
      };
      await world.until(placed);
      const histories = world.living.map(({ owner }) => owner.history.length);
      await world.run(5_000);
      t.strictSame(
        world.living.map(({ owner }) => owner.history.length),
        histories,
        'hosts of both versions agree',
      );
      await leaver.stop();
    }
    await world.until(() => world.settled());
    const histories = world.living.map(({ owner }) => owner.history.length);
    await world.run(5_000);
    t.strictSame(
      world.living.map(({ owner }) => owner.history.length),
      histories,
    );
    t.strictSame(world.faults, []);
  },
);
