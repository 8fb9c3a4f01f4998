/**
 * One actor in memory: it loads the state, runs handlers over the state one at a time, and commits their outcomes in
 * batches.
 *
 * Life: loading → ready → stopped. A write that fails or is refused ends the activation; the next command starts a new
 * one from the Store, which finishes the stored outbox first.
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
import type { ActorSidecar, AnyActorKindDefinition, PassivationReason } from './kind.js';
import { type LoadedActor, loadActorFromStore } from './load.js';
import { ActorMailbox, QueuedCommand } from './mailbox.js';
import { ActorMemory } from './memory.js';
import type { ActorKindMetrics } from './meters.js';
import { ActorOutbox, MAX_OUTBOX_COMMITS } from './outbox.js';
import type { ActorActivationPorts } from './ports.js';
import {
  type ActorCommandReply,
  type CommandBusRequest,
  type CommandEnvelope,
  isCommandForActor,
  isCommandFromActor,
  WAKE_ACTOR_COMMAND,
} from './protocol.js';
import { CommandReplyCache } from './reply-cache.js';
import { DeferredCommand, startActorSidecar } from './sidecar.js';

/** Maximum of commands that wait in one mailbox; further ones are answered 'busy'. */
export const MAX_MAILBOX_COMMANDS = 20_000;
/** Prefix of the ids of commands that the host hands to an activation without the bus. */
export const LOCAL_COMMAND_ID_PREFIX = 'tell/';

interface EarlyCommand {
  readonly envelope: CommandEnvelope;
  readonly request: CommandBusRequest;
}

export class ActorActivation implements ActorActivationControl {
  readonly realm: RealmId;
  status: 'loading' | 'ready' | 'stopped' = 'loading';
  /** Monotonic time of the last command, ms; the host passivates activations that have been idle for long. */
  lastUsed: number;
  readonly #mailbox = new ActorMailbox();
  #running = newLazyMap<string, QueuedCommand>();
  readonly #remembered = new CommandReplyCache();
  readonly #outbox: ActorOutbox;
  readonly #commits: CommitLoop;
  #early: EarlyCommand[] | undefined;
  readonly #memory: ActorMemory;
  readonly #executor: CommandExecutor;
  #sidecar: ActorSidecar | undefined;
  readonly #supply: CommandInputLoader;
  #scheduled = false;
  #handling: QueuedCommand | undefined;
  /** True while the partition is being handed over: only commands of other actors are still accepted. */
  #leaving = false;
  /** True if the actor was created under a new key without reading the Store. */
  #minted = false;
  #onProgress: (() => void)[] | undefined;
  /**
   * Repeats of commands that the actor has executed before; their replies wait for the commands that the first run
   * sent.
   */
  #repeats: Set<CommandBusRequest> | undefined;
  readonly #meter: ActorKindMetrics;

