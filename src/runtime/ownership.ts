/** The partitions of a host: taken, served, drained and given up as the placement service decides. */

import type { Clock, TimerHandle } from '#base/clock';
import { type ActorKey, busSubjectOfPartition, type Epoch, type Partition, partitionOfActor } from '#model';
import type { Bus, BusServerHandle } from '#ports/bus';
import type { PartitionOwnershipListener } from '#ports/placement';
import type { Store } from '#ports/store';
import type { ActorActivation } from './activation.js';
import type { ActorActivations } from './activations.js';
import type { ActorQuotas } from './actor-quotas.js';
import { drainPartitions } from './drain.js';
import type { HostActorDueTimers } from './due-timers.js';
import type { ActorRuntimeMetrics } from './meters.js';
import type { CommandBusRequest } from './protocol.js';
import type { NewOwnerActorWaker } from './successor-wakeup.js';

/** Maximum time for which a hand-over waits for commands that have begun, ms. */
const MAX_DRAIN_MS = 10_000;
/**
 * Delay of the second search for sleepers (actors outside memory with unfinished work or a due time), ms: longer than a
 * write to the Store takes.
 */
const SECOND_SLEEPER_SEARCH_DELAY_MS = 10_000;

interface HostPartitionOwnershipOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly bus: Bus;
  readonly runtimeMetrics: ActorRuntimeMetrics;
  readonly activations: ActorActivations;
  readonly dueTimers: HostActorDueTimers;
  readonly quotas: ActorQuotas;
  readonly successorWakeup: NewOwnerActorWaker;
  setDueTime(key: ActorKey, at: number | null): void;
  receiveCommand(partition: Partition, request: CommandBusRequest): void;
}

export class HostPartitionOwnership implements PartitionOwnershipListener {
  readonly #epochByPartition = new Map<Partition, Epoch>();
  /** Wall time (ms) at which this host took each partition. */
  readonly #takenAtByPartition = new Map<Partition, number>();
  readonly #leavingPartitions = new Set<Partition>();
  readonly #busServerByPartition = new Map<Partition, BusServerHandle>();
  /** Timers of second searches for sleepers (actors outside memory with unfinished work or a due time). */
  readonly #sleeperSearchTimers = new Set<TimerHandle>();
  #hasStoppedSleeperSearches = false;

  constructor(private readonly options: HostPartitionOwnershipOptions) {}

  /** Number of partitions whose commands this host executes. */
  get servedPartitionCount(): number {
    return this.#busServerByPartition.size;
  }

  epochOfOwnedPartition(partition: Partition): Epoch | undefined {
    return this.#epochByPartition.get(partition);
  }

  owns(partition: Partition): boolean {
    return this.#epochByPartition.has(partition);
  }

  /**
   * True while the partition is being handed over: only commands that other actors send or wait for are still accepted.
   */
  isBeingHandedOver(partition: Partition): boolean {
    return this.#leavingPartitions.has(partition);
  }

  /** Wall time (ms) at which this host took the partition; undefined if this host never owned it. */
  findTakenAt(partition: Partition): number | undefined {
    return this.#takenAtByPartition.get(partition);
  }

