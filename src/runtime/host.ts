/**
 * The actor host: owns partitions, activates actors when a command or a timer comes, and lets idle ones go.
 */
import type { Bus, BusRequest, BusServer } from '../bus/index.js';
import type { Clock, TimerHandle } from '../clock/index.js';
import {
  type ActorKey,
  type Epoch,
  type Json,
  type JsonObject,
  type Partition,
  parseKey,
  partitionOf,
  partitionSubject,
  type RealmId,
} from '../core/index.js';
import type { DirectoryView } from '../directory/index.js';
import type { EventLog } from '../log/index.js';
import { Metrics } from '../metrics/index.js';
import type { PartitionOwner, Placement } from '../placement/index.js';
import type { Store } from '../store/index.js';
import { Activation, OWN_COMMAND } from './activation.js';
import { registerCensus } from './census.js';
import { ActorClient } from './client.js';
import { Crowds } from './crowds.js';
import { drain } from './drain.js';
import { DueTimers } from './due-timers.js';
import { Gate } from './gate.js';
import { IdSource } from './id-source.js';
import type { AnyKind, HostServices, Suppliers } from './kind.js';
import { Meters } from './meters.js';
import type { Delivery } from './outbox.js';
import type { ActivationPorts, Logger } from './ports.js';
import { type Envelope, isFromActor, type OutboxCommand, type Reply, WAKE } from './protocol.js';
import type { StopReason } from './reasons.js';
import { Untold } from './untold.js';

/** How the host sees directory replicas; src/directory implements it. */
export interface DirectorySource {
  /** A promise while the replica is missing or behind `after`. */
  ready(realm: RealmId, after: number): Promise<void> | undefined;
  now(realm: RealmId): DirectoryView;
}

export interface HostOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly log: EventLog;
  readonly bus: Bus;
  readonly placement: Placement;
  readonly directory: DirectorySource;
  readonly kinds: Readonly<Record<string, AnyKind>>;
  readonly services: HostServices;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  /** An actor that got no command for this long leaves memory. Default 5 minutes. */
  readonly idleMs?: number;
  /** Event queues that one account may have. Default: any number. */
  readonly maxQueues?: number;
}

const DEFAULT_IDLE_MS = 300_000;
const SWEEP_MS = 30_000;
const PASSIVATED_AT_ONCE = 64;
/** Reads of actors under way: more would only wait for connections of the Store, and for less patience than ours. */
const LOADED_AT_ONCE = 64;
const FIRST_WAKE_RETRY_MS = 250;
const LONGEST_WAKE_RETRY_MS = 5_000;
/** Shown also while no queue is in them. */
const QUEUE_PHASES = ['idle', 'polling', 'hibernated'];
/** Handing over waits this long for what was begun. */
const DRAIN_MS = 10_000;
const REMEMBERED_CRASHERS = 1_000;
const WAKE_AGAIN_MS = 5_000;
/** Longer than a write to the Store is under way. */
const LOOK_AGAIN_MS = 10_000;
const HAND_ON_MS = 60_000;
/** The same, when this host ends. */
const LAST_HAND_ON_MS = 2_000;

/** Of an envelope that no frontend sent: its id has no number, so its reply needs no memory. */
const FROM_HERE = { caller: 0, client: '', after: 0, settled: 0, requestId: '' } as const;

export class ActorHost implements PartitionOwner {
  readonly client: ActorClient;
  readonly suppliers: Suppliers;
  readonly #activations = new Map<ActorKey, Activation>();
  readonly #epochs = new Map<Partition, Epoch>();
  /** Wall time at which we took it. */
  readonly #since = new Map<Partition, number>();
  /** Being handed over: only commands of other actors are still taken. */
  readonly #leaving = new Set<Partition>();
  readonly #servers = new Map<Partition, BusServer>();
  readonly #retries = new Map<ActorKey, number>();
  /** Commands whose handler threw. */
  readonly #crashers = new Set<string>();
  readonly #timers: DueTimers;
  readonly #crowds: Crowds;
  readonly #ports: ActivationPorts;
  readonly #meters: Meters;
  #sweep: TimerHandle | undefined;
  /** Second looks for sleepers that are to come. */
  readonly #looks = new Set<TimerHandle>();
  /** Actors being woken at their new owners. */
  readonly #handedOn = new Set<Promise<unknown>>();
  /** Commands that went to activations here without the bus. */
  #tells = 0;
  #closed = false;

