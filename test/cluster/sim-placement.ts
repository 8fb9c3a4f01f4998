/**
 * Partition placement of a simulated cluster. The seed alone decides which host gets which partition and when.
 * Partitions move one by one or together, during commits, back and forth, and have no owner for up to 4 s.
 */
import type { Partition } from '#model';
import type { FakeClock } from '../support/fake-clock.js';
import type { Random, Scheduler } from './scheduler.js';
import type { SimProcess } from './sim-process.js';

/** Time limit for running commands when a partition is released, ms, as in src/ports/placement/handover.ts. */
const RELEASE_TIMEOUT_MS = 2_000;
/** Longest time until a new owner takes its partition, or a former owner notices the loss, ms. */
const MAX_DELAY_MS = 4_000;

/** Functions of the cluster that placement calls. */
export interface PlacementCluster {
  /** Hosts that may get a partition, without `except`; at least one. */
  availableHosts(except?: SimProcess): readonly SimProcess[];
  /** Roots of the partition's actors whose outbox is not empty. */
  listRootsWithOutbox(p: Partition): readonly { readonly key: string }[];
  /** Records a violated guarantee of placement. */
  reportProblem(text: string): void;
}

export class SimPlacement {
  /** Whether only one release may run at a time, as in a rolling replacement. */
  movesOneAtATime = false;
  /** Probability that a new owner takes its partition with a delay. */
  delayRate = 0;
  #runningReleases = 0;
  readonly #epochs = new Set<string>();
  readonly #owners = new Map<Partition, SimProcess>();
  /** Ownership changes per partition; a host may only take a partition under its newest number. */
  readonly #ownershipNumbers = new Map<Partition, number>();
  /** Partitions whose owner knows of its ownership. Before that, the owner must not reply, even as an earlier owner. */
  readonly #acknowledged = new Set<Partition>();
  /** Partitions that their owner serves. */
  readonly #served = new Set<Partition>();

  constructor(
    private readonly partitions: readonly Partition[],
    private readonly random: Random,
    private readonly scheduler: Scheduler,
    private readonly clock: FakeClock,
    private readonly cluster: PlacementCluster,
  ) {}

  /** True while a release excludes another one. */
  get isBusy(): boolean {
    return this.movesOneAtATime && this.#runningReleases > 0;
  }

  mayAnswer(host: SimProcess, p: Partition): boolean {
    return this.#owners.get(p) === host && this.#acknowledged.has(p) && !host.frozen;
  }

