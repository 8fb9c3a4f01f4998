/** Simulated Conclave cluster: actor hosts and frontends that start and stop, simulated ports, and seeded faults. */
import type { OutgoingMail } from '#domain/mail';
import { type Partition, partitionOfActor } from '#model';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryStore, type MemoryStoreContents } from '../support/memory-store.js';
import { HttpCall, type HttpRequest, type HttpResponse } from './http-call.js';
import { RecordedRoots } from './runtime-history.js';
import { Random, Scheduler, settlePromises } from './scheduler.js';
import { SimLogContents } from './sim-log.js';
import { SimNetwork } from './sim-network.js';
import { SimPlacement } from './sim-placement.js';
import { type PortFaults, type SimEnvironment, SimProcess } from './sim-process.js';
import type { StartState } from './start-state.js';

/** Time after which a stopping frontend aborts its open requests, ms, as src/app/server/serve.ts does. */
const CLOSE_TIMEOUT_MS = 5_000;
/** Longest time until a resumed host notices that its lease lapsed, ms. */
const MAX_LAPSE_NOTICE_MS = 3_000;
/** Time until a host notices that it alone has lost the Store, ms (src/ports/placement/store-watch.ts). */
const STORE_LOSS_NOTICED_MS = { min: 3_000, spread: 3_000 };
const MAX_HOSTS = 5;
const MAX_FRONTENDS = 4;
/** Largest number of log streams; the seed chooses the number. */
const MAX_LOG_STREAMS = 3;

export interface SimClusterOptions {
  readonly seed: number;
  readonly partitions: readonly Partition[];
  readonly startState?: StartState;
  readonly hosts?: number;
  readonly frontends?: number;
  /** Number of newest trace lines to keep. */
  readonly maxTraceLines?: number;
  /** Prefix of process names. Command ids contain the names, so two clusters on one Store need different prefixes. */
  readonly prefix?: string;
}

export type FaultKind =
  | 'crash'
  | 'freeze'
  | 'thaw'
  | 'lapse'
  | 'release'
  | 'move'
  | 'passivate'
  | 'join'
  | 'leave'
  | 'cut'
  | 'slow'
  | 'heal cut'
  | 'kill frontend'
  | 'stop frontend'
  | 'new frontend'
  | 'store outage'
  | 'store outage of one host'
  | 'log outage';

export class SimCluster {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly clock: FakeClock;
  readonly roots: RecordedRoots;
  readonly store: MemoryStore;
  readonly log: SimLogContents;
  readonly mails: OutgoingMail[] = [];
  readonly network: SimNetwork;
  readonly placement: SimPlacement;
  readonly faults: PortFaults = {
    failureRate: 0,
    immediateRate: 0,
    lostEntryRate: 0,
    isStoreDown: false,
    isLogDown: false,
  };
  /** Longest advance of the clock in one step while tasks are runnable, ms. */
  maxClockStepMs = 40;
  /** Whether the run has only planned changes, which no client should notice. */
  isGraceful = false;
  /** Violated guarantees of placement. */
  readonly problems: string[] = [];
  hosts: SimProcess[] = [];
  /** Frontends that accept new calls. */
  frontends: SimProcess[] = [];
  /** Frontends that finish their open calls before they stop. */
  readonly #stoppingFrontends = new Set<SimProcess>();
  readonly calls = new Set<HttpCall>();
  #startedProcesses = 0;

