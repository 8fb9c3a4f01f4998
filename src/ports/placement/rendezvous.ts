/**
 * Rendezvous hashing (highest random weight): all processes that know the same hosts choose the same one for a
 * partition.
 */
import type { Partition } from '#model';

/**
 * Weight of a host for a partition, evenly distributed, and independent for any two hosts: 32 bits of FNV-1a over the
 * id, then the finalizer of Murmur 3.
 */
export function computeHostWeight(partition: Partition, host: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < host.length; i++) h = Math.imul(h ^ host.charCodeAt(i), 0x01000193);
  h ^= Math.imul(partition + 1, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * Chooses the host that should own the partition. A new host only gains partitions; when a host leaves, only its
 * partitions move.
 * @param by returns the name under which a host is weighed; default: its id
 */
export function chooseHostByRendezvousHash(
  partition: Partition,
  hosts: Iterable<string>,
  by: (host: string) => string = (host) => host,
): string | undefined {
  let best: string | undefined;
  let highest = -1;
  for (const host of hosts) {
    const w = computeHostWeight(partition, by(host));
    if (w > highest || (w === highest && host < best!)) {
      best = host;
      highest = w;
    }
  }
  return best;
}
