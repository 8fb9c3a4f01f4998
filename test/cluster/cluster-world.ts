/** The simulated cluster with everything in it: processes that come and go, who owns what, and the faults that the seed chooses. */
import { type LocalFrame, LocalHub } from '../../src/bus/index.js';
import type { Partition } from '../../src/core/index.js';
import type { Envelope } from '../../src/runtime/index.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryStore, type MemoryStoreContents } from '../support/memory-store.js';
import type { Beginning } from './genesis.js';
import { WatchedRoots } from './history.js';
import { type HttpAnswer, HttpCall, type HttpRequest } from './http-call.js';
import { Random, Scheduler, turn } from './scheduler.js';
import { SimLogContents } from './sim-log.js';
import { type PortFaults, type Shared, SimProcess } from './sim-process.js';

/** How long one that is not heard of counts as alive (design § 3). */
const SILENCE_MS = 2_500;
/** What was begun has this long to finish when a partition is handed over, as in src/placement/hand-over.ts. */
const FINISH_MS = 2_000;

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
  | 'join'
  | 'leave'
  | 'cut'
  | 'heal cut'
  | 'kill frontend'
  | 'store'
  | 'log';

/** A frame that its receiver has not yet. */
interface UnderWay {
  readonly to: string;
  readonly requests: NonNullable<LocalFrame['requests']>;
  readonly lose: () => void;
}

interface Cut {
  readonly from: string;
  readonly to: string;
}

export class ClusterWorld {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly clock: FakeClock;
  readonly roots: WatchedRoots;
  readonly store: MemoryStore;
  readonly log: SimLogContents;
  readonly hub: LocalHub;
  readonly faults: PortFaults = { unavailable: 0, open: 0, lostEntries: 0, storeAway: false, logAway: false };
  /** Probability of a lost or a repeated frame. */
  frameFaults = 0;
  /** Longest time that passes at once while there is something to do, ms. */
  pace = 40;
  /** Partitions are handed over in turn, as a rolling replacement does. */
  oneAtATime = false;
  #handingOver = 0;
  /** Promises of the ports that were broken. */
  readonly problems: string[] = [];
  readonly #epochs = new Set<string>();
  /** Several servers of a subject: any of them may get a request. */
  anyServer = false;
  /** Commands that are held up on their way for as long as this says so. */
  holds: ((command: Envelope) => boolean) | undefined;
  #heldUp: (() => void)[] = [];
  hosts: SimProcess[] = [];
  fronts: SimProcess[] = [];
  readonly calls = new Set<HttpCall>();
  /**
   * HTTP requests of which a command may come late once more: its frame is repeated after up to 600 steps, or was given up, and sent
   * again, while it lay with a process that did not answer and may own the partition anew when it comes to it. That is more than a
   * Bus does: it delivers a request at most once, and those of one client in their order (src/bus/bus.ts).
   */
  readonly repeated = new Set<string>();
  #late: { at: number; label: string; deliver: () => void }[] = [];
  #cuts: Cut[] = [];
  readonly #underWay = new Set<UnderWay>();
  readonly #owners = new Map<Partition, SimProcess>();
  /** Counts changes of owner: only the newest tenure may take. */
  readonly #tenures = new Map<Partition, number>();
  #named = 0;

  constructor(private readonly options: WorldOptions) {
    const { seed, beginning, keep } = options;
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random, keep);
    this.clock = new FakeClock(beginning?.now);
    this.log = SimLogContents.from(beginning?.log ?? []);
    this.roots = new WatchedRoots(beginning?.store.roots);
    const contents = beginning?.store.snapshot();
    this.store = new MemoryStore({ atomicRecords: seed % 2 === 0, ...(contents && { contents }) });
    (this.store.contents as { roots: MemoryStoreContents['roots'] }).roots = this.roots;
    this.hub = new LocalHub((frame, deliver, lose) => this.#frame(frame, deliver, lose));
    this.hub.choose = (servers) => (this.anyServer ? this.random.pick(servers) : servers.at(-1)!);
    this.faults.open = this.random.pick([0.3, 0.7, 0.9]);
  }

