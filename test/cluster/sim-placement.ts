/**
 * Placement of a simulated cluster, decided by the seed alone: which host gets which partition and when. Partitions
 * move one by one or many at once, in the middle of commits, back and forth, and stay without owner for a while.
 */
import type { Partition } from '#model';
import type { FakeClock } from '../support/fake-clock.js';
import type { Random, Scheduler } from './scheduler.js';
import type { SimProcess } from './sim-process.js';

/** Time for running commands when a partition is handed over, as in src/ports/placement/handover.ts. */
const FINISH_MS = 2_000;
/** Longest time for which a partition stays without owner. */
const UNOWNED_MS = 4_000;

/** The cluster, as far as placement needs it. */
export interface Hosts {
  /** Those that may be given something, but for one. There is always one. */
  able(but?: SimProcess): readonly SimProcess[];
  /** Roots of actors of a partition with something left in their outbox. */
  unfinished(p: Partition): readonly { readonly key: string }[];
  /** A promise was broken. */
  problem(text: string): void;
}

export class SimPlacement {
  /** Partitions are handed over in turn, as a rolling replacement does. */
  oneAtATime = false;
  /** Probability that it takes time until somebody takes a partition. */
  slowness = 0;
  #handingOver = 0;
  readonly #epochs = new Set<string>();
  readonly #owners = new Map<Partition, SimProcess>();
  /** Counts changes of owner: only the newest tenure may take. */
  readonly #tenures = new Map<Partition, number>();
  /** Partitions whose owners know that they own them; before that they answer nothing, even as an earlier owner. */
  readonly #told = new Set<Partition>();
  /** Partitions whose owners have begun to serve them. */
  readonly #served = new Set<Partition>();

  constructor(
    private readonly partitions: readonly Partition[],
    private readonly random: Random,
    private readonly scheduler: Scheduler,
    private readonly clock: FakeClock,
    private readonly hosts: Hosts,
  ) {}

  /** Nothing else may be handed over now. */
  get isBusy(): boolean {
    return this.oneAtATime && this.#handingOver > 0;
  }

  mayAnswer(of: SimProcess, p: Partition): boolean {
    return this.#owners.get(p) === of && this.#told.has(p) && !of.frozen;
  }

