/**
 * Placement: which partitions this host owns, and under which epoch.
 *
 * Contract (test/contract/placement.ts):
 * - `take` is called once per gained partition, with an epoch larger than any handed out for it before (written to the
 *   Store's partition document first). The host serves the partition when `take` has resolved. A `take` that rejects is
 *   followed by `lose(…, 'lapsed')`.
 * - `lose` is called when a partition was given up or may have lapsed; no request is answered for it afterwards. It may
 *   be called while `take` or an earlier `lose` of the same partition is in progress; the next `take` waits for its
 *   end.
 * - `mayAnswer` turns false, by the host's own monotonic clock, *before* another host can have taken over.
 */
import type { Epoch, Partition } from '#model';
import type { StoreHealthState } from './host-record.js';

/** Calls of the placement when this host gains or loses partitions. The runtime implements it. */
export interface PartitionOwnershipListener {
  take(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void>;
  /**
   * Gives up partitions.
   * @param reason 'released': finish work in progress first; 'lapsed': let go at once
   * @param withinMs time limit for work in progress; the next owner finishes the rest
   */
  lose(partitions: readonly Partition[], reason: 'released' | 'lapsed', withinMs?: number): Promise<void>;
}

export interface PartitionPlacement {
  start(owner: PartitionOwnershipListener): Promise<void>;
  mayAnswer(partition: Partition): boolean;
  /** Hands all partitions over: waits for `lose(…, 'released')` of each, then releases the lease of this host. */
  stop(): Promise<void>;
}

export type HostPlacementState =
  | 'alive'
  /** The host was asked to own no partitions, or is shutting down, and still owns some. */
  | 'draining'
  /** The host was asked to own no partitions, and owns none. */
  | 'drained'
  /** The host sent no recent heartbeat; after a whole lease without one it counts as dead. */
  | 'silent'
  | 'dead';

export interface HostStatus {
  readonly id: string;
  readonly name: string;
  /** Version of the program that the host runs. */
  readonly version: string;
  readonly address: string;
  readonly state: HostPlacementState;
  /** Milliseconds since the last heartbeat of the host was seen. */
  readonly silentMs: number;
  /** Number of partitions that the table assigns to the host. */
  readonly partitions: number;
  /** Number of partitions that the host serves, by its last heartbeat. */
  readonly serving: number;
  /** State of the Store for the host, by its last heartbeat. */
  readonly store: StoreHealthState;
}

export interface PlacementStatus {
  /** Id of this host, which is also listed in `hosts`. */
  readonly id: string;
  readonly hosts: readonly HostStatus[];
  /** Partitions that this host owns, takes or hands over. */
  readonly own: readonly {
    readonly partition: Partition;
    readonly epoch: number;
    readonly phase: 'taking' | 'serving' | 'leaving';
  }[];
  /** Milliseconds for which this host may answer without another heartbeat; 0 if it may not answer. */
  readonly leaseMsLeft: number;
  /** Number of partitions without an owner, or with a dead one. */
  readonly unowned: number;
  /** State of the Store for this host. */
  readonly store: StoreHealthState;
}

export interface ReportingPartitionPlacement extends PartitionPlacement {
  /** Returns the status for people and metrics. The call costs a pass over all partitions. */
  status(): PlacementStatus;
}
