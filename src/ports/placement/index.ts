/**
 * Placement: which host owns which partition, and under which epoch.
 *
 * placement.ts is the contract; read it first. A host serves a partition only under an epoch larger than any before,
 * which the Store fences. `mayAnswer` turns false by the host's own clock before another host can take over.
 *
 * SingleHostPlacement (embedded) owns all partitions. ClusterPlacement has no leader: every host runs the same
 * PlacementReconcileLoop over keys in NATS (kv.ts, kv-nats.ts), whose round is:
 * - read all keys, and update the members seen (members.ts) and the table (ownership-table.ts, partition-table.ts);
 * - give up everything if only this host has lost the Store (store-watch.ts);
 * - end the keys of hosts that were silent for a whole lease;
 * - claim and take partitions (takeover.ts), as desired-owners.ts computes: even shares (even-shares.ts), and as few
 *   moves as possible;
 * - hand over batches to other hosts (handover.ts);
 * - forget dead hosts.
 *
 * lease.ts is this host's heartbeat, host-record.ts its content, owned-partitions.ts the partitions it has now.
 * placement-status.ts, cluster-view.ts and host-watch.ts show the cluster to people, the command line and frontends.
 *
 * Imported by the runtime (contract), the command line, and the code that starts a server.
 */
export { askHostToDrain, askHostToServe, type ClusterStatus, observeClusterStatus } from './cluster-view.js';
export type { PartitionSharing } from './host-record.js';
export { HostAbsenceWatch } from './host-watch.js';
export type { KeyValueEntry, KeyValueStore } from './kv.js';
export { makePlacementBucketOptions, NatsKeyValueStore, NoPlacementBucketError } from './kv-nats.js';
export { HOST_LEASE_TIMES } from './lease.js';
export { ALL_PARTITIONS } from './partition-table.js';
export type {
  HostStatus,
  PartitionOwnershipListener,
  PartitionPlacement,
  ReportingPartitionPlacement,
} from './placement.js';
export { ClusterPlacement } from './placement-cluster.js';
export { type PartitionEpochStore, SingleHostPlacement } from './placement-single.js';
