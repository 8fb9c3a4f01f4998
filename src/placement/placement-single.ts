import { type Epoch, PARTITIONS, type Partition, partition } from '../core/index.js';
import type { PartitionOwner, Placement } from './placement.js';

/** The one thing placement needs of the Store. */
export interface EpochSource {
  raiseEpoch(partition: Partition, atLeast: number): Promise<Epoch>;
}

export const allPartitions: readonly Partition[] = Array.from({ length: PARTITIONS }, (_, i) => partition(i));

/** New epochs for these partitions, written to the Store first; `atLeast` is the epoch known from elsewhere. */
export async function raiseEpochs(
  store: EpochSource,
  partitions: readonly Partition[],
  atLeast: number,
): Promise<Map<Partition, Epoch>> {
  const epochs = await Promise.all(partitions.map((p) => store.raiseEpoch(p, atLeast)));
  return new Map(partitions.map((p, i) => [p, epochs[i]!]));
}

/** Embedded: everything is always ours. */
export class SinglePlacement implements Placement {
  readonly #store: EpochSource;
  #owner: PartitionOwner | undefined;
  #owning = false;

  constructor(store: EpochSource) {
    this.#store = store;
  }

  /** Rejects with what the Store or the owner rejects with; nothing is owned then. */
  async start(owner: PartitionOwner): Promise<void> {
    const epochs = await raiseEpochs(this.#store, allPartitions, 0);
    this.#owner = owner;
    this.#owning = true;
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
}
