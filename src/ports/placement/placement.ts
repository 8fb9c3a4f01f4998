/**
 * Placement: which partitions this host owns, and under which epoch.
 *
 * Contract (test/contract/placement.ts):
 * - `take` is called once per gained partition, with an epoch larger than any that was ever handed out for it (it was
 *   written to the Store's partition document first); the host answers for the partition when `take` has resolved.
 *   A `take` that rejects is followed by `lose(…, 'lapsed')`.
 * - `lose` is called when a partition was given up or may have lapsed; nothing is answered for it afterwards. It may
 *   come while `take` or an earlier `lose` of the same partition is under way; the next `take` waits for its end.
 * - `mayAnswer` turns false by the host's own monotonic clock *before* another host can have taken over.
 */
import type { Epoch, Partition } from '#model';
import type { StoreState } from './store-watch.js';

export interface PartitionOwner {
  take(partition: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void>;
  /**
   * @param reason 'released': finish what was begun first; 'lapsed': let go at once
   * @param withinMs for what was begun; what is not finished then is left to the next owner
   */
  lose(partition: readonly Partition[], reason: 'released' | 'lapsed', withinMs?: number): Promise<void>;
}

export interface Placement {
  start(owner: PartitionOwner): Promise<void>;
  mayAnswer(partition: Partition): boolean;
  /** Hand everything over: `lose(…, 'released')` is awaited for each partition, then the lease is released. */
  stop(): Promise<void>;
}

export type HostState =
  | 'alive'
  /** Asked to own nothing, or about to end, and still owns something. */
  | 'draining'
  /** Asked to own nothing, and owns nothing. */
  | 'drained'
  /** No heartbeat came for a while; after a whole lease without one it is dead. */
  | 'silent'
  | 'dead';

export interface HostStatus {
  readonly id: string;
  readonly name: string;
  /** Of the program. */
  readonly version: string;
  readonly address: string;
  readonly state: HostState;
  /** Since a heartbeat of it was seen; milliseconds. */
  readonly silentMs: number;
  /** Partitions that the table names as its own. */
  readonly partitions: number;
  /** Partitions for which it answers, by its last heartbeat. */
  readonly serving: number;
  /** Whether the Store works for it, by its last heartbeat. */
  readonly store: StoreState;
}

export interface PlacementStatus {
  /** This host; the others are in `hosts` with it. */
  readonly id: string;
  readonly hosts: readonly HostStatus[];
  /** What this host owns, takes or hands over. */
  readonly own: readonly {
    readonly partition: Partition;
    readonly epoch: number;
    readonly phase: 'taking' | 'serving' | 'leaving';
  }[];
  /** How long this host may answer without another heartbeat; milliseconds, 0: it may not. */
  readonly leaseMsLeft: number;
  /** Partitions whose owner is nobody, or dead. */
  readonly unowned: number;
  /** Whether the Store works for this host. */
  readonly store: StoreState;
}

export interface ReportingPlacement extends Placement {
  /** For people and metrics. Costs a pass over the partitions. */
  status(): PlacementStatus;
}
