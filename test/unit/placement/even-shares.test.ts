/** Shares of hosts: even for any number of hosts, and a change of the hosts moves only what evenness demands. */
import t from 'tap';
import type { Partition } from '#model';
import { ALL_PARTITIONS } from '#ports/placement';
import { DesiredPartitionOwners, type PartitionOwnerCandidate } from '../../../src/ports/placement/desired-owners.js';
import { shareOutEvenly } from '../../../src/ports/placement/even-shares.js';
import { UNKNOWN_HOST_RECORD } from '../../../src/ports/placement/host-record.js';
import { chooseHostByRendezvousHash } from '../../../src/ports/placement/rendezvous.js';
import { Random } from '../../cluster/scheduler.js';

type Owners = ReadonlyMap<Partition, string>;

const COUNT = ALL_PARTITIONS.length;
const table = (owners: Owners) => ({ ownerOf: (p: Partition) => owners.get(p) });
const share = (owners: Owners, hosts: Iterable<string>): Owners => shareOutEvenly(table(owners), hosts);
const moves = (before: Owners, after: Owners): Partition[] =>
  ALL_PARTITIONS.filter((p) => before.get(p) !== after.get(p));

function sizes(owners: Owners, hosts: readonly string[]): number[] {
  const counts = new Map(hosts.map((host) => [host, 0]));
  for (const host of owners.values()) counts.set(host, counts.get(host)! + 1);
  return [...counts.values()];
}

t.test('for any number of hosts that join one by one, shares are even and only the newcomer gets partitions', (t) => {
  const hosts: string[] = [];
  let owners: Owners = new Map();
  while (hosts.length < COUNT) {
    hosts.push(`host${hosts.length * 7919}`);
    const after = share(owners, hosts);
    const of = sizes(after, hosts);
    const n = hosts.length;
    t.strictSame([Math.min(...of), Math.max(...of)], [Math.floor(COUNT / n), Math.ceil(COUNT / n)], `${n} hosts`);
    const moved = moves(owners, after);
    t.equal(moved.length, Math.floor(COUNT / n), `${n} hosts: the newcomer's share moves`);
    t.ok(moved.every((p) => after.get(p) === hosts.at(-1)));
    owners = after;
  }
  t.strictSame(share(owners, []), new Map());
  t.end();
});

t.test('around 100 hosts that come and go at random: the fullest has 1.25 times the mean at most', (t) => {
  const random = new Random(20);
  let hosts = Array.from({ length: 100 }, (_, i) => `host${i}`);
  let owners = share(new Map(), hosts);
  for (let i = 0; i < 200; i++) {
    const leaves = hosts.length > 100 ? true : hosts.length < 90 ? false : random.chance(0.5);
    const leaver = leaves ? random.pick(hosts) : undefined;
    hosts = leaver === undefined ? [...hosts, `newcomer${i}`] : hosts.filter((host) => host !== leaver);
    const after = share(owners, hosts);
    const ratio = Math.max(...sizes(after, hosts)) / (COUNT / hosts.length);
    t.ok(ratio <= 1.25, `${hosts.length} hosts: ${ratio}`);
    const owned = leaver === undefined ? COUNT / hosts.length : sizes(owners, [leaver, ...hosts])[0]!;
    t.ok(moves(owners, after).length <= owned, 'nothing else moves');
    owners = after;
  }
  t.end();
});

t.test('hosts may do their parts in any order: those done change none of the others', (t) => {
  const random = new Random(21);
  for (let round = 0; round < 100; round++) {
    const before = Array.from({ length: 1 + random.below(12) }, (_, i) => `h${round}-${i}`);
    const gone = before.filter(() => random.chance(0.3));
    const hosts = [...before.filter((host) => !gone.includes(host)), ...(random.chance(0.7) ? ['new1', 'new2'] : [])];
    if (hosts.length === 0) continue;
    // Uneven, as earlier versions leave it.
    const owners = new Map(
      ALL_PARTITIONS.filter(() => random.chance(0.9)).map((p) => [p, chooseHostByRendezvousHash(p, before)!]),
    );
    const wanted = share(owners, hosts);
    const left = moves(owners, wanted);
    while (left.length > 0) {
      const [p] = left.splice(random.below(left.length), 1);
      owners.set(p!, wanted.get(p!)!);
      if (left.length % 8 === 0) t.strictSame(share(owners, hosts), wanted, `round ${round}, ${left.length} left`);
    }
  }
  t.end();
});

t.test('while a host of an earlier version lives, all hosts choose as that version does', (t) => {
  const hosts: PartitionOwnerCandidate[] = ['a', 'b', 'c-2'].map((id) => ({
    id,
    value: { ...UNKNOWN_HOST_RECORD, sharing: id === 'b' ? 'rendezvous' : 'even' },
    isFresh: true,
  }));
  const choices = (among: readonly PartitionOwnerCandidate[], owners: Owners): (string | undefined)[][] => {
    const desired = new DesiredPartitionOwners(among, table(owners));
    return ALL_PARTITIONS.map((p) => [desired.chooseHomeHost(p), desired.chooseTakingHost(p)]);
  };
  const byRendezvous = ALL_PARTITIONS.map((p) => chooseHostByRendezvousHash(p, ['a', 'b', 'c'])!.replace('c', 'c-2'));
  t.strictSame(
    choices(hosts, new Map()),
    byRendezvous.map((host) => [host, host]),
  );
  const owners = new Map(ALL_PARTITIONS.map((p) => [p, byRendezvous[p]!]));
  for (const flag of [{ end: 'released' }, { leaving: true }] as const) {
    const after = hosts.map((host) => (host.id === 'b' ? { ...host, value: { ...host.value, ...flag } } : host));
    const even = [...share(owners, ['a', 'c-2']).values()];
    t.strictSame(
      choices(after, owners)
        .map(([home]) => home)
        .sort(),
      even.sort(),
      `${Object.keys(flag)}`,
    );
  }
  t.end();
});
