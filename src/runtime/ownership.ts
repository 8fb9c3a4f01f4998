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
import type { ActorDueTimers } from './due-timers.js';
import type { ActorRuntimeMetrics } from './meters.js';
import type { CommandBusRequest } from './protocol.js';
import type { SuccessorActorWakeup } from './successor-wakeup.js';

/** Maximum time for which a hand-over waits for commands that have begun, ms. */
const DRAIN_MS = 10_000;
/**
 * Delay of the second search for sleepers (actors outside memory with unfinished work or a due time), ms: longer than a
 * write to the Store takes.
 */
const LOOK_AGAIN_MS = 10_000;

interface OwnershipOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly bus: Bus;
  readonly meters: ActorRuntimeMetrics;
  readonly activations: ActorActivations;
  readonly timers: ActorDueTimers;
  readonly quotas: ActorQuotas;
  readonly successors: SuccessorActorWakeup;
  due(key: ActorKey, at: number | null): void;
  receive(partition: Partition, request: CommandBusRequest): void;
}

export class HostPartitionOwnership implements PartitionOwnershipListener {
  readonly #epochs = new Map<Partition, Epoch>();
  /** Wall time (ms) at which this host took each partition. */
  readonly #since = new Map<Partition, number>();
  readonly #leaving = new Set<Partition>();
  readonly #servers = new Map<Partition, BusServerHandle>();
  /** Timers of second searches for sleepers (actors outside memory with unfinished work or a due time). */
  readonly #looks = new Set<TimerHandle>();
  #closed = false;

  constructor(private readonly options: OwnershipOptions) {}

  /** Number of partitions whose commands this host executes. */
  get served(): number {
    return this.#servers.size;
  }

  epochOf(partition: Partition): Epoch | undefined {
    return this.#epochs.get(partition);
  }

  owns(partition: Partition): boolean {
    return this.#epochs.has(partition);
  }

  /**
   * True while the partition is being handed over: only commands that other actors send or wait for are still accepted.
   */
  isLeaving(partition: Partition): boolean {
    return this.#leaving.has(partition);
  }

  /** Wall time (ms) at which this host took the partition; undefined if this host never owned it. */
  since(partition: Partition): number | undefined {
    return this.#since.get(partition);
  }

