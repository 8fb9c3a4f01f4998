/** Cluster of simulated actor hosts with test kinds: hosts, partition owners and seeded faults. */

import { type ActorKey, type Partition, partitionOfActor } from '#model';
import { LocalBus, type LocalBusFrame, LocalBusHub } from '#ports/bus';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryLog } from '../support/memory-log.js';
import { MemoryStore, MemoryStoreContents } from '../support/memory-store.js';
import { RecordedRoots } from './runtime-history.js';
import { Random, Scheduler, settlePromises } from './scheduler.js';
import { type PortFaults, SimHost, type SimHostEnvironment } from './sim-host.js';

export interface RuntimeSimulationOptions {
  readonly seed: number;
  readonly keys: readonly ActorKey[];
}

export class RuntimeSimulation {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly clock = new FakeClock();
  readonly roots = new RecordedRoots();
  readonly store: MemoryStore;
  readonly log: MemoryLog;
  readonly hub: LocalBusHub;
  readonly partitions: readonly Partition[];
  readonly faults: PortFaults = { failureRate: 0, immediateRate: 0 };
  /** Probability of a lost or a repeated frame. */
  frameFaultRate = 0;
  /** Repeated frames, each with the scheduler step at which it becomes deliverable. */
  #repeatedFrames: { at: number; label: string; deliver: () => void }[] = [];
  hosts: SimHost[] = [];
  readonly #owners = new Map<Partition, SimHost>();
  /** Ownership changes per partition; a host may only take a partition under its newest number. */
  readonly #ownershipNumbers = new Map<Partition, number>();
  readonly #hostCount: number;
  #startedHosts = 0;

  constructor({ seed, keys }: RuntimeSimulationOptions) {
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random);
    const contents = new MemoryStoreContents();
    (contents as { roots: MemoryStoreContents['roots'] }).roots = this.roots;
    this.store = new MemoryStore({ atomicRecords: seed % 2 === 0, contents });
    this.log = new MemoryLog({ joinsCommits: seed % 4 === 0 });
    this.hub = new LocalBusHub((frame, deliver) => this.#frame(frame, deliver));
    this.partitions = [...new Set(keys.map(partitionOfActor))];
    this.#hostCount = 1 + this.random.below(3);
    this.faults.immediateRate = this.random.pick([0, 0.3, 0.7]);
  }

