/**
 * One live actor: loads its state, runs handlers one at a time over it, and commits what they return in groups.
 *
 * Life: loading → ready → stopped. Everything that can go wrong with a write ends the activation; the next command
 * starts a fresh one from the Store, which redoes the outbox first.
 */
import { ApiError, apiError } from '../api/errors.js';
import type { ActorReply } from '../api/operation.js';
import type { BusRequest } from '../bus/index.js';
import { type ActorKey, type Epoch, type Json, type JsonObject, parseKey, type RealmId } from '../core/index.js';
import type { DirectoryView } from '../directory/index.js';
import { CommitLoop } from './commit-loop.js';
import { fitsLog } from './form-entries.js';
import type { Group } from './group.js';
import type { AnyKind, CommandContext, HeldRequest, LiveActor, Outcome, View } from './kind.js';
import { type Loaded, loadActor } from './load.js';
import type { PlainItem } from './log-entry.js';
import { Mailbox, Pending } from './mailbox.js';
import { OUTBOX_LIMIT, Outbox } from './outbox.js';
import { PhaseMachine } from './phase-machine.js';
import type { ActivationPorts } from './ports.js';
import { type Envelope, isFromActor, type Reply } from './protocol.js';
import type { RetryReason, StopReason } from './reasons.js';
import { RememberedReplies } from './remembered.js';
import { Supply } from './supply.js';

/** Commands waiting in one mailbox; more are answered 'busy'. */
export const MAILBOX_LIMIT = 20_000;

export class Activation {
  readonly realm: RealmId;
  status: 'loading' | 'ready' | 'stopped' = 'loading';
  /** Monotonic ms of the last command: idle ones are passivated. */
  lastUsed: number;
  readonly #mailbox = new Mailbox();
  readonly #running = new Map<string, Pending>();
  readonly #remembered = new RememberedReplies();
  readonly #outbox: Outbox;
  readonly #commits: CommitLoop;
  #early: { envelope: Envelope; request: BusRequest }[] = [];
  #exists = false;
  #state: JsonObject;
  #parts = new Map<string, Json>();
  #volatile: unknown;
  #machine: PhaseMachine | undefined;
  #live: LiveActor | undefined;
  readonly #supply: Supply;
  #scheduled = false;
  #handling: Pending | undefined;
  /** Only commands of other actors are still taken. */
  #leaving = false;
  /** Its end is decided: nothing more is handled. */
  #ending = false;
  /** Memory holds what was never committed: nothing more is handled. */
  #spoiled = false;
  #onProgress: (() => void)[] = [];

