/** The simulated cluster with everything in it: processes that come and go, and the faults that the seed chooses. */
import type { OutgoingMail } from '#domain/mail';
import { type Partition, partitionOfActor } from '#model';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryStore, type MemoryStoreContents } from '../support/memory-store.js';
import type { Beginning } from './genesis.js';
import { WatchedRoots } from './history.js';
import { type HttpAnswer, HttpCall, type HttpRequest } from './http-call.js';
import { Random, Scheduler, turn } from './scheduler.js';
import { SimLogContents } from './sim-log.js';
import { SimNetwork } from './sim-network.js';
import { SimPlacement } from './sim-placement.js';
import { type PortFaults, type Shared, SimProcess } from './sim-process.js';

/** A frontend that leaves cuts off what is under way after this time, as src/app/server/serve.ts does. */
const CLOSE_MS = 5_000;
/** Longest time for which one that woke does not know what it has lost. */
const NOTICED_MS = 3_000;
/** One that alone has lost the Store finds out within this time, and lets go (src/ports/placement/store-watch.ts). */
const STORE_LOST_MS = { least: 3_000, more: 3_000 };
const MOST_HOSTS = 5;
const MOST_FRONTS = 4;
/** The seed chooses the number of log streams, 1 to this one. */
const MAX_STREAMS_OF_LOG = 3;

export interface WorldOptions {
  readonly seed: number;
  readonly partitions: readonly Partition[];
  readonly beginning?: Beginning;
  readonly hosts?: number;
  readonly fronts?: number;
  /** Lines of the trace that are kept. */
  readonly keep?: number;
  /** Before the names of processes: commands of one world must not be taken for those of another. */
  readonly prefix?: string;
}

export type FaultKind =
  | 'crash'
  | 'freeze'
  | 'thaw'
  | 'lapse'
  | 'release'
  | 'move'
  | 'rest'
  | 'join'
  | 'leave'
  | 'cut'
  | 'slow'
  | 'heal cut'
  | 'kill frontend'
  | 'stop frontend'
  | 'new frontend'
  | 'store'
  | 'store of one'
  | 'log';

export class ClusterWorld {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly clock: FakeClock;
  readonly roots: WatchedRoots;
  readonly store: MemoryStore;
  readonly log: SimLogContents;
  readonly mails: OutgoingMail[] = [];
  readonly network: SimNetwork;
  readonly placement: SimPlacement;
  readonly faults: PortFaults = { unavailable: 0, open: 0, lostEntries: 0, storeAway: false, logAway: false };
  /** Longest time that passes at once while there is something to do, ms. */
  pace = 40;
  /** Whether the run has only faults that no client should notice. */
  smooth = false;
  /** Promises of the ports that were broken. */
  readonly problems: string[] = [];
  hosts: SimProcess[] = [];
  /** Those that take new connections. */
  fronts: SimProcess[] = [];
  /** Frontends that leave. */
  readonly #leaving = new Set<SimProcess>();
  readonly calls = new Set<HttpCall>();
  #named = 0;

  constructor(private readonly options: WorldOptions) {
    const { seed, beginning, keep, partitions } = options;
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random, keep);
    this.clock = new FakeClock(beginning?.now);
    this.log = SimLogContents.from(beginning?.log ?? [], 1 + (seed % MAX_STREAMS_OF_LOG));
    this.roots = new WatchedRoots(beginning?.store.roots);
    const contents = beginning?.store.snapshot();
    this.store = new MemoryStore({ atomicRecords: seed % 2 === 0, ...(contents && { contents }) });
    (this.store.contents as { roots: MemoryStoreContents['roots'] }).roots = this.roots;
    this.network = new SimNetwork(this.random, this.scheduler, this.clock, () => this.#everybody());
    this.placement = new SimPlacement(partitions, this.random, this.scheduler, this.clock, {
      able: (but) => {
        const able = (): SimProcess[] => this.#able().filter((host) => host !== but);
        if (able().length === 0) this.#newHost();
        return able();
      },
      problem: (text) => this.problems.push(text),
      unfinished: (p) =>
        [...this.roots.values()].filter(({ key, outbox }) => outbox.length > 0 && partitionOfActor(key) === p),
    });
    this.faults.open = this.random.pick([0.3, 0.7, 0.9]);
  }

  start(): void {
    const { random } = this;
    const { hosts = 1 + random.below(4), fronts = 1 + random.below(3) } = this.options;
    for (let i = 0; i < hosts; i++) this.#newHost();
    for (let i = 0; i < fronts; i++) this.newFront();
    this.placement.begin();
  }

  /** One step of the run; time moves when nothing else can. */
  async step(): Promise<void> {
    this.network.deliverLate();
    if (this.random.chance(0.02)) this.clock.advance(this.random.below(this.pace));
    else if (!this.scheduler.step()) this.clock.advance(this.clock.next() ?? 100);
    await turn();
  }