  start(): void {
    for (let i = 0; i < this.#hostCount; i++) this.#newHost();
    for (const p of this.partitions) this.#assign([p], this.random.pick(this.hosts));
  }

  newBus(name: string): LocalBus {
    return new LocalBus(this.clock, this.hub, name);
  }

  /** Runs one task; the clock advances when no task is runnable, and by up to 40 ms in 3 % of the steps. */
  async step(): Promise<void> {
    const { steps } = this.scheduler;
    for (const { label, deliver } of this.#repeatedFrames.filter(({ at }) => at <= steps)) {
      this.scheduler.add(label, undefined, deliver);
    }
    this.#repeatedFrames = this.#repeatedFrames.filter(({ at }) => at > steps);
    if (this.random.chance(0.03)) this.clock.advance(this.random.below(40));
    else if (!this.scheduler.step()) this.clock.advance(this.clock.next() ?? 100);
    await settlePromises();
  }

  /** Injects one random fault into a random host. */
  injectFault(): void {
    const { random } = this;
    const host = random.pick(this.hosts);
    const kind = random.pick(['crash', 'crash', 'freeze', 'lapse', 'lapse', 'release', 'thaw'] as const);
    this.scheduler.note(`-- ${kind} ${host.name}`);
    if (kind === 'thaw') {
      this.#thaw(random.pick(this.hosts.filter((h) => h.frozen)));
      return;
    }
    const owned = this.#ownedBy(host);
    const affected = kind === 'crash' || kind === 'freeze' ? owned : owned.filter(() => random.chance(0.7));
    if (kind === 'crash') {
      host.crash();
      this.hosts = this.hosts.filter((h) => h !== host);
    } else if (kind === 'freeze') host.frozen = true;
    if (this.hosts.filter((h) => !h.frozen).length < (kind === 'lapse' ? 2 : 1)) this.#newHost();
    if (kind === 'release' && !host.frozen) void this.#release(host, affected);
    else for (const p of affected) this.#reassign(p, host, kind === 'lapse');
  }

  /** Ends all faults: frozen hosts resume, and every partition gets a living owner. */
  heal(): void {
    this.faults.failureRate = 0;
    this.frameFaultRate = 0;
    for (const host of this.hosts) this.#thaw(host);
    for (const p of this.partitions) {
      const owner = this.#owners.get(p);
      if (!owner || owner.dead) this.#assign([p], this.random.pick(this.hosts));
    }
  }

  #thaw(host: SimHost | undefined): void {
    if (!host?.frozen) return;
    host.frozen = false;
    // The resumed host notices its lapsed lease some steps later; until then it continues its interrupted work.
    const lost = this.partitions.filter((p) => this.#owners.get(p) !== host);
    this.scheduler.add(`${host.name} notices`, host, () => void this.#loseLapsed(host, lost));
  }

  #reassign(p: Partition, from: SimHost, notifyFormerOwner: boolean): void {
    this.#assign([p], this.random.pick(this.hosts.filter((h) => h !== from && !h.frozen)) ?? this.#newHost());
    if (notifyFormerOwner) this.scheduler.add(`${from.name} loses ${p}`, from, () => void this.#loseLapsed(from, [p]));
  }

  async #release(host: SimHost, partitions: readonly Partition[]): Promise<void> {
    // A new ownership number makes a running `#take` stop.
    for (const p of partitions) this.#ownershipNumbers.set(p, (this.#ownershipNumbers.get(p) ?? 0) + 1);
    const before = new Map(this.#ownershipNumbers);
    await host.host.lose(partitions, 'released');
    this.scheduler.note(`${host.name} released ${partitions.join()}`);
    for (const p of partitions) if (this.#ownershipNumbers.get(p) === before.get(p)) this.#reassign(p, host, false);
  }

  #loseLapsed(host: SimHost, partitions: readonly Partition[]): Promise<void> {
    return host.host.lose(
      partitions.filter((p) => this.#owners.get(p) !== host),
      'lapsed',
    );
  }

  /** Makes `to` the owner at once; the former owner must not reply from now on, even before it notices. */
  #assign(partitions: readonly Partition[], to: SimHost): void {
    for (const p of partitions) {
      this.#owners.set(p, to);
      const ownershipNumber = (this.#ownershipNumbers.get(p) ?? 0) + 1;
      this.#ownershipNumbers.set(p, ownershipNumber);
      this.scheduler.add(`${to.name} takes ${p}`, to, () => void this.#take(p, to, ownershipNumber));
    }
  }

  async #take(p: Partition, to: SimHost, ownershipNumber: number): Promise<void> {
    const isCurrent = (): boolean => this.#ownershipNumbers.get(p) === ownershipNumber && !to.dead;
    while (isCurrent()) {
      try {
        const epoch = await to.store.raiseEpoch(p, 0);
        if (isCurrent()) await to.host.take([p], new Map([[p, epoch]]));
        return;
      } catch {
        if (isCurrent()) await to.host.lose([p], 'lapsed');
      }
    }
  }

  #newHost(): SimHost {
    const { clock, hub, store, log, scheduler, faults } = this;
    const environment: SimHostEnvironment = { clock, hub, store, log, scheduler, faults };
    const host = new SimHost(`h${++this.#startedHosts}`, environment, (h, p) => this.#owners.get(p) === h && !h.frozen);
    this.hosts.push(host);
    void host.host.start();
    return host;
  }

  #ownedBy(host: SimHost): Partition[] {
    return this.partitions.filter((p) => this.#owners.get(p) === host);
  }

  /** Schedules a frame in the order of its sender and receiver; may lose it, or repeat it up to 600 steps later. */
  #frame(frame: LocalBusFrame, deliver: () => void): void {
    const receiver = this.hosts.find((h) => h.name === frame.receiverId);
    const label = `${frame.senderId} > ${frame.receiverId || frame.subject} ${frame.kind} x${frame.itemCount}`;
    if (this.random.chance(this.frameFaultRate)) {
      if (this.random.chance(0.5)) {
        this.scheduler.note(`lost ${label}`);
        return;
      }
      this.#repeatedFrames.push({
        at: this.scheduler.steps + this.random.below(600),
        label: `repeat ${label}`,
        deliver,
      });
    }
    this.scheduler.addInOrder(
      `${frame.kind} ${frame.senderId} ${frame.receiverId} ${frame.subject}`,
      label,
      receiver,
      deliver,
    );
  }
}
