/** Placement of the embedded server: the only host owns all partitions. */
import type { Epoch, Partition } from '#model';
import { ALL_PARTITIONS } from './partition-table.js';
import type { PartitionOwnershipListener, PlacementStatus, ReportingPartitionPlacement } from './placement.js';

/** The only operation of the Store that placement needs. */
export interface PartitionEpochStore {
  /**
   * Raises epochs: each new one is larger than any before, and than the given one. The new epochs are durable when the
   * promise resolves.
   */
  raiseEpochs(atLeast: ReadonlyMap<Partition, number>): Promise<Map<Partition, Epoch>>;
}

/** Owns all partitions from `start` to `stop`. */
export class SingleHostPlacement implements ReportingPartitionPlacement {
  readonly #epochStore: PartitionEpochStore;
  #ownershipListener: PartitionOwnershipListener | undefined;
  #isOwning = false;
  #epochByPartition: ReadonlyMap<Partition, Epoch> = new Map();

  constructor(store: PartitionEpochStore) {
    this.#epochStore = store;
  }

  /**
   * Takes all partitions. Rejects with the error of the Store or of the partition holder; then no partition is owned.
   */
  async start(owner: PartitionOwnershipListener): Promise<void> {
    const epochs = await this.#epochStore.raiseEpochs(new Map(ALL_PARTITIONS.map((p) => [p, 0])));
    this.#ownershipListener = owner;
    this.#isOwning = true;
    this.#epochByPartition = epochs;
    try {
      await owner.take(ALL_PARTITIONS, epochs);
    } catch (error) {
      this.#ownershipListener = undefined;
      this.#isOwning = false;
      throw error;
    }
  }

  mayAnswer(_partition: Partition): boolean {
    return this.#isOwning;
  }

  async stop(): Promise<void> {
    const owner = this.#ownershipListener;
    this.#ownershipListener = undefined;
    if (owner) await owner.lose(ALL_PARTITIONS, 'released');
    this.#isOwning = false;
  }

  /** Status of the only host: there is no lease that could lapse. */
  status(): PlacementStatus {
    const owned = this.#isOwning ? [...this.#epochByPartition] : [];
    return {
      id: '',
      hosts: [],
      own: owned.map(([partition, epoch]) => ({ partition, epoch, phase: 'serving' })),
      leaseMsLeft: this.#isOwning ? Number.POSITIVE_INFINITY : 0,
      unowned: ALL_PARTITIONS.length - owned.length,
      store: 'works',
    };
  }
}
