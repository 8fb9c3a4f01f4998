/** Handles commands: runs their handlers, and makes what they return part of a commit, or their answer. */

import type { Json, JsonObject } from '#base';
import type { ActorKey, ActorReply, PlainItem, RealmId } from '#model';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { CommitLoop } from './commit-loop.js';
import { fitsLog } from './form-entries.js';
import type { Group } from './group.js';
import { type AnyKind, type CommandContext, type Outcome, TooEarly } from './kind.js';
import type { Pending } from './mailbox.js';
import type { ActorMemory } from './memory.js';
import type { ActivationPorts } from './ports.js';
import { type Envelope, isFromActor, type Reply } from './protocol.js';

/** What the activation does about a command. */
export interface ExecutorOwner {
  /** It is through, with this reply. */
  finish(pending: Pending, reply: Reply): void;
  /** The lane of an exclusive command may go on. */
  wake(lane: string): void;
  /** Memory holds what must not be committed. */
  crashed(): void;
}

export class Executor {
  /** The actor's end is decided: nothing more is handled. */
  ending = false;
  /** Memory holds what was never committed: nothing more is handled. */
  #spoiled = false;

  constructor(
    private readonly key: ActorKey,
    private readonly realm: RealmId,
    private readonly kind: AnyKind,
    private readonly memory: ActorMemory,
    private readonly commits: CommitLoop,
    private readonly ports: ActivationPorts,
    private readonly owner: ExecutorOwner,
  ) {}

  /** Nothing more is handled. */
  get over(): boolean {
    return this.ending || this.#spoiled;
  }

  handle(pending: Pending): void {
    const { envelope, command } = pending;
    const phase = this.memory.refusingPhase(envelope.name);
    if (command.founds && this.memory.exists) this.#answer(pending, { again: true });
    else if (pending.failure !== undefined) this.#fail(pending, pending.failure);
    else if (!this.memory.exists && !command.creates) this.#answer(pending, this.kind.missing(this.key));
    else if (phase !== undefined) this.#refuse(pending, this.kind.refuse(phase, envelope.name));
    else if (envelope.name === 'due' && !this.#isDue()) this.#answer(pending, { value: null });
    else this.#execute(pending);
  }

  #execute(pending: Pending): void {
    const { envelope, command } = pending;
    const group = command.read ? undefined : this.commits.open();
    let outcome: Outcome<JsonObject>;
    try {
      outcome = command.handle(this.memory.view(), envelope.args, pending.inputs, this.#context(envelope, group));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#refuse(pending, { error: error.toReply() });
      return;
    }
    // The time it waited for has come; unless it says so, it waits for no other.
    if (envelope.name === 'due' && outcome.due === undefined) outcome = { ...outcome, due: null };
    if (outcome.events && !fitsLog(outcome.events)) {
      this.#outsized(pending, outcome);
      return;
    }
    if (group && (writes(outcome) || isFromActor(envelope.id))) this.#take(pending, outcome, group);
    else this.#answer(pending, outcome.reply);
    const { transient } = outcome;
    if (transient) this.commits.afterLogged(() => this.#publish(transient));
  }

  /** For logs. */
  #about({ envelope }: Pending): object {
    return { requestId: envelope.requestId, actor: this.key, command: envelope.name };
  }

  /**
   * What cannot be told must not be done, and costs other commands nothing. What the handler noted in memory is taken back;
   * of a kind that can't do that the actor is loaded anew.
   */
  #outsized(pending: Pending, outcome: Outcome<JsonObject>): void {
    this.ports.logger.error(this.#about(pending), 'an event is too large for the log');
    const takenBack = this.memory.takeBack(outcome);
    if (!takenBack) this.#spoiled = true;
    this.#refuse(pending, { error: apiError('BODY_TOO_LARGE').toReply() });
    if (!takenBack) this.commits.afterNewest(() => this.owner.crashed());
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
    const commits = this.commits;
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
      underWay: (name) => commits.underWay(name),
      directory: this.kind.directory ? this.ports.directoryNow(this.realm) : NO_DIRECTORY,
    };
  }

