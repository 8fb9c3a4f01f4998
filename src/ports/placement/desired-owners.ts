/**
 * Computes the desired owner of each partition. Every host computes the owners itself, from keys that all hosts read.
 */
import type { Partition } from '#model';
import { baseIdOfHostIncarnation, type HostRecord } from './host-record.js';
import { chooseHostByRendezvousHash } from './rendezvous.js';

/** A host with the properties that decide which partitions it should own. */
export interface PartitionOwnerCandidate {
  readonly id: string;
  readonly value: Pick<HostRecord, 'draining' | 'leaving' | 'unable' | 'store' | 'end'>;
  /** True if the host's last heartbeat is recent, so that it will take assigned partitions. */
  readonly isFresh: boolean;
}

/** True if the host's record shows that the host can take partitions and reach the Store. */
const isAbleToOwnPartitions = ({ value: { unable, store } }: PartitionOwnerCandidate): boolean =>
  !unable && store?.state !== 'fails' && store?.state !== 'slow';

/** Returns the hosts that should get partitions. Draining hosts get partitions only if there are no others. */
function preferHostsNotDraining(hosts: readonly PartitionOwnerCandidate[]): readonly PartitionOwnerCandidate[] {
  const willing = hosts.filter(({ value }) => !value.draining);
  return willing.length > 0 ? willing : hosts;
}

const choosePartitionOwner = (p: Partition, hosts: readonly PartitionOwnerCandidate[]): string | undefined =>
  chooseHostByRendezvousHash(
    p,
    hosts.map(({ id }) => id),
    // Every incarnation of a host has the same weight, so a host that was found silent gets its partitions back later.
    baseIdOfHostIncarnation,
  );

export class DesiredPartitionOwners {
  readonly #livingHosts: readonly PartitionOwnerCandidate[];
  readonly #homeCandidates: readonly PartitionOwnerCandidate[];
  readonly #takerCandidates: readonly PartitionOwnerCandidate[];

  constructor(hosts: Iterable<PartitionOwnerCandidate>) {
    this.#livingHosts = [...hosts].filter(({ value }) => value.end === null && !value.leaving);
    this.#homeCandidates = preferHostsNotDraining(this.#livingHosts);
    const fresh = this.#livingHosts.filter((host) => host.isFresh);
    const able = fresh.filter(isAbleToOwnPartitions);
    this.#takerCandidates = preferHostsNotDraining(able.length > 0 ? able : fresh);
  }

  /** Returns the owner that a partition has when all hosts are well; undefined without any host. */
  chooseHomeHost(p: Partition): string | undefined {
    return choosePartitionOwner(p, this.#homeCandidates);
  }

  /** Returns the host that should take a partition without an owner, or a partition that its owner wants to give up. */
  chooseTakingHost(p: Partition): string | undefined {
    return choosePartitionOwner(p, this.#takerCandidates);
  }

  /** True if the host will take a partition that is assigned to it. */
  canTakePartitions(id: string): boolean {
    return this.#livingHosts.some((host) => host.id === id && host.isFresh && isAbleToOwnPartitions(host));
  }
}