  /** Cancels all scheduled searches for sleepers (actors outside memory that have to be woken). */
  stopSleeperSearches(): void {
    this.#hasStoppedSleeperSearches = true;
    for (const timer of this.#sleeperSearchTimers) this.options.clock.clearTimeout(timer);
  }

  async take(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void> {
    const { clock, runtimeMetrics } = this.options;
    const began = clock.monotonic();
    await this.#takePartitions(partitions, epochs);
    runtimeMetrics.recordPartitionsTaken(partitions.length, clock.monotonic() - began);
  }

  async #takePartitions(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void> {
    const { activations, bus, clock } = this.options;
    // A partition may have been lost and taken again before the loss was noticed: its activations in memory have an old
    // epoch.
    const before = activations.findInPartitions(new Set(partitions));
    // Commits of these actors that are under way may become durable after the search for sleepers, so these actors are
    // woken in any case.
    const unsettled = before.filter(mayHaveCommitUnderWay).map(({ key }) => key);
    for (const a of before) a.stop('lapsed');
    for (const p of partitions) {
      this.#epochByPartition.set(p, epochs.get(p)!);
      this.#takenAtByPartition.set(p, clock.now());
      this.#leavingPartitions.delete(p);
    }
    /** False if this host lost the partition in the meantime, even if it took the partition again. */
    const ours = (p: Partition): boolean => this.#epochByPartition.get(p) === epochs.get(p);
    const woken = new Map<Partition, Promise<void>[]>();
    for (const key of await this.#findActorsToWake(partitions, ours, unsettled)) {
      const p = partitionOfActor(key);
      if (!ours(p)) continue;
      const loads = woken.get(p) ?? [];
      woken.set(p, loads);
      loads.push(activations.findOrStartActivation(key).loaded);
    }
    await Promise.all(
      partitions.map(async (p) => {
        // Partitions with many actors to wake keep no other partition waiting.
        await Promise.all(woken.get(p) ?? []);
        if (!ours(p)) return;
        const server = await bus.serve(busSubjectOfPartition(p), (request) =>
          this.options.receiveCommand(p, request as CommandBusRequest),
        );
        if (ours(p) && !this.#busServerByPartition.has(p)) this.#busServerByPartition.set(p, server);
        else await server.close();
      }),
    );
    this.#scheduleSecondSleeperSearch(partitions, epochs);
  }

  /**
   * Finds actors that a former owner left with unfinished work: they are woken before the partition answers its first
   * command.
   */
  async #findActorsToWake(
    partitions: readonly Partition[],
    ours: (p: Partition) => boolean,
    unsettled: readonly ActorKey[],
  ): Promise<ReadonlySet<ActorKey>> {
    const { clock, setDueTime, store } = this.options;
    const sleepers = await store.listActorsToWake(partitions);
    const now = clock.now();
    const toWake = new Set(unsettled);
    for (const { key, due: at, pending } of sleepers) {
      if (!ours(partitionOfActor(key))) continue;
      if (at !== null) setDueTime(key, at);
      if (pending || (at !== null && at <= now)) toWake.add(key);
    }
    return toWake;
  }

  /**
   * Schedules a second search for sleepers. A commit that a former owner had begun may become durable after the first
   * search, and that owner may be gone before it could wake the actor on this host (NewOwnerActorWaker).
   */
  #scheduleSecondSleeperSearch(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): void {
    if (this.#hasStoppedSleeperSearches) return;
    const { clock } = this.options;
    const look = async (): Promise<void> => {
      const ours = (p: Partition): boolean =>
        !this.#hasStoppedSleeperSearches && this.#epochByPartition.get(p) === epochs.get(p);
      const still = partitions.filter(ours);
      if (still.length === 0) return;
      try {
        await this.#startTimersOfSleepers(still, ours);
      } catch {
        this.#scheduleSecondSleeperSearch(still, epochs);
      }
    };
    const timer = clock.setTimeout(() => {
      this.#sleeperSearchTimers.delete(timer);
      void look();
    }, SECOND_SLEEPER_SEARCH_DELAY_MS);
    this.#sleeperSearchTimers.add(timer);
  }

  /** Starts the timers of all sleepers in an owned partition, also of those that another process has written. */
  startSleeperTimers(partition: Partition): Promise<void> {
    const epoch = this.#epochByPartition.get(partition);
    const ours = (p: Partition): boolean => !this.#hasStoppedSleeperSearches && this.#epochByPartition.get(p) === epoch;
    return this.#startTimersOfSleepers([partition], ours);
  }

  /** @param ours false for a partition that this host has lost meanwhile */
  async #startTimersOfSleepers(partitions: readonly Partition[], ours: (p: Partition) => boolean): Promise<void> {
    const { activations, dueTimers, store } = this.options;
    for (const { key, due, pending } of await store.listActorsToWake(partitions)) {
      if (!ours(partitionOfActor(key)) || activations.findActivation(key)) continue;
      if (due !== null) dueTimers.setWakeTimeIfEarlier(key, due);
      if (pending) activations.findOrStartActivation(key);
    }
  }

  async lose(partitions: readonly Partition[], reason: 'released' | 'lapsed', withinMs = MAX_DRAIN_MS): Promise<void> {
    const { clock, runtimeMetrics } = this.options;
    const began = clock.monotonic();
    await this.#givePartitionsUp(partitions, reason, withinMs);
    runtimeMetrics.recordPartitionsLost(partitions.length, reason, clock.monotonic() - began);
  }

  async #givePartitionsUp(
    partitions: readonly Partition[],
    reason: 'released' | 'lapsed',
    withinMs: number,
  ): Promise<void> {
    const { activations, clock, quotas, successorWakeup, dueTimers } = this.options;
    const epochs = new Map(partitions.map((p) => [p, this.#epochByPartition.get(p)]));
    if (reason === 'released') {
      await drainPartitions(clock, withinMs, {
        findActivations: (of) => activations.findInPartitions(new Set(of)),
        acceptOnlyActorCommands: () => this.#restrictToActorCommands(partitions, epochs),
        remainingPartitions: () => partitions.filter((p) => this.#leavingPartitions.has(p)),
        partitions: partitions,
      });
    }
    // During the drain, the lease may have lapsed and been taken again.
    const gone = new Set(partitions.filter((p) => this.#epochByPartition.get(p) === epochs.get(p)));
    for (const p of gone) {
      this.#epochByPartition.delete(p);
      this.#leavingPartitions.delete(p);
    }
    const moved = (key: ActorKey): boolean => gone.has(partitionOfActor(key));
    dueTimers.removeTimersWhere(moved);
    quotas.forgetActorsWhere(moved);
    const servers = [...gone].map((p) => this.#busServerByPartition.get(p)?.close());
    for (const p of gone) this.#busServerByPartition.delete(p);
    for (const a of activations.findInPartitions(gone)) {
      const unsettled = mayHaveCommitUnderWay(a);
      a.stop(reason === 'released' ? 'drained' : 'lapsed');
      if (unsettled) successorWakeup.wakeAtNewOwner(a.key);
    }
    if (reason === 'released') await Promise.all(servers);
  }

  /** Restricts the actors of these partitions, if still owned at this epoch, to commands that other actors need. */
  #restrictToActorCommands(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch | undefined>): void {
    for (const p of partitions) if (this.#epochByPartition.get(p) === epochs.get(p)) this.#leavingPartitions.add(p);
  }
}

/** True if the activation may have a commit under way. */
const mayHaveCommitUnderWay = (a: ActorActivation): boolean => a.status === 'ready' && !a.isDrained;
