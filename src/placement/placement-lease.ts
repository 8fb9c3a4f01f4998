import type { Clock } from '../clock/index.js';
import type { Partition } from '../core/index.js';
import type { KeyValue } from './kv.js';
import { LEASE_TIMES, Lease, type LeaseTimes } from './lease.js';
import type { PartitionOwner, Placement } from './placement.js';
import { allPartitions, type EpochSource, raiseEpochs } from './placement-single.js';

/** After a take-over that failed (the Store is away, say) others may try first; milliseconds. */
const PAUSE = 1_000;

export interface LeasePlacementOptions {
  /** Name of this host, for people who look at the key. */
  readonly host: string;
  readonly times?: LeaseTimes;
  /** Told what went wrong in a take-over that is tried again later. */
  readonly failed?: (error: unknown) => void;
}

/** One host owns every partition, the others stand by and one of them takes over when its heartbeat stops. */
export class LeasePlacement implements Placement {
  readonly #store: EpochSource;
  readonly #lease: Lease;
  readonly #failed: (error: unknown) => void;
  #owner: PartitionOwner | undefined;
  /** `take` was called, and no `lose` since. */
  #taken = false;
  /** The lease under which it was called still runs: another acquisition brings other epochs. */
  #answering = false;
  #acquisition = 0;
  /** Calls of the owner, one after the other. */
  #calls: Promise<void> = Promise.resolve();

  constructor(kv: KeyValue, clock: Clock, store: EpochSource, options: LeasePlacementOptions) {
    this.#store = store;
    this.#failed = options.failed ?? (() => {});
    this.#lease = new Lease(kv, clock, 'owner', options.host, options.times ?? LEASE_TIMES);
  }

  /** Resolves when this host stands by or, if the lease was free, owns everything. */
  async start(owner: PartitionOwner): Promise<void> {
    this.#owner = owner;
    await this.#lease.start({
      acquired: (epoch) => {
        const acquisition = ++this.#acquisition;
        this.#enqueue(() => this.#take(owner, epoch, acquisition));
      },
      lapsed: () => {
        this.#acquisition++;
        this.#answering = false;
        this.#enqueue(() => this.#lose(owner, 'lapsed'));
      },
    });
    await this.#calls;
  }

  mayAnswer(_partition: Partition): boolean {
    return this.#answering && this.#lease.valid;
  }

  async stop(): Promise<void> {
    const owner = this.#owner;
    this.#owner = undefined;
    if (!owner) return;
    this.#enqueue(() => this.#lose(owner, 'released'));
    await this.#calls;
    await this.#lease.release();
  }

  async #take(owner: PartitionOwner, epoch: number, acquisition: number): Promise<void> {
    const current = (): boolean => this.#owner !== undefined && this.#acquisition === acquisition && this.#lease.valid;
    if (!current()) return;
    try {
      const epochs = await raiseEpochs(this.#store, allPartitions, epoch);
      this.#lease.raiseEpoch(Math.max(...epochs.values()));
      if (!current()) return;
      this.#taken = true;
      this.#answering = true;
      await owner.take(allPartitions, epochs);
    } catch (error) {
      this.#answering = false;
      this.#failed(error);
      await this.#lose(owner, 'lapsed');
      if (this.#acquisition === acquisition) await this.#lease.release(PAUSE);
    }
  }

  async #lose(owner: PartitionOwner, reason: 'released' | 'lapsed'): Promise<void> {
    if (!this.#taken) return;
    try {
      await owner.lose(allPartitions, reason);
    } finally {
      this.#taken = false;
      this.#answering = false;
    }
  }

  #enqueue(call: () => Promise<void>): void {
    this.#calls = this.#calls.then(call).catch((error) => this.#failed(error));
  }
}