  /** Cancels all scheduled searches for sleepers (actors outside memory that have to be woken). */
  close(): void {
    this.#closed = true;
    for (const timer of this.#looks) this.options.clock.clearTimeout(timer);
  }

  async take(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void> {
    const { clock, meters } = this.options;
    const began = clock.monotonic();
    await this.#take(partitions, epochs);
    meters.partitionsTaken(partitions.length, clock.monotonic() - began);
  }

  async #take(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void> {
    const { activations, bus, clock } = this.options;
    // A partition may have been lost and taken again before the loss was noticed: its activations in memory have an old
    // epoch.
    const before = activations.of(new Set(partitions));
    // Commits of these actors that are under way may become durable after the search for sleepers, so these actors are
    // woken in any case.
    const unsettled = before.filter(isUnsettled).map(({ key }) => key);
    for (const a of before) a.stop('lapsed');
    for (const p of partitions) {
      this.#epochs.set(p, epochs.get(p)!);
      this.#since.set(p, clock.now());
      this.#leaving.delete(p);
    }
    /** False if this host lost the partition in the meantime, even if it took the partition again. */
    const ours = (p: Partition): boolean => this.#epochs.get(p) === epochs.get(p);
    const woken = new Map<Partition, Promise<void>[]>();
    for (const key of await this.#undone(partitions, ours, unsettled)) {
      const p = partitionOfActor(key);
      if (!ours(p)) continue;
      const loads = woken.get(p) ?? [];
      woken.set(p, loads);
      loads.push(activations.activate(key).loaded);
    }
    await Promise.all(
      partitions.map(async (p) => {
        // Partitions with many actors to wake keep no other partition waiting.
        await Promise.all(woken.get(p) ?? []);
        if (!ours(p)) return;
        const server = await bus.serve(busSubjectOfPartition(p), (request) =>
          this.options.receive(p, request as CommandBusRequest),
        );
        if (ours(p) && !this.#servers.has(p)) this.#servers.set(p, server);
        else await server.close();
      }),
    );
    this.#lookAgainLater(partitions, epochs);
  }

  /**
   * Finds actors that a former owner left with unfinished work: they are woken before the partition answers its first
   * command.
   */
  async #undone(
    partitions: readonly Partition[],
    ours: (p: Partition) => boolean,
    unsettled: readonly ActorKey[],
  ): Promise<ReadonlySet<ActorKey>> {
    const { clock, due, store } = this.options;
    const sleepers = await store.sleepers(partitions);
    const now = clock.now();
    const toWake = new Set(unsettled);
    for (const { key, due: at, pending } of sleepers) {
      if (!ours(partitionOfActor(key))) continue;
      if (at !== null) due(key, at);
      if (pending || (at !== null && at <= now)) toWake.add(key);
    }
    return toWake;
  }

  /**
   * Schedules a second search for sleepers. A commit that a former owner had begun may become durable after the first
   * search, and that owner may be gone before it could wake the actor on this host (SuccessorActorWakeup).
   */
  #lookAgainLater(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): void {
    if (this.#closed) return;
    const { activations, clock, store, timers } = this.options;
    const look = async (): Promise<void> => {
      const ours = (p: Partition): boolean => !this.#closed && this.#epochs.get(p) === epochs.get(p);
      const still = partitions.filter(ours);
      if (still.length === 0) return;
      try {
        for (const { key, due, pending } of await store.sleepers(still)) {
          if (!ours(partitionOfActor(key)) || activations.get(key)) continue;
          if (due !== null) timers.atLatest(key, due);
          if (pending) activations.activate(key);
        }
      } catch {
        this.#lookAgainLater(still, epochs);
      }
    };
    const timer = clock.setTimeout(() => {
      this.#looks.delete(timer);
      void look();
    }, LOOK_AGAIN_MS);
    this.#looks.add(timer);
  }

  async lose(partitions: readonly Partition[], reason: 'released' | 'lapsed', withinMs = DRAIN_MS): Promise<void> {
    const { clock, meters } = this.options;
    const began = clock.monotonic();
    await this.#lose(partitions, reason, withinMs);
    meters.partitionsLost(partitions.length, reason, clock.monotonic() - began);
  }

  async #lose(partitions: readonly Partition[], reason: 'released' | 'lapsed', withinMs: number): Promise<void> {
    const { activations, clock, quotas, successors, timers } = this.options;
    const epochs = new Map(partitions.map((p) => [p, this.#epochs.get(p)]));
    if (reason === 'released') {
      await drainPartitions(clock, withinMs, {
        activations: (of) => activations.of(new Set(of)),
        leave: () => this.#leave(partitions, epochs),
        left: () => partitions.filter((p) => this.#leaving.has(p)),
        all: partitions,
      });
    }
    // During the drain, the lease may have lapsed and been taken again.
    const gone = new Set(partitions.filter((p) => this.#epochs.get(p) === epochs.get(p)));
    for (const p of gone) {
      this.#epochs.delete(p);
      this.#leaving.delete(p);
    }
    const moved = (key: ActorKey): boolean => gone.has(partitionOfActor(key));
    timers.drop(moved);
    quotas.drop(moved);
    const servers = [...gone].map((p) => this.#servers.get(p)?.close());
    for (const p of gone) this.#servers.delete(p);
    for (const a of activations.of(gone)) {
      const unsettled = isUnsettled(a);
      a.stop(reason === 'released' ? 'drained' : 'lapsed');
      if (unsettled) successors.wake(a.key);
    }
    if (reason === 'released') await Promise.all(servers);
  }

  /** Restricts the actors of these partitions, if still owned at this epoch, to commands that other actors need. */
  #leave(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch | undefined>): void {
    for (const p of partitions) if (this.#epochs.get(p) === epochs.get(p)) this.#leaving.add(p);
  }
}

/** True if the activation may have a commit under way. */
const isUnsettled = (a: ActorActivation): boolean => a.status === 'ready' && !a.isDrained;
