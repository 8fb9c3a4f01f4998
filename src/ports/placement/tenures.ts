/** What this host owns at present, and the calls that tell its owner of partitions so. */
import type { Epoch, Partition } from '#model';
import type { PartitionOwner } from './placement.js';

export interface Tenure {
  phase: 'taking' | 'serving' | 'leaving';
  epoch: number;
  /** Answers may be given, as long as the lease is valid. */
  answering: boolean;
}

export class Tenures {
  readonly #current = new Map<Partition, Tenure>();
  /** Partitions that the owner is being told to let go: it is told to take them only afterwards. */
  readonly #losing = new Map<Partition, Promise<void>>();

  constructor(
    private readonly owner: PartitionOwner,
    private readonly failed: (error: unknown) => void,
  ) {}

  get size(): number {
    return this.#current.size;
  }

  has(p: Partition): boolean {
    return this.#current.has(p);
  }

  answers(p: Partition): boolean {
    return this.#current.get(p)?.answering ?? false;
  }

  all(): ReadonlyMap<Partition, Readonly<Tenure>> {
    return this.#current;
  }

  serving(): Partition[] {
    return [...this.#current].filter(([, { phase }]) => phase === 'serving').map(([p]) => p);
  }

  /** They are to be taken; what is asked for in between finds them spoken for. */
  begin(partitions: readonly Partition[]): Map<Partition, Tenure> {
    const begun = partitions.map((p) => [p, { phase: 'taking', epoch: 0, answering: false }] as [Partition, Tenure]);
    for (const [p, tenure] of begun) this.#current.set(p, tenure);
    return new Map(begun);
  }

  /** Those of them that did not lapse meanwhile. */
  still(begun: ReadonlyMap<Partition, Tenure>): Partition[] {
    return [...begun].filter(([p, tenure]) => this.#current.get(p) === tenure).map(([p]) => p);
  }

  forget(partitions: readonly Partition[]): void {
    for (const p of partitions) this.#current.delete(p);
  }

  /** @throws what the owner throws; it is to let them go then */
  async take(begun: ReadonlyMap<Partition, Tenure>, epochs: ReadonlyMap<Partition, Epoch>): Promise<void> {
    await Promise.all([...begun.keys()].map((p) => this.#losing.get(p)));
    const partitions = this.still(begun);
    if (partitions.length === 0) return;
    for (const p of partitions) {
      const tenure = begun.get(p)!;
      tenure.epoch = epochs.get(p)!;
      tenure.answering = true;
    }
    await this.owner.take(partitions, epochs);
    for (const p of this.still(begun)) begun.get(p)!.phase = 'serving';
  }

  /** Finish what was begun, and let go. They stay in the books until they are forgotten: nobody has them yet. */
  async release(partitions: readonly Partition[], withinMs: number): Promise<Map<Partition, Tenure>> {
    const left = new Map(partitions.map((p) => [p, this.#current.get(p)!]));
    for (const tenure of left.values()) tenure.phase = 'leaving';
    await this.#lose(partitions, 'released', withinMs);
    for (const tenure of left.values()) tenure.answering = false;
    return left;
  }

  /** Let go at once: of these, or of all. */
  async drop(partitions: readonly Partition[] = [...this.#current.keys()]): Promise<void> {
    this.forget(partitions);
    await this.#lose(partitions, 'lapsed');
  }

  /** A take that failed. */
  async abandon(begun: ReadonlyMap<Partition, Tenure>): Promise<void> {
    const left = this.still(begun);
    const told = left.filter((p) => begun.get(p)!.answering);
    this.forget(left);
    await this.drop(told);
  }

  async #lose(partitions: readonly Partition[], reason: 'released' | 'lapsed', withinMs?: number): Promise<void> {
    if (partitions.length === 0) return;
    const call = this.owner.lose(partitions, reason, withinMs).catch(this.failed);
    const ends = new Map(partitions.map((p) => [p, Promise.all([this.#losing.get(p), call]).then(() => undefined)]));
    for (const [p, end] of ends) this.#losing.set(p, end);
    await call;
    void Promise.all(ends.values()).then(() => {
      for (const [p, end] of ends) if (this.#losing.get(p) === end) this.#losing.delete(p);
    });
  }
}
