/**
 * The actor host: delivers commands and timers to the actors of its partitions (ownership.ts), activating actors as
 * needed (activations.ts).
 */

import { type Json, type JsonObject, type Logger, mayClockBeAhead, Semaphore } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import { MetricsRegistry } from '#base/metrics';
import { type ActorKey, type Epoch, type Partition, partitionOfActor, type RealmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { Bus } from '#ports/bus';
import type { EventLog } from '#ports/log';
import type { PartitionOwnershipListener, PartitionPlacement } from '#ports/placement';
import type { Store } from '#ports/store';
import { LOCAL_COMMAND_ID_PREFIX } from './activation.js';
import { ActorActivations } from './activations.js';
import { type ActorKindQuota, ActorQuotas } from './actor-quotas.js';
import { registerActorMetrics } from './actor-stats.js';
import { ActorClient } from './client.js';
import { DUE_COMMAND_RETRY_DELAY_MS, HostActorDueTimers } from './due-timers.js';
import { MessageIdSource } from './id-source.js';
import type { AnyActorKindDefinition, CommandInputSources } from './kind.js';
import { ActorRuntimeMetrics } from './meters.js';
import type { OutboxDelivery } from './outbox.js';
import { HostPartitionOwnership } from './ownership.js';
import {
  type ActorCommandReply,
  type CommandBusRequest,
  type CommandEnvelope,
  isCommandAwaitedByActor,
  START_SLEEPER_TIMERS_COMMAND,
} from './protocol.js';
import { SendingTurns } from './sending-turns.js';
import { StoreOutageTracker } from './store-outage.js';
import { NewOwnerActorWaker } from './successor-wakeup.js';
import { UnpublishedCommits } from './unpublished-commits.js';

/** The part of the directory replicas that the host uses; src/directory implements the interface. */
interface DirectoryReplicaSource {
  /** Resolves when the replica is open and has applied version `after`; undefined if it has already. */
  waitUntilReady(realm: RealmId, after: number): Promise<void> | undefined;
  currentView(realm: RealmId): DirectoryView;
  /** The directory of an open replica; undefined if there is none. Opens nothing. */
  findOpenReplicaView(realm: RealmId): DirectoryView | undefined;
}

export interface ActorHostOptions<Services = unknown> {
  readonly clock: Clock;
  readonly store: Store;
  readonly log: EventLog;
  readonly bus: Bus;
  readonly placement: PartitionPlacement;
  readonly directory: DirectoryReplicaSource;
  /** Kinds of actors, by the first part of their actors' keys. */
  readonly kinds: Readonly<Record<string, AnyActorKindDefinition<Services>>>;
  /** Services that the inputs and sidecars of actor kinds use. */
  readonly services: Services;
  readonly logger: Logger;
  readonly metrics?: MetricsRegistry;
  /** Milliseconds without a command after which an actor leaves memory. Default 5 minutes. */
  readonly idleMs?: number;
  /** Milliseconds for which commands wait for a service that is known to be away. */
  readonly outageMs?: number;
  /** True if actors whose `due` reaches outside get none, so that their work waits for a later owner. */
  readonly holdsOutgoingWork?: boolean;
}

const DEFAULT_PASSIVATE_AFTER_IDLE_MS = 300_000;
const IDLE_SWEEP_INTERVAL_MS = 30_000;
/**
 * Maximum of concurrent actor loads: more loads would wait for connections of the Store, whose own time limit is
 * shorter than ours.
 */
const MAX_CONCURRENT_ACTOR_LOADS = 64;
/** Interval of log lines about late work, ms. */
const LATE_WORK_LOG_INTERVAL_MS = 3_600_000;

/**
 * Fields of the envelope of a command that the host sends itself: the command id has no number, so the reply need not
 * be remembered.
 */
const LOCAL_ENVELOPE_FIELDS = { caller: 0, client: '', after: 0, settled: 0, requestId: '' } as const;

// biome-ignore lint/suspicious/noExplicitAny: the default is for callers that don't use the services
export class ActorHost<Services = any> implements PartitionOwnershipListener {
  readonly client: ActorClient;
  readonly inputSources: CommandInputSources<Services>;
  readonly #activations: ActorActivations;
  readonly #ownership: HostPartitionOwnership;
  readonly #newOwnerActorWaker: NewOwnerActorWaker;
  readonly #dueTimers: HostActorDueTimers;
  readonly #quotas: ActorQuotas;
  readonly #runtimeMetrics: ActorRuntimeMetrics;
  #idleSweepTimer: TimerHandle | undefined;
  /** Number of commands that this host sent to its own activations without the bus. */
  #localCommandCount = 0;
  #isStopping = false;
  /** Earliest time of the next log line about late work, monotonic, ms. */
  #nextLateWorkLineAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ActorHostOptions<Services>) {
    const { bus, clock, directory, kinds, log, logger, services, store } = options;
    const metrics = options.metrics ?? new MetricsRegistry();
    this.#runtimeMetrics = new ActorRuntimeMetrics(metrics, Object.values(kinds));
    this.client = new ActorClient(bus, clock, metrics, { limitMs: options.outageMs });
    const ids = new MessageIdSource(this.client);
    this.#newOwnerActorWaker = new NewOwnerActorWaker(this.client, clock, logger);
    this.#dueTimers = new HostActorDueTimers(
      clock,
      (key, wakeAt) => {
        this.#logIfWorkIsLate(wakeAt);
        this.#sendDueCommand(key);
      },
      (key) => kinds[kindNameOfActor(key)]?.maxDueDelayMs ?? Number.POSITIVE_INFINITY,
    );
    this.#quotas = this.#makeQuotas();
    const unpublished = new UnpublishedCommits(options.clock);
    this.inputSources = {
      fetchMessageId: (realm) => ids.fetchFreshId(realm),
      askActor: <T>(to: ActorKey, name: string, args: JsonObject, caller?: number, requestId?: string) =>
        this.#askActor(to, name, args, caller, requestId) as Promise<T>,
      store,
      log,
      loadDirectory: async (realm) => {
        await directory.waitUntilReady(realm, 0);
        return directory.currentView(realm);
      },
      findOpenDirectory: (realm) => directory.findOpenReplicaView(realm),
      waitUntilPublished: (realm) => unpublished.waitUntilPublished(realm),
      services,
    };
    const due = (key: ActorKey, at: number | null): void => this.#setDueTimeAndUpdateQuota(key, at);
    this.#activations = new ActorActivations({
      clock,
      kinds,
      runtimeMetrics: this.#runtimeMetrics,
      epochOfPartition: (partition) => this.#ownership.epochOfOwnedPartition(partition),
      wakeActorOnNewOwner: (key) => this.#newOwnerActorWaker.wakeAtNewOwner(key),
      ports: {
        clock,
        store,
        storeOutage: new StoreOutageTracker(clock),
        log,
        logger,
        inputSources: this.inputSources,
        unpublishedCommits: unpublished,
        waitForDirectory: (realm, after) => directory.waitUntilReady(realm, after),
        currentDirectory: (realm) => directory.currentView(realm),
        runtimeMetrics: this.#runtimeMetrics,
        sendFromOutbox: (command, id, requestId) => this.#sendFromOutbox(command, id, requestId),
        sendLocal: (key, name, args) => this.#sendLocallyIfOwned(key, name, args),
        setDueTime: due,
        loadLimiter: new Semaphore(MAX_CONCURRENT_ACTOR_LOADS),
        sendingTurns: new SendingTurns(clock),
        ownedSince: (key) => this.#ownership.findTakenAt(partitionOfActor(key)) ?? clock.now(),
      },
    });
    this.#ownership = new HostPartitionOwnership({
      clock,
      store,
      bus,
      runtimeMetrics: this.#runtimeMetrics,
      activations: this.#activations,
      dueTimers: this.#dueTimers,
      quotas: this.#quotas,
      successorWakeup: this.#newOwnerActorWaker,
      setDueTime: due,
      receiveCommand: (partition, request) => this.#receiveCommand(partition, request),
    });
    registerActorMetrics({
      metrics,
      kinds: Object.values(kinds),
      listActivations: () => this.#activations,
      countPassivatedActors: (which) =>
        this.#dueTimers.countTimersWhere((key) => which(key) && !this.#activations.findActivation(key)),
    });
    metrics.addReader('conclave_partitions_owned', () => this.#ownership.servedPartitionCount);
  }

  #makeQuotas(): ActorQuotas {
    const { kinds, services } = this.options;
    const quotas = new Map<string, ActorKindQuota>();
    for (const { name, quota } of Object.values(kinds)) {
      if (quota) quotas.set(name, { limit: quota.limit(services), ownerOf: (key) => quota.ownerOf(key) });
    }
    return new ActorQuotas({
      quotaOf: (key) => quotas.get(kindNameOfActor(key)),
      isBusy: (key) => {
        const activation = this.#activations.findActivation(key);
        return activation !== undefined && activation.sidecarPhase === activation.kind.quota?.busyPhase;
      },
      endActor: (key) => {
        const { command, args } = kinds[kindNameOfActor(key)]!.quota!.endCommand;
        return this.#sendLocallyIfOwned(key, command, args);
      },
    });
  }

  /** Joins the cluster: from now on this host takes and hands over partitions. */
  async start(): Promise<void> {
    this.#scheduleIdleSweep();
    await this.options.placement.start(this);
  }

  /** Leaves the cluster: finishes commands that have begun and hands all partitions over. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#idleSweepTimer) this.options.clock.clearTimeout(this.#idleSweepTimer);
    this.#activations.stopWakingFailedActors();
    this.#ownership.stopSleeperSearches();
    this.#newOwnerActorWaker.shortenWakeUpDeadlines();
    await this.options.placement.stop();
    await this.#newOwnerActorWaker.waitForWakeUps();
    this.#dueTimers.clearAllTimers();
  }

  take(partitions: readonly Partition[], epochs: ReadonlyMap<Partition, Epoch>): Promise<void> {
    return this.#ownership.take(partitions, epochs);
  }

  lose(partitions: readonly Partition[], reason: 'released' | 'lapsed', withinMs?: number): Promise<void> {
    return this.#ownership.lose(partitions, reason, withinMs);
  }

  /** Number of actors in memory; for metrics and tests. */
  get activeActorCount(): number {
    return this.#activations.activationCount;
  }

  /** Keys of the actors in memory; for tests. */
  get activeActorKeys(): readonly ActorKey[] {
    return Array.from(this.#activations, ({ key }) => key);
  }

  /** Passivates idle actors now; resolves when they are gone. */
  passivateIdleActors(idleMs: number): Promise<void> {
    return this.#activations.passivateIdleActors(idleMs);
  }

  #receiveCommand(p: Partition, request: CommandBusRequest): void {
    const envelope = request.value as unknown as CommandEnvelope;
    const left = this.#ownership.isBeingHandedOver(p) && !isCommandAwaitedByActor(envelope);
    if (left || !this.#ownership.owns(p) || !this.options.placement.mayAnswer(p)) {
      this.#runtimeMetrics.countRefusal('not-owner');
      request.reply({ retry: 'not-owner' });
      return;
    }
    const answered = withholdRepliesAfterLapse(request, () => this.options.placement.mayAnswer(p));
    if (envelope.name === START_SLEEPER_TIMERS_COMMAND) {
      this.#ownership.startSleeperTimers(p).then(
        () => answered.reply({ value: null }),
        () => answered.reply({ retry: 'unavailable' }),
      );
      return;
    }
    this.#activations.findOrStartActivation(envelope.to, envelope.name).activation.receiveCommand(envelope, answered);
  }

  #setDueTimeAndUpdateQuota(key: ActorKey, at: number | null): void {
    this.#dueTimers.setWakeTime(key, at);
    if (at === null) this.#quotas.forgetEndedActor(key);
    else this.#quotas.recordWrite(key);
  }

  /** Logs work that comes so late that actors put deletions off (src/base/late-deletions.ts), at most once an hour. */
  #logIfWorkIsLate(planned: number): void {
    const { clock, logger } = this.options;
    if (!mayClockBeAhead(planned, clock.now()) || clock.monotonic() < this.#nextLateWorkLineAt) return;
    this.#nextLateWorkLineAt = clock.monotonic() + LATE_WORK_LOG_INTERVAL_MS;
    const days = Math.floor((clock.now() - planned) / 86_400_000);
    logger.error(
      { days },
      'work comes days late: the server was off, or its clock is ahead; deletions wait for up to a day',
    );
  }

  #sendDueCommand(key: ActorKey): void {
    if (this.#isStopping || !this.#ownership.owns(partitionOfActor(key)) || this.#holdsDueCommand(key)) return;
    this.#sendLocallyIfOwned(key, 'due', {}).catch((error: unknown) => {
      this.options.logger.warn({ actor: key, err: error }, 'timer could not be delivered, trying again');
      if (this.#ownership.owns(partitionOfActor(key)))
        this.#dueTimers.setWakeTime(key, this.options.clock.now() + DUE_COMMAND_RETRY_DELAY_MS);
    });
  }

  #holdsDueCommand(key: ActorKey): boolean {
    const { holdsOutgoingWork, kinds } = this.options;
    return holdsOutgoingWork === true && kinds[kindNameOfActor(key)]?.dueReachesOutside === true;
  }

  /**
   * Sends a command to an actor of this host without the bus: timers, and the last writes at shutdown, must not depend
   * on the bus.
   */
  async #sendLocallyIfOwned(key: ActorKey, name: string, args: JsonObject): Promise<void> {
    const partition = partitionOfActor(key);
    if (this.#ownership.owns(partition) && this.options.placement.mayAnswer(partition)) {
      const { activation } = this.#activations.findOrStartActivation(key);
      const reply = await new Promise<ActorCommandReply>((resolve) => {
        const envelope = {
          id: `${LOCAL_COMMAND_ID_PREFIX}${++this.#localCommandCount}`,
          to: key,
          name,
          args,
          ...LOCAL_ENVELOPE_FIELDS,
        };
        const request = { value: null, from: this.client.id, onCancel: () => {} };
        activation.receiveCommand(envelope, {
          ...request,
          reply: (value) => resolve(value as unknown as ActorCommandReply),
        });
      });
      if (!('retry' in reply)) return;
    }
    await this.client.send(key, name, args).reply;
  }

  async #askActor(to: ActorKey, name: string, args: JsonObject, caller = 0, requestId = ''): Promise<Json> {
    const reply = await this.client.send(to, name, args, { caller, requestId, asked: true, deadlineMs: 15_000 }).reply;
    if ('value' in reply) return reply.value;
    throw new Error(`${name} to ${to} was not answered with a value`);
  }

  #sendFromOutbox(command: OutboxCommand, id: string, requestId: string): OutboxDelivery {
    const { to, name, args, caller, after = 0 } = command;
    const patience = { deadlineMs: Number.POSITIVE_INFINITY };
    const sent = this.client.send(to, name, args, {
      caller,
      commandId: id,
      minRealmVersion: after,
      requestId,
      ...patience,
    });
    const done = sent.reply.then((reply) => {
      // A refusal of a decided command is a bug to be seen in the log, not a reason to stop the sender.
      if ('error' in reply)
        this.options.logger.error({ requestId, to, name, error: reply.error }, 'a decided command was refused');
    });
    return { done, cancel: () => sent.cancel() };
  }

  #scheduleIdleSweep(): void {
    this.#idleSweepTimer = this.options.clock.setTimeout(() => {
      void this.passivateIdleActors(this.options.idleMs ?? DEFAULT_PASSIVATE_AFTER_IDLE_MS);
      if (!this.#isStopping) this.#scheduleIdleSweep();
    }, IDLE_SWEEP_INTERVAL_MS);
  }
}

const kindNameOfActor = (key: ActorKey): string => key.slice(0, key.indexOf('/'));

/** Withholds answers once the lease may have lapsed: the answers could contradict those of the next owner. */
function withholdRepliesAfterLapse(request: CommandBusRequest, mayAnswer: () => boolean): CommandBusRequest {
  return {
    value: request.value,
    from: request.from,
    reply: (value) => request.reply(mayAnswer() ? value : { retry: 'not-owner' }),
    onCancel: (fn) => request.onCancel(fn),
  };
}
