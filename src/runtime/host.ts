/**
 * The actor host: brings commands and timers to the actors of its partitions (ownership.ts), which are activated when something
 * comes for them (activations.ts).
 */

import type { Json, JsonObject, Logger } from '#base';
import { Gate } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import { Metrics } from '#base/metrics';
import type { ActorKey, Epoch, Partition, RealmId } from '#model';
import { parseKey, partitionOf } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { Bus, BusRequest } from '#ports/bus';
import type { EventLog } from '#ports/log';
import type { PartitionOwner, Placement } from '#ports/placement';
import type { Store } from '#ports/store';
import { OWN_COMMAND } from './activation.js';
import { Activations } from './activations.js';
import { registerCensus } from './census.js';
import { ActorClient } from './client.js';
import { Crowds } from './crowds.js';
import { DueTimers } from './due-timers.js';
import { HandOn } from './hand-on.js';
import { IdSource } from './id-source.js';
import type { AnyKind, HostServices, Suppliers } from './kind.js';
import { Meters } from './meters.js';
import type { Delivery } from './outbox.js';
import { Ownership } from './ownership.js';
import type { Envelope, Reply } from './protocol.js';
import { isForActor } from './protocol.js';
import { StoreOutage } from './store-outage.js';
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
  /** For how long commands wait for what is known to be away. */
  readonly outageMs?: number;
}

const DEFAULT_IDLE_MS = 300_000;
const SWEEP_MS = 30_000;
/** Reads of actors under way: more would only wait for connections of the Store, and for less patience than ours. */
const LOADED_AT_ONCE = 64;
/** Shown also while no queue is in them. */
const QUEUE_PHASES = ['idle', 'polling', 'hibernated'];
const WAKE_AGAIN_MS = 5_000;

/** Of an envelope that no frontend sent: its id has no number, so its reply needs no memory. */
const FROM_HERE = { caller: 0, client: '', after: 0, settled: 0, requestId: '' } as const;

export class ActorHost implements PartitionOwner {
  readonly client: ActorClient;
  readonly suppliers: Suppliers;
  readonly #activations: Activations;
  readonly #ownership: Ownership;
  readonly #handOn: HandOn;
  readonly #timers: DueTimers;
  readonly #crowds: Crowds;
  readonly #meters: Meters;
  #sweep: TimerHandle | undefined;
  /** Commands that went to activations here without the bus. */
  #tells = 0;
  #closed = false;