  constructor(private readonly options: SimClusterOptions) {
    const { seed, startState, maxTraceLines, partitions } = options;
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random, maxTraceLines);
    this.clock = new FakeClock(startState?.now);
    this.log = SimLogContents.from(startState?.log ?? [], 1 + (seed % MAX_LOG_STREAMS));
    this.roots = new RecordedRoots(startState?.store.roots);
    const contents = startState?.store.snapshot();
    this.store = new MemoryStore({ atomicRecords: seed % 2 === 0, ...(contents && { contents }) });
    (this.store.contents as { roots: MemoryStoreContents['roots'] }).roots = this.roots;
    this.network = new SimNetwork(this.random, this.scheduler, this.clock, () => this.#allProcesses());
    this.placement = new SimPlacement(partitions, this.random, this.scheduler, this.clock, {
      availableHosts: (except) => {
        const candidates = (): SimProcess[] => this.#availableHosts().filter((host) => host !== except);
        if (candidates().length === 0) this.#newHost();
        return candidates();
      },
      reportProblem: (text) => this.problems.push(text),
      listRootsWithOutbox: (p) =>
        [...this.roots.values()].filter(({ key, outbox }) => outbox.length > 0 && partitionOfActor(key) === p),
    });
    this.faults.immediateRate = this.random.pick([0.3, 0.7, 0.9]);
  }

  start(): void {
    const { random } = this;
    const { hosts = 1 + random.below(4), frontends = 1 + random.below(3) } = this.options;
    for (let i = 0; i < hosts; i++) this.#newHost();
    for (let i = 0; i < frontends; i++) this.startFrontend();
    this.placement.assignAll();
  }

  /** Runs one task; the clock advances when no task is runnable, and by up to `maxClockStepMs` in 2 % of the steps. */
  async step(): Promise<void> {
    this.network.deliverRepeatedFrames();
    if (this.random.chance(0.02)) this.clock.advance(this.random.below(this.maxClockStepMs));
    else if (!this.scheduler.step()) this.clock.advance(this.clock.next() ?? 100);
    await settlePromises();
  }

  /** Runs one task without an advance of the clock. @returns false when no running work is left */
  async stillStep(): Promise<boolean> {
    this.network.deliverRepeatedFrames();
    const continues = this.scheduler.step() || this.clock.next() === 0;
    this.clock.advance(0);
    await settlePromises();
    return continues;
  }

  call(request: HttpRequest, frontend: SimProcess, onResponse: (response: HttpResponse) => void): HttpCall {
    const call: HttpCall = new HttpCall(request, frontend, this.scheduler, (response) => {
      this.calls.delete(call);
      onResponse(response);
    });
    this.calls.add(call);
    return call;
  }