  /** Takes a step while the clock stands still: only running work continues. @returns false when none is left */
  async stillStep(): Promise<boolean> {
    this.network.deliverLate();
    const goesOn = this.scheduler.step() || this.clock.next() === 0;
    this.clock.advance(0);
    await turn();
    return goesOn;
  }

  call(request: HttpRequest, front: SimProcess, answered: (answer: HttpAnswer) => void): HttpCall {
    const call: HttpCall = new HttpCall(request, front, this.scheduler, (answer) => {
      this.calls.delete(call);
      answered(answer);
    });
    this.calls.add(call);
    return call;
  }

  /** Something goes wrong, or somebody comes or goes. */
  fault(kind: FaultKind): void {
    const { random, network, placement } = this;
    // As a rolling replacement does: one after the other.
    if (placement.isBusy || (this.smooth && this.#leaving.size > 0)) return;
    const host = random.pick(this.hosts);
    if (kind !== 'heal cut' && kind !== 'move') this.scheduler.note(`-- ${kind} ${host.name}`);
    switch (kind) {
      case 'crash':
        this.#crash(this.#atWork() ?? host);
        return;
      case 'freeze':
        this.#freeze(host);
        return;
      case 'thaw':
        this.#thaw(random.pick(this.#everybody().filter((of) => of.frozen)));
        return;
      case 'lapse': {
        this.#atLeast(2);
        for (const p of placement.ownedBy(host)) if (random.chance(0.7)) placement.moveOn(p, host, true);
        return;
      }
      case 'release': {
        if (host.frozen || host.leaving) return;
        this.#atLeast(2);
        const some = placement.ownedBy(host).filter(() => random.chance(0.7));
        void placement.release(host, some);
        return;
      }
      case 'move':
        this.#atLeast(2);
        placement.move(this.smooth);
        return;
      case 'rest':
        this.rest(host);
        return;
      case 'join':
        this.#join();
        return;
      case 'leave':
        void this.#leave(host);
        return;
      case 'cut':
        network.cut();
        return;
      case 'slow':
        network.slow();
        return;
      case 'heal cut':
        network.healCuts();
        return;
      case 'kill frontend':
        this.killFront(random.pick(this.fronts));
        return;
      case 'stop frontend':
        void this.#stopFront(random.pick(this.fronts));
        return;
      case 'new frontend':
        if (this.fronts.length < MOST_FRONTS) this.newFront();
        return;
      case 'store':
        this.faults.storeAway = true;
        this.clock.setTimeout(() => this.#back('storeAway'), random.below(4_000));
        return;
      case 'store of one':
        this.#cutFromStore(host);
        return;
      case 'log':
        this.faults.logAway = true;
        this.clock.setTimeout(() => this.#back('logAway'), random.below(4_000));
        return;
    }
  }

  /** Its actors leave memory, with nothing left to do in their roots. */
  rest(host: SimProcess): void {
    void host.host.passivateIdleActors(0);
  }

  killFront(front: SimProcess): void {
    this.scheduler.note(`-- killed ${front.name}`);
    this.#gone(front);
    if (this.fronts.length === 0) this.newFront();
  }

  newFront(): SimProcess {
    const front = this.#process('f', 'front');
    this.fronts.push(front);
    return front;
  }

  /** Ends all faults: every process wakes, and every partition finds an owner. */
  heal(): void {
    this.scheduler.note('-- healed');
    Object.assign(this.faults, { unavailable: 0, lostEntries: 0, storeAway: false, logAway: false });
    this.network.heal();
    for (const process of this.#everybody()) {
      process.storeCut = false;
      this.#thaw(process);
    }
    this.placement.heal();
  }

  #everybody(): SimProcess[] {
    return [...this.hosts, ...this.fronts, ...this.#leaving];
  }

  #able(): SimProcess[] {
    return this.hosts.filter((host) => !host.frozen && !host.leaving && !host.storeCut);
  }

  #atLeast(able: number): void {
    while (this.#able().length < able) this.#newHost();
  }

  /**
   * The partitions of the host are out of service until it has noticed the cut and has released them. The Store may
   * come back before or after that.
   */
  #cutFromStore(host: SimProcess): void {
    if (host.frozen || host.leaving || host.storeCut) return;
    host.storeCut = true;
    this.#atLeast(1);
    this.clock.setTimeout(
      () => {
        if (host.storeCut && !host.dead) this.scheduler.note(`-- ${host.name} has the Store again`);
        host.storeCut = false;
      },
      this.random.below(4 * STORE_LOST_MS.more),
    );
    const noticed = (): void => {
      // Without anybody who has it, it keeps what it owns.
      if (host.storeCut && this.#able().length > 0) void this.placement.letGo(host);
    };
    this.clock.setTimeout(
      () => this.scheduler.add(`${host.name} has lost the Store`, host, noticed),
      STORE_LOST_MS.least + this.random.below(STORE_LOST_MS.more),
    );
  }

  #back(which: 'storeAway' | 'logAway'): void {
    this.faults[which] = false;
    this.scheduler.note(`-- ${which} is over`);
  }

  /** Ends the process in the middle of its current step; connections to it break. */
  #gone(process: SimProcess): void {
    process.crash();
    this.network.silent(process, () => true);
    this.hosts = this.hosts.filter((of) => of !== process);
    this.fronts = this.fronts.filter((of) => of !== process);
    this.#leaving.delete(process);
    for (const call of [...this.calls]) if (call.front === process) call.reset();
  }

  /** Half of the time a host with a commit that is not in the log yet. */
  #atWork(): SimProcess | undefined {
    const appending = this.hosts.filter((host) => host.appending > 0);
    return appending.length > 0 && this.random.chance(0.5) ? this.random.pick(appending) : undefined;
  }