  constructor(private readonly options: HostOptions) {
    const metrics = options.metrics ?? new Metrics();
    this.#meters = new Meters(metrics);
    this.client = new ActorClient(options.bus, options.clock, metrics);
    const ids = new IdSource(this.client);
    this.#timers = new DueTimers(options.clock, (key) => this.#wake(key));
    this.#crowds = new Crowds(options.maxQueues ?? Number.POSITIVE_INFINITY, {
      busy: (key) => this.#activations.get(key)?.livePhase === 'polling',
      end: (key) => this.#tell(key, 'end', { reason: 'crowded' }),
    });
    const untold = new Untold(options.clock);
    this.suppliers = {
      messageId: (realm) => ids.next(realm),
      ask: (to, name, args, caller, requestId) => this.#ask(to, name, args, caller, requestId),
      store: options.store,
      log: options.log,
      directory: async (realm) => {
        await options.directory.ready(realm, 0);
        return options.directory.now(realm);
      },
      told: (realm) => untold.told(realm),
      services: options.services,
    };
    this.#ports = {
      clock: options.clock,
      store: options.store,
      log: options.log,
      logger: options.logger,
      suppliers: this.suppliers,
      directory: (realm, after) => options.directory.ready(realm, after),
      directoryNow: (realm) => options.directory.now(realm),
      untold,
      meters: this.#meters,
      sendFromOutbox: (command, id, requestId) => this.#sendFromOutbox(command, id, requestId),
      tell: (key, name, args) => this.#tell(key, name, args),
      suspect: (key) => this.#retries.has(key),
      crashedBefore: (id) => this.#crashedBefore(id),
      due: (key, at) => this.#due(key, at),
      loads: new Gate(LOADED_AT_ONCE),
      owned: (key) => this.#since.get(partitionOf(key)) ?? options.clock.now(),
      stopped: (activation, reason, error) => this.#stopped(activation, reason, error),
    };
    registerCensus(
      metrics,
      () => this.#activations.values(),
      kindNames(options.kinds),
      QUEUE_PHASES,
      () => this.#timers.count((key) => parseKey(key).kind === 'queue' && !this.#activations.has(key)),
    );
    metrics.read('conclave_partitions_owned', () => this.#servers.size);
  }

  /** Join the cluster: from now on partitions come and go. */
  async start(): Promise<void> {
    this.#scheduleSweep();
    await this.options.placement.start(this);
  }

  /** Leave: finish what was begun, hand everything over. */
  async stop(): Promise<void> {
    this.#closed = true;
    if (this.#sweep) this.options.clock.clearTimeout(this.#sweep);
    for (const timer of this.#looks) this.options.clock.clearTimeout(timer);
    await this.options.placement.stop();
    await this.#allHandedOn();
    this.#timers.clear();
  }

  async take(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void> {
    const began = this.options.clock.monotonic();
    await this.#take(partitions, epochs);
    this.#meters.took(partitions.length, this.options.clock.monotonic() - began);
  }

  async #take(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void> {
    // Lost and taken again before we heard of the loss: what is in memory has an epoch that is over.
    const before = this.#of(new Set(partitions));
    // A commit of theirs that is under way may yet become durable, after we have looked for sleepers.
    const unsettled = before.filter((a) => a.status === 'ready' && !a.atRest).map(({ key }) => key);
    for (const a of before) a.stop('lapsed');
    for (const p of partitions) {
      this.#epochs.set(p, epochs.get(p)!);
      this.#since.set(p, this.options.clock.now());
      this.#leaving.delete(p);
    }
    /** It may be lost again, or even taken again, while we wait. */
    const ours = (p: Partition): boolean => this.#epochs.get(p) === epochs.get(p);
    // Nothing sleeps for ever: what a former owner left undone comes before the first answer.
    const sleepers = await this.options.store.sleepers(partitions);
    const now = this.options.clock.now();
    const toWake = new Set(unsettled);
    for (const { key, due, pending } of sleepers) {
      if (!ours(partitionOf(key))) continue;
      if (due !== null) this.#due(key, due);
      if (pending || (due !== null && due <= now)) toWake.add(key);
    }
    const woken = new Map<Partition, Promise<void>[]>();
    for (const key of toWake) {
      const p = partitionOf(key);
      if (!ours(p)) continue;
      const loads = woken.get(p) ?? [];
      woken.set(p, loads);
      loads.push(this.#activate(key).loaded);
    }
    await Promise.all(
      partitions.map(async (p) => {
        // A partition that has many to wake keeps no other one waiting.
        await Promise.all(woken.get(p) ?? []);
        if (!ours(p)) return;
        const server = await this.options.bus.serve(partitionSubject(p), (request) => this.#receive(p, request));
        if (ours(p) && !this.#servers.has(p)) this.#servers.set(p, server);
        else await server.close();
      }),
    );
    this.#lookAgainLater(partitions, epochs);
  }

  /**
   * A commit that a former owner had begun may have become durable after we looked for sleepers, and that owner be gone before it
   * could have the actor woken here (#handOn).
   */
  #lookAgainLater(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): void {
    const look = async (): Promise<void> => {
      const ours = (p: Partition): boolean => !this.#closed && this.#epochs.get(p) === epochs.get(p);
      const still = partitions.filter(ours);
      if (still.length === 0) return;
      try {
        for (const { key, due, pending } of await this.options.store.sleepers(still)) {
          if (!ours(partitionOf(key)) || this.#activations.has(key)) continue;
          if (due !== null) this.#timers.atLatest(key, due);
          if (pending) this.#activate(key);
        }
      } catch {
        this.#lookAgainLater(still, epochs);
      }
    };
    if (this.#closed) return;
    const timer = this.options.clock.setTimeout(() => {
      this.#looks.delete(timer);
      void look();
    }, LOOK_AGAIN_MS);
    this.#looks.add(timer);
  }

  async lose(partitions: readonly Partition[], reason: 'released' | 'lapsed', withinMs = DRAIN_MS): Promise<void> {
    const began = this.options.clock.monotonic();
    await this.#lose(partitions, reason, withinMs);
    this.#meters.lost(partitions.length, reason, this.options.clock.monotonic() - began);
  }

  async #lose(partitions: readonly Partition[], reason: 'released' | 'lapsed', withinMs: number): Promise<void> {
    const epochs = new Map(partitions.map((p) => [p, this.#epochs.get(p)]));
    if (reason === 'released') {
      await drain(this.options.clock, withinMs, {
        activations: (of) => this.#of(new Set(of)),
        leave: () => this.#leave(partitions, epochs),
        left: () => partitions.filter((p) => this.#leaving.has(p)),
        all: partitions,
      });
    }
    // While we drained, the lease may have lapsed and been taken anew.
    const gone = new Set(partitions.filter((p) => this.#epochs.get(p) === epochs.get(p)));
    for (const p of gone) {
      this.#epochs.delete(p);
      this.#leaving.delete(p);
    }
    const moved = (key: ActorKey): boolean => gone.has(partitionOf(key));
    this.#timers.drop(moved);
    this.#crowds.drop(moved);
    const servers = [...gone].map((p) => this.#servers.get(p)?.close());
    for (const p of gone) this.#servers.delete(p);
    for (const a of this.#of(gone)) {
      const unsettled = a.status === 'ready' && !a.atRest;
      a.stop(reason === 'released' ? 'drained' : 'lapsed');
      if (unsettled) this.#handOn(a.key);
    }
    if (reason === 'released') await Promise.all(servers);
  }

  /**
   * A commit of ours may become durable after the new owner has looked for actors with something left to do, and nobody might
   * ever send the actor another command: have it woken there.
   */
  #handOn(key: ActorKey): void {
    const { client, options } = this;
    const deadlineMs = this.#closed ? LAST_HAND_ON_MS : HAND_ON_MS;
    const woken: Promise<unknown> = client
      .send(key, WAKE, {}, { deadlineMs })
      .reply.catch((error: unknown) => {
        options.logger.warn({ actor: key, err: error }, 'an actor that moved away could not be woken there');
      })
      .finally(() => this.#handedOn.delete(woken));
    this.#handedOn.add(woken);
  }

  /** Before the process ends: nobody else would tell. */
  async #allHandedOn(): Promise<void> {
    if (this.#handedOn.size === 0) return;
    const { clock } = this.options;
    let timer: TimerHandle | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, LAST_HAND_ON_MS);
    });
    await Promise.race([Promise.all(this.#handedOn), enough]);
    if (timer) clock.clearTimeout(timer);
  }

  /** Let go of those that are still ours at this epoch: from now on their actors only take commands of other actors. */
  #leave(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch | undefined>): void {
    for (const p of partitions) if (this.#epochs.get(p) === epochs.get(p)) this.#leaving.add(p);
  }

  #of(partitions: ReadonlySet<Partition>): Activation[] {
    return [...this.#activations.values()].filter((a) => partitions.has(partitionOf(a.key)));
  }

  /** For metrics and tests. */
  get active(): number {
    return this.#activations.size;
  }

  /** For tests: those in memory. */
  get activeKeys(): readonly ActorKey[] {
    return [...this.#activations.keys()];
  }

  /** Drop idle actors now; returns when they are gone. */
  async passivateIdle(idleMs: number): Promise<void> {
    const now = this.options.clock.monotonic();
    const isIdle = (a: Activation): boolean => now - a.lastUsed >= Math.min(idleMs, a.kind.restMs ?? idleMs) && a.quiet;
    const idle = [...this.#activations.values()].filter(isIdle);
    // Each may have something to write first: not all at once, when thousands of clients went away together.
    const next = async (): Promise<void> => {
      for (let a = idle.pop(); a; a = idle.pop()) await a.retire('passivated');
    };
    await Promise.all(Array.from({ length: Math.min(PASSIVATED_AT_ONCE, idle.length) }, next));
  }

  #receive(p: Partition, request: BusRequest): void {
    const envelope = request.value as unknown as Envelope;
    const left = this.#leaving.has(p) && !isFromActor(envelope.id);
    if (left || !this.#epochs.has(p) || !this.options.placement.mayAnswer(p)) {
      this.#meters.refused('not-owner');
      request.reply({ retry: 'not-owner' } satisfies Reply as never);
      return;
    }
    this.#activate(envelope.to, envelope.name).activation.receive(
      envelope,
      guarded(request, () => this.options.placement.mayAnswer(p)),
    );
  }

  /** @param first command for it */
  #activate(key: ActorKey, first?: string): { activation: Activation; loaded: Promise<void> } {
    const known = this.#activations.get(key);
    if (known) return { activation: known, loaded: Promise.resolve() };
    const kind = this.options.kinds[parseKey(key).kind];
    if (!kind) throw new Error(`no such kind of actor: ${key}`);
    const epoch = this.#epochs.get(partitionOf(key))!;
    const activation = new Activation(key, kind, epoch, this.#ports);
    this.#activations.set(key, activation);
    // One that stopped, most likely because it was there already, is looked for.
    if (first !== undefined && kind.commands[first]?.founds && !this.#retries.has(key)) {
      activation.found();
      return { activation, loaded: Promise.resolve() };
    }
    this.#meters.of(kind.name).loads.n++;
    return { activation, loaded: activation.load() };
  }

  #crashedBefore(id: string): boolean {
    if (this.#crashers.has(id)) return true;
    if (this.#crashers.size >= REMEMBERED_CRASHERS) this.#crashers.clear();
    this.#crashers.add(id);
    return false;
  }

  #stopped(activation: Activation, reason: StopReason, error: unknown): void {
    const { key } = activation;
    if (this.#activations.get(key) === activation) this.#activations.delete(key);
    const { logger } = this.options;
    const why = reason === 'ended' ? activation.endReason : undefined;
    this.#meters.of(activation.kind.name).stopped(reason);
    if (why !== undefined) this.#meters.ended(why);
    if (reason === 'store-failed' || reason === 'fenced' || reason === 'crashed') {
      logger.warn({ actor: key, reason, err: error }, 'actor stopped');
      this.#wakeLater(key);
    } else {
      this.#retries.delete(key);
      logger.debug({ actor: key, reason, why }, 'actor stopped');
    }
    if (reason === 'ended') this.#due(key, null);
  }

  /** What it left in the outbox must not wait for the next command. */
  #wakeLater(key: ActorKey): void {
    const tries = this.#retries.get(key) ?? 0;
    this.#retries.set(key, tries + 1);
    const delay = Math.min(FIRST_WAKE_RETRY_MS * 2 ** tries, LONGEST_WAKE_RETRY_MS);
    this.options.clock.setTimeout(() => {
      if (this.#closed) return;
      if (!this.#epochs.has(partitionOf(key))) {
        this.#retries.delete(key);
        this.#handOn(key);
        return;
      }
      const { activation, loaded } = this.#activate(key);
      void loaded.then(() => {
        if (activation.status === 'ready') this.#retries.delete(key);
      });
    }, delay);
  }

  #due(key: ActorKey, at: number | null): void {
    this.#timers.set(key, at);
    if (at === null) this.#crowds.gone(key);
    else this.#crowds.seen(key);
  }

  #wake(key: ActorKey): void {
    if (this.#closed || !this.#epochs.has(partitionOf(key))) return;
    this.#tell(key, 'due', {}).catch((error: unknown) => {
      this.options.logger.warn({ actor: key, err: error }, 'timer could not be delivered, trying again');
      if (this.#epochs.has(partitionOf(key))) this.#timers.set(key, this.options.clock.now() + WAKE_AGAIN_MS);
    });
  }

  /** Straight to an actor here: timers and what it must still write down when the host leaves may not depend on the bus. */
  async #tell(key: ActorKey, name: string, args: JsonObject): Promise<void> {
    const partition = partitionOf(key);
    if (this.#epochs.has(partition) && this.options.placement.mayAnswer(partition)) {
      const { activation } = this.#activate(key);
      const reply = await new Promise<Reply>((resolve) => {
        const envelope = { id: `${OWN_COMMAND}${++this.#tells}`, to: key, name, args, ...FROM_HERE };
        const request = { value: null, from: this.client.id, onCancel: () => {} };
        activation.receive(envelope, { ...request, reply: (value) => resolve(value as unknown as Reply) });
      });
      if (!('retry' in reply)) return;
    }
    await this.client.send(key, name, args).reply;
  }

  async #ask(to: ActorKey, name: string, args: JsonObject, caller = 0, requestId = ''): Promise<Json> {
    const reply = await this.client.send(to, name, args, { caller, requestId, deadlineMs: 15_000 }).reply;
    if ('value' in reply) return reply.value;
    throw new Error(`${name} to ${to} was not answered with a value`);
  }

  #sendFromOutbox(command: OutboxCommand, id: string, requestId: string): Delivery {
    const { to, name, args, caller, after = 0 } = command;
    const patience = { deadlineMs: Number.POSITIVE_INFINITY };
    const sent = this.client.send(to, name, args, { caller, id, after, requestId, ...patience });
    const done = sent.reply.then((reply) => {
      // Targets never refuse what was decided; if one does, that is a bug to be seen, not a reason to stop the sender.
      if ('error' in reply)
        this.options.logger.error({ requestId, to, name, error: reply.error }, 'a decided command was refused');
    });
    return { done, cancel: () => sent.cancel() };
  }

  #scheduleSweep(): void {
    this.#sweep = this.options.clock.setTimeout(() => {
      void this.passivateIdle(this.options.idleMs ?? DEFAULT_IDLE_MS);
      if (!this.#closed) this.#scheduleSweep();
    }, SWEEP_MS);
  }
}

const kindNames = (kinds: Readonly<Record<string, AnyKind>>): string[] => Object.values(kinds).map(({ name }) => name);

/** An answer given when the lease may have lapsed could contradict the next owner's. */
function guarded(request: BusRequest, mayAnswer: () => boolean): BusRequest {
  return {
    value: request.value,
    from: request.from,
    reply: (value) => request.reply(mayAnswer() ? value : ({ retry: 'not-owner' } satisfies Reply as never)),
    onCancel: (fn) => request.onCancel(fn),
  };
}
