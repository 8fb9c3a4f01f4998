/** Placement of the embedded server: the only host owns all partitions. */
import type { Epoch, Partition } from '#model';
import { ALL_PARTITIONS } from './partition-table.js';
import type { PartitionOwnershipListener, PlacementStatus, ReportingPartitionPlacement } from './placement.js';

/** The only operation of the Store that placement needs. */
export interface EpochSource {
  /**
   * Raises epochs: each new one is larger than any before, and than the given one. The new epochs are durable when the
   * promise resolves.
   */
  raiseEpochs(atLeast: ReadonlyMap<Partition, number>): Promise<Map<Partition, Epoch>>;
}

/** Owns all partitions from `start` to `stop`. */
export class SingleHostPlacement implements ReportingPartitionPlacement {
  readonly #store: EpochSource;
  #owner: PartitionOwnershipListener | undefined;
  #owning = false;
  #epochs: ReadonlyMap<Partition, Epoch> = new Map();

  constructor(store: EpochSource) {
    this.#store = store;
  }

  /**
   * Takes all partitions. Rejects with the error of the Store or of the partition holder; then no partition is owned.
   */
  async start(owner: PartitionOwnershipListener): Promise<void> {
    const epochs = await this.#store.raiseEpochs(new Map(ALL_PARTITIONS.map((p) => [p, 0])));
    this.#owner = owner;
    this.#owning = true;
    this.#epochs = epochs;
    try {
      await owner.take(ALL_PARTITIONS, epochs);
    } catch (error) {
      this.#owner = undefined;
      this.#owning = false;
      throw error;
    }
  }

  mayAnswer(_partition: Partition): boolean {
    return this.#owning;
  }

  async stop(): Promise<void> {
    const owner = this.#owner;
    this.#owner = undefined;
    if (owner) await owner.lose(ALL_PARTITIONS, 'released');
    this.#owning = false;
  }

  /** Status of the only host: there is no lease that could lapse. */
  status(): PlacementStatus {
    const owned = this.#owning ? [...this.#epochs] : [];
    return {
      id: '',
      hosts: [],
      own: owned.map(([partition, epoch]) => ({ partition, epoch, phase: 'serving' })),
      leaseMsLeft: this.#owning ? Number.POSITIVE_INFINITY : 0,
      unowned: ALL_PARTITIONS.length - owned.length,
      store: 'works',
    };
  }
}
