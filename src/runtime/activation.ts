/**
 * One actor in memory: it loads the state, runs handlers over the state one at a time, and commits their outcomes in
 * batches.
 *
 * Life: loading → ready → stopped. A write that fails or is refused ends the activation. The next command starts a new
 * one from the Store, or the host does after a delay (activations.ts); it finishes the stored outbox first.
 */

import { newLazyMap, toWritableMap } from '#base';
import {
  type ActivationStopReason,
  type ActorKey,
  type CommandRetryReason,
  type Epoch,
  parseActorKey,
  type RealmId,
} from '#model';
import { ActorActivationContext, type ActorActivationControl } from './activation-context.js';
import { CommitLoop } from './commit-loop.js';
import { CommandExecutor } from './executor.js';
import { CommandInputLoader } from './input-loader.js';
import { type ActorSidecar, type AnyActorKindDefinition, correctDueTime, type PassivationReason } from './kind.js';
import { type LoadedActor, loadActorFromStore } from './load.js';
import { ActorMailbox, QueuedCommand } from './mailbox.js';
import { ActorStateInMemory } from './memory.js';
import type { ActorKindMetrics } from './meters.js';
import { ActorOutbox, MAX_OUTBOX_COMMITS } from './outbox.js';
import type { ActorActivationPorts } from './ports.js';
import {
  type ActorCommandReply,
  type CommandBusRequest,
  type CommandEnvelope,
  isCommandAwaitedByActor,
  isCommandFromActor,
  WAKE_ACTOR_COMMAND,
} from './protocol.js';
import { CommandReplyCache } from './reply-cache.js';
import { DeferredCommand, startActorSidecar } from './sidecar.js';

/** Maximum of commands that wait in one mailbox; further ones are answered 'busy'. */
export const MAX_MAILBOX_COMMANDS = 20_000;
/** Prefix of the ids of commands that the host hands to an activation without the bus. */
export const LOCAL_COMMAND_ID_PREFIX = 'tell/';

interface CommandReceivedWhileLoading {
  readonly envelope: CommandEnvelope;
  readonly request: CommandBusRequest;
}

export class ActorActivation implements ActorActivationControl {
  readonly realm: RealmId;
  status: 'loading' | 'ready' | 'stopped' = 'loading';
  /** Monotonic time of the last command, ms; the host passivates activations that have been idle for long. */
  lastUsedMonotonicMs: number;
  readonly #mailbox = new ActorMailbox();
  #unfinishedCommandById = newLazyMap<string, QueuedCommand>();
  readonly #replyCache = new CommandReplyCache();
  readonly #outbox: ActorOutbox;
  readonly #commitLoop: CommitLoop;
  #commandsReceivedWhileLoading: CommandReceivedWhileLoading[] | undefined;
  readonly #memory: ActorStateInMemory;
  readonly #executor: CommandExecutor;
  #sidecar: ActorSidecar | undefined;
  readonly #inputLoader: CommandInputLoader;
  #isMailboxRunScheduled = false;
  #commandBeingHandled: QueuedCommand | undefined;
  /** True while the partition is being handed over: only commands of other actors are still accepted. */
  #isBeingHandedOver = false;
  /** True if the actor was created under a new key without reading the Store. */
  #wasCreatedWithoutStoreRead = false;
  #workStepWaiters: (() => void)[] | undefined;
  /**
   * Repeats of commands that the actor has executed before; their replies wait for the commands that the first run
   * sent.
   */
  #requestsAwaitingCachedReply: Set<CommandBusRequest> | undefined;
  readonly #kindMetrics: ActorKindMetrics;

  constructor(
    readonly key: ActorKey,
    readonly kind: AnyActorKindDefinition,
    readonly epoch: Epoch,
    private readonly ports: ActorActivationPorts,
  ) {
    this.realm = parseActorKey(key).realm;
    this.lastUsedMonotonicMs = ports.clock.monotonic();
    this.#kindMetrics = ports.runtimeMetrics.forKind(kind);
    this.#memory = new ActorStateInMemory(key, kind);
    const context = new ActorActivationContext(key, this.realm, this.#memory, this.#kindMetrics, ports, this);
    this.#outbox = new ActorOutbox(key, this.realm, context);
    this.#inputLoader = new CommandInputLoader(key, this.realm, kind, ports, this.#memory);
    this.#commitLoop = new CommitLoop(
      key,
      this.realm,
      epoch,
      ports.store,
      ports.log,
      this.#outbox,
      this.#replyCache,
      context,
    );
    this.#executor = new CommandExecutor(key, this.realm, kind, this.#memory, this.#commitLoop, ports, context);
  }