  constructor(
    readonly key: ActorKey,
    readonly kind: AnyKind,
    readonly epoch: Epoch,
    private readonly ports: ActivationPorts,
  ) {
    this.realm = parseKey(key).realm;
    this.lastUsed = ports.clock.monotonic();
    this.#state = kind.initial(key);
    this.#outbox = new Outbox(key, this.realm, {
      clock: ports.clock,
      log: ports.log,
      send: (command, id) => ports.sendFromOutbox(command, id),
      trouble: (error) => ports.logger.warn({ actor: key, err: error }, 'append failed, trying again'),
      progress: () => this.#progressed(),
    });
    this.#supply = new Supply(key, this.realm, kind, ports, () => this.#view());
    this.#commits = new CommitLoop(key, this.realm, epoch, ports.store, this.#outbox, this.#remembered, {
      now: () => ports.clock.now(),
      state: () => this.#state,
      committed: () => {
        if (this.#live) this.#guard(() => this.#live?.committed());
        this.#progressed();
      },
      failed: (reason, error) => this.stop(reason, error),
      stopped: () => this.status === 'stopped',
      due: (at) => ports.due(key, at),
    });
  }

  /** Nothing waiting, running or held, and nothing left in the outbox. */
  get quiet(): boolean {
    return this.atRest && (this.#live?.idle() ?? true);
  }

  /** As `quiet`, held requests aside. */
  get atRest(): boolean {
    return (
      this.status === 'ready' &&
      this.#mailbox.size === 0 &&
      this.#running.size === 0 &&
      this.#commits.idle &&
      this.#outbox.size === 0 &&
      !this.#ending
    );
  }

  get mailboxSize(): number {
    return this.#mailbox.size + this.#early.length;
  }

  /** Take the actor over: stamp the epoch, apply what the outbox still holds, load parts, go on with the outbox. */
  async load(): Promise<void> {
    const { store } = this.ports;
    let loaded: Loaded | 'fenced';
    try {
      loaded = await loadActor(store, this.key, this.epoch, this.kind.loads, this.ports.suspect(this.key));
    } catch (error) {
      this.stop('store-failed', error);
      return;
    }
    if (loaded === 'fenced') this.stop('fenced');
    else if (!this.#isStopped()) this.#guard(() => this.#loaded(loaded));
    if (this.#isStopped()) return;
    this.status = 'ready';
    const early = this.#early;
    this.#early = [];
    for (const { envelope, request } of early) this.receive(envelope, request);
    this.#progressed();
  }

  #loaded({ root, entries, parts, remembered }: Loaded): void {
    if (root) {
      this.#exists = true;
      this.#state = root.state as JsonObject;
    }
    this.#parts = parts;
    this.#remembered.load(remembered);
    this.#ending = entries.some((entry) => entry.ends);
    this.#commits.loaded(root?.version ?? 0, root?.due ?? null, entries.length > 0);
    this.#start();
    for (const entry of entries) {
      const rested = entry.sequences.map(({ lane }) => (lane === undefined ? () => {} : this.#rest(lane)));
      this.#outbox.add({ ...entry, records: [] }, rested);
    }
  }

  receive(envelope: Envelope, request: BusRequest): void {
    const fromActor = isFromActor(envelope.id);
    if (this.status === 'stopped' || (this.#leaving && !fromActor)) {
      request.reply({ retry: 'moved' } satisfies Reply as never);
      return;
    }
    // Two actors with full outboxes must still take each other's commands.
    if (!fromActor && (this.mailboxSize >= MAILBOX_LIMIT || this.#outbox.size >= OUTBOX_LIMIT)) {
      request.reply({ retry: 'busy' } satisfies Reply as never);
      return;
    }
    this.lastUsed = this.ports.clock.monotonic();
    if (this.status === 'loading') {
      this.#early.push({ envelope, request });
      return;
    }
    if (this.kind.liveCommands?.includes(envelope.name)) {
      this.#receiveLive(envelope, request);
      return;
    }
    const known = this.#running.get(envelope.id);
    if (known) {
      known.also(request);
      return;
    }
    const before = this.#remembered.find(envelope.id, envelope.settled);
    if (before) {
      // What the reply promised may have to be done again first; and it may have been given by a commit of another
      // owner whose events are not in the log yet.
      this.#outbox.afterCommandsOf(envelope.id, () => {
        const answer = (): void => request.reply(before as never);
        if (fromActor) this.#outbox.afterLogged(this.#commits.committed, answer);
        else answer();
      });
      return;
    }
    const command = this.kind.commands[envelope.name];
    if (!command) {
      this.ports.logger.error({ actor: this.key, command: envelope.name }, 'unknown command');
      request.reply({ error: UNKNOWN } satisfies Reply as never);
      return;
    }
    const pending = new Pending(envelope, command, request);
    this.#running.set(envelope.id, pending);
    this.#mailbox.push(pending);
    const supply = (): void => this.#supply.start(pending, () => this.#schedule());
    if (command.exclusive) pending.start = supply;
    else supply();
    this.#schedule();
  }

  /** Take no more commands but those of other actors, which may wait for them; refuse what hasn't begun. */
  leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    const refused = this.#mailbox.remove((pending) => !isFromActor(pending.envelope.id));
    for (const pending of refused) this.#finish(pending, { retry: 'moved' });
    for (const { request } of this.#early.filter(({ envelope }) => !isFromActor(envelope.id))) {
      request.reply({ retry: 'moved' } satisfies Reply as never);
    }
    this.#early = this.#early.filter(({ envelope }) => isFromActor(envelope.id));
  }

  /** Resolves when everything that was begun is finished, or the activation is over. */
  async rest(): Promise<void> {
    while (!this.#isStopped() && !this.atRest) await new Promise<void>((resolve) => this.#onProgress.push(resolve));
  }

  /** The live side writes down what only memory knows; a failure there must not keep the host from leaving. */
  async draining(): Promise<void> {
    try {
      if (this.status === 'ready' && this.#exists) await this.#live?.draining?.();
    } catch (error) {
      this.ports.logger.warn({ actor: this.key, err: error }, 'could not write down what only memory knows');
    }
  }

  /** Leave memory, with nothing in the stored outbox. A command that comes meanwhile keeps it from being passivated. */
  async retire(reason: 'passivated' | 'drained'): Promise<void> {
    if (reason === 'passivated') await this.draining();
    const used = this.lastUsed;
    for (;;) {
      await this.rest();
      if (this.#isStopped() || (reason === 'passivated' && this.lastUsed !== used)) return;
      if (!this.atRest) continue;
      if (!this.#commits.stale) break;
      this.#commits.clean();
    }
    if (reason === 'drained' || this.quiet) this.stop(reason);
  }

  stop(reason: StopReason, error?: unknown): void {
    if (this.status === 'stopped') return;
    this.status = 'stopped';
    this.#outbox.stop();
    const retry: RetryReason = reason === 'store-failed' ? 'unavailable' : 'moved';
    for (const { request } of this.#early.splice(0)) request.reply({ retry } satisfies Reply as never);
    this.#mailbox.remove(() => true);
    for (const pending of this.#running.values()) pending.reply({ retry });
    this.#running.clear();
    try {
      this.#live?.stopped(reason);
    } catch (thrown) {
      this.ports.logger.error({ actor: this.key, err: thrown }, 'actor crashed while it stopped');
    }
    this.ports.stopped(this, reason, error);
    this.#progressed();
  }

  #progressed(): void {
    if (this.#ending && this.status === 'ready' && this.#commits.idle && this.#outbox.size === 0) this.#commits.end();
    // Commits may have waited for the log.
    this.#commits.pump();
    if (this.#onProgress.length > 0) for (const fn of this.#onProgress.splice(0)) fn();
  }

  /** Let a lane rest; returns what wakes it. */
  #rest(lane: string): () => void {
    this.#mailbox.rest(lane);
    return () => this.#wake(lane);
  }

  #isStopped(): boolean {
    return this.status === 'stopped';
  }

  #start(): void {
    this.#volatile = this.kind.volatile(this.key, this.#state, this.#parts);
    if (this.kind.live) {
      this.#live = this.kind.live(
        {
          key: this.key,
          realm: this.realm,
          exists: () => this.#exists,
          state: () => this.#state,
          volatile: this.#volatile,
          tell: (name, args) => this.ports.tell(this.key, name, args),
        },
        this.ports.suppliers,
      );
      return;
    }
    this.#machine = new PhaseMachine(this.kind.machine, this.#state.phase as string | undefined);
  }

  #receiveLive(envelope: Envelope, request: BusRequest): void {
    if (!this.#exists || !this.#live) {
      request.reply(this.kind.missing(this.key) as never);
      return;
    }
    const held: HeldRequest = {
      id: envelope.id,
      reply: (reply) => {
        this.lastUsed = this.ports.clock.monotonic();
        request.reply(reply as never);
      },
      onCancel: (fn) => request.onCancel(fn),
    };
    this.#guard(() => this.#live?.command(envelope.name, envelope.args, held, envelope.caller));
  }

  #view(): View<JsonObject> {
    return { state: this.#state, parts: this.#parts, volatile: this.#volatile };
  }

  /** Handlers of one tick share a commit. */
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
      if (this.#ending || this.#spoiled) break;
      const pending = this.#mailbox.next();
      if (!pending) break;
      this.#handling = pending;
      this.#guard(() => this.#handle(pending));
      this.#handling = undefined;
    }
    this.#commits.pump();
    this.#progressed();
  }

  /** A handler or machine that throws anything but an API error is a bug: stop loudly, alone. */
  #guard(fn: () => void): void {
    try {
      fn();
    } catch (error) {
      const envelope = this.#handling?.envelope;
      this.ports.logger.error({ actor: this.key, command: envelope?.name, err: error }, 'actor crashed');
      // Repeating it once may help, if it was the state in memory; more would only take the actor down for everybody.
      if (envelope && !isFromActor(envelope.id) && this.ports.crashedBefore(envelope.id)) {
        this.#handling?.reply({ error: UNKNOWN });
      }
      this.stop('crashed', error);
    }
  }

  #handle(pending: Pending): void {
    const { envelope, command } = pending;
    if (pending.failure !== undefined) this.#fail(pending, pending.failure);
    else if (!this.#exists && !command.creates) this.#answer(pending, this.kind.missing(this.key));
    else if (this.#machine && !this.#admits(envelope.name)) {
      this.#refuse(pending, this.kind.refuse(this.#machine.phase, envelope.name));
    } else if (envelope.name === 'due' && !this.#isDue()) this.#answer(pending, { value: null });
    else this.#execute(pending);
  }

  #execute(pending: Pending): void {
    const { envelope, command } = pending;
    const group = command.read ? undefined : this.#commits.open();
    let outcome: Outcome<JsonObject>;
    try {
      outcome = command.handle(this.#view(), envelope.args, pending.inputs, this.#context(envelope, group));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#refuse(pending, { error: error.toReply() });
      return;
    }
    // The time it waited for has come; unless it says so, it waits for no other.
    if (envelope.name === 'due' && outcome.due === undefined) outcome = { ...outcome, due: null };
    if (outcome.events && !fitsLog(outcome.events)) {
      this.#outsized(pending);
      return;
    }
    if (group && (writes(outcome) || isFromActor(envelope.id))) this.#take(pending, outcome, group);
    else this.#answer(pending, outcome.reply);
    const { transient } = outcome;
    if (transient) this.#commits.afterLogged(() => this.#publish(transient));
  }

  /** What cannot be told must not be done. The handler may have noted it in memory: that is left behind. */
  #outsized(pending: Pending): void {
    this.ports.logger.error({ actor: this.key, command: pending.envelope.name }, 'an event is too large for the log');
    this.#spoiled = true;
    this.#refuse(pending, { error: apiError('BODY_TOO_LARGE').toReply() });
    this.#commits.afterNewest(() => this.stop('crashed'));
  }

  #publish(items: readonly PlainItem[]): void {
    for (const item of items) {
      try {
        this.ports.log.publish(this.realm, item as unknown as Json);
      } catch (error) {
        // Larger than the log can carry.
        this.ports.logger.warn({ actor: this.key, err: error }, 'a transient event was lost');
      }
    }
  }

  #context(envelope: Envelope, group: Group | undefined): CommandContext {
    const commits = this.#commits;
    return {
      key: this.key,
      realm: this.realm,
      now: this.ports.clock.now(),
      caller: envelope.caller,
      client: envelope.client,
      // A read that asks closes the group, so only those that label what they read cost a commit of their own.
      get version() {
        return group ? group.version : commits.seal();
      },
      directory: this.kind.directory ? this.ports.directoryNow(this.realm) : NO_DIRECTORY,
    };
  }

  /** Timers may ring twice (a reload, a commit between ringing and handling); what they stand for happens once. */
  #isDue(): boolean {
    const { due } = this.#commits;
    if (due !== null && due <= this.ports.clock.now()) return true;
    this.ports.due(this.key, due);
    return false;
  }

  #admits(name: string): boolean {
    return this.kind.commands[name]?.creates || this.#machine?.admits(name) !== false;
  }

  /** Apply an outcome to the state in memory and to the commit in the making. */
  #take(pending: Pending, outcome: Outcome<JsonObject>, group: Group): void {
    const reply: Reply = outcome.reply;
    this.#exists = true;
    if (outcome.state) this.#state = outcome.state;
    if (outcome.transition && this.#machine) {
      this.#machine.send(outcome.transition);
    }
    if (this.#machine && this.#state.phase !== this.#machine.phase) {
      this.#state = { ...this.#state, phase: this.#machine.phase };
    }
    for (const [name, value] of Object.entries(outcome.parts ?? {})) {
      if (value === null) this.#parts.delete(name);
      else if (this.kind.loads.some((prefix) => name.startsWith(prefix))) this.#parts.set(name, value);
      group.parts.set(name, value);
    }
    for (const change of outcome.messages ?? []) group.messages.set(change.id, change);
    for (const item of outcome.events ?? []) group.items.push(item);
    if (outcome.due !== undefined) this.#commits.due = outcome.due;
    if (outcome.end) {
      group.ends = true;
      this.#ending = true;
    }
    this.#commits.take(group);
    group.replies.push([pending.envelope.id, outcome.large ? { again: true } : reply]);
    const finish = (): void => this.#finish(pending, reply);
    const { exclusive, lane = 'main' } = pending.command;
    const stages = (outcome.commands ?? []).filter((stage) => stage.length > 0);
    if (stages.length > 0) {
      const waits = outcome.replyAfterCommands === true;
      group.sequences.push({
        sequence: { stages, ...(waits && { answers: pending.envelope.id }), ...(exclusive && { lane }) },
        finished: () => {
          if (exclusive) this.#wake(lane);
          if (waits) finish();
        },
      });
      if (waits) return;
    } else if (exclusive) group.onCommitted.push(() => this.#wake(lane));
    // What other actors do next must come later in the log than what they asked for here.
    if (isFromActor(pending.envelope.id)) group.onLogged.push(finish);
    else group.onCommitted.push(finish);
  }

  #wake(lane: string): void {
    this.#mailbox.wake(lane);
    this.#schedule();
  }

  #fail(pending: Pending, error: unknown): void {
    if (error instanceof ApiError) {
      this.#refuse(pending, { error: error.toReply() });
      return;
    }
    this.ports.logger.warn({ actor: this.key, command: pending.envelope.name, err: error }, 'inputs unavailable');
    this.#answer(pending, { retry: 'unavailable' });
  }

  /** A refused command of another actor counts as carried out: its repeat must not be executed after all. */
  #refuse(pending: Pending, reply: ActorReply): void {
    if (this.#exists && isFromActor(pending.envelope.id)) this.#take(pending, { reply }, this.#commits.open());
    else this.#answer(pending, reply);
  }

  /** A reply that changed nothing: it waits for the commits whose results it may have seen. */
  #answer(pending: Pending, reply: Reply): void {
    if (pending.command.exclusive) this.#wake(pending.command.lane ?? 'main');
    const finish = (): void => this.#finish(pending, reply);
    if (pending.command.logged) this.#commits.afterLogged(finish);
    else this.#commits.afterNewest(finish);
  }

  #finish(pending: Pending, reply: Reply): void {
    this.#running.delete(pending.envelope.id);
    pending.reply(reply);
    if (this.#running.size === 0) this.#progressed();
  }
}

function writes(outcome: Outcome<JsonObject>): boolean {
  const { state, parts, messages, events, commands, due, transition, end } = outcome;
  return !!(state || parts || messages || events || commands || transition || end) || due !== undefined;
}

/** For kinds that must not depend on a replica (the realm actor is what replicas follow). */
const NO_DIRECTORY = undefined as unknown as DirectoryView;

const UNKNOWN = { code: 'BAD_REQUEST', status: 500, msg: 'Internal server error' } as const;