  constructor(
    readonly key: ActorKey,
    readonly kind: AnyActorKindDefinition,
    readonly epoch: Epoch,
    private readonly ports: ActorActivationPorts,
  ) {
    this.realm = parseActorKey(key).realm;
    this.lastUsed = ports.clock.monotonic();
    this.#meter = ports.meters.of(kind);
    this.#memory = new ActorMemory(key, kind);
    const context = new ActorActivationContext(key, this.realm, this.#memory, this.#meter, ports, this);
    this.#outbox = new ActorOutbox(key, this.realm, context);
    this.#supply = new CommandInputLoader(key, this.realm, kind, ports, this.#memory);
    this.#commits = new CommitLoop(key, this.realm, epoch, ports.store, this.#outbox, this.#remembered, context);
    this.#executor = new CommandExecutor(key, this.realm, kind, this.#memory, this.#commits, ports, context);
  }

  /** True if the activation is drained and its sidecar is idle, so that it may be passivated. */
  get isIdle(): boolean {
    return this.isDrained && (this.#sidecar?.isIdle() ?? true);
  }

  /** True if no command waits or runs, no commit is being written, and the outbox is empty. */
  get isDrained(): boolean {
    return (
      this.status === 'ready' &&
      this.#mailbox.size === 0 &&
      this.#running.size === 0 &&
      this.#commits.idle &&
      this.#outbox.size === 0 &&
      !this.#executor.ending
    );
  }

  get mailboxSize(): number {
    return this.#mailbox.size + (this.#early?.length ?? 0);
  }

  get outboxSize(): number {
    return this.#outbox.size;
  }

  /**
   * Number of deliveries (mails, webhook calls) that wait to be made; undefined for kinds of actors without deliveries.
   */
  get waitingDeliveries(): number | undefined {
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
  async load(): Promise<void> {
    const { store } = this.ports;
    let loaded: LoadedActor | 'fenced';
    try {
      loaded = await this.ports.loads.run(() =>
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
    this.ports.storeOutage.worked();
    this.#begin(loaded);
  }

  /**
   * Starts a new actor without reading the Store. If the actor exists after all, its first commit fails with a
   * conflict.
   */
  begin(): void {
    this.#minted = true;
    this.#begin({ root: null, entries: [], parts: new Map(), remembered: [] });
  }

  #begin(loaded: LoadedActor | 'fenced'): void {
    if (loaded === 'fenced') this.stop('fenced');
    else if (!this.#isStopped()) this.#guard(() => this.#loaded(loaded));
    if (this.#isStopped()) return;
    this.status = 'ready';
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const { envelope, request } of early) this.receive(envelope, request);
    this.progressed();
  }

  #loaded(loaded: LoadedActor): void {
    const { root, entries, remembered } = loaded;
    this.#memory.load(loaded, this.ports.ownedSince(this.key));
    this.#remembered.load(remembered);
    this.#executor.ending = entries.some((entry) => entry.ends);
    this.#commits.loaded(root?.version ?? 0, root?.due ?? null, entries.length > 0);
    this.#sidecar = startActorSidecar(this.key, this.realm, this.kind, this.#memory, this.ports);
    for (const entry of entries) {
      const rested = entry.sequences.map(({ lane }) => (lane === undefined ? () => {} : this.#rest(lane)));
      this.#outbox.add({ ...entry, records: [] }, rested);
    }
  }

  receive(envelope: CommandEnvelope, request: CommandBusRequest): void {
    const fromActor = isCommandFromActor(envelope.id);
    if (this.status === 'stopped' || (this.#leaving && !isCommandForActor(envelope))) {
      this.#refuse(request, 'moved');
      return;
    }
    // Commands of other actors are never answered 'busy': two actors with full outboxes must still accept each other's
    // commands.
    if (!fromActor && (this.mailboxSize >= MAX_MAILBOX_COMMANDS || this.#outbox.size >= MAX_OUTBOX_COMMITS)) {
      this.#refuse(request, 'busy');
      return;
    }
    this.#meter.commands.n++;
    // A command of the actor to itself, such as its timer, is no reason to keep the actor in memory.
    if (!envelope.id.startsWith(LOCAL_COMMAND_ID_PREFIX)) this.used();
    if (this.status === 'loading') {
      this.#early ??= [];
      this.#early.push({ envelope, request });
      return;
    }
    if (this.#minted && this.#commits.committed === 0 && !this.kind.commands[envelope.name]?.mintsKey) {
      // The sender knows the actor's key, so the actor was created before: the command that creates the actor was
      // delivered twice.
      this.stop('fenced');
      this.#refuse(request, 'moved');
      return;
    }
    if (this.kind.sidecarCommands?.includes(envelope.name)) {
      this.#receiveLive(envelope, request);
      return;
    }
    const known = this.#running.get(envelope.id);
    if (known) {
      known.addRequest(request);
      return;
    }
    const before = this.#remembered.find(envelope.id, envelope.settled);
    if (before) {
      this.#replyAgain(envelope.id, before, request);
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
      request.reply({ error: UNKNOWN });
      return;
    }
    const pending = new QueuedCommand(envelope, command, request);
    this.#running = toWritableMap(this.#running);
    this.#running.set(envelope.id, pending);
    this.#mailbox.push(pending);
    const supply = (): void => this.#supply.start(pending, () => this.#schedule());
    if (command.exclusive) pending.start = supply;
    else supply();
    this.#schedule();
  }

  /**
   * Repeats a remembered reply. The commands for which the reply waited may have to be sent again first, and the events
   * of a former owner's commit may still have to get into the log.
   */
  #replyAgain(id: string, before: ActorCommandReply, request: CommandBusRequest): void {
    let answered = false;
    const answer = (): void => {
      answered = true;
      this.#repeats?.delete(request);
      request.reply(before);
    };
    this.#outbox.afterCommandsOf(id, () => {
      if (isCommandFromActor(id)) this.#outbox.afterLogged(this.#commits.committed, answer);
      else answer();
    });
    if (answered) return;
    this.#repeats ??= new Set();
    this.#repeats.add(request);
  }

  used(): void {
    this.lastUsed = this.ports.clock.monotonic();
  }

  /**
   * Restricts the activation to commands that other actors send or wait for, because this actor may in turn wait for
   * them. Commands of frontends that have not begun are refused.
   */
  takeOnlyActors(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    const refused = this.#mailbox.remove((pending) => !isCommandForActor(pending.envelope));
    for (const pending of refused) this.finish(pending, { retry: 'moved' });
    for (const { request } of (this.#early ?? []).filter(({ envelope }) => !isCommandForActor(envelope))) {
      this.#refuse(request, 'moved');
    }
    this.#early = this.#early?.filter(({ envelope }) => isCommandForActor(envelope));
  }

  /** Resolves when no work is left, or the activation has stopped. */
  async drain(): Promise<void> {
    while (!this.#isStopped() && !this.isDrained) {
      await new Promise<void>((resolve) => {
        this.#onProgress ??= [];
        this.#onProgress.push(resolve);
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
    const used = this.lastUsed;
    if (reason === 'passivated') await this.flushSidecar(reason);
    for (;;) {
      await this.drain();
      if (this.#isStopped() || (reason === 'passivated' && this.lastUsed !== used)) return;
      if (!this.isDrained) continue;
      if (!this.#commits.stale) break;
      this.#commits.clearOutbox();
    }
    if (reason === 'drained' || this.isIdle) this.stop(reason);
  }

  stop(reason: ActivationStopReason, error?: unknown): void {
    if (this.status === 'stopped') return;
    this.status = 'stopped';
    this.#outbox.stop();
    if (reason === 'store-failed') this.ports.storeOutage.failed(error);
    const retry: CommandRetryReason = reason === 'store-failed' ? 'unavailable' : 'moved';
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const { request } of early) this.#refuse(request, retry);
    for (const request of this.#repeats ?? []) this.#refuse(request, retry);
    this.#repeats = undefined;
    this.#mailbox.remove(() => true);
    for (const pending of this.#running.values()) {
      // The actor's own timer fired while the actor's removal was being written. A retry would re-create the removed
      // actor.
      if (reason === 'ended' && pending.envelope.id.startsWith(LOCAL_COMMAND_ID_PREFIX)) {
        pending.reply(this.kind.missing(this.key));
        continue;
      }
      this.ports.meters.refused(retry);
      pending.reply(this.ports.storeOutage.refusal(retry));
    }
    this.#running.clear();
    try {
      this.#sidecar?.stopped(reason);
    } catch (thrown) {
      this.ports.logger.error({ actor: this.key, err: thrown }, 'actor crashed while it stopped');
    }
    this.ports.stopped(this, reason, error);
    this.progressed();
  }

  /** Answers with a retry reason, so that the sender repeats the command. */
  #refuse(request: CommandBusRequest, retry: CommandRetryReason): void {
    this.ports.meters.refused(retry);
    request.reply(this.ports.storeOutage.refusal(retry));
  }

  /** Called when the Store has written a commit batch. @internal */
  committed(): void {
    if (this.#sidecar) this.#guard(() => this.#sidecar?.committed());
    this.progressed();
  }

  /** Called when an append to the log, an outgoing command or a commit has finished. @internal */
  progressed(): void {
    const ending = this.#executor.ending && this.status === 'ready';
    if (ending && this.#commits.idle && this.#outbox.size === 0) this.#commits.end();
    // The next commit may have waited until the log took more events.
    this.#commits.writeNext();
    const waiting = this.#onProgress ?? [];
    this.#onProgress = undefined;
    for (const fn of waiting) fn();
  }

  /** Suspends a lane of the mailbox. @returns the function that resumes the lane */
  #rest(lane: string): () => void {
    this.#mailbox.suspend(lane);
    return () => this.wake(lane);
  }

  #isStopped(): boolean {
    return this.status === 'stopped';
  }

  #receiveLive(envelope: CommandEnvelope, request: CommandBusRequest): void {
    if (!this.#memory.exists || !this.#sidecar) {
      request.reply(this.kind.missing(this.key));
      return;
    }
    const held = new DeferredCommand(envelope.id, request, this);
    this.#guard(() => this.#sidecar?.command(envelope.name, envelope.args, held, envelope.caller));
  }

  /** Runs the mailbox in a microtask, so that commands that arrive in one turn of the event loop share a commit. */
  #schedule(): void {
    if (this.#scheduled || this.status !== 'ready') return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#run();
    });
  }

  #run(): void {
    for (;;) {
      if (this.status !== 'ready') return;
      if (this.#executor.over) break;
      const pending = this.#mailbox.next();
      if (!pending) break;
      this.#handling = pending;
      this.#guard(() => this.#executor.handle(pending));
      this.#handling = undefined;
    }
    this.#commits.writeNext();
    this.progressed();
  }

  /**
   * Runs `fn`. An error other than ApiError is a bug: it stops this activation and is logged, and other actors go on.
   */
  #guard(fn: () => void): void {
    try {
      fn();
    } catch (error) {
      const envelope = this.#handling?.envelope;
      const { name, requestId } = envelope ?? {};
      this.ports.logger.error({ requestId, actor: this.key, command: name, err: error }, 'actor crashed');
      // The sender retries once, in case the state in memory was at fault. A second crash is answered with an error.
      if (envelope && !isCommandFromActor(envelope.id) && this.ports.crashedBefore(envelope.id)) {
        this.#handling?.reply({ error: UNKNOWN });
      }
      this.stop('crashed', error);
    }
  }

  wake(lane: string): void {
    this.#mailbox.resume(lane);
    this.#schedule();
  }

  finish(pending: QueuedCommand, reply: ActorCommandReply): void {
    if ('retry' in reply) this.ports.meters.refused(reply.retry);
    this.#running.delete(pending.envelope.id);
    pending.reply(reply);
    if (this.#running.size > 0) return;
    this.#running = newLazyMap();
    this.#mailbox.shrink();
    this.progressed();
  }
}

const UNKNOWN = { code: 'BAD_REQUEST', status: 500, msg: 'Internal server error' } as const;