  start(): void {
    const { random } = this;
    const { hosts = 1 + random.below(4), fronts = 1 + random.below(3) } = this.options;
    for (let i = 0; i < hosts; i++) this.#newHost();
    for (let i = 0; i < fronts; i++) this.newFront();
    for (const p of this.options.partitions) this.#give([p], random.pick(this.hosts));
  }

  /** One step of the run; time moves when nothing else can. */
  async step(): Promise<void> {
    const { steps } = this.scheduler;
    if (this.#late.length > 0) {
      for (const { label, deliver } of this.#late.filter(({ at }) => at <= steps)) {
        this.scheduler.add(label, undefined, deliver);
      }
      this.#late = this.#late.filter(({ at }) => at > steps);
    }
    if (this.random.chance(0.02)) this.clock.advance(this.random.below(this.pace));
    else if (!this.scheduler.step()) this.clock.advance(this.clock.next() ?? 100);
    await turn();
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
    const { random } = this;
    if (this.oneAtATime && this.#handingOver > 0) return;
    const host = random.pick(this.hosts);
    if (kind !== 'heal cut') this.scheduler.note(`-- ${kind} ${host.name}`);
    switch (kind) {
      case 'crash':
        this.#crash(host);
        return;
      case 'freeze':
        this.#freeze(host);
        return;
      case 'thaw':
        this.#thaw(random.pick([...this.hosts, ...this.fronts].filter((of) => of.frozen)));
        return;
      case 'lapse': {
        this.#atLeast(2);
        for (const p of this.#ownedBy(host)) if (random.chance(0.7)) this.#moveOn(p, host, true);
        return;
      }
      case 'release': {
        if (host.frozen || host.leaving) return;
        this.#atLeast(2);
        const some = this.#ownedBy(host).filter(() => random.chance(0.7));
        void this.#release(host, some);
        return;
      }
      case 'join': {
        if (this.hosts.length >= 5) return;
        const fresh = this.#newHost();
        for (const p of this.options.partitions) {
          const owner = this.#owners.get(p)!;
          if (random.chance(1 / this.hosts.length) && !owner.frozen && owner !== fresh && !owner.leaving) {
            void this.#release(owner, [p], fresh);
          }
        }
        return;
      }
      case 'leave':
        void this.#leave(host);
        return;
      case 'cut':
        this.#cut();
        return;
      case 'heal cut':
        if (this.#cuts.length > 0) this.scheduler.note('-- heal cut');
        this.#cuts = [];
        return;
      case 'kill frontend': {
        this.killFront(random.pick(this.fronts));
        return;
      }
      case 'store':
        this.faults.storeAway = true;
        this.clock.setTimeout(() => this.#back('storeAway'), random.below(4_000));
        return;
      case 'log':
        this.faults.logAway = true;
        this.clock.setTimeout(() => this.#back('logAway'), random.below(4_000));
        return;
    }
  }

  killFront(front: SimProcess): void {
    this.scheduler.note(`-- killed ${front.name}`);
    front.crash();
    this.#silent(front, () => true);
    this.fronts = this.fronts.filter((of) => of !== front);
    for (const call of [...this.calls]) if (call.front === front) call.reset();
    if (this.fronts.length === 0) this.newFront();
  }

  newFront(): SimProcess {
    const front = this.#process('f', 'front');
    this.fronts.push(front);
    return front;
  }

  /** What was held up goes on its way. */
  letGo(): void {
    this.holds = undefined;
    for (const go of this.#heldUp.splice(0)) go();
  }

  /** No more faults: everybody wakes, and what is nobody's finds an owner. */
  heal(): void {
    this.scheduler.note('-- healed');
    Object.assign(this.faults, { unavailable: 0, lostEntries: 0, storeAway: false, logAway: false });
    this.frameFaults = 0;
    this.#cuts = [];
    for (const late of this.#late) late.at = this.scheduler.steps;
    for (const process of [...this.hosts, ...this.fronts]) this.#thaw(process);
    for (const p of this.options.partitions) {
      const owner = this.#owners.get(p);
      if (!owner || owner.dead) this.#give([p], this.random.pick(this.hosts.filter((host) => !host.leaving)));
    }
  }

  #back(which: 'storeAway' | 'logAway'): void {
    this.faults[which] = false;
    this.scheduler.note(`-- ${which} is over`);
  }

  #crash(host: SimProcess): void {
    const owned = this.#ownedBy(host);
    host.crash();
    this.#silent(host, () => true);
    this.hosts = this.hosts.filter((of) => of !== host);
    this.#atLeast(1);
    for (const p of owned) this.#moveOn(p, host, false);
  }

  #freeze(host: SimProcess): void {
    if (host.frozen) return;
    host.frozen = true;
    this.#silent(host, () => host.frozen);
    this.#atLeast(1);
    for (const p of this.#ownedBy(host)) this.#moveOn(p, host, false);
  }

  #thaw(process: SimProcess | undefined): void {
    if (!process?.frozen) return;
    process.frozen = false;
    if (process.role === 'front') return;
    // It finds out that its lease lapsed only some steps later: until then it goes on where it was.
    const lost = this.options.partitions.filter((p) => this.#owners.get(p) !== process);
    this.scheduler.add(`${process.name} notices`, process, () => void this.#lapse(process, lost));
  }

  /** The whole host goes, as told: what it owns is handed over first. */
  async #leave(host: SimProcess): Promise<void> {
    if (host.frozen || host.leaving) return;
    host.leaving = true;
    this.#atLeast(1);
    await this.#release(host, this.#ownedBy(host));
    if (host.dead || host.frozen || this.#ownedBy(host).length > 0) {
      host.leaving = false;
      return;
    }
    this.scheduler.note(`${host.name} has left`);
    host.crash();
    this.#silent(host, () => true);
    this.hosts = this.hosts.filter((of) => of !== host);
    this.#atLeast(1);
  }

  #cut(): void {
    const { random } = this;
    const names = [...this.hosts, ...this.fronts].map(({ name }) => name);
    const one = random.pick(names);
    const other = random.pick(names.filter((name) => name !== one));
    if (!other) return;
    const cuts = [{ from: one, to: other }, ...(random.chance(0.5) ? [{ from: other, to: one }] : [])];
    this.scheduler.note(`cut ${cuts.map(({ from, to }) => `${from} > ${to}`).join()}`);
    this.#cuts.push(...cuts);
    this.clock.setTimeout(() => {
      if (this.#cuts.includes(cuts[0]!)) this.hub.silence(one, other);
    }, SILENCE_MS);
    this.clock.setTimeout(() => {
      this.#cuts = this.#cuts.filter((cut) => !cuts.includes(cut));
    }, random.below(8_000));
  }

  #isCut(from: string, to: string): boolean {
    return this.#cuts.some((cut) => cut.from === from && cut.to === to);
  }

  /** Others find out that this one says nothing. */
  #silent(process: SimProcess, still: () => boolean): void {
    this.clock.setTimeout(() => {
      if (!still()) return;
      for (const other of [...this.hosts, ...this.fronts]) this.hub.silence(process.name, other.name);
      for (const frame of [...this.#underWay]) {
        if (frame.to !== process.name) continue;
        this.#giveUp(frame);
      }
    }, SILENCE_MS);
  }

  #giveUp(frame: UnderWay): void {
    this.#underWay.delete(frame);
    this.#mayComeAgain(frame.requests);
    frame.lose();
  }

  #mayComeAgain(requests: NonNullable<LocalFrame['requests']>): void {
    for (const { value } of requests) this.repeated.add((value as unknown as Envelope).requestId);
  }

  #atLeast(able: number): void {
    while (this.hosts.filter((host) => !host.frozen && !host.leaving).length < able) this.#newHost();
  }

  #moveOn(p: Partition, from: SimProcess, tell: boolean, to?: SimProcess): void {
    const able = this.hosts.filter((host) => host !== from && !host.frozen && !host.leaving);
    this.#give([p], to && able.includes(to) ? to : (this.random.pick(able) ?? this.#newHost()));
    if (tell) this.scheduler.add(`${from.name} loses ${p}`, from, () => void this.#lapse(from, [p]));
  }

  async #release(host: SimProcess, partitions: readonly Partition[], to?: SimProcess): Promise<void> {
    // A take that is still under way comes to nothing.
    for (const p of partitions) this.#tenures.set(p, (this.#tenures.get(p) ?? 0) + 1);
    const before = new Map(this.#tenures);
    this.#handingOver++;
    await host.host.lose(partitions, 'released', FINISH_MS);
    this.#handingOver--;
    this.scheduler.note(`${host.name} released ${partitions.join()}`);
    for (const p of partitions) if (this.#tenures.get(p) === before.get(p)) this.#moveOn(p, host, false, to);
  }

  #lapse(host: SimProcess, partitions: readonly Partition[]): Promise<void> {
    return host.host.lose(
      partitions.filter((p) => this.#owners.get(p) !== host),
      'lapsed',
    );
  }

  /** The former owner's lease is over from this moment, whether it knows or not. */
  #give(partitions: readonly Partition[], to: SimProcess): void {
    for (const p of partitions) {
      this.#owners.set(p, to);
      const tenure = (this.#tenures.get(p) ?? 0) + 1;
      this.#tenures.set(p, tenure);
      this.scheduler.add(`${to.name} takes ${p}`, to, () => void this.#take(p, to, tenure));
    }
  }

  async #take(p: Partition, to: SimProcess, tenure: number): Promise<void> {
    const ours = (): boolean => this.#tenures.get(p) === tenure && !to.dead;
    while (ours()) {
      try {
        const epoch = await to.store.raiseEpoch(p, 0);
        const given = `${p} ${epoch}`;
        if (this.#epochs.has(given)) this.problems.push(`epoch ${epoch} of partition ${p} was given twice`);
        this.#epochs.add(given);
        if (ours()) await to.host.take([p], new Map([[p, epoch]]));
        return;
      } catch {
        if (!ours()) return;
        await to.host.lose([p], 'lapsed');
        await new Promise<void>((resolve) => this.clock.setTimeout(resolve, 100));
      }
    }
  }

  #process(prefix: string, role: 'host' | 'front'): SimProcess {
    const { clock, hub, store, log, scheduler, faults } = this;
    const shared: Shared = { clock, hub, store, log, scheduler, faults };
    const name = `${this.options.prefix ?? ''}${prefix}${++this.#named}`;
    return new SimProcess(name, role, shared, (of, p) => this.#owners.get(p) === of && !of.frozen);
  }

  #newHost(): SimProcess {
    const host = this.#process('h', 'host');
    this.hosts.push(host);
    void host.node.start();
    return host;
  }

  #ownedBy(host: SimProcess): Partition[] {
    return this.options.partitions.filter((p) => this.#owners.get(p) === host);
  }

  /** Frames between two clients keep their order; some are lost, some come again much later. */
  #frame(frame: LocalFrame, deliver: () => void, lose: () => void): void {
    const { kind, from, to, subject, count, requests = [] } = frame;
    const place = [...this.hosts, ...this.fronts].find((of) => of.name === to);
    const label = `${from} > ${to || subject} ${kind} x${count}`;
    if (kind === 'request' && this.holds && requests.some(({ value }) => this.holds!(value as unknown as Envelope))) {
      this.#heldUp.push(() => this.#frame(frame, deliver, lose));
      return;
    }
    if (this.#isCut(from, to)) {
      this.scheduler.note(`cut off ${label}`);
      this.clock.setTimeout(lose, SILENCE_MS);
      return;
    }
    if (this.random.chance(this.frameFaults)) {
      if (this.random.chance(0.5)) {
        this.scheduler.note(`lost ${label}`);
        this.clock.setTimeout(lose, SILENCE_MS);
        return;
      }
      if (kind === 'request') this.#mayComeAgain(requests);
      this.#late.push({ at: this.scheduler.steps + this.random.below(600), label: `again ${label}`, deliver });
    }
    const underWay = { to, lose, requests: kind === 'request' ? requests : [] };
    this.#underWay.add(underWay);
    // Nothing is heard of it: a Bus takes what it is asked now for lost as soon as what it was asked before.
    if (place?.frozen && kind === 'request') {
      this.clock.setTimeout(() => {
        if (place.frozen && this.#underWay.has(underWay)) this.#giveUp(underWay);
      }, SILENCE_MS);
    }
    this.scheduler.addInOrder(`${kind} ${from} ${to} ${subject}`, label, place, () => {
      this.#underWay.delete(underWay);
      deliver();
    });
  }
}
