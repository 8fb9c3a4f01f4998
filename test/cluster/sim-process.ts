/**
 * One simulated process of Conclave: what `serve` puts together (src/app/server/node.ts), on simulated ports. An actor
 * host, or a frontend. It stops, freezes and wakes as a whole.
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
import type { Place, Scheduler } from './scheduler.js';
import { quietLogger } from './sim-host.js';
import { SimLog, type SimLogContents } from './sim-log.js';

/** Faults of the Store and the log. */
export interface PortFaults {
  /** Probability that a gate rejects, before or after the effect. */
  unavailable: number;
  /** Probability that a gate lets through at once. */
  open: number;
  /** Probability that a live entry of the log does not arrive. */
  lostEntries: number;
  /** No process reaches the Store, or the log. */
  storeAway: boolean;
  logAway: boolean;
}

export interface Shared {
  readonly clock: FakeClock;
  readonly hub: LocalBusHub;
  readonly store: MemoryStore;
  readonly log: SimLogContents;
  /** True if commits append to the log in their own transaction, as on the embedded face. */
  readonly joinsCommits: boolean;
  readonly scheduler: Scheduler;
  readonly faults: PortFaults;
  /** Mails that the mail server got. */
  readonly mails: OutgoingMail[];
}

export const SECRET = 'the secret of the simulated cluster';

/** Those that simulated people call: each costs time at every start of a frontend. */
const USED = new Set([
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
const operations = API_OPERATIONS.filter(({ id }) => USED.has(id));

const config = loadServerConfig({}, {});
/** Heartbeat interval of half of the simulated processes, s: short, so that heartbeats meet everything else. */
const IMPATIENT_S = 0.4;

export class SimProcess implements Place {
  dead = false;
  frozen = false;
  /** It leaves: nothing new is given to it. */
  leaving = false;
  /** It alone does not reach the Store. */
  storeCut = false;
  /** Entries on their way into the log. */
  appending = 0;
  readonly node: ConclaveNode;
  readonly store: MemoryStore;
  readonly frontend: HttpFrontend | undefined;
  readonly #bus: LocalBus;
  readonly #log: SimLog;
  /** Partition → commits of its actors that are being written. */
  readonly #writing = new Map<Partition, number>();

  constructor(
    readonly name: string,
    readonly role: 'host' | 'front',
    private readonly shared: Shared,
    mayAnswer: (process: SimProcess, partition: Partition) => boolean,
  ) {
    const { scheduler, hub } = shared;
    const clock = new ProcessClock(shared.clock, scheduler, this);
    this.#bus = new LocalBus(clock, hub, name);
    this.store = shared.store.peer((step, keys) => {
      const passed = this.#gate(step, keys.join(), 'store');
      if (passed && step.endsWith(':commit')) this.#writes(partitionOfActor(keys[0] as ActorKey), passed);
      return passed;
    });
    this.#log = new SimLog({
      clock,
      contents: shared.log,
      gate: (step) => {
        const passed = this.#gate(step, '', 'log');
        if (passed && step === 'before:append') this.#appends(passed);
        return passed;
      },
      travel: (label, deliver) => this.#travel(label, deliver),
      joinsCommits: shared.joinsCommits,
    });
    const placement: ReportingPartitionPlacement = {
      start: async () => undefined,
      mayAnswer: (partition) => mayAnswer(this, partition),
      stop: async () => undefined,
      status: () => ({ id: name, hosts: [], own: [], leaseMsLeft: 0, unowned: 0, store: 'works' }),
    };
    const mailer = { send: async (mail: OutgoingMail) => void shared.mails.push(mail), close: async () => undefined };
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
    // Half of the processes send heartbeats often, so that frontends answer polls by themselves in every situation.
    const heartbeatSeconds = ports.random!() < 0.5 ? IMPATIENT_S : config.heartbeatSeconds;
    this.node = new ConclaveNode(ports, { ...config, heartbeatSeconds }, new ServerCryptography(SECRET), quietLogger);
    if (role === 'front') {
      this.frontend = new HttpFrontend(operations, this.node.frontendGateway, {
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
    return (this.#writing.get(p) ?? 0) > 0;
  }

  #appends(passed: Promise<void>): void {
    this.appending++;
    const over = (): void => void this.appending--;
    passed.then(over, over);
  }

  #writes(p: Partition, passed: Promise<void>): void {
    this.#writing.set(p, (this.#writing.get(p) ?? 0) + 1);
    const over = (): void => void this.#writing.set(p, this.#writing.get(p)! - 1);
    passed.then(over, over);
  }

  /** As `kill -9`: whatever step it was at is its last. */
  crash(): void {
    this.dead = true;
    this.#log.stop();
    this.#bus.crash();
  }

  #gate(step: string, keys: string, port: 'store' | 'log'): Promise<void> | void {
    const { scheduler, faults } = this.shared;
    if (this.dead) return new Promise(() => {});
    const away = port === 'store' ? faults.storeAway || this.storeCut : faults.logAway;
    const fails = away || scheduler.random.chance(faults.unavailable);
    if (!fails && !this.frozen && scheduler.random.chance(faults.open)) return;
    const passed = scheduler.gate(`${this.name} ${step} ${scheduler.short(keys)}${fails ? ' FAILS' : ''}`, this);
    if (!fails) return passed;
    return passed.then(() => {
      throw port === 'store' ? new StoreUnavailableError('simulated') : new EventLogUnavailableError('simulated');
    });
  }

  /** Live values reach a process in order, or not at all. */
  #travel(label: string, deliver: () => void): void {
    const { scheduler, faults } = this.shared;
    if (this.dead) return;
    if (faults.logAway || scheduler.random.chance(faults.lostEntries)) {
      scheduler.note(`lost ${label} > ${this.name}`);
      return;
    }
    scheduler.addInOrder(`log > ${this.name}`, `${label} > ${this.name}`, this, deliver);
  }
}