  /** Injects one fault, or starts or stops a process. */
  injectFault(kind: FaultKind): void {
    const { random, network, placement } = this;
    // Planned changes run one after the other, as in a rolling replacement.
    if (placement.isBusy || (this.isGraceful && this.#stoppingFrontends.size > 0)) return;
    const host = random.pick(this.hosts);
    if (kind !== 'heal cut' && kind !== 'move') this.scheduler.note(`-- ${kind} ${host.name}`);
    switch (kind) {
      case 'crash':
        this.#crash(this.#pickAppendingHost() ?? host);
        return;
      case 'freeze':
        this.#freeze(host);
        return;
      case 'thaw':
        this.#thaw(random.pick(this.#allProcesses().filter(({ frozen }) => frozen)));
        return;
      case 'lapse': {
        this.#ensureAvailableHosts(2);
        for (const p of placement.ownedBy(host)) if (random.chance(0.7)) placement.reassign(p, host, true);
        return;
      }
      case 'release': {
        if (host.frozen || host.isStopping) return;
        this.#ensureAvailableHosts(2);
        const affected = placement.ownedBy(host).filter(() => random.chance(0.7));
        void placement.release(host, affected);
        return;
      }
      case 'move':
        this.#ensureAvailableHosts(2);
        placement.move(this.isGraceful);
        return;
      case 'passivate':
        this.passivate(host);
        return;
      case 'join':
        this.#startHostAndRebalance();
        return;
      case 'leave':
        void this.#stopHost(host);
        return;
      case 'cut':
        network.cutLink();
        return;
      case 'slow':
        network.slowLink();
        return;
      case 'heal cut':
        network.healCuts();
        return;
      case 'kill frontend':
        this.killFrontend(random.pick(this.frontends));
        return;
      case 'stop frontend':
        void this.#stopFrontend(random.pick(this.frontends));
        return;
      case 'new frontend':
        if (this.frontends.length < MAX_FRONTENDS) this.startFrontend();
        return;
      case 'store outage':
        this.faults.isStoreDown = true;
        this.clock.setTimeout(() => this.#endOutage('isStoreDown'), random.below(4_000));
        return;
      case 'store outage of one host':
        this.#cutFromStore(host);
        return;
      case 'log outage':
        this.faults.isLogDown = true;
        this.clock.setTimeout(() => this.#endOutage('isLogDown'), random.below(4_000));
        return;
    }
  }

  /** Passivates the idle actors of the host. */
  passivate(host: SimProcess): void {
    void host.host.passivateIdleActors(0);
  }

  killFrontend(frontend: SimProcess): void {
    this.scheduler.note(`-- killed ${frontend.name}`);
    this.#removeProcess(frontend);
    if (this.frontends.length === 0) this.startFrontend();
  }

  startFrontend(): SimProcess {
    const frontend = this.#process('f', 'frontend');
    this.frontends.push(frontend);
    return frontend;
  }

  /** Ends all faults: frozen processes resume, and every partition gets a living owner. */
  heal(): void {
    this.scheduler.note('-- healed');
    Object.assign(this.faults, { failureRate: 0, lostEntryRate: 0, isStoreDown: false, isLogDown: false });
    this.network.heal();
    for (const process of this.#allProcesses()) {
      process.isCutFromStore = false;
      this.#thaw(process);
    }
    this.placement.heal();
  }

  #allProcesses(): SimProcess[] {
    return [...this.hosts, ...this.frontends, ...this.#stoppingFrontends];
  }

  #availableHosts(): SimProcess[] {
    return this.hosts.filter((host) => !host.frozen && !host.isStopping && !host.isCutFromStore);
  }

  #ensureAvailableHosts(availableHosts: number): void {
    while (this.#availableHosts().length < availableHosts) this.#newHost();
  }

  /**
   * Cuts one host from the Store for up to 12 s. The host notices the cut within 6 s, and then stops its partitions
   * unless the Store is back.
   */
  #cutFromStore(host: SimProcess): void {
    if (host.frozen || host.isStopping || host.isCutFromStore) return;
    host.isCutFromStore = true;
    this.#ensureAvailableHosts(1);
    this.clock.setTimeout(
      () => {
        if (host.isCutFromStore && !host.dead) this.scheduler.note(`-- ${host.name} has the Store again`);
        host.isCutFromStore = false;
      },
      this.random.below(4 * STORE_LOSS_NOTICED_MS.spread),
    );
    const onNoticed = (): void => {
      // The host keeps its partitions if no other host reaches the Store.
      if (host.isCutFromStore && this.#availableHosts().length > 0) void this.placement.stopAllAtOnce(host);
    };
    this.clock.setTimeout(
      () => this.scheduler.add(`${host.name} has lost the Store`, host, onNoticed),
      STORE_LOSS_NOTICED_MS.min + this.random.below(STORE_LOSS_NOTICED_MS.spread),
    );
  }

  #endOutage(outage: 'isStoreDown' | 'isLogDown'): void {
    this.faults[outage] = false;
    this.scheduler.note(`-- end of ${outage}`);
  }

  /** Ends the process in the middle of its current step and resets its open calls. */
  #removeProcess(process: SimProcess): void {
    process.crash();
    this.network.failRequestsOfSilent(process, () => true);
    this.hosts = this.hosts.filter((of) => of !== process);
    this.frontends = this.frontends.filter((of) => of !== process);
    this.#stoppingFrontends.delete(process);
    for (const call of [...this.calls]) if (call.frontend === process) call.reset();
  }

  /** @returns in half of the calls a host with a running append to the log, if there is one */
  #pickAppendingHost(): SimProcess | undefined {
    const runningAppends = this.hosts.filter((host) => host.runningAppends > 0);
    return runningAppends.length > 0 && this.random.chance(0.5) ? this.random.pick(runningAppends) : undefined;
  }

