/** The actors in memory: activated by a command or timer, passivated when idle, woken again after a failure. */
import type { Clock } from '#base/clock';
import {
  type ActivationStopReason,
  type ActorKey,
  type Epoch,
  type Partition,
  parseActorKey,
  partitionOfActor,
} from '#model';
import { ActorActivation } from './activation.js';
import { RETRY_DELAYS_MS, retryDelayMs } from './backoff.js';
import type { AnyActorKindDefinition } from './kind.js';
import type { ActorRuntimeMetrics } from './meters.js';
import type { ActorActivationPorts, StoppedActorActivation } from './ports.js';

/** Maximum of concurrent passivations. */
const MAX_CONCURRENT_PASSIVATIONS = 64;
/** Maximum of remembered ids of commands whose handler crashed an actor. */
const MAX_REMEMBERED_CRASHING_COMMANDS = 1_000;

interface ActorActivationsOptions {
  readonly clock: Clock;
  readonly kinds: Readonly<Record<string, AnyActorKindDefinition>>;
  readonly runtimeMetrics: ActorRuntimeMetrics;
  readonly ports: Omit<ActorActivationPorts, 'stopped' | 'mayHaveWriteUnderWay' | 'crashedBefore'>;
  /** Epoch under which this host owns the partition; undefined if this host does not own it. */
  epochOfPartition(partition: Partition): Epoch | undefined;
  /**
   * Wakes a failed actor on another host, which took over the actor's partition before this host could wake the actor.
   */
  wakeActorOnNewOwner(key: ActorKey): void;
}

export class ActorActivations implements Iterable<ActorActivation> {
  readonly #activationByKey = new Map<ActorKey, ActorActivation>();
  /** Actors that a failure stopped, with the number of wake-ups since then. */
  readonly #wakeUpCountByFailedActor = new Map<ActorKey, number>();
  /** Ids of commands whose handler threw an error that is no ApiError. */
  readonly #crashingCommandIds = new Set<string>();
  readonly #activationPorts: ActorActivationPorts;
  #hasStoppedWakingFailedActors = false;

  constructor(private readonly options: ActorActivationsOptions) {
    this.#activationPorts = {
      ...options.ports,
      mayHaveWriteUnderWay: (key) => this.#wakeUpCountByFailedActor.has(key),
      crashedBefore: (id) => this.#checkAndRecordCrash(id),
      stopped: (activation, reason, error) => this.#onActivationStopped(activation, reason, error),
    };
  }

  get activationCount(): number {
    return this.#activationByKey.size;
  }

  [Symbol.iterator](): Iterator<ActorActivation> {
    return this.#activationByKey.values();
  }

  findActivation(key: ActorKey): ActorActivation | undefined {
    return this.#activationByKey.get(key);
  }

  /** Returns the activations of the actors in these partitions. */
  findInPartitions(partitions: ReadonlySet<Partition>): ActorActivation[] {
    return [...this].filter((a) => partitions.has(partitionOfActor(a.key)));
  }

  /**
   * Loads the actor into memory unless it is there. This host must own the actor's partition.
   *
   * @param first name of the command for which the actor is activated
   */
  findOrStartActivation(key: ActorKey, first?: string): { activation: ActorActivation; loaded: Promise<void> } {
    const known = this.#activationByKey.get(key);
    if (known) return { activation: known, loaded: Promise.resolve() };
    const kind = this.options.kinds[parseActorKey(key).kind];
    if (!kind) throw new Error(`no such kind of actor: ${key}`);
    const epoch = this.options.epochOfPartition(partitionOfActor(key))!;
    const activation = new ActorActivation(key, kind, epoch, this.#activationPorts);
    this.#activationByKey.set(key, activation);
    // An actor that failed before most likely exists already, so the Store is read after all.
    if (first !== undefined && kind.commands[first]?.mintsKey && !this.#wakeUpCountByFailedActor.has(key)) {
      activation.beginNewActorWithoutStoreRead();
      return { activation, loaded: Promise.resolve() };
    }
    this.options.runtimeMetrics.forKind(kind).loadCounter.n++;
    return { activation, loaded: activation.loadFromStore() };
  }

  /** Passivates the activations that had no command for `idleMs`; resolves when they have left memory. */
  async passivateIdleActors(idleMs: number): Promise<void> {
    const now = this.options.clock.monotonic();
    const isIdle = (a: ActorActivation): boolean =>
      now - a.lastUsedMonotonicMs >= Math.min(idleMs, a.kind.idleTimeoutMs ?? idleMs) && a.isIdle;
    const idle = [...this].filter(isIdle);
    // A passivated actor may write first. The number of passivations at a time is limited, because thousands of actors
    // become idle together when their clients disconnect.
    const next = async (): Promise<void> => {
      for (let a = idle.pop(); a; a = idle.pop()) await a.passivate('passivated');
    };
    await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_PASSIVATIONS, idle.length) }, next));
  }

  /** Stops waking failed actors, for the shutdown of the host. */
  stopWakingFailedActors(): void {
    this.#hasStoppedWakingFailedActors = true;
  }

  #checkAndRecordCrash(id: string): boolean {
    if (this.#crashingCommandIds.has(id)) return true;
    if (this.#crashingCommandIds.size >= MAX_REMEMBERED_CRASHING_COMMANDS) this.#crashingCommandIds.clear();
    this.#crashingCommandIds.add(id);
    return false;
  }

  #onActivationStopped(activation: StoppedActorActivation, reason: ActivationStopReason, error: unknown): void {
    const { key } = activation;
    if (this.#activationByKey.get(key) === activation) this.#activationByKey.delete(key);
    const { logger, setDueTime, storeOutage } = this.#activationPorts;
    const why = reason === 'ended' ? activation.endReason : undefined;
    const meter = this.options.runtimeMetrics.forKind(activation.kind);
    meter.countActivationStop(reason);
    if (why !== undefined) meter.countActorEnd(why);
    if (reason === 'store-failed' || reason === 'fenced' || reason === 'crashed') {
      const level = storeOutage.isFailureLogDue(error) ? 'warn' : 'debug';
      logger[level]({ actor: key, reason, err: error }, 'actor stopped');
      this.#wakeFailedActorLater(key);
    } else {
      this.#wakeUpCountByFailedActor.delete(key);
      logger.debug({ actor: key, reason, why }, 'actor stopped');
    }
    if (reason === 'ended') setDueTime(key, null);
  }

  /** Wakes a failed actor after a delay, because its outbox must not wait for the next command. */
  #wakeFailedActorLater(key: ActorKey): void {
    const tries = this.#wakeUpCountByFailedActor.get(key) ?? 0;
    this.#wakeUpCountByFailedActor.set(key, tries + 1);
    const delay = retryDelayMs(RETRY_DELAYS_MS.wake, tries);
    this.options.clock.setTimeout(() => {
      if (this.#hasStoppedWakingFailedActors) return;
      if (this.options.epochOfPartition(partitionOfActor(key)) === undefined) {
        this.#wakeUpCountByFailedActor.delete(key);
        this.options.wakeActorOnNewOwner(key);
        return;
      }
      const { activation, loaded } = this.findOrStartActivation(key);
      void loaded.then(() => {
        if (activation.status === 'ready') this.#wakeUpCountByFailedActor.delete(key);
      });
    }, delay);
  }
}