  /** Timers may ring twice (a reload, a commit between ringing and handling); what they stand for happens once. */
  #isDue(): boolean {
    const { due } = this.commits;
    if (due !== null && due <= this.ports.clock.now()) return true;
    this.ports.due(this.key, due);
    return false;
  }

  /** Make an outcome part of the state in memory and of the commit in the making. */
  #take(pending: Pending, outcome: Outcome<JsonObject>, group: Group): void {
    const reply = withVersion(outcome, group.version);
    const { requestId } = pending.envelope;
    this.memory.apply(outcome, group);
    if (outcome.due !== undefined) this.commits.due = outcome.due;
    if (outcome.end) {
      group.ends = true;
      this.ending = true;
    }
    this.commits.take(group);
    group.commands++;
    if (requestId !== '' && this.ports.logger.isLevelEnabled?.('debug')) group.requests.push(requestId);
    if (!pending.command.founds) group.replies.push([pending.envelope.id, reply]);
    const finish = (): void => this.owner.finish(pending, reply);
    const { exclusive, lane = 'main' } = pending.command;
    const stages = (outcome.commands ?? []).filter((stage) => stage.length > 0);
    if (stages.length > 0) {
      const waits = outcome.replyAfterCommands === true;
      group.sequences.push({
        sequence: {
          stages,
          ...(waits && { answers: pending.envelope.id }),
          ...(exclusive && { lane }),
          ...(requestId !== '' && { requestId }),
        },
        finished: () => {
          if (exclusive) this.owner.wake(lane);
          if (waits) finish();
        },
      });
      if (waits) return;
    } else if (exclusive) group.onCommitted.push(() => this.owner.wake(lane));
    // What other actors do next must come later in the log than what they asked for here.
    if (isFromActor(pending.envelope.id)) group.onLogged.push(finish);
    else group.onCommitted.push(finish);
  }

  #fail(pending: Pending, error: unknown): void {
    if (error instanceof ApiError) {
      this.#refuse(pending, { error: error.toReply() });
      return;
    }
    if (error instanceof TooEarly) {
      this.#answer(pending, { retry: 'early' });
      return;
    }
    this.ports.logger.warn({ ...this.#about(pending), err: error }, 'inputs unavailable');
    this.ports.storeOutage.failed(error);
    this.#answer(pending, this.ports.storeOutage.refusal('unavailable'));
  }

  /** A refused command of another actor counts as carried out: its repeat must not be executed after all. */
  #refuse(pending: Pending, reply: ActorReply): void {
    if ('error' in reply && this.ports.logger.isLevelEnabled?.('debug')) {
      const { code, status } = reply.error;
      this.ports.logger.debug({ ...this.#about(pending), code, status }, 'command refused');
    }
    if (this.memory.exists && isFromActor(pending.envelope.id)) this.#take(pending, { reply }, this.commits.open());
    else this.#answer(pending, reply);
  }

  /** A reply that changed nothing: it waits for the commits whose results it may have seen. */
  #answer(pending: Pending, reply: Reply): void {
    if (pending.command.exclusive) this.owner.wake(pending.command.lane ?? 'main');
    const finish = (): void => this.owner.finish(pending, reply);
    if (pending.command.logged) this.commits.afterLogged(finish);
    else this.commits.afterNewest(finish);
  }
}

/** Who reads the log learns from this when it has come as far as the answer. */
function withVersion({ reply, events }: Outcome<JsonObject>, version: number): Reply {
  return events && events.length > 0 && 'ok' in reply ? { ...reply, logged: version } : reply;
}

function writes(outcome: Outcome<JsonObject>): boolean {
  const { state, parts, messages, events, commands, due, transition, end } = outcome;
  return !!(state || parts || messages || events || commands || transition || end) || due !== undefined;
}

/** For kinds that must not depend on a replica (the realm actor is what replicas follow). */
const NO_DIRECTORY = undefined as unknown as DirectoryView;
