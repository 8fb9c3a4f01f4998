/** Membership and placement in the form that people and metrics see. */
import type { Partition } from '#model';
import type { HostRecord } from './host-record.js';
import type { HostLeaseTimes } from './lease.js';
import type { ClusterMember } from './members.js';
import type { OwnedPartitionState } from './owned-partitions.js';
import { ALL_PARTITIONS, type PartitionTable } from './partition-table.js';
import type { HostPlacementState, HostStatus, PlacementStatus } from './placement.js';

function computeHostState(value: HostRecord, silent: boolean, partitions: number): HostPlacementState {
  if (value.end !== null) return 'dead';
  if (silent) return 'silent';
  if (!value.draining && !value.leaving) return 'alive';
  return partitions + value.serving > 0 ? 'draining' : 'drained';
}

export const makeHostStatus = (member: ClusterMember, silent: boolean, table: PartitionTable): HostStatus => {
  const { id, value, silentMs } = member;
  const partitions = table.listPartitionsOwnedBy(id).length;
  const { name, version, address } = value;
  // The last report of a dead host is outdated.
  const serving = value.end === null ? value.serving : 0;
  const store = value.end === null ? (value.store?.state ?? 'unknown') : 'unknown';
  const state = computeHostState(value, silent, partitions);
  return { id, name, version, address, state, silentMs, partitions, serving, store };
};

/** Lists the partitions without an owner, or with a dead one. */
function listUnownedPartitions(hosts: readonly HostStatus[], table: PartitionTable): Partition[] {
  const living = new Set(hosts.filter(({ state }) => state !== 'dead').map(({ id }) => id));
  return ALL_PARTITIONS.filter((p) => !living.has(table.ownerOf(p) ?? ''));
}

export function makePlacementStatus(of: {
  readonly id: string;
  readonly members: Iterable<ClusterMember>;
  readonly table: PartitionTable;
  readonly leaseMsLeft: number;
  readonly owned: ReadonlyMap<Partition, Readonly<OwnedPartitionState>>;
  readonly times: HostLeaseTimes;
}): PlacementStatus {
  const { id, table, leaseMsLeft, times } = of;
  const hosts = [...of.members].map((member) => {
    const silent = member.id === id ? leaseMsLeft === 0 : member.silentMs >= times.leaseMs / 2;
    return makeHostStatus(member, silent, table);
  });
  const store = hosts.find((host) => host.id === id)?.store ?? 'unknown';
  const own = [...of.owned].map(([partition, { epoch, phase }]) => ({ partition, epoch, phase }));
  return { id, hosts, own, leaseMsLeft, unowned: listUnownedPartitions(hosts, table).length, store };
}
