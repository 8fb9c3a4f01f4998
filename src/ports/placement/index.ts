export { askToDrain, askToServe, type ClusterView, viewCluster } from './cluster-view.js';
export { HostWatch } from './host-watch.js';
export type { KeyValue, KvEntry } from './kv.js';
export { NatsKv, type NatsKvOptions, NoBucket, placementBucket } from './kv-nats.js';
export { LEASE_TIMES, type LeaseTimes } from './lease.js';
export type {
  HostState,
  HostStatus,
  PartitionOwner,
  Placement,
  PlacementStatus,
  ReportingPlacement,
} from './placement.js';
export { ClusterPlacement, type ClusterPlacementOptions } from './placement-cluster.js';
export { type EpochSource, SinglePlacement } from './placement-single.js';
export { rendezvous } from './rendezvous.js';
export { allPartitions } from './table.js';
