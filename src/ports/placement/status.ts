/** Membership and placement in words and numbers. */
import type { Partition } from '#model';
import type { HostValue } from './host-key.js';
import type { LeaseTimes } from './lease.js';
import type { Member } from './members.js';
import type { HostState, HostStatus, PlacementStatus } from './placement.js';
import { allPartitions, type Table } from './table.js';
import type { Tenure } from './tenures.js';

export function hostState(value: HostValue, silent: boolean, partitions: number): HostState {
  if (value.end !== null) return 'dead';
  if (silent) return 'silent';
  if (!value.draining && !value.leaving) return 'alive';
  return partitions + value.serving > 0 ? 'draining' : 'drained';
}

export const hostStatus = (member: Member, silent: boolean, table: Table): HostStatus => {
  const { id, value, silentMs } = member;
  const partitions = table.ownedBy(id).length;
  const { name, version, address } = value;
  // What the dead said last is true no more.
  const serving = value.end === null ? value.serving : 0;
  const store = value.end === null ? (value.store?.state ?? 'unknown') : 'unknown';
  const state = hostState(value, silent, partitions);
  return { id, name, version, address, state, silentMs, partitions, serving, store };
};

/** Partitions whose owner is nobody, or among the dead. */
export function unowned(hosts: readonly HostStatus[], table: Table): Partition[] {
  const living = new Set(hosts.filter(({ state }) => state !== 'dead').map(({ id }) => id));
  return allPartitions.filter((p) => !living.has(table.owner(p) ?? ''));
}

export function statusOf(of: {
  readonly id: string;
  readonly members: Iterable<Member>;
  readonly table: Table;
  readonly leaseMsLeft: number;
  readonly tenures: ReadonlyMap<Partition, Readonly<Tenure>>;
  readonly times: LeaseTimes;
}): PlacementStatus {
  const { id, table, leaseMsLeft, times } = of;
  const hosts = [...of.members].map((member) => {
    const silent = member.id === id ? leaseMsLeft === 0 : member.silentMs >= times.leaseMs / 2;
    return hostStatus(member, silent, table);
  });
  const store = hosts.find((host) => host.id === id)?.store ?? 'unknown';
  const own = [...of.tenures].map(([partition, { epoch, phase }]) => ({ partition, epoch, phase }));
  return { id, hosts, own, leaseMsLeft, unowned: unowned(hosts, table).length, store };
}
