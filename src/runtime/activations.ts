/** Actors in memory: activated when something comes for them, let go when idle, woken again when their host failed them. */
import type { Clock } from '#base/clock';
import type { StopReason } from '#model';
import { type ActorKey, type Epoch, type Partition, parseKey, partitionOf } from '#model';
import { Activation } from './activation.js';
import type { AnyKind } from './kind.js';
import type { Meters } from './meters.js';
import type { ActivationPorts } from './ports.js';

const PASSIVATED_AT_ONCE = 64;
const FIRST_WAKE_RETRY_MS = 250;
const LONGEST_WAKE_RETRY_MS = 5_000;
const REMEMBERED_CRASHERS = 1_000;

export interface ActivationsOptions {
  readonly clock: Clock;
  readonly kinds: Readonly<Record<string, AnyKind>>;
  readonly meters: Meters;
  readonly ports: Omit<ActivationPorts, 'stopped' | 'mayHaveWriteUnderWay' | 'crashedBefore'>;
  /** Under which its partition is ours. */
  epochOf(partition: Partition): Epoch | undefined;
  /** Its partition has gone before it could be woken again. */
  handOn(key: ActorKey): void;
}

export class Activations implements Iterable<Activation> {
  readonly #byKey = new Map<ActorKey, Activation>();
  /** How often those that were stopped by a failure have been woken since. */
  readonly #retries = new Map<ActorKey, number>();
  /** Commands whose handler threw. */
  readonly #crashers = new Set<string>();
  readonly #ports: ActivationPorts;
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

  [Symbol.iterator](): Iterator<Activation> {
    return this.#byKey.values();
  }

  get(key: ActorKey): Activation | undefined {
    return this.#byKey.get(key);
  }

  /** Those of these partitions. */
  of(partitions: ReadonlySet<Partition>): Activation[] {
    return [...this].filter((a) => partitions.has(partitionOf(a.key)));
  }

  /**
   * The actor is in memory, or on its way; its partition must be ours.
   *
   * @param first command for it
   */
  activate(key: ActorKey, first?: string): { activation: Activation; loaded: Promise<void> } {
    const known = this.#byKey.get(key);
    if (known) return { activation: known, loaded: Promise.resolve() };
    const kind = this.options.kinds[parseKey(key).kind];
    if (!kind) throw new Error(`no such kind of actor: ${key}`);
    const epoch = this.options.epochOf(partitionOf(key))!;
    const activation = new Activation(key, kind, epoch, this.#ports);
    this.#byKey.set(key, activation);
    // One that stopped, most likely because it was there already, is looked for.
    if (first !== undefined && kind.commands[first]?.mintsKey && !this.#retries.has(key)) {
      activation.begin();
      return { activation, loaded: Promise.resolve() };
    }
    this.options.meters.of(kind).loads.n++;
    return { activation, loaded: activation.load() };
  }

  /** Drop those that nobody has used for this long; returns when they are gone. */
  async passivateIdle(idleMs: number): Promise<void> {
    const now = this.options.clock.monotonic();
    const isIdle = (a: Activation): boolean =>
      now - a.lastUsed >= Math.min(idleMs, a.kind.idleTimeoutMs ?? idleMs) && a.isIdle;
    const idle = [...this].filter(isIdle);
    // Each may have something to write first: not all at once, when thousands of clients went away together.
    const next = async (): Promise<void> => {
      for (let a = idle.pop(); a; a = idle.pop()) await a.passivate('passivated');
    };
    await Promise.all(Array.from({ length: Math.min(PASSIVATED_AT_ONCE, idle.length) }, next));
  }

  /** Nothing is woken again any more. */
  close(): void {
    this.#closed = true;
  }

  #crashedBefore(id: string): boolean {
    if (this.#crashers.has(id)) return true;
    if (this.#crashers.size >= REMEMBERED_CRASHERS) this.#crashers.clear();
    this.#crashers.add(id);
    return false;
  }

  #stopped(activation: Activation, reason: StopReason, error: unknown): void {
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

  /** What it left in the outbox must not wait for the next command. */
  #wakeLater(key: ActorKey): void {
    const tries = this.#retries.get(key) ?? 0;
    this.#retries.set(key, tries + 1);
    const delay = Math.min(FIRST_WAKE_RETRY_MS * 2 ** tries, LONGEST_WAKE_RETRY_MS);
    this.options.clock.setTimeout(() => {
      if (this.#closed) return;
      if (this.options.epochOf(partitionOf(key)) === undefined) {
        this.#retries.delete(key);
        this.options.handOn(key);
        return;
      }
      const { activation, loaded } = this.activate(key);
      void loaded.then(() => {
        if (activation.status === 'ready') this.#retries.delete(key);
      });
    }, delay);
  }
}