  #crash(host: SimProcess): void {
    const owned = this.placement.ownedBy(host);
    this.#removeProcess(host);
    this.#ensureAvailableHosts(1);
    for (const p of owned) this.placement.reassign(p, host, false);
  }

  #freeze(host: SimProcess): void {
    if (host.frozen) return;
    host.frozen = true;
    this.network.failRequestsOfSilent(host, () => host.frozen);
    this.#ensureAvailableHosts(1);
    for (const p of this.placement.ownedBy(host)) this.placement.reassign(p, host, false);
  }

  #thaw(process: SimProcess | undefined): void {
    if (!process?.frozen) return;
    process.frozen = false;
    if (process.role === 'frontend') return;
    // The resumed host notices its lapsed lease only later; until then it continues its interrupted work.
    const notices = (): void =>
      this.scheduler.add(`${process.name} notices`, process, () => void this.placement.loseLapsed(process));
    if (this.random.chance(0.5)) this.clock.setTimeout(notices, this.random.below(MAX_LAPSE_NOTICE_MS));
    else notices();
  }

  #startHostAndRebalance(): void {
    if (this.hosts.length >= MAX_HOSTS) return;
    const joining = this.#newHost();
    for (const host of this.#availableHosts()) {
      if (host === joining) continue;
      for (const p of this.placement.ownedBy(host)) {
        if (this.random.chance(1 / this.hosts.length)) void this.placement.release(host, [p], joining);
      }
    }
  }

  /** Planned stop of a host: it releases its partitions first. */
  async #stopHost(host: SimProcess): Promise<void> {
    if (host.frozen || host.isStopping) return;
    host.isStopping = true;
    this.#ensureAvailableHosts(1);
    await this.placement.release(host, this.placement.ownedBy(host));
    if (host.dead || host.frozen || this.placement.ownedBy(host).length > 0) {
      host.isStopping = false;
      return;
    }
    await host.node.stop();
    if (host.dead) return;
    this.scheduler.note(`${host.name} has left`);
    this.#removeProcess(host);
    this.#ensureAvailableHosts(1);
  }

  /**
   * Stops a frontend like SIGTERM (src/app/server/serve.ts): no new calls, replies to waiting polls, and 5 s for its
   * open calls.
   */
  async #stopFrontend(frontend: SimProcess): Promise<void> {
    if (this.frontends.length === 1) this.startFrontend();
    this.frontends = this.frontends.filter((of) => of !== frontend);
    this.#stoppingFrontends.add(frontend);
    frontend.isStopping = true;
    await this.scheduler.gate(`${frontend.name} leaves`, frontend);
    frontend.httpFrontend!.answerWaitingPollsForShutdown();
    const deadline = this.clock.monotonic() + CLOSE_TIMEOUT_MS;
    const hasOpenCalls = (): boolean => [...this.calls].some((call) => call.frontend === frontend);
    while (hasOpenCalls() && this.clock.monotonic() < deadline) {
      await new Promise<void>((resolve) => this.clock.setTimeout(resolve, 50));
    }
    if (frontend.dead) return;
    this.scheduler.note(`${frontend.name} has left`);
    for (const call of [...this.calls]) if (call.frontend === frontend) call.reset();
    await frontend.node.stop();
    this.#removeProcess(frontend);
  }

  #process(prefix: string, role: 'host' | 'frontend'): SimProcess {
    const { clock, store, log, scheduler, faults } = this;
    const joinsCommits = this.options.seed % 4 === 0;
    const { hub } = this.network;
    const environment: SimEnvironment = { clock, hub, store, log, joinsCommits, scheduler, faults, mails: this.mails };
    const name = `${this.options.prefix ?? ''}${prefix}${++this.#startedProcesses}`;
    return new SimProcess(name, role, environment, (of, p) => this.placement.mayAnswer(of, p));
  }

  #newHost(): SimProcess {
    const host = this.#process('h', 'host');
    this.hosts.push(host);
    void host.node.start();
    return host;
  }
}