  ownedBy(host: SimProcess): Partition[] {
    return this.partitions.filter((p) => this.#owners.get(p) === host);
  }

  /** Each to a host of the seed's choice. */
  begin(): void {
    for (const p of this.partitions) this.#give(p, this.random.pick(this.hosts.able()));
  }

  /** Every partition without a living owner gets one. */
  heal(): void {
    this.slowness = 0;
    for (const p of this.partitions) {
      const owner = this.#owners.get(p);
      if (!owner || owner.dead) this.#give(p, this.random.pick(this.hosts.able()));
    }
  }

  /**
   * Its owner says nothing any more, or another one takes it for whatever reason.
   * @param tell it hears of that, later
   */
  moveOn(p: Partition, from: SimProcess, tell: boolean, to?: SimProcess): void {
    const able = this.hosts.able(from);
    this.#give(p, to && able.includes(to) ? to : this.random.pick(able));
    if (!tell) return;
    const told = (): void => this.scheduler.add(`${from.name} loses ${p}`, from, () => void this.lapse(from, [p]));
    if (this.random.chance(0.5)) this.clock.setTimeout(told, this.random.below(UNOWNED_MS));
    else told();
  }

  /** Moves one partition, preferably one with a running commit. @param smooth in a way that no client notices */
  move(smooth: boolean): void {
    const { random } = this;
    const written = this.partitions.filter((p) => this.#owners.get(p)?.isWriting(p));
    const p = random.pick(written.length > 0 && random.chance(0.8) ? written : this.partitions);
    const from = this.#owners.get(p);
    if (!from || from.leaving || from.frozen) return;
    this.scheduler.note(`-- ${p} of ${from.name} moves`);
    if (smooth || random.chance(0.4)) void this.release(from, [p]);
    else {
      this.moveOn(p, from, true);
      // Lost, and taken again before its former owner has heard of the loss.
      if (random.chance(0.4)) this.#give(p, from);
    }
  }

  async release(host: SimProcess, partitions: readonly Partition[], to?: SimProcess): Promise<void> {
    const served = partitions.filter((p) => this.#served.has(p));
    // A take that is still under way comes to nothing.
    for (const p of partitions) this.#tenures.set(p, (this.#tenures.get(p) ?? 0) + 1);
    const before = new Map(this.#tenures);
    this.#handingOver++;
    const begun = this.clock.monotonic();
    await host.host.lose(partitions, 'released', FINISH_MS);
    this.#handingOver--;
    if (this.oneAtATime && this.clock.monotonic() - begun < FINISH_MS) this.#finished(served, before);
    this.scheduler.note(`${host.name} released ${partitions.join()}`);
    for (const p of partitions) if (this.#tenures.get(p) === before.get(p)) this.moveOn(p, host, false, to);
  }

  /** The host gives everything up at once, without finishing anything, and only then others may have it. */
  async letGo(host: SimProcess): Promise<void> {
    const partitions = this.ownedBy(host);
    const before = new Map<Partition, number>();
    for (const p of partitions) {
      this.#told.delete(p);
      this.#served.delete(p);
      // A take that is still under way comes to nothing.
      const tenure = (this.#tenures.get(p) ?? 0) + 1;
      this.#tenures.set(p, tenure);
      before.set(p, tenure);
    }
    await host.host.lose(partitions, 'lapsed');
    this.scheduler.note(`${host.name} let go of ${partitions.join()}`);
    for (const p of partitions) if (this.#tenures.get(p) === before.get(p)) this.moveOn(p, host, false);
  }

  /** Check: an owner that hands over in time leaves no work undone. */
  #finished(partitions: readonly Partition[], before: ReadonlyMap<Partition, number>): void {
    for (const p of partitions) {
      if (this.#tenures.get(p) !== before.get(p)) continue;
      for (const { key } of this.hosts.unfinished(p))
        this.hosts.problem(this.scheduler.short(`${key} was handed over with something left to do`));
    }
  }

  /** The host finds out what it has lost. */
  lapse(host: SimProcess, partitions: readonly Partition[] = this.partitions): Promise<void> {
    return host.host.lose(
      partitions.filter((p) => this.#owners.get(p) !== host),
      'lapsed',
    );
  }

  /** The former owner's lease is over from this moment, whether it knows or not. */
  #give(p: Partition, to: SimProcess): void {
    this.#owners.set(p, to);
    this.#told.delete(p);
    this.#served.delete(p);
    const tenure = (this.#tenures.get(p) ?? 0) + 1;
    this.#tenures.set(p, tenure);
    const take = (): void => this.scheduler.add(`${to.name} takes ${p}`, to, () => void this.#take(p, to, tenure));
    if (this.random.chance(this.slowness)) this.clock.setTimeout(take, this.random.below(UNOWNED_MS));
    else take();
  }

  async #take(p: Partition, to: SimProcess, tenure: number): Promise<void> {
    const ours = (): boolean => this.#tenures.get(p) === tenure && !to.dead;
    while (ours()) {
      try {
        const epoch = await to.store.raiseEpoch(p, 0);
        const given = `${p} ${epoch}`;
        if (this.#epochs.has(given)) this.hosts.problem(`epoch ${epoch} of partition ${p} was given twice`);
        this.#epochs.add(given);
        if (!ours()) return;
        this.#told.add(p);
        await to.host.take([p], new Map([[p, epoch]]));
        if (ours()) this.#served.add(p);
        return;
      } catch {
        if (!ours()) return;
        this.#told.delete(p);
        await to.host.lose([p], 'lapsed');
        await new Promise<void>((resolve) => this.clock.setTimeout(resolve, 100));
      }
    }
  }
}
