import type { Test } from 'tap';
import { type Epoch, PARTITION_COUNT, type Partition, toEpoch, toPartition } from '#model';
import type { PartitionEpochStore, PartitionOwnershipListener, PartitionPlacement } from '#ports/placement';
import { Gate } from '../support/gate.js';
import { until } from '../support/until.js';

/** Partition epochs as stored in the Store's partition documents. */
export class MemoryEpochs implements PartitionEpochStore {
  fail = false;
  /** Awaited before each reply to a ping. */
  answer: (() => Promise<void>) | undefined;

  constructor(readonly stored = new Map<Partition, number>()) {}

  async ping(): Promise<void> {
    await this.answer?.();
    if (this.fail) throw new Error('the store is away');
  }

  async raiseEpochs(atLeast: ReadonlyMap<Partition, number>): Promise<Map<Partition, Epoch>> {
    await Promise.resolve();
    if (this.fail) throw new Error('the store is away');
    for (const [p, n] of atLeast) this.stored.set(p, 1 + Math.max(this.stored.get(p) ?? 0, n));
    return new Map([...atLeast.keys()].map((p) => [p, toEpoch(this.stored.get(p)!)]));
  }
}

/** Listener that records its calls and throws if a partition is taken twice. */
export class RecordingOwner implements PartitionOwnershipListener {
  readonly history: string[] = [];
  readonly owned = new Map<Partition, Epoch>();
  highest = 0;
  takeFails = false;
  /** Promise that `lose` awaits, to simulate slow draining. */
  finishing: Promise<void> = Promise.resolve();

  constructor(private readonly taken: (p: Partition, epoch: Epoch) => unknown = () => {}) {}

  async take(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void> {
    if (this.takeFails) throw new Error('can not take');
    for (const p of partitions) {
      if (this.owned.has(p)) throw new Error(`partition ${p} taken twice`);
      this.owned.set(p, epochs.get(p)!);
      this.taken(p, epochs.get(p)!);
      this.highest = Math.max(this.highest, epochs.get(p)!);
    }
    this.history.push(`take ${partitions.length}`);
  }

  async lose(partitions: readonly Partition[], reason: 'released' | 'lapsed'): Promise<void> {
    await this.finishing;
    for (const p of partitions) this.owned.delete(p);
    this.history.push(`lose ${partitions.length} ${reason}`);
  }

  get ownsAll(): boolean {
    return this.owned.size === PARTITION_COUNT;
  }
}

export interface PlacementUnderTest {
  readonly store: PartitionEpochStore;
  /** Creates a new host of the same cluster. */
  host(): PartitionPlacement;
  close(): Promise<void>;
}

/** Contract test of PartitionPlacement implementations, with one host at a time. */
export function placementContract(t: Test, name: string, make: () => Promise<PlacementUnderTest>): void {
  const some = toPartition(17);
  const fact = (title: string, body: (t: Test, cluster: PlacementUnderTest) => Promise<void>): void => {
    void t.test(`${name}: ${title}`, async (t) => {
      const cluster = await make();
      try {
        await body(t, cluster);
      } finally {
        await cluster.close();
      }
    });
  };

  fact('a single host gets every partition once, and may answer for it', async (t, cluster) => {
    const [host, owner] = [cluster.host(), new RecordingOwner()];
    t.notOk(host.mayAnswer(some));
    await host.start(owner);
    await until('all taken', () => owner.ownsAll);
    t.strictSame(owner.history, ['take 256']);
    t.ok(host.mayAnswer(some));
    await host.stop();
    t.strictSame(owner.history, ['take 256', 'lose 256 released']);
    t.notOk(host.mayAnswer(some));
  });

  fact('each epoch is larger than any before, and is written to the Store first', async (t, cluster) => {
    let before: ReadonlyMap<Partition, number> = new Map();
    for (let round = 0; round < 3; round++) {
      const [host, owner] = [cluster.host(), new RecordingOwner()];
      await host.start(owner);
      await until('all taken', () => owner.ownsAll);
      t.ok([...owner.owned].every(([p, e]) => e > (before.get(p) ?? 0)));
      before = new Map(owner.owned);
      t.ok((await cluster.store.raiseEpochs(new Map([[some, 0]]))).get(some)! > before.get(some)!);
      await host.stop();
    }
  });

  fact('stop() waits until all partitions are given up', async (t, cluster) => {
    const [host, owner] = [cluster.host(), new RecordingOwner()];
    await host.start(owner);
    await until('all taken', () => owner.ownsAll);
    const gate = new Gate();
    owner.finishing = gate.opened;
    let stopped = false;
    const stopping = host.stop().then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    t.notOk(stopped);
    gate.open();
    await stopping;
    t.notOk(owner.ownsAll);
  });
}
