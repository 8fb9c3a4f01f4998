/**
 * Shares the partitions out evenly: with P partitions and N hosts each host gets P/N, rounded down or up. Hosts keep
 * what the table gives them as far as their shares allow, so a change of the hosts moves only what evenness demands:
 * the newcomer's share, the leaver's partitions. Rendezvous hashing decides which hosts get the partitions that move.
 *
 * Hosts that see the same table and the same hosts compute the same owners. After some of the moves were written to the
 * table, the remaining moves are computed as before, so hosts can do their parts in any order.
 */
import type { Partition } from '#model';
import { baseIdOfHostIncarnation } from './host-record.js';
import { ALL_PARTITIONS, type PartitionTable } from './partition-table.js';
import { chooseHostByRendezvousHash, computeHostWeight } from './rendezvous.js';

/**
 * Number of partitions that each host should have. Hosts that already have a larger share get the larger shares first,
 * then hosts in the order of their ids. So the order of moves does not change the shares.
 */
function computeShares(ownedByHost: ReadonlyMap<string, readonly Partition[]>): ReadonlyMap<string, number> {
  const smaller = Math.floor(ALL_PARTITIONS.length / ownedByHost.size);
  const largerCount = ALL_PARTITIONS.length % ownedByHost.size;
  const hasLargerShare = (host: string): boolean => ownedByHost.get(host)!.length > smaller;
  const ids = [...ownedByHost.keys()].sort();
  const order = [...ids.filter(hasLargerShare), ...ids.filter((host) => !hasLargerShare(host))];
  return new Map(order.map((host, i) => [host, i < largerCount ? smaller + 1 : smaller]));
}

/** Returns the partitions that a host keeps: those for which it has the highest weights. */
function choosePartitionsToKeep(host: string, owned: readonly Partition[], share: number): readonly Partition[] {
  if (owned.length <= share) return owned;
  const base = baseIdOfHostIncarnation(host);
  const weighed = owned.map((p) => ({ p, weight: computeHostWeight(p, base) }));
  weighed.sort((a, b) => b.weight - a.weight || a.p - b.p);
  return weighed.slice(0, share).map(({ p }) => p);
}

/** Computes the owner of each partition among these hosts. @param table the present owners */
export function shareOutEvenly(
  table: Pick<PartitionTable, 'ownerOf'>,
  hosts: Iterable<string>,
): ReadonlyMap<Partition, string> {
  const ownedByHost = new Map<string, Partition[]>([...hosts].map((host) => [host, []]));
  const owners = new Map<Partition, string>();
  if (ownedByHost.size === 0) return owners;
  for (const p of ALL_PARTITIONS) ownedByHost.get(table.ownerOf(p) ?? '')?.push(p);
  const roomByHost = new Map<string, number>();
  for (const [host, share] of computeShares(ownedByHost)) {
    const kept = choosePartitionsToKeep(host, ownedByHost.get(host)!, share);
    for (const p of kept) owners.set(p, host);
    if (kept.length < share) roomByHost.set(host, share - kept.length);
  }
  for (const p of ALL_PARTITIONS) {
    if (owners.has(p)) continue;
    const host = chooseHostByRendezvousHash(p, roomByHost.keys(), baseIdOfHostIncarnation)!;
    const room = roomByHost.get(host)! - 1;
    if (room === 0) roomByHost.delete(host);
    else roomByHost.set(host, room);
    owners.set(p, host);
  }
  return owners;
}
