/** The simulated cluster: hosts that come and go, who owns what, and the faults that the seed chooses. */

import { type ActorKey, type Partition, partitionOfActor } from '#model';
import { LocalBus, type LocalBusFrame, LocalBusHub } from '#ports/bus';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryLog } from '../support/memory-log.js';
import { MemoryStore, MemoryStoreContents } from '../support/memory-store.js';
import { WatchedRoots } from './history.js';
import { Random, Scheduler, turn } from './scheduler.js';
import { type Faults, type Shared, SimHost } from './sim-host.js';

export interface WorldOptions {
  readonly seed: number;
  readonly keys: readonly ActorKey[];
}

export class World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly clock = new FakeClock();
  readonly roots = new WatchedRoots();
  readonly store: MemoryStore;
  readonly log: MemoryLog;
  readonly hub: LocalBusHub;
  readonly partitions: readonly Partition[];
  readonly faults: Faults = { unavailable: 0, open: 0 };
  /** Probability of a lost or a repeated frame. */
  frameFaults = 0;
  /** Repeats of frames, held up on the way for long. */
  #late: { at: number; label: string; deliver: () => void }[] = [];
  hosts: SimHost[] = [];
  readonly #owners = new Map<Partition, SimHost>();
  /** Counts changes of owner: only the newest tenure may take. */
  readonly #tenures = new Map<Partition, number>();
  readonly #size: number;
  #named = 0;

  constructor({ seed, keys }: WorldOptions) {
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random);
    const contents = new MemoryStoreContents();
    (contents as { roots: MemoryStoreContents['roots'] }).roots = this.roots;
    this.store = new MemoryStore({ atomicRecords: seed % 2 === 0, contents });
    this.log = new MemoryLog({ joinsCommits: seed % 4 === 0 });
    this.hub = new LocalBusHub((frame, deliver) => this.#frame(frame, deliver));
    this.partitions = [...new Set(keys.map(partitionOfActor))];
    this.#size = 1 + this.random.below(3);
    this.faults.open = this.random.pick([0, 0.3, 0.7]);
  }

  start(): void {
    for (let i = 0; i < this.#size; i++) this.#newHost();
    for (const p of this.partitions) this.#give([p], this.random.pick(this.hosts));
  }

  newBus(name: string): LocalBus {
    return new LocalBus(this.clock, this.hub, name);
  }

  /** One step of the run; time moves when nothing else can. */
  async step(): Promise<void> {
    const { steps } = this.scheduler;
    for (const { label, deliver } of this.#late.filter(({ at }) => at <= steps)) {
      this.scheduler.add(label, undefined, deliver);
    }
    this.#late = this.#late.filter(({ at }) => at > steps);
    if (this.random.chance(0.03)) this.clock.advance(this.random.below(40));
    else if (!this.scheduler.step()) this.clock.advance(this.clock.next() ?? 100);
    await turn();
  }

  /** Something goes wrong. */
  fault(): void {
    const { random } = this;
    const host = random.pick(this.hosts);
    const kind = random.pick(['crash', 'crash', 'freeze', 'lapse', 'lapse', 'release', 'thaw'] as const);
    this.scheduler.note(`-- ${kind} ${host.name}`);
    if (kind === 'thaw') {
      this.#thaw(random.pick(this.hosts.filter((h) => h.frozen)));
      return;
    }
    const owned = this.#ownedBy(host);
    const some = kind === 'crash' || kind === 'freeze' ? owned : owned.filter(() => random.chance(0.7));
    if (kind === 'crash') {
      host.crash();
      this.hosts = this.hosts.filter((h) => h !== host);
    } else if (kind === 'freeze') host.frozen = true;
    if (this.hosts.filter((h) => !h.frozen).length < (kind === 'lapse' ? 2 : 1)) this.#newHost();
    if (kind === 'release' && !host.frozen) void this.#release(host, some);
    else for (const p of some) this.#moveOn(p, host, kind === 'lapse');
  }

  /** Ends all faults: every process wakes, and every partition finds an owner. */
  heal(): void {
    this.faults.unavailable = 0;
    this.frameFaults = 0;
    for (const host of this.hosts) this.#thaw(host);
    for (const p of this.partitions) {
      const owner = this.#owners.get(p);
      if (!owner || owner.dead) this.#give([p], this.random.pick(this.hosts));
    }
  }

  #thaw(host: SimHost | undefined): void {
    if (!host?.frozen) return;
    host.frozen = false;
    // It finds out that its lease lapsed only some steps later: until then it goes on where it was.
    const lost = this.partitions.filter((p) => this.#owners.get(p) !== host);
    this.scheduler.add(`${host.name} notices`, host, () => void this.#lapse(host, lost));
  }

  #moveOn(p: Partition, from: SimHost, tell: boolean): void {
    this.#give([p], this.random.pick(this.hosts.filter((h) => h !== from && !h.frozen)) ?? this.#newHost());
    if (tell) this.scheduler.add(`${from.name} loses ${p}`, from, () => void this.#lapse(from, [p]));
  }

  async #release(host: SimHost, partitions: readonly Partition[]): Promise<void> {
    // A take that is still under way comes to nothing.
    for (const p of partitions) this.#tenures.set(p, (this.#tenures.get(p) ?? 0) + 1);
    const before = new Map(this.#tenures);
    await host.host.lose(partitions, 'released');
    this.scheduler.note(`${host.name} released ${partitions.join()}`);
    for (const p of partitions) if (this.#tenures.get(p) === before.get(p)) this.#moveOn(p, host, false);
  }

  #lapse(host: SimHost, partitions: readonly Partition[]): Promise<void> {
    return host.host.lose(
      partitions.filter((p) => this.#owners.get(p) !== host),
      'lapsed',
    );
  }

  /** The former owner's lease is over from this moment, whether it knows or not. */
  #give(partitions: readonly Partition[], to: SimHost): void {
    for (const p of partitions) {
      this.#owners.set(p, to);
      const tenure = (this.#tenures.get(p) ?? 0) + 1;
      this.#tenures.set(p, tenure);
      this.scheduler.add(`${to.name} takes ${p}`, to, () => void this.#take(p, to, tenure));
    }
  }

  async #take(p: Partition, to: SimHost, tenure: number): Promise<void> {
    const ours = (): boolean => this.#tenures.get(p) === tenure && !to.dead;
    while (ours()) {
      try {
        const epoch = await to.store.raiseEpoch(p, 0);
        if (ours()) await to.host.take([p], new Map([[p, epoch]]));
        return;
      } catch {
        if (ours()) await to.host.lose([p], 'lapsed');
      }
    }
  }

  #newHost(): SimHost {
    const { clock, hub, store, log, scheduler, faults } = this;
    const shared: Shared = { clock, hub, store, log, scheduler, faults };
    const host = new SimHost(`h${++this.#named}`, shared, (h, p) => this.#owners.get(p) === h && !h.frozen);
    this.hosts.push(host);
    void host.host.start();
    return host;
  }

  #ownedBy(host: SimHost): Partition[] {
    return this.partitions.filter((p) => this.#owners.get(p) === host);
  }

  /** Frames between two clients keep their order; some are lost, some come again much later. */
  #frame(frame: LocalBusFrame, deliver: () => void): void {
    const place = this.hosts.find((h) => h.name === frame.receiverId);
    const label = `${frame.senderId} > ${frame.receiverId || frame.subject} ${frame.kind} x${frame.itemCount}`;
    if (this.random.chance(this.frameFaults)) {
      if (this.random.chance(0.5)) {
        this.scheduler.note(`lost ${label}`);
        return;
      }
      this.#late.push({ at: this.scheduler.steps + this.random.below(600), label: `again ${label}`, deliver });
    }
    this.scheduler.addInOrder(
      `${frame.kind} ${frame.senderId} ${frame.receiverId} ${frame.subject}`,
      label,
      place,
      deliver,
    );
  }
}
