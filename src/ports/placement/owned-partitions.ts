/**
 * The partitions that this host owns now, and the calls to the `PartitionOwnershipListener` that follow from changes.
 */
import type { Epoch, Partition } from '#model';
import type { PartitionOwnershipListener } from './placement.js';

export interface OwnedPartitionState {
  phase: 'taking' | 'serving' | 'leaving';
  epoch: number;
  /** True while requests for the partition may be answered, as long as the lease is valid. */
  isAnswering: boolean;
}

export class OwnedPartitions {
  readonly #stateByPartition = new Map<Partition, OwnedPartitionState>();
  /** Calls of the holder's `lose` in progress: `take` of the same partition waits for them. */
  readonly #lossInProgressByPartition = new Map<Partition, Promise<void>>();

  constructor(
    private readonly owner: PartitionOwnershipListener,
    private readonly onError: (error: unknown) => void,
  ) {}

  get ownedPartitionCount(): number {
    return this.#stateByPartition.size;
  }

  isOwned(p: Partition): boolean {
    return this.#stateByPartition.has(p);
  }

  mayAnswerIfLeaseValid(p: Partition): boolean {
    return this.#stateByPartition.get(p)?.isAnswering ?? false;
  }

  getStatesByPartition(): ReadonlyMap<Partition, Readonly<OwnedPartitionState>> {
    return this.#stateByPartition;
  }

  listServing(): Partition[] {
    return [...this.#stateByPartition].filter(([, { phase }]) => phase === 'serving').map(([p]) => p);
  }

  /** Reserves the partitions before they are taken, so that the next round doesn't take them again. */
  reserveForTaking(partitions: readonly Partition[]): Map<Partition, OwnedPartitionState> {
    const taking = partitions.map(
      (p) => [p, { phase: 'taking', epoch: 0, isAnswering: false }] as [Partition, OwnedPartitionState],
    );
    for (const [p, ownership] of taking) this.#stateByPartition.set(p, ownership);
    return new Map(taking);
  }

  /** Returns the partitions that this host has owned ever since they were listed in `taking`. */
  filterStillOwned(taking: ReadonlyMap<Partition, OwnedPartitionState>): Partition[] {
    return [...taking].filter(([p, ownership]) => this.#stateByPartition.get(p) === ownership).map(([p]) => p);
  }

  removeFromOwned(partitions: readonly Partition[]): void {
    for (const p of partitions) this.#stateByPartition.delete(p);
  }

  /**
   * Makes the partition holder take the partitions.
   * @throws the holder's error; the caller then calls `abandonTake`
   */
  async takePartitions(
    taking: ReadonlyMap<Partition, OwnedPartitionState>,
    epochs: ReadonlyMap<Partition, Epoch>,
  ): Promise<void> {
    await Promise.all([...taking.keys()].map((p) => this.#lossInProgressByPartition.get(p)));
    const partitions = this.filterStillOwned(taking);
    if (partitions.length === 0) return;
    for (const p of partitions) {
      const ownership = taking.get(p)!;
      ownership.epoch = epochs.get(p)!;
      ownership.isAnswering = true;
    }
    await this.owner.take(partitions, epochs);
    for (const p of this.filterStillOwned(taking)) taking.get(p)!.phase = 'serving';
  }

  /**
   * Lets the partition holder finish work in progress and lose the partitions. The partitions stay listed until
   * `removeFromOwned`, because no other host has them yet.
   */
  async releasePartitions(
    partitions: readonly Partition[],
    withinMs: number,
  ): Promise<Map<Partition, OwnedPartitionState>> {
    const left = new Map(partitions.map((p) => [p, this.#stateByPartition.get(p)!]));
    for (const ownership of left.values()) ownership.phase = 'leaving';
    await this.#callListenerLose(partitions, 'released', withinMs);
    for (const ownership of left.values()) ownership.isAnswering = false;
    return left;
  }

  /** Makes the partition holder lose the partitions at once, without finishing work; default: all of them. */
  async losePartitionsAtOnce(partitions: readonly Partition[] = [...this.#stateByPartition.keys()]): Promise<void> {
    this.removeFromOwned(partitions);
    await this.#callListenerLose(partitions, 'lapsed');
  }

  /** Gives up partitions whose take has failed. */
  async abandonTake(taking: ReadonlyMap<Partition, OwnedPartitionState>): Promise<void> {
    const left = this.filterStillOwned(taking);
    const told = left.filter((p) => taking.get(p)!.isAnswering);
    this.removeFromOwned(left);
    await this.losePartitionsAtOnce(told);
  }

  async #callListenerLose(
    partitions: readonly Partition[],
    reason: 'released' | 'lapsed',
    withinMs?: number,
  ): Promise<void> {
    if (partitions.length === 0) return;
    const call = this.owner.lose(partitions, reason, withinMs).catch(this.onError);
    const ends = new Map(
      partitions.map((p) => [p, Promise.all([this.#lossInProgressByPartition.get(p), call]).then(() => undefined)]),
    );
    for (const [p, end] of ends) this.#lossInProgressByPartition.set(p, end);
    await call;
    void Promise.all(ends.values()).then(() => {
      for (const [p, end] of ends)
        if (this.#lossInProgressByPartition.get(p) === end) this.#lossInProgressByPartition.delete(p);
    });
  }
}
