/**
 * Simulated Conclave process, an actor host or a frontend: a ConclaveNode as `serve` builds it, on simulated ports. Its
 * clock and ports stop, freeze and resume with it.
 */

import { loadServerConfig } from '#app/config';
import { ConclaveNode, type ProcessPorts } from '#app/server';
import { ClientApiLevels, DEFAULT_LEVEL_BY_CLIENT } from '#domain/levels';
import type { OutgoingMail } from '#domain/mail';
import { ServerCryptography } from '#domain/secrets';
import { API_OPERATIONS } from '#frontend/api';
import { HttpFrontend } from '#frontend/http';
import { type ActorKey, type Partition, partitionOfActor } from '#model';
import { LocalBus, type LocalBusHub } from '#ports/bus';
import { EventLogUnavailableError } from '#ports/log';
import type { ReportingPartitionPlacement } from '#ports/placement';
import { StoreUnavailableError } from '#ports/store';
import type { ActorHost } from '#runtime';
import type { FakeClock } from '../support/fake-clock.js';
import { MemoryBlobs } from '../support/memory-blobs.js';
import type { MemoryStore } from '../support/memory-store.js';
import { ProcessClock } from './process-clock.js';
import type { Scheduler, SimulatedProcess } from './scheduler.js';
import { quietLogger } from './sim-host.js';
import { SimLog, type SimLogContents } from './sim-log.js';

/** Faults of the Store and the log, for all processes. */
export interface PortFaults {
  /** Probability that a step of the Store or the log rejects, before or after its effect. */
  failureRate: number;
  /** Probability that a step continues at once, without a scheduler task. */
  immediateRate: number;
  /** Probability that a log entry is not delivered live, so that its reader must notice the gap. */
  lostEntryRate: number;
  /** Store outage for all processes. */
  isStoreDown: boolean;
  /** Log outage for all processes. */
  isLogDown: boolean;
}

export interface SimEnvironment {
  readonly clock: FakeClock;
  readonly hub: LocalBusHub;
  readonly store: MemoryStore;
  readonly log: SimLogContents;
  /** True if the Store appends to the log in the transaction of a commit, as the embedded face does. */
  readonly joinsCommits: boolean;
  readonly scheduler: Scheduler;
  readonly faults: PortFaults;
  /** Mails that the mailers of all hosts sent. */
  readonly mails: OutgoingMail[];
}

export const SECRET = 'the secret of the simulated cluster';

/** Operations that simulated clients call. The frontends have no others, because each operation slows their start. */
const USED_OPERATION_IDS = new Set([
  'register-queue',
  'get-events',
  'delete-queue',
  'send-message',
  'get-messages',
  'update-message',
  'delete-message',
  'add-reaction',
  'remove-reaction',
  'update-message-flags',
  'subscribe',
  'unsubscribe',
  'create-scheduled-message',
  'deactivate-user',
  'mark-all-as-read',
  'get-drafts',
  'create-drafts',
  'get-own-user',
  'update-settings',
]);
const operations = API_OPERATIONS.filter(({ id }) => USED_OPERATION_IDS.has(id));

const config = loadServerConfig({}, {});
/** Heartbeat interval of half of the processes, s: short, so that heartbeats overlap with every kind of fault. */
const SHORT_HEARTBEAT_S = 0.4;

export class SimProcess implements SimulatedProcess {
  dead = false;
  frozen = false;
  /** Planned stop: the process gets no further partitions or calls. */
  isStopping = false;
  /** Store outage for this process alone. */
  isCutFromStore = false;
  /** Number of running appends to the log. */
  runningAppends = 0;
  readonly node: ConclaveNode;
  readonly store: MemoryStore;
  readonly httpFrontend: HttpFrontend | undefined;
  readonly #bus: LocalBus;
  readonly #log: SimLog;
  /** Number of running commits per partition. */
  readonly #runningCommits = new Map<Partition, number>();

