/** The state of the cluster, read by a process that is not a member: the command line. */
import { type Clock, waitOnClock } from '#base/clock';
import type { Partition } from '#model';
import { baseIdOfHostIncarnation, hostDrainRequestKey, hostIdOfRecordKey } from './host-record.js';
import type { KeyValueEntry, KeyValueStore } from './kv.js';
import { HOST_LEASE_TIMES } from './lease.js';
import { ClusterMembers } from './members.js';
import { ALL_PARTITIONS, PARTITION_TABLE_KEY, PartitionTable } from './partition-table.js';
import type { HostStatus } from './placement.js';
import { makeHostStatus } from './placement-status.js';

/** Interval between two reads of the keys, milliseconds. */
const KEYS_READ_INTERVAL_MS = 100;
/** Milliseconds within which a running host changes its key. */
const MAX_WAIT_FOR_HOST_RENEWALS_MS = 3 * HOST_LEASE_TIMES.renewMs;

export interface ClusterStatus {
  readonly hosts: readonly HostStatus[];
  readonly partitions: readonly {
    readonly partition: Partition;
    /** Id of the host that owns the partition. */
    readonly owner: string | null;
    readonly epoch: number;
  }[];
  /** Partitions without an owner, or with a silent or dead one. */
  readonly unowned: readonly Partition[];
}

/**
 * Reads the keys until every living host has changed its key, for at most `MAX_WAIT_FOR_HOST_RENEWALS_MS`. Rejects if
 * the keys can't be reached.
 */
export async function observeClusterStatus(kv: KeyValueStore, clock: Clock): Promise<ClusterStatus> {
  const first = await kv.readAll();
  const began = clock.monotonic();
  const members = new ClusterMembers(HOST_LEASE_TIMES);
  for (;;) {
    const sent = clock.monotonic();
    const entries = await kv.readAll();
    const table = PartitionTable.parse(entries.get(PARTITION_TABLE_KEY));
    members.recordRead(entries, table, sent, clock.monotonic());
    const still = [...members.listMembers()].filter(
      ({ id, value, revision }) => value.end === null && revision === (findHostKeyRevision(first, id) ?? 0),
    );
    const late = clock.monotonic() - began >= MAX_WAIT_FOR_HOST_RENEWALS_MS;
    if (still.length === 0 || late) return makeClusterStatus(members, table, new Set(still.map(({ id }) => id)));
    await waitOnClock(clock, KEYS_READ_INTERVAL_MS);
  }
}

function findHostKeyRevision(entries: ReadonlyMap<string, KeyValueEntry>, host: string): number | undefined {
  for (const [key, { revision }] of entries) if (hostIdOfRecordKey(key) === host) return revision;
  return undefined;
}

function makeClusterStatus(members: ClusterMembers, table: PartitionTable, silent: ReadonlySet<string>): ClusterStatus {
  const hosts = [...members.listMembers()].map((member) => makeHostStatus(member, silent.has(member.id), table));
  hosts.sort((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
  const living = new Set(hosts.filter(({ state }) => state !== 'dead' && state !== 'silent').map(({ id }) => id));
  const partitions = ALL_PARTITIONS.map((partition) => ({
    partition,
    owner: table.ownerOf(partition) ?? null,
    epoch: table.epochOf(partition),
  }));
  const unowned = ALL_PARTITIONS.filter((p) => !living.has(table.ownerOf(p) ?? ''));
  return { hosts, partitions, unowned };
}

/** Asks a host to own nothing, until `askHostToServe`. Returns false if it was asked before. */
export async function askHostToDrain(kv: KeyValueStore, host: string): Promise<boolean> {
  return (await kv.put(hostDrainRequestKey(baseIdOfHostIncarnation(host)), '', 0)) !== undefined;
}

/** Asks a host to own partitions again. Returns false if it was not asked to own nothing. */
export async function askHostToServe(kv: KeyValueStore, host: string): Promise<boolean> {
  for (;;) {
    const asked = await kv.get(hostDrainRequestKey(baseIdOfHostIncarnation(host)));
    if (!asked) return false;
    if (await kv.delete(hostDrainRequestKey(baseIdOfHostIncarnation(host)), asked.revision)) return true;
  }
}
