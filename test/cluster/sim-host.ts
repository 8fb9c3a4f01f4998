/** Simulated actor host with test kinds. Its clock, bus client, Store and log stop, freeze and resume with it. */

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
import type { Scheduler, SimulatedProcess } from './scheduler.js';

export interface PortFaults {
  /** Probability that a step of the Store or the log rejects, before or after its effect. */
  failureRate: number;
  /** Probability that a step continues at once, without a scheduler task. */
  immediateRate: number;
}

export interface SimHostEnvironment {
  readonly clock: FakeClock;
  readonly hub: LocalBusHub;
  readonly store: MemoryStore;
  readonly log: MemoryLog;
  readonly scheduler: Scheduler;
  readonly faults: PortFaults;
}

export const quietLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const noDirectory = {
  waitUntilReady: (): undefined => undefined,
  currentView: (_realm: RealmId): DirectoryView => {
    throw new Error('no directory in the simulation');
  },
  findOpenReplicaView: (): undefined => undefined,
};

export class SimHost implements SimulatedProcess {
  dead = false;
  frozen = false;
  readonly host: ActorHost;
  readonly store: MemoryStore;
  readonly #bus: LocalBus;

  constructor(
    readonly name: string,
    private readonly environment: SimHostEnvironment,
    mayAnswer: (host: SimHost, partition: Partition) => boolean,
  ) {
    const { clock, hub, scheduler } = environment;
    const processClock = new ProcessClock(clock, scheduler, this);
    this.#bus = new LocalBus(processClock, hub, name);
    this.store = environment.store.peer((step, keys) =>
      this.#gate(step, keys.join(), () => new StoreUnavailableError('simulated')),
    );
    const log = environment.log.peer({
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

  /** Ends the process like `kill -9`, in the middle of its current step. */
  crash(): void {
    this.dead = true;
    this.#bus.crash();
  }

  #gate(step: string, detail: string, failure: () => Error): Promise<void> | void {
    const { scheduler, faults } = this.environment;
    if (this.dead) return new Promise(() => {});
    const fails = scheduler.random.chance(faults.failureRate);
    if (!fails && !this.frozen && scheduler.random.chance(faults.immediateRate)) return;
    const passed = scheduler.gate(`${this.name} ${step} ${detail}${fails ? ' FAILS' : ''}`, this);
    if (!fails) return passed;
    return passed.then(() => {
      throw failure();
    });
  }
}