  ownedBy(host: SimProcess): Partition[] {
    return this.partitions.filter((p) => this.#owners.get(p) === host);
  }

  /** Assigns each partition to a random host. */
  assignAll(): void {
    for (const p of this.partitions) this.#assign(p, this.random.pick(this.cluster.availableHosts()));
  }

  /** Assigns every partition without a living owner to a random host. */
  heal(): void {
    this.delayRate = 0;
    for (const p of this.partitions) {
      const owner = this.#owners.get(p);
      if (!owner || owner.dead) this.#assign(p, this.random.pick(this.cluster.availableHosts()));
    }
  }

  /**
   * Assigns a partition to another host, without a release by its owner.
   * @param notifyFormerOwner whether the owner notices the loss by itself, later
   */
  reassign(p: Partition, from: SimProcess, notifyFormerOwner: boolean, to?: SimProcess): void {
    const availableHosts = this.cluster.availableHosts(from);
    this.#assign(p, to && availableHosts.includes(to) ? to : this.random.pick(availableHosts));
    if (!notifyFormerOwner) return;
    const notice = (): void =>
      this.scheduler.add(`${from.name} loses ${p}`, from, () => void this.loseLapsed(from, [p]));
    if (this.random.chance(0.5)) this.clock.setTimeout(notice, this.random.below(MAX_DELAY_MS));
    else notice();
  }

  /** Moves a partition, preferably one with a running commit. @param isGraceful whether its owner releases it first */
  move(isGraceful: boolean): void {
    const { random } = this;
    const withRunningCommit = this.partitions.filter((p) => this.#owners.get(p)?.isWriting(p));
    const p = random.pick(withRunningCommit.length > 0 && random.chance(0.8) ? withRunningCommit : this.partitions);
    const from = this.#owners.get(p);
    if (!from || from.isStopping || from.frozen) return;
    this.scheduler.note(`-- ${p} of ${from.name} moves`);
    if (isGraceful || random.chance(0.4)) void this.release(from, [p]);
    else {
      this.reassign(p, from, true);
      // The owner gets the partition back before it notices the loss.
      if (random.chance(0.4)) this.#assign(p, from);
    }
  }

  /** Releases partitions in order: running commands finish within 2 s, then other hosts get the partitions. */
  async release(host: SimProcess, partitions: readonly Partition[], to?: SimProcess): Promise<void> {
    const served = partitions.filter((p) => this.#served.has(p));
    // A new ownership number makes a running `#take` stop.
    for (const p of partitions) this.#ownershipNumbers.set(p, (this.#ownershipNumbers.get(p) ?? 0) + 1);
    const before = new Map(this.#ownershipNumbers);
    this.#runningReleases++;
    const startMs = this.clock.monotonic();
    await host.host.lose(partitions, 'released', RELEASE_TIMEOUT_MS);
    this.#runningReleases--;
    if (this.movesOneAtATime && this.clock.monotonic() - startMs < RELEASE_TIMEOUT_MS)
      this.#checkOutboxes(served, before);
    this.scheduler.note(`${host.name} released ${partitions.join()}`);
    for (const p of partitions) if (this.#ownershipNumbers.get(p) === before.get(p)) this.reassign(p, host, false, to);
  }

  /** Makes the host stop all its partitions at once, without finishing commands, and then assigns them to others. */
  async stopAllAtOnce(host: SimProcess): Promise<void> {
    const partitions = this.ownedBy(host);
    const before = new Map<Partition, number>();
    for (const p of partitions) {
      this.#acknowledged.delete(p);
      this.#served.delete(p);
      // A new ownership number makes a running `#take` stop.
      const ownershipNumber = (this.#ownershipNumbers.get(p) ?? 0) + 1;
      this.#ownershipNumbers.set(p, ownershipNumber);
      before.set(p, ownershipNumber);
    }
    await host.host.lose(partitions, 'lapsed');
    this.scheduler.note(`${host.name} let go of ${partitions.join()}`);
    for (const p of partitions) if (this.#ownershipNumbers.get(p) === before.get(p)) this.reassign(p, host, false);
  }

  /** Checks that a release within its time limit leaves no outbox entries. */
  #checkOutboxes(partitions: readonly Partition[], before: ReadonlyMap<Partition, number>): void {
    for (const p of partitions) {
      if (this.#ownershipNumbers.get(p) !== before.get(p)) continue;
      for (const { key } of this.cluster.listRootsWithOutbox(p))
        this.cluster.reportProblem(this.scheduler.replaceQueueIds(`${key} was released with entries in its outbox`));
    }
  }

  /** Makes the host stop those of the partitions that it no longer owns. */
  loseLapsed(host: SimProcess, partitions: readonly Partition[] = this.partitions): Promise<void> {
    return host.host.lose(
      partitions.filter((p) => this.#owners.get(p) !== host),
      'lapsed',
    );
  }

  /** Makes `to` the owner at once; the former owner must not reply from now on, even before it notices. */
  #assign(p: Partition, to: SimProcess): void {
    this.#owners.set(p, to);
    this.#acknowledged.delete(p);
    this.#served.delete(p);
    const ownershipNumber = (this.#ownershipNumbers.get(p) ?? 0) + 1;
    this.#ownershipNumbers.set(p, ownershipNumber);
    const take = (): void =>
      this.scheduler.add(`${to.name} takes ${p}`, to, () => void this.#take(p, to, ownershipNumber));
    if (this.random.chance(this.delayRate)) this.clock.setTimeout(take, this.random.below(MAX_DELAY_MS));
    else take();
  }

  async #take(p: Partition, to: SimProcess, ownershipNumber: number): Promise<void> {
    const isCurrent = (): boolean => this.#ownershipNumbers.get(p) === ownershipNumber && !to.dead;
    while (isCurrent()) {
      try {
        const epoch = await to.store.raiseEpoch(p, 0);
        const epochName = `${p} ${epoch}`;
        if (this.#epochs.has(epochName)) this.cluster.reportProblem(`epoch ${epoch} of partition ${p} was given twice`);
        this.#epochs.add(epochName);
        if (!isCurrent()) return;
        this.#acknowledged.add(p);
        await to.host.take([p], new Map([[p, epoch]]));
        if (isCurrent()) this.#served.add(p);
        return;
      } catch {
        if (!isCurrent()) return;
        this.#acknowledged.delete(p);
        await to.host.lose([p], 'lapsed');
        await new Promise<void>((resolve) => this.clock.setTimeout(resolve, 100));
      }
    }
  }
}