  /** True if the activation is drained and its sidecar is idle, so that it may be passivated. */
  get isIdle(): boolean {
    return this.isDrained && (this.#sidecar?.isIdle() ?? true);
  }

  /** True if no command waits or runs, no commit is being written, and the outbox is empty. */
  get isDrained(): boolean {
    return (
      this.status === 'ready' &&
      this.#mailbox.waitingCommandCount === 0 &&
      this.#unfinishedCommandById.size === 0 &&
      this.#commitLoop.isIdle &&
      this.#outbox.unfinishedCommitCount === 0 &&
      !this.#executor.isActorEnding
    );
  }

  get waitingCommandCount(): number {
    return this.#mailbox.waitingCommandCount + (this.#commandsReceivedWhileLoading?.length ?? 0);
  }

  get outboxEntryCount(): number {
    return this.#outbox.unfinishedCommitCount;
  }

  /**
   * Number of deliveries (mails, webhook calls) that wait to be made; undefined for kinds of actors without deliveries.
   */
  get waitingDeliveryCount(): number | undefined {
    return this.kind.partsAreDeliveries ? this.#memory.view().parts.size : undefined;
  }

  get sidecarPhase(): string | undefined {
    return this.#sidecar?.phase?.();
  }

  get endReason(): string | undefined {
    return this.#sidecar?.endReason?.();
  }

  /**
   * Loads the actor from the Store for its new owner: writes the epoch, applies records left in the outbox, loads
   * parts, continues the outbox.
   */
  async loadFromStore(): Promise<void> {
    const { store } = this.ports;
    let loaded: LoadedActor | 'fenced';
    try {
      loaded = await this.ports.loadLimiter.runWhenPermitted(() =>
        loadActorFromStore(
          store,
          this.key,
          this.epoch,
          this.kind.loadedParts,
          this.ports.mayHaveWriteUnderWay(this.key),
        ),
      );
    } catch (error) {
      this.stop('store-failed', error);
      return;
    }
    this.#finishLoading(loaded);
  }

  /**
   * Starts a new actor without reading the Store. If the actor exists after all, its first commit fails with a
   * conflict.
   */
  beginNewActorWithoutStoreRead(): void {
    this.#wasCreatedWithoutStoreRead = true;
    this.#finishLoading({ root: null, outboxEntries: [], parts: new Map(), replyCacheParts: [] });
  }

  #finishLoading(loaded: LoadedActor | 'fenced'): void {
    if (loaded === 'fenced') this.stop('fenced');
    else if (!this.#isStopped()) this.#runAndStopOnCrash(() => this.#restoreLoadedActor(loaded));
    if (this.#isStopped()) return;
    this.status = 'ready';
    const early = this.#commandsReceivedWhileLoading ?? [];
    this.#commandsReceivedWhileLoading = undefined;
    for (const { envelope, request } of early) this.receiveCommand(envelope, request);
    this.onWorkStepFinished();
  }

  #restoreLoadedActor(loaded: LoadedActor): void {
    const { root, outboxEntries, replyCacheParts } = loaded;
    this.#memory.fillFromLoadedActor(loaded, this.ports.ownedSince(this.key));
    this.#replyCache.loadFromParts(replyCacheParts);
    this.#executor.isActorEnding = outboxEntries.some((entry) => entry.ends);
    const due = correctDueTime(this.kind, root?.due ?? null, this.ports.clock.now());
    this.#commitLoop.startFromLoadedRoot(root?.version ?? 0, due, outboxEntries.length > 0);
    this.#sidecar = startActorSidecar(this.key, this.realm, this.kind, this.#memory, this.ports);
    for (const entry of outboxEntries) {
      const rested = entry.sequences.map(({ lane }) =>
        lane === undefined ? () => {} : this.#suspendMailboxLane(lane),
      );
      this.#outbox.addEntry({ ...entry, records: [] }, rested);
    }
  }

  receiveCommand(envelope: CommandEnvelope, request: CommandBusRequest): void {
    const fromActor = isCommandFromActor(envelope.id);
    if (this.status === 'stopped' || (this.#isBeingHandedOver && !isCommandAwaitedByActor(envelope))) {
      this.#refuseWithRetryReason(request, 'moved');
      return;
    }
    // Commands of other actors are never answered 'busy': two actors with full outboxes must still accept each other's
    // commands.
    if (
      !fromActor &&
      (this.waitingCommandCount >= MAX_MAILBOX_COMMANDS || this.#outbox.unfinishedCommitCount >= MAX_OUTBOX_COMMITS)
    ) {
      this.#refuseWithRetryReason(request, 'busy');
      return;
    }
    this.#kindMetrics.commandCounter.n++;
    // A command of the actor to itself, such as its timer, is no reason to keep the actor in memory.
    if (!envelope.id.startsWith(LOCAL_COMMAND_ID_PREFIX)) this.markUsed();
    if (this.status === 'loading') {
      this.#commandsReceivedWhileLoading ??= [];
      this.#commandsReceivedWhileLoading.push({ envelope, request });
      return;
    }
    if (
      this.#wasCreatedWithoutStoreRead &&
      this.#commitLoop.committedVersion === 0 &&
      !this.kind.commands[envelope.name]?.mintsKey
    ) {
      // The sender knows the actor's key, so the actor was created before: the command that creates the actor was
      // delivered twice.
      this.stop('fenced');
      this.#refuseWithRetryReason(request, 'moved');
      return;
    }
    if (this.kind.sidecarCommands?.includes(envelope.name)) {
      this.#receiveSidecarCommand(envelope, request);
      return;
    }
    const known = this.#unfinishedCommandById.get(envelope.id);
    if (known) {
      known.addRequest(request);
      return;
    }
    const before = this.#replyCache.findReplyAndRecordSettled(envelope.id, envelope.settled);
    if (before) {
      this.#repeatCachedReply(envelope.id, before, request);
      return;
    }
    if (envelope.name === WAKE_ACTOR_COMMAND) {
      request.reply({ value: null });
      return;
    }
    const command = this.kind.commands[envelope.name];
    if (!command) {
      const { name, requestId } = envelope;
      this.ports.logger.error({ requestId, actor: this.key, command: name }, 'unknown command');
      request.reply({ error: INTERNAL_SERVER_ERROR });
      return;
    }
    const pending = new QueuedCommand(envelope, command, request);
    this.#unfinishedCommandById = toWritableMap(this.#unfinishedCommandById);
    this.#unfinishedCommandById.set(envelope.id, pending);
    this.#mailbox.enqueueCommand(pending);
    const supply = (): void => this.#inputLoader.loadInputs(pending, () => this.#scheduleMailboxRun());
    if (command.exclusive) pending.startInputLoading = supply;
    else supply();
    this.#scheduleMailboxRun();
  }

  /**
   * Repeats a remembered reply. The commands for which the reply waited may have to be sent again first, and the events
   * of a former owner's commit may still have to get into the log.
   */
  #repeatCachedReply(id: string, before: ActorCommandReply, request: CommandBusRequest): void {
    let answered = false;
    const answer = (): void => {
      answered = true;
      this.#requestsAwaitingCachedReply?.delete(request);
      request.reply(before);
    };
    this.#outbox.callAfterCommandsCausedBy(id, () => {
      if (isCommandFromActor(id)) this.#outbox.callAfterLogged(this.#commitLoop.committedVersion, answer);
      else answer();
    });
    if (answered) return;
    this.#requestsAwaitingCachedReply ??= new Set();
    this.#requestsAwaitingCachedReply.add(request);
  }

