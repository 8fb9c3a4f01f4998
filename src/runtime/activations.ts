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
const MAX_PASSIVATIONS = 64;
/** Maximum of remembered ids of commands whose handler crashed an actor. */
const MAX_CRASHERS = 1_000;

interface ActivationsOptions {
  readonly clock: Clock;
  readonly kinds: Readonly<Record<string, AnyActorKindDefinition>>;
  readonly meters: ActorRuntimeMetrics;
  readonly ports: Omit<ActorActivationPorts, 'stopped' | 'mayHaveWriteUnderWay' | 'crashedBefore'>;
  /** Epoch under which this host owns the partition; undefined if this host does not own it. */
  epochOf(partition: Partition): Epoch | undefined;
  /**
   * Wakes a failed actor on another host, which took over the actor's partition before this host could wake the actor.
   */
  wakeSuccessor(key: ActorKey): void;
}

export class ActorActivations implements Iterable<ActorActivation> {
  readonly #byKey = new Map<ActorKey, ActorActivation>();
  /** Actors that a failure stopped, with the number of wake-ups since then. */
  readonly #retries = new Map<ActorKey, number>();
  /** Ids of commands whose handler threw an error that is no ApiError. */
  readonly #crashers = new Set<string>();
  readonly #ports: ActorActivationPorts;
  #closed = false;

  constructor(private readonly options: ActivationsOptions) {
    this.#ports = {
      ...options.ports,
      mayHaveWriteUnderWay: (key) => this.#retries.has(key),
      crashedBefore: (id) => this.#crashedBefore(id),
      stopped: (activation, reason, error) => this.#stopped(activation, reason, error),
    };
  }

  get size(): number {
    return this.#byKey.size;
  }

  [Symbol.iterator](): Iterator<ActorActivation> {
    return this.#byKey.values();
  }

  get(key: ActorKey): ActorActivation | undefined {
    return this.#byKey.get(key);
  }

  /** Returns the activations of the actors in these partitions. */
  of(partitions: ReadonlySet<Partition>): ActorActivation[] {
    return [...this].filter((a) => partitions.has(partitionOfActor(a.key)));
  }

  /**
   * Loads the actor into memory unless it is there. This host must own the actor's partition.
   *
   * @param first name of the command for which the actor is activated
   */
  activate(key: ActorKey, first?: string): { activation: ActorActivation; loaded: Promise<void> } {
    const known = this.#byKey.get(key);
    if (known) return { activation: known, loaded: Promise.resolve() };
    const kind = this.options.kinds[parseActorKey(key).kind];
    if (!kind) throw new Error(`no such kind of actor: ${key}`);
    const epoch = this.options.epochOf(partitionOfActor(key))!;
    const activation = new ActorActivation(key, kind, epoch, this.#ports);
    this.#byKey.set(key, activation);
    // An actor that failed before most likely exists already, so the Store is read after all.
    if (first !== undefined && kind.commands[first]?.mintsKey && !this.#retries.has(key)) {
      activation.begin();
      return { activation, loaded: Promise.resolve() };
    }
    this.options.meters.of(kind).loads.n++;
    return { activation, loaded: activation.load() };
  }

  /** Passivates the activations that had no command for `idleMs`; resolves when they have left memory. */
  async passivateIdle(idleMs: number): Promise<void> {
    const now = this.options.clock.monotonic();
    const isIdle = (a: ActorActivation): boolean =>
      now - a.lastUsed >= Math.min(idleMs, a.kind.idleTimeoutMs ?? idleMs) && a.isIdle;
    const idle = [...this].filter(isIdle);
    // A passivated actor may write first. The number of passivations at a time is limited, because thousands of actors
    // become idle together when their clients disconnect.
    const next = async (): Promise<void> => {
      for (let a = idle.pop(); a; a = idle.pop()) await a.passivate('passivated');
    };
    await Promise.all(Array.from({ length: Math.min(MAX_PASSIVATIONS, idle.length) }, next));
  }

  /** Stops waking failed actors, for the shutdown of the host. */
  close(): void {
    this.#closed = true;
  }

  #crashedBefore(id: string): boolean {
    if (this.#crashers.has(id)) return true;
    if (this.#crashers.size >= MAX_CRASHERS) this.#crashers.clear();
    this.#crashers.add(id);
    return false;
  }

  #stopped(activation: StoppedActorActivation, reason: ActivationStopReason, error: unknown): void {
    const { key } = activation;
    if (this.#byKey.get(key) === activation) this.#byKey.delete(key);
    const { logger, due } = this.#ports;
    const why = reason === 'ended' ? activation.endReason : undefined;
    const meter = this.options.meters.of(activation.kind);
    meter.stopped(reason);
    if (why !== undefined) meter.ended(why);
    if (reason === 'store-failed' || reason === 'fenced' || reason === 'crashed') {
      logger.warn({ actor: key, reason, err: error }, 'actor stopped');
      this.#wakeLater(key);
    } else {
      this.#retries.delete(key);
      logger.debug({ actor: key, reason, why }, 'actor stopped');
    }
    if (reason === 'ended') due(key, null);
  }

  /** Wakes a failed actor after a delay, because its outbox must not wait for the next command. */
  #wakeLater(key: ActorKey): void {
    const tries = this.#retries.get(key) ?? 0;
    this.#retries.set(key, tries + 1);
    const delay = retryDelayMs(RETRY_DELAYS_MS.wake, tries);
    this.options.clock.setTimeout(() => {
      if (this.#closed) return;
      if (this.options.epochOf(partitionOfActor(key)) === undefined) {
        this.#retries.delete(key);
        this.options.wakeSuccessor(key);
        return;
      }
      const { activation, loaded } = this.activate(key);
      void loaded.then(() => {
        if (activation.status === 'ready') this.#retries.delete(key);
      });
    }, delay);
  }
}
