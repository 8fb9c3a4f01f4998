import type { Epoch, Partition } from '../core/index.js';
import { allPartitions } from './partition-table.js';
import type { PartitionOwner, PlacementStatus, ReportingPlacement } from './placement.js';

/** The one thing placement needs of the Store. */
export interface EpochSource {
  /** New epochs, durable when it resolves; each larger than any before it, and than the one given. */
  raiseEpochs(atLeast: ReadonlyMap<Partition, number>): Promise<Map<Partition, Epoch>>;
}

/** Embedded: everything is always ours. */
export class SinglePlacement implements ReportingPlacement {
  readonly #store: EpochSource;
  #owner: PartitionOwner | undefined;
  #owning = false;
  #epochs: ReadonlyMap<Partition, Epoch> = new Map();

  constructor(store: EpochSource) {
    this.#store = store;
  }

  /** Rejects with what the Store or the owner rejects with; nothing is owned then. */
  async start(owner: PartitionOwner): Promise<void> {
    const epochs = await this.#store.raiseEpochs(new Map(allPartitions.map((p) => [p, 0])));
    this.#owner = owner;
    this.#owning = true;
    this.#epochs = epochs;
    try {
      await owner.take(allPartitions, epochs);
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
    if (owner) await owner.lose(allPartitions, 'released');
    this.#owning = false;
  }

  /** There are no other hosts, and nothing that could lapse. */
  status(): PlacementStatus {
    const owned = this.#owning ? [...this.#epochs] : [];
    return {
      id: '',
      hosts: [],
      own: owned.map(([partition, epoch]) => ({ partition, epoch, phase: 'serving' })),
      leaseMsLeft: this.#owning ? Number.POSITIVE_INFINITY : 0,
      unowned: allPartitions.length - owned.length,
      store: 'works',
    };
  }
}