  #crash(host: SimProcess): void {
    const owned = this.placement.ownedBy(host);
    this.#gone(host);
    this.#atLeast(1);
    for (const p of owned) this.placement.moveOn(p, host, false);
  }

  #freeze(host: SimProcess): void {
    if (host.frozen) return;
    host.frozen = true;
    this.network.silent(host, () => host.frozen);
    this.#atLeast(1);
    for (const p of this.placement.ownedBy(host)) this.placement.moveOn(p, host, false);
  }

  #thaw(process: SimProcess | undefined): void {
    if (!process?.frozen) return;
    process.frozen = false;
    if (process.role === 'front') return;
    // It finds out that its lease lapsed only some steps later: until then it goes on where it was.
    const notices = (): void =>
      this.scheduler.add(`${process.name} notices`, process, () => void this.placement.lapse(process));
    if (this.random.chance(0.5)) this.clock.setTimeout(notices, this.random.below(NOTICED_MS));
    else notices();
  }

  #join(): void {
    if (this.hosts.length >= MOST_HOSTS) return;
    const fresh = this.#newHost();
    for (const host of this.#able()) {
      if (host === fresh) continue;
      for (const p of this.placement.ownedBy(host)) {
        if (this.random.chance(1 / this.hosts.length)) void this.placement.release(host, [p], fresh);
      }
    }
  }

  /** The whole host goes, as told: what it owns is handed over first. */
  async #leave(host: SimProcess): Promise<void> {
    if (host.frozen || host.leaving) return;
    host.leaving = true;
    this.#atLeast(1);
    await this.placement.release(host, this.placement.ownedBy(host));
    if (host.dead || host.frozen || this.placement.ownedBy(host).length > 0) {
      host.leaving = false;
      return;
    }
    await host.node.stop();
    if (host.dead) return;
    this.scheduler.note(`${host.name} has left`);
    this.#gone(host);
    this.#atLeast(1);
  }

  /**
   * As SIGTERM (src/app/server/serve.ts): no new connections, held polls are answered, and what is under way is
   * finished.
   */
  async #stopFront(front: SimProcess): Promise<void> {
    if (this.fronts.length === 1) this.newFront();
    this.fronts = this.fronts.filter((of) => of !== front);
    this.#leaving.add(front);
    front.leaving = true;
    await this.scheduler.gate(`${front.name} leaves`, front);
    front.frontend!.answerWaitingPollsForShutdown();
    const limit = this.clock.monotonic() + CLOSE_MS;
    const open = (): boolean => [...this.calls].some((call) => call.front === front);
    while (open() && this.clock.monotonic() < limit) {
      await new Promise<void>((resolve) => this.clock.setTimeout(resolve, 50));
    }
    if (front.dead) return;
    this.scheduler.note(`${front.name} has left`);
    for (const call of [...this.calls]) if (call.front === front) call.reset();
    await front.node.stop();
    this.#gone(front);
  }

  #process(prefix: string, role: 'host' | 'front'): SimProcess {
    const { clock, store, log, scheduler, faults } = this;
    const joinsCommits = this.options.seed % 4 === 0;
    const { hub } = this.network;
    const shared: Shared = { clock, hub, store, log, joinsCommits, scheduler, faults, mails: this.mails };
    const name = `${this.options.prefix ?? ''}${prefix}${++this.#named}`;
    return new SimProcess(name, role, shared, (of, p) => this.placement.mayAnswer(of, p));
  }

  #newHost(): SimProcess {
    const host = this.#process('h', 'host');
    this.hosts.push(host);
    void host.node.start();
    return host;
  }
}
