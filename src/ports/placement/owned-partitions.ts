/**
 * The partitions that this host owns now, and the calls to the `PartitionOwnershipListener` that follow from changes.
 */
import type { Epoch, Partition } from '#model';
import type { PartitionOwnershipListener } from './placement.js';

export interface OwnedPartitionState {
  phase: 'taking' | 'serving' | 'leaving';
  epoch: number;
  /** True while requests for the partition may be answered, as long as the lease is valid. */
  answering: boolean;
}

export class OwnedPartitions {
  readonly #current = new Map<Partition, OwnedPartitionState>();
  /** Calls of the holder's `lose` in progress: `take` of the same partition waits for them. */
  readonly #losing = new Map<Partition, Promise<void>>();

  constructor(
    private readonly owner: PartitionOwnershipListener,
    private readonly onError: (error: unknown) => void,
  ) {}

  get size(): number {
    return this.#current.size;
  }

  has(p: Partition): boolean {
    return this.#current.has(p);
  }

  mayAnswer(p: Partition): boolean {
    return this.#current.get(p)?.answering ?? false;
  }

  all(): ReadonlyMap<Partition, Readonly<OwnedPartitionState>> {
    return this.#current;
  }

  serving(): Partition[] {
    return [...this.#current].filter(([, { phase }]) => phase === 'serving').map(([p]) => p);
  }

  /** Reserves the partitions before they are taken, so that the next round doesn't take them again. */
  begin(partitions: readonly Partition[]): Map<Partition, OwnedPartitionState> {
    const taking = partitions.map(
      (p) => [p, { phase: 'taking', epoch: 0, answering: false }] as [Partition, OwnedPartitionState],
    );
    for (const [p, ownership] of taking) this.#current.set(p, ownership);
    return new Map(taking);
  }

  /** Returns the partitions that this host has owned ever since they were listed in `taking`. */
  stillOwned(taking: ReadonlyMap<Partition, OwnedPartitionState>): Partition[] {
    return [...taking].filter(([p, ownership]) => this.#current.get(p) === ownership).map(([p]) => p);
  }

  forget(partitions: readonly Partition[]): void {
    for (const p of partitions) this.#current.delete(p);
  }

  /**
   * Makes the partition holder take the partitions.
   * @throws the holder's error; the caller then calls `abandon`
   */
  async take(
    taking: ReadonlyMap<Partition, OwnedPartitionState>,
    epochs: ReadonlyMap<Partition, Epoch>,
  ): Promise<void> {
    await Promise.all([...taking.keys()].map((p) => this.#losing.get(p)));
    const partitions = this.stillOwned(taking);
    if (partitions.length === 0) return;
    for (const p of partitions) {
      const ownership = taking.get(p)!;
      ownership.epoch = epochs.get(p)!;
      ownership.answering = true;
    }
    await this.owner.take(partitions, epochs);
    for (const p of this.stillOwned(taking)) taking.get(p)!.phase = 'serving';
  }

  /**
   * Lets the partition holder finish work in progress and lose the partitions. The partitions stay listed until
   * `forget`, because no other host has them yet.
   */
  async release(partitions: readonly Partition[], withinMs: number): Promise<Map<Partition, OwnedPartitionState>> {
    const left = new Map(partitions.map((p) => [p, this.#current.get(p)!]));
    for (const ownership of left.values()) ownership.phase = 'leaving';
    await this.#lose(partitions, 'released', withinMs);
    for (const ownership of left.values()) ownership.answering = false;
    return left;
  }

  /** Makes the partition holder lose the partitions at once, without finishing work; default: all of them. */
  async drop(partitions: readonly Partition[] = [...this.#current.keys()]): Promise<void> {
    this.forget(partitions);
    await this.#lose(partitions, 'lapsed');
  }

  /** Gives up partitions whose take has failed. */
  async abandon(taking: ReadonlyMap<Partition, OwnedPartitionState>): Promise<void> {
    const left = this.stillOwned(taking);
    const told = left.filter((p) => taking.get(p)!.answering);
    this.forget(left);
    await this.drop(told);
  }

  async #lose(partitions: readonly Partition[], reason: 'released' | 'lapsed', withinMs?: number): Promise<void> {
    if (partitions.length === 0) return;
    const call = this.owner.lose(partitions, reason, withinMs).catch(this.onError);
    const ends = new Map(partitions.map((p) => [p, Promise.all([this.#losing.get(p), call]).then(() => undefined)]));
    for (const [p, end] of ends) this.#losing.set(p, end);
    await call;
    void Promise.all(ends.values()).then(() => {
      for (const [p, end] of ends) if (this.#losing.get(p) === end) this.#losing.delete(p);
    });
  }
}