  constructor(
    readonly name: string,
    readonly role: 'host' | 'frontend',
    private readonly environment: SimEnvironment,
    mayAnswer: (process: SimProcess, partition: Partition) => boolean,
  ) {
    const { scheduler, hub } = environment;
    const clock = new ProcessClock(environment.clock, scheduler, this);
    this.#bus = new LocalBus(clock, hub, name);
    this.store = environment.store.peer((step, keys) => {
      const passed = this.#gate(step, keys.join(), 'store');
      if (passed && step.endsWith(':commit')) this.#countCommit(partitionOfActor(keys[0] as ActorKey), passed);
      return passed;
    });
    this.#log = new SimLog({
      clock,
      contents: environment.log,
      gate: (step) => {
        const passed = this.#gate(step, '', 'log');
        if (passed && step === 'before:append') this.#countAppend(passed);
        return passed;
      },
      deliverLive: (label, deliver) => this.#deliverLive(label, deliver),
      joinsCommits: environment.joinsCommits,
    });
    const placement: ReportingPartitionPlacement = {
      start: async () => undefined,
      mayAnswer: (partition) => mayAnswer(this, partition),
      stop: async () => undefined,
      status: () => ({ id: name, hosts: [], own: [], leaseMsLeft: 0, unowned: 0, store: 'works' }),
    };
    const mailer = {
      send: async (mail: OutgoingMail) => void environment.mails.push(mail),
      close: async () => undefined,
    };
    const ports: ProcessPorts = {
      clock,
      bus: this.#bus,
      log: this.#log,
      blobs: new MemoryBlobs(),
      actors: role === 'host' ? { store: this.store, placement, mailer } : undefined,
      random: () => scheduler.random.next(),
      close: async () => {
        await this.#bus.close();
        await this.#log.close();
      },
    };
    // Half of the processes send heartbeats every 0.4 s, so that frontends reply with heartbeats during every fault.
    const heartbeatSeconds = ports.random!() < 0.5 ? SHORT_HEARTBEAT_S : config.heartbeatSeconds;
    this.node = new ConclaveNode(ports, { ...config, heartbeatSeconds }, new ServerCryptography(SECRET), quietLogger);
    if (role === 'frontend') {
      this.httpFrontend = new HttpFrontend(operations, this.node.frontendGateway, {
        requestIdPrefix: name,
        random: ports.random!,
        heartbeatMs: heartbeatSeconds * 1000,
        apiLevels: ClientApiLevels.fromSetting(DEFAULT_LEVEL_BY_CLIENT),
      });
    }
  }

  get host(): ActorHost {
    return this.node.actorHost!;
  }

  isWriting(p: Partition): boolean {
    return (this.#runningCommits.get(p) ?? 0) > 0;
  }

  #countAppend(passed: Promise<void>): void {
    this.runningAppends++;
    const finish = (): void => void this.runningAppends--;
    passed.then(finish, finish);
  }

  #countCommit(p: Partition, passed: Promise<void>): void {
    this.#runningCommits.set(p, (this.#runningCommits.get(p) ?? 0) + 1);
    const finish = (): void => void this.#runningCommits.set(p, this.#runningCommits.get(p)! - 1);
    passed.then(finish, finish);
  }

  /** Ends the process like `kill -9`, in the middle of its current step. */
  crash(): void {
    this.dead = true;
    this.#log.stop();
    this.#bus.crash();
  }

  #gate(step: string, keys: string, port: 'store' | 'log'): Promise<void> | void {
    const { scheduler, faults } = this.environment;
    if (this.dead) return new Promise(() => {});
    const isDown = port === 'store' ? faults.isStoreDown || this.isCutFromStore : faults.isLogDown;
    const fails = isDown || scheduler.random.chance(faults.failureRate);
    if (!fails && !this.frozen && scheduler.random.chance(faults.immediateRate)) return;
    const passed = scheduler.gate(
      `${this.name} ${step} ${scheduler.replaceQueueIds(keys)}${fails ? ' FAILS' : ''}`,
      this,
    );
    if (!fails) return passed;
    return passed.then(() => {
      throw port === 'store' ? new StoreUnavailableError('simulated') : new EventLogUnavailableError('simulated');
    });
  }

  /** Delivers a live log value to this process, in order; may lose it. */
  #deliverLive(label: string, deliver: () => void): void {
    const { scheduler, faults } = this.environment;
    if (this.dead) return;
    if (faults.isLogDown || scheduler.random.chance(faults.lostEntryRate)) {
      scheduler.note(`lost ${label} > ${this.name}`);
      return;
    }
    scheduler.addInOrder(`log > ${this.name}`, `${label} > ${this.name}`, this, deliver);
  }
}
