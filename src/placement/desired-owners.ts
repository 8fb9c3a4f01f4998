/** Who should own what: worked out by every host for itself from the keys that all of them see. */
import type { Partition } from '../core/index.js';
import { baseOf, type HostRecord } from './host-record.js';
import { rendezvous } from './rendezvous.js';

/** A host as far as it matters for what it should own. */
export interface Candidate {
  readonly id: string;
  readonly value: Pick<HostRecord, 'draining' | 'leaving' | 'unable' | 'store' | 'end'>;
  /** Its last heartbeat is not long ago: what it is given it will take. */
  readonly fresh: boolean;
}

/** It will take what it is given, as far as is known of it and of its way to the Store. */
const isAble = ({ value: { unable, store } }: Candidate): boolean =>
  !unable && store?.state !== 'fails' && store?.state !== 'slow';

/** Hosts that have been asked to own nothing do so as long as there are others. */
function preferred(hosts: readonly Candidate[]): readonly Candidate[] {
  const willing = hosts.filter(({ value }) => !value.draining);
  return willing.length > 0 ? willing : hosts;
}

const choose = (p: Partition, hosts: readonly Candidate[]): string | undefined =>
  rendezvous(
    p,
    hosts.map(({ id }) => id),
    // The same in all incarnations, so that a host that was found silent gets back what it had.
    baseOf,
  );

export class DesiredOwners {
  readonly #living: readonly Candidate[];
  readonly #settled: readonly Candidate[];
  readonly #able: readonly Candidate[];

  constructor(hosts: Iterable<Candidate>) {
    this.#living = [...hosts].filter(({ value }) => value.end === null && !value.leaving);
    this.#settled = preferred(this.#living);
    const fresh = this.#living.filter((host) => host.fresh);
    const able = fresh.filter(isAble);
    this.#able = preferred(able.length > 0 ? able : fresh);
  }

  /** Where the partition belongs when nothing is amiss; undefined: there is no host. */
  home(p: Partition): string | undefined {
    return choose(p, this.#settled);
  }

  /** Who should take it now that it is nobody's, or its owner wants to be rid of it. */
  taker(p: Partition): string | undefined {
    return choose(p, this.#able);
  }

  /** It will take what it is given. */
  canTake(id: string): boolean {
    return this.#living.some((host) => host.id === id && host.fresh && isAble(host));
  }
}
