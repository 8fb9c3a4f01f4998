/** One simulated process: its clock, bus client, Store and log stop with it, freeze with it, and wake with it. */

import type { Logger } from '#base';
import type { Partition, RealmId } from '#model';
import type { DirectoryView } from '#model/records';
import { LocalBus, type LocalBusHub } from '#ports/bus';
import { EventLogUnavailableError } from '#ports/log';
import type { PartitionPlacement } from '#ports/placement';
import { StoreUnavailableError } from '#ports/store';
import { ActorHost } from '#runtime';
import type { FakeClock } from '../support/fake-clock.js';
import type { MemoryLog } from '../support/memory-log.js';
import type { MemoryStore } from '../support/memory-store.js';
import { testKinds } from './kinds.js';
import { ProcessClock } from './process-clock.js';
import type { Place, Scheduler } from './scheduler.js';

export interface Faults {
  /** Probability that a gate of the Store or the log rejects: before or after the effect. */
  unavailable: number;
  /** Probability that a gate lets through at once. */
  open: number;
}

export interface Shared {
  readonly clock: FakeClock;
  readonly hub: LocalBusHub;
  readonly store: MemoryStore;
  readonly log: MemoryLog;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
}

export const quietLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const noDirectory = {
  waitUntilReady: (): undefined => undefined,
  currentView: (_realm: RealmId): DirectoryView => {
    throw new Error('no directory in the simulation');
  },
  findOpenReplicaView: (): undefined => undefined,
};

export class SimHost implements Place {
  dead = false;
  frozen = false;
  readonly host: ActorHost;
  readonly store: MemoryStore;
  readonly #bus: LocalBus;

  constructor(
    readonly name: string,
    private readonly shared: Shared,
    mayAnswer: (host: SimHost, partition: Partition) => boolean,
  ) {
    const { clock, hub, scheduler } = shared;
    const processClock = new ProcessClock(clock, scheduler, this);
    this.#bus = new LocalBus(processClock, hub, name);
    this.store = shared.store.peer((step, keys) =>
      this.#gate(step, keys.join(), () => new StoreUnavailableError('simulated')),
    );
    const log = shared.log.peer({
      gate: (step) => this.#gate(step, '', () => new EventLogUnavailableError('simulated')),
    });
    const placement: PartitionPlacement = {
      start: async () => undefined,
      mayAnswer: (partition) => mayAnswer(this, partition),
      stop: async () => undefined,
    };
    this.host = new ActorHost({
      clock: processClock,
      store: this.store,
      log,
      bus: this.#bus,
      placement,
      directory: noDirectory,
      kinds: testKinds,
      services: {},
      logger: quietLogger,
      idleMs: 5_000,
    });
  }

  /** As `kill -9`: whatever step it was at is its last. */
  crash(): void {
    this.dead = true;
    this.#bus.crash();
  }

  #gate(step: string, detail: string, failure: () => Error): Promise<void> | void {
    const { scheduler, faults } = this.shared;
    if (this.dead) return new Promise(() => {});
    const fails = scheduler.random.chance(faults.unavailable);
    if (!fails && !this.frozen && scheduler.random.chance(faults.open)) return;
    const passed = scheduler.gate(`${this.name} ${step} ${detail}${fails ? ' FAILS' : ''}`, this);
    if (!fails) return passed;
    return passed.then(() => {
      throw failure();
    });
  }
}