  markUsed(): void {
    this.lastUsedMonotonicMs = this.ports.clock.monotonic();
  }

  /**
   * Restricts the activation to commands that other actors send or wait for, because this actor may in turn wait for
   * them. Commands of frontends that have not begun are refused.
   */
  acceptOnlyActorCommands(): void {
    if (this.#isBeingHandedOver) return;
    this.#isBeingHandedOver = true;
    const refused = this.#mailbox.removeWhere(
      (pending) => !isCommandAwaitedByActor(pending.envelope) && !pending.hasBegunExclusively,
    );
    for (const pending of refused) this.finishCommand(pending, { retry: 'moved' });
    for (const { request } of (this.#commandsReceivedWhileLoading ?? []).filter(
      ({ envelope }) => !isCommandAwaitedByActor(envelope),
    )) {
      this.#refuseWithRetryReason(request, 'moved');
    }
    this.#commandsReceivedWhileLoading = this.#commandsReceivedWhileLoading?.filter(({ envelope }) =>
      isCommandAwaitedByActor(envelope),
    );
  }

  /** Resolves when no work is left, or the activation has stopped. */
  async waitUntilDrained(): Promise<void> {
    while (!this.#isStopped() && !this.isDrained) {
      await new Promise<void>((resolve) => {
        this.#workStepWaiters ??= [];
        this.#workStepWaiters.push(resolve);
      });
    }
  }

  /**
   * Lets the sidecar store its state that is only in memory. A failure is logged and must not delay the host's
   * shutdown.
   */
  async flushSidecar(reason: PassivationReason): Promise<void> {
    try {
      if (this.status === 'ready' && this.#memory.exists) await this.#sidecar?.flush?.(reason);
    } catch (error) {
      this.ports.logger.warn({ actor: this.key, err: error }, 'could not write down what only memory knows');
    }
  }

  /**
   * Removes the actor from memory, with an empty stored outbox. A command that arrives before the end cancels the
   * passivation.
   */
  async passivate(reason: PassivationReason): Promise<void> {
    const used = this.lastUsedMonotonicMs;
    if (reason === 'passivated') await this.flushSidecar(reason);
    for (;;) {
      await this.waitUntilDrained();
      if (this.#isStopped() || (reason === 'passivated' && this.lastUsedMonotonicMs !== used)) return;
      if (!this.isDrained) continue;
      if (!this.#commitLoop.hasStoredOutbox) break;
      this.#commitLoop.clearStoredOutbox();
    }
    if (reason === 'drained' || this.isIdle) this.stop(reason);
  }

  stop(reason: ActivationStopReason, error?: unknown): void {
    if (this.status === 'stopped') return;
    this.status = 'stopped';
    this.#outbox.stopAndCancelDeliveries();
    if (reason === 'store-failed') this.ports.storeOutage.recordFailure(error);
    const retry: CommandRetryReason = reason === 'store-failed' ? 'unavailable' : 'moved';
    const early = this.#commandsReceivedWhileLoading ?? [];
    this.#commandsReceivedWhileLoading = undefined;
    for (const { request } of early) this.#refuseWithRetryReason(request, retry);
    for (const request of this.#requestsAwaitingCachedReply ?? []) this.#refuseWithRetryReason(request, retry);
    this.#requestsAwaitingCachedReply = undefined;
    this.#mailbox.removeWhere(() => true);
    for (const pending of this.#unfinishedCommandById.values()) {
      // The actor's own timer fired while the actor's removal was being written. A retry would re-create the removed
      // actor.
      if (reason === 'ended' && pending.envelope.id.startsWith(LOCAL_COMMAND_ID_PREFIX)) {
        pending.reply(this.kind.makeMissingActorReply(this.key));
        continue;
      }
      this.ports.runtimeMetrics.countRefusal(retry);
      pending.reply(this.ports.storeOutage.makeRefusal(retry));
    }
    this.#unfinishedCommandById.clear();
    try {
      this.#sidecar?.onActivationStopped(reason);
    } catch (thrown) {
      this.ports.logger.error({ actor: this.key, err: thrown }, 'actor crashed while it stopped');
    }
    this.ports.stopped(this, reason, error);
    this.onWorkStepFinished();
  }

  /** Answers with a retry reason, so that the sender repeats the command. */
  #refuseWithRetryReason(request: CommandBusRequest, retry: CommandRetryReason): void {
    this.ports.runtimeMetrics.countRefusal(retry);
    request.reply(this.ports.storeOutage.makeRefusal(retry));
  }

  /** Called when the Store has written a commit, which holds the outcomes of a batch of commands. @internal */
  onBatchCommitted(): void {
    if (this.#sidecar) this.#runAndStopOnCrash(() => this.#sidecar?.onCommitted());
    this.onWorkStepFinished();
  }

  /** Called when an append to the log, an outgoing command or a commit has finished. @internal */
  onWorkStepFinished(): void {
    const ending = this.#executor.isActorEnding && this.status === 'ready';
    if (ending && this.#commitLoop.isIdle && this.#outbox.unfinishedCommitCount === 0) this.#commitLoop.removeRoot();
    // The next commit may have waited until the log took more events.
    this.#commitLoop.writeNextBatch();
    const waiting = this.#workStepWaiters ?? [];
    this.#workStepWaiters = undefined;
    for (const fn of waiting) fn();
  }

  /** Suspends a lane of the mailbox. @returns the function that resumes the lane */
  #suspendMailboxLane(lane: string): () => void {
    this.#mailbox.suspendLane(lane);
    return () => this.resumeMailboxLane(lane);
  }

  #isStopped(): boolean {
    return this.status === 'stopped';
  }

  #receiveSidecarCommand(envelope: CommandEnvelope, request: CommandBusRequest): void {
    if (!this.#memory.exists || !this.#sidecar) {
      request.reply(this.kind.makeMissingActorReply(this.key));
      return;
    }
    const held = new DeferredCommand(envelope.id, request, this);
    this.#runAndStopOnCrash(() => this.#sidecar?.handleCommand(envelope.name, envelope.args, held, envelope.caller));
  }

  /** Runs the mailbox in a microtask, so that commands that arrive in one turn of the event loop share a commit. */
  #scheduleMailboxRun(): void {
    if (this.#isMailboxRunScheduled || this.status !== 'ready') return;
    this.#isMailboxRunScheduled = true;
    queueMicrotask(() => {
      this.#isMailboxRunScheduled = false;
      this.#runMailbox();
    });
  }

  #runMailbox(): void {
    for (;;) {
      if (this.status !== 'ready') return;
      if (this.#executor.hasStoppedHandling) break;
      const pending = this.#mailbox.takeNextRunnable();
      if (!pending) break;
      this.#commandBeingHandled = pending;
      this.#runAndStopOnCrash(() => this.#executor.handleCommand(pending));
      this.#commandBeingHandled = undefined;
    }
    this.#commitLoop.writeNextBatch();
    this.onWorkStepFinished();
  }

  /**
   * Runs `fn`. An error other than ApiError is a bug: it stops this activation and is logged, and other actors go on.
   */
  #runAndStopOnCrash(fn: () => void): void {
    try {
      fn();
    } catch (error) {
      const envelope = this.#commandBeingHandled?.envelope;
      const { name, requestId } = envelope ?? {};
      this.ports.logger.error({ requestId, actor: this.key, command: name, err: error }, 'actor crashed');
      // The sender retries once, in case the state in memory was at fault. A second crash is answered with an error.
      if (envelope && !isCommandFromActor(envelope.id) && this.ports.crashedBefore(envelope.id)) {
        this.#commandBeingHandled?.reply({ error: INTERNAL_SERVER_ERROR });
      }
      this.stop('crashed', error);
    }
  }

  resumeMailboxLane(lane: string): void {
    this.#mailbox.resumeLane(lane);
    this.#scheduleMailboxRun();
  }

  finishCommand(pending: QueuedCommand, reply: ActorCommandReply): void {
    if ('retry' in reply) this.ports.runtimeMetrics.countRefusal(reply.retry);
    this.#unfinishedCommandById.delete(pending.envelope.id);
    pending.reply(reply);
    if (this.#unfinishedCommandById.size > 0) return;
    this.#unfinishedCommandById = newLazyMap();
    this.#mailbox.freeEmptyLanes();
    this.onWorkStepFinished();
  }
}

const INTERNAL_SERVER_ERROR = { code: 'BAD_REQUEST', status: 500, msg: 'Internal server error' } as const;
