/** The desired owner of each partition. Every host computes the owners itself, from keys that all hosts see. */
import type { Partition } from '#model';
import { baseIdOf, type HostRecord } from './host-record.js';
import { chooseHostByRendezvous } from './rendezvous.js';

/** A host with the properties that decide which partitions it should own. */
export interface OwnerCandidate {
  readonly id: string;
  readonly value: Pick<HostRecord, 'draining' | 'leaving' | 'unable' | 'store' | 'end'>;
  /** True if the host's last heartbeat is recent, so that it will take assigned partitions. */
  readonly fresh: boolean;
}

/** True if the host can take partitions, as far as its record tells, including its access to the Store. */
const isAble = ({ value: { unable, store } }: OwnerCandidate): boolean =>
  !unable && store?.state !== 'fails' && store?.state !== 'slow';

/** The hosts to which partitions go. Draining hosts get partitions only if there are no others. */
function preferred(hosts: readonly OwnerCandidate[]): readonly OwnerCandidate[] {
  const willing = hosts.filter(({ value }) => !value.draining);
  return willing.length > 0 ? willing : hosts;
}

const choose = (p: Partition, hosts: readonly OwnerCandidate[]): string | undefined =>
  chooseHostByRendezvous(
    p,
    hosts.map(({ id }) => id),
    // Every incarnation weighs the same, so a host that was found silent gets its partitions back.
    baseIdOf,
  );

export class DesiredOwners {
  readonly #living: readonly OwnerCandidate[];
  readonly #settled: readonly OwnerCandidate[];
  readonly #able: readonly OwnerCandidate[];

  constructor(hosts: Iterable<OwnerCandidate>) {
    this.#living = [...hosts].filter(({ value }) => value.end === null && !value.leaving);
    this.#settled = preferred(this.#living);
    const fresh = this.#living.filter((host) => host.fresh);
    const able = fresh.filter(isAble);
    this.#able = preferred(able.length > 0 ? able : fresh);
  }

  /** The owner of a partition when all hosts are well; undefined without any host. */
  homeOf(p: Partition): string | undefined {
    return choose(p, this.#settled);
  }

  /** The host that should take a partition which has no owner, or whose owner wants to give it up. */
  takerOf(p: Partition): string | undefined {
    return choose(p, this.#able);
  }

  /** Whether the host will take an assigned partition. */
  canTake(id: string): boolean {
    return this.#living.some((host) => host.id === id && host.fresh && isAble(host));
  }
}
