/**
 * Placement: which partitions this host owns, and under which epoch.
 *
 * Contract (test/contract/placement.ts):
 * - `take` is called once per gained partition, with an epoch larger than any that was ever handed out for it (it was
 *   written to the Store's partition document first); the host answers for the partition when `take` has resolved.
 * - `lose` is called when a partition was given up or may have lapsed; nothing is answered for it afterwards.
 * - `mayAnswer` turns false by the host's own monotonic clock *before* another host can have taken over.
 */
import type { Epoch, Partition } from '../core/index.js';

export interface PartitionOwner {
  take(partition: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void>;
  lose(partition: readonly Partition[], reason: 'released' | 'lapsed'): Promise<void>;
}

export interface Placement {
  start(owner: PartitionOwner): Promise<void>;
  mayAnswer(partition: Partition): boolean;
  /** Hand everything over: `lose(…, 'released')` is awaited for each partition, then the lease is released. */
  stop(): Promise<void>;
}
