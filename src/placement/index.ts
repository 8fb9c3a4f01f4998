export type { KeyValue, KvEntry } from './kv.js';
export { NatsKv, type NatsKvOptions } from './kv-nats.js';
export { LEASE_TIMES, Lease, type LeaseEvents, type LeaseTimes } from './lease.js';
export * from './placement.js';
export { LeasePlacement, type LeasePlacementOptions } from './placement-lease.js';
export { type EpochSource, SinglePlacement } from './placement-single.js';
