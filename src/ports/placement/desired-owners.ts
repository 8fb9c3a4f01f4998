/**
 * Computes the desired owner of each partition. Every host computes the owners itself, from keys that all hosts read.
 */
import type { Partition } from '#model';
import { shareOutEvenly } from './even-shares.js';
import { baseIdOfHostIncarnation, type HostRecord } from './host-record.js';
import type { PartitionTable } from './partition-table.js';
import { chooseHostByRendezvousHash } from './rendezvous.js';

/** A host with the properties that decide which partitions it should own. */
export interface PartitionOwnerCandidate {
  readonly id: string;
  readonly value: Pick<HostRecord, 'draining' | 'leaving' | 'unable' | 'store' | 'end' | 'sharing'>;
  /** True if the host's last heartbeat is recent, so that it will take assigned partitions. */
  readonly isFresh: boolean;
}

/** True if the host's record shows that the host can take partitions and reach the Store. */
const isAbleToOwnPartitions = ({ value: { unable, store } }: PartitionOwnerCandidate): boolean =>
  !unable && store?.state !== 'fails' && store?.state !== 'slow';

/**
 * Returns the hosts that should get partitions. Draining hosts get partitions only if no other host is alive, not while
 * a heartbeat of another host is late or its Store is away: an operator may end a drained host at any time.
 */
function preferHostsNotDraining(hosts: readonly PartitionOwnerCandidate[]): readonly PartitionOwnerCandidate[] {
  const willing = hosts.filter(({ value }) => !value.draining);
  return willing.length > 0 ? willing : hosts;
}

type PartitionOwnerChoice = (p: Partition) => string | undefined;

/**
 * Makes the choice by rendezvous hashing alone, as earlier versions do. Every incarnation of a host has the same
 * weight, so a host that was found silent gets its partitions back later.
 */
function makeRendezvousChoice(hosts: readonly string[]): PartitionOwnerChoice {
  return (p) => chooseHostByRendezvousHash(p, hosts, baseIdOfHostIncarnation);
}

/** Makes the choice by even shares, which are computed at the first call. */
function makeEvenChoice(table: Pick<PartitionTable, 'ownerOf'>, hosts: readonly string[]): PartitionOwnerChoice {
  let owners: ReadonlyMap<Partition, string> | undefined;
  return (p) => {
    owners ??= shareOutEvenly(table, hosts);
    return owners.get(p);
  };
}

export class DesiredPartitionOwners {
  readonly #livingHosts: readonly PartitionOwnerCandidate[];
  readonly #chooseHomeHost: PartitionOwnerChoice;
  readonly #chooseTakingHost: PartitionOwnerChoice;

  /** @param table the present owners */
  constructor(hosts: Iterable<PartitionOwnerCandidate>, table: Pick<PartitionTable, 'ownerOf'>) {
    this.#livingHosts = [...hosts].filter(({ value }) => value.end === null && !value.leaving);
    const preferred = preferHostsNotDraining(this.#livingHosts);
    const fresh = preferred.filter((host) => host.isFresh);
    const able = fresh.filter(isAbleToOwnPartitions);
    // All hosts must follow the same rule: with two rules they would hand partitions back and forth.
    const isEven = this.#livingHosts.every(({ value }) => value.sharing === 'even');
    const makeChoice = (among: readonly PartitionOwnerCandidate[]): PartitionOwnerChoice => {
      const ids = among.map(({ id }) => id);
      return isEven ? makeEvenChoice(table, ids) : makeRendezvousChoice(ids);
    };
    this.#chooseHomeHost = makeChoice(preferred);
    this.#chooseTakingHost = makeChoice(able.length > 0 ? able : fresh);
  }

  /** Returns the owner that a partition has when all hosts are well; undefined without any host. */
  chooseHomeHost(p: Partition): string | undefined {
    return this.#chooseHomeHost(p);
  }

  /** Returns the host that should take a partition without an owner, or a partition that its owner wants to give up. */
  chooseTakingHost(p: Partition): string | undefined {
    return this.#chooseTakingHost(p);
  }

  /** True if the host will take a partition that is assigned to it. */
  canTakePartitions(id: string): boolean {
    return this.#livingHosts.some((host) => host.id === id && host.isFresh && isAbleToOwnPartitions(host));
  }
}