  constructor(private readonly options: HostOptions) {
    const { bus, clock, directory, kinds, log, logger, services, store } = options;
    const metrics = options.metrics ?? new Metrics();
    this.#meters = new Meters(metrics);
    this.client = new ActorClient(bus, clock, metrics, { limitMs: options.outageMs });
    const ids = new IdSource(this.client);
    this.#handOn = new HandOn(this.client, clock, logger);
    this.#timers = new DueTimers(clock, (key) => this.#wake(key));
    this.#crowds = new Crowds(options.maxQueues ?? Number.POSITIVE_INFINITY, {
      busy: (key) => this.#activations.get(key)?.livePhase === 'polling',
      end: (key) => this.#tell(key, 'end', { reason: 'crowded' }),
    });
    const untold = new Untold(options.clock);
    this.suppliers = {
      messageId: (realm) => ids.next(realm),
      ask: <T>(to: ActorKey, name: string, args: JsonObject, caller?: number, requestId?: string) =>
        this.#ask(to, name, args, caller, requestId) as Promise<T>,
      store,
      log,
      directory: async (realm) => {
        await directory.ready(realm, 0);
        return directory.now(realm);
      },
      told: (realm) => untold.told(realm),
      services,
    };
    const due = (key: ActorKey, at: number | null): void => this.#due(key, at);
    this.#activations = new Activations({
      clock,
      kinds,
      meters: this.#meters,
      epochOf: (partition) => this.#ownership.epochOf(partition),
      handOn: (key) => this.#handOn.wake(key),
      ports: {
        clock,
        store,
        storeOutage: new StoreOutage(clock),
        log,
        logger,
        suppliers: this.suppliers,
        untold,
        directory: (realm, after) => directory.ready(realm, after),
        directoryNow: (realm) => directory.now(realm),
        meters: this.#meters,
        sendFromOutbox: (command, id, requestId) => this.#sendFromOutbox(command, id, requestId),
        tell: (key, name, args) => this.#tell(key, name, args),
        due,
        loads: new Gate(LOADED_AT_ONCE),
        owned: (key) => this.#ownership.since(partitionOf(key)) ?? clock.now(),
      },
    });
    this.#ownership = new Ownership({
      clock,
      store,
      bus,
      meters: this.#meters,
      activations: this.#activations,
      timers: this.#timers,
      crowds: this.#crowds,
      handOn: this.#handOn,
      due,
      receive: (partition, request) => this.#receive(partition, request),
    });
    registerCensus(
      metrics,
      () => this.#activations,
      Object.values(kinds).map(({ name }) => name),
      QUEUE_PHASES,
      () => this.#timers.count((key) => parseKey(key).kind === 'queue' && !this.#activations.get(key)),
    );
    metrics.read('conclave_partitions_owned', () => this.#ownership.served);
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
    this.#activations.close();
    this.#ownership.close();
    this.#handOn.ending();
    await this.options.placement.stop();
    await this.#handOn.all();
    this.#timers.clear();
  }

  take(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void> {
    return this.#ownership.take(partitions, epochs);
  }

  lose(partitions: readonly Partition[], reason: 'released' | 'lapsed', withinMs?: number): Promise<void> {
    return this.#ownership.lose(partitions, reason, withinMs);
  }

  /** For metrics and tests. */
  get active(): number {
    return this.#activations.size;
  }

  /** For tests: those in memory. */
  get activeKeys(): readonly ActorKey[] {
    return Array.from(this.#activations, ({ key }) => key);
  }

  /** Drop idle actors now; returns when they are gone. */
  passivateIdle(idleMs: number): Promise<void> {
    return this.#activations.passivateIdle(idleMs);
  }

  #receive(p: Partition, request: BusRequest): void {
    const envelope = request.value as unknown as Envelope;
    const left = this.#ownership.isLeaving(p) && !isForActor(envelope);
    if (left || !this.#ownership.owns(p) || !this.options.placement.mayAnswer(p)) {
      this.#meters.refused('not-owner');
      request.reply({ retry: 'not-owner' } satisfies Reply as never);
      return;
    }
    this.#activations.activate(envelope.to, envelope.name).activation.receive(
      envelope,
      guarded(request, () => this.options.placement.mayAnswer(p)),
    );
  }

  #due(key: ActorKey, at: number | null): void {
    this.#timers.set(key, at);
    if (at === null) this.#crowds.gone(key);
    else this.#crowds.seen(key);
  }

  #wake(key: ActorKey): void {
    if (this.#closed || !this.#ownership.owns(partitionOf(key))) return;
    this.#tell(key, 'due', {}).catch((error: unknown) => {
      this.options.logger.warn({ actor: key, err: error }, 'timer could not be delivered, trying again');
      if (this.#ownership.owns(partitionOf(key))) this.#timers.set(key, this.options.clock.now() + WAKE_AGAIN_MS);
    });
  }

  /** Straight to an actor here: timers and what it must still write down when the host leaves may not depend on the bus. */
  async #tell(key: ActorKey, name: string, args: JsonObject): Promise<void> {
    const partition = partitionOf(key);
    if (this.#ownership.owns(partition) && this.options.placement.mayAnswer(partition)) {
      const { activation } = this.#activations.activate(key);
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
    const reply = await this.client.send(to, name, args, { caller, requestId, asked: true, deadlineMs: 15_000 }).reply;
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

/** An answer given when the lease may have lapsed could contradict the next owner's. */
function guarded(request: BusRequest, mayAnswer: () => boolean): BusRequest {
  return {
    value: request.value,
    from: request.from,
    reply: (value) => request.reply(mayAnswer() ? value : ({ retry: 'not-owner' } satisfies Reply as never)),
    onCancel: (fn) => request.onCancel(fn),
  };
}
