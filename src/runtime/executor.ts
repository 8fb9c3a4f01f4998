/**
 * Runs the handlers of commands. The outcome of a change joins the open commit batch; any other outcome is only
 * answered.
 */

import type { Json, JsonObject } from '#base';
import type { ActorKey, ActorReply, EventLogItem, RealmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { CommitBatch } from './commit-batch.js';
import type { CommitLoop } from './commit-loop.js';
import { DUE_COMMAND_RETRY_DELAY_MS } from './due-timers.js';
import {
  type AnyActorKindDefinition,
  boundDueTime,
  type CommandContext,
  type CommandOutcome,
  CommandTooEarlyError,
  correctDueTime,
} from './kind.js';
import type { QueuedCommand } from './mailbox.js';
import type { ActorStateInMemory } from './memory.js';
import { doItemsFitIntoLog } from './pack-entries.js';
import type { ActorActivationPorts } from './ports.js';
import { type ActorCommandReply, type CommandEnvelope, isCommandFromActor } from './protocol.js';

/** The methods of an activation that its executor calls. */
export interface CommandExecutorOwner {
  /** Sends the reply to a command and ends its processing. */
  finishCommand(pending: QueuedCommand, reply: ActorCommandReply): void;
  /** Resumes the mailbox lane of an exclusive command. */
  resumeMailboxLane(lane: string): void;
  /** Stops the activation, because its memory holds a change that must not be committed. */
  stopAsCrashed(): void;
}

export class CommandExecutor {
  /** True if an outcome has ended the actor: no further command is handled. */
  isActorEnding = false;
  /** True if memory holds a change that is never committed: no further command is handled. */
  #isMemoryUnusable = false;
  readonly #findPendingCommands: CommandContext['findPendingCommands'] = (name) =>
    this.commits.findPendingCommands(name);

  constructor(
    private readonly key: ActorKey,
    private readonly realm: RealmId,
    private readonly kind: AnyActorKindDefinition,
    private readonly memory: ActorStateInMemory,
    private readonly commits: CommitLoop,
    private readonly ports: ActorActivationPorts,
    private readonly owner: CommandExecutorOwner,
  ) {}

  /** True if no further command is handled, because the actor has ended or its memory is unusable. */
  get hasStoppedHandling(): boolean {
    return this.isActorEnding || this.#isMemoryUnusable;
  }

  handleCommand(pending: QueuedCommand): void {
    const { envelope, command } = pending;
    if (command.mintsKey && this.memory.exists) this.#answerWithoutChange(pending, { again: true });
    else if (pending.inputFailure !== undefined) this.#answerInputFailure(pending, pending.inputFailure);
    else if (!this.memory.exists && !command.creates)
      this.#answerWithoutChange(pending, this.kind.makeMissingActorReply(this.key));
    else if (this.#refuseIfPhaseForbids(pending)) return;
    else if (envelope.name === 'due' && !this.#isDueElseResetTimer())
      this.#answerWithoutChange(pending, { value: null });
    else this.#runHandler(pending);
  }

  #refuseIfPhaseForbids(pending: QueuedCommand): boolean {
    const refusal = this.memory.findPhaseRefusal(pending.envelope);
    if (refusal) this.#refuseCommand(pending, refusal);
    return refusal !== undefined;
  }

  #runHandler(pending: QueuedCommand): void {
    const { envelope, command } = pending;
    const batch = command.read ? undefined : this.commits.findOrOpenBatch();
    let outcome: CommandOutcome<JsonObject>;
    try {
      outcome = command.handle(
        this.memory.view(),
        envelope.args,
        pending.inputs,
        this.#makeCommandContext(envelope, batch),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#refuseCommandOfClientOrTimer(pending, error);
      return;
    }
    // The timer has fired, so its time is cleared unless the handler sets another one.
    if (envelope.name === 'due' && outcome.due === undefined) outcome = { ...outcome, due: null };
    if (outcome.events && !doItemsFitIntoLog(outcome.events)) {
      this.#refuseOversizedOutcome(pending, outcome);
      return;
    }
    const phase = batch && this.memory.findNextPhase(envelope);
    if (batch && (phase !== undefined || hasChangesToCommit(outcome) || isCommandFromActor(envelope.id))) {
      this.#applyOutcome(pending, outcome, batch, phase);
    } else this.#answerWithoutChange(pending, outcome.reply);
    const { transient } = outcome;
    if (transient) this.commits.callAfterNewestLogged(() => this.#publishTransientEvents(transient));
  }

  /** Returns the fields that every log line about a command has. */
  #makeLogFields({ envelope }: QueuedCommand): object {
    return { requestId: envelope.requestId, actor: this.key, command: envelope.name };
  }

  /**
   * Refuses an outcome with an event that is too large for the log; other commands are not affected. The kind of the
   * actor undoes the handler's changes of `volatile`; if it cannot, the actor is reloaded.
   */
  #refuseOversizedOutcome(pending: QueuedCommand, outcome: CommandOutcome<JsonObject>): void {
    this.ports.logger.error(this.#makeLogFields(pending), 'an event is too large for the log');
    const takenBack = this.memory.undoVolatileChanges(outcome);
    if (!takenBack) this.#isMemoryUnusable = true;
    this.#refuseCommand(pending, { error: apiError('BODY_TOO_LARGE').toReply() });
    if (!takenBack) this.commits.callAfterNewestCommitted(() => this.owner.stopAsCrashed());
  }

  #publishTransientEvents(items: readonly EventLogItem[]): void {
    for (const item of items) {
      try {
        this.ports.log.publishTransient(this.realm, item as unknown as Json);
      } catch (error) {
        // A transient event that is too large for the log is dropped.
        this.ports.logger.warn({ actor: this.key, err: error }, 'a transient event was lost');
      }
    }
  }

  #makeCommandContext(envelope: CommandEnvelope, batch: CommitBatch | undefined): CommandContext {
    const { caller, client } = envelope;
    const { key, realm } = this;
    const now = this.ports.clock.now();
    const directory = this.kind.usesDirectory ? this.ports.currentDirectory(realm) : NO_DIRECTORY;
    const findPendingCommands = this.#findPendingCommands;
    // A change gets the version of its batch.
    if (batch) return { key, realm, now, caller, client, version: batch.version, directory, findPendingCommands };
    return new ReadCommandContext(key, realm, now, caller, client, directory, findPendingCommands, this.commits);
  }

  /**
   * True if the actor's timer is due. The timer may fire twice (a reload, a commit between firing and handling), but
   * `due` must run once for each time set.
   */
  #isDueElseResetTimer(): boolean {
    const now = this.ports.clock.now();
    const dueAt = correctDueTime(this.kind, this.commits.dueAt, now);
    if (dueAt !== null && dueAt <= now) return true;
    this.ports.setDueTime(this.key, dueAt);
    return false;
  }

  /**
   * Makes an outcome part of memory and of the open batch.
   * @param phase next phase of the actor, if the phase changes
   */
  #applyOutcome(pending: QueuedCommand, outcome: CommandOutcome<JsonObject>, batch: CommitBatch, phase?: string): void {
    const reply = addLogVersionToReply(outcome, batch.version);
    const { requestId } = pending.envelope;
    this.memory.applyOutcome(outcome, batch, phase);
    if (outcome.due !== undefined) this.commits.dueAt = boundDueTime(this.kind, outcome.due, this.ports.clock.now());
    if (outcome.end) {
      batch.endsActor = true;
      this.isActorEnding = true;
    }
    this.commits.includePresentState(batch);
    batch.commandCount++;
    if (requestId !== '' && this.ports.logger.isLevelEnabled?.('debug')) batch.requestIds.push(requestId);
    if (!pending.command.mintsKey) batch.commandReplies.push([pending.envelope.id, reply]);
    const finish = (): void => this.owner.finishCommand(pending, reply);
    const { exclusive, lane = 'main' } = pending.command;
    const stages = outcome.commands?.filter((stage) => stage.length > 0) ?? NO_STAGES;
    if (stages.length > 0) {
      const waits = outcome.replyAfterCommands === true;
      batch.commandSequences.push({
        sequence: {
          stages,
          ...(waits && { answers: pending.envelope.id }),
          ...(exclusive && { lane }),
          ...(requestId !== '' && { requestId }),
        },
        finished: () => {
          if (exclusive) this.owner.resumeMailboxLane(lane);
          if (waits) finish();
        },
      });
      if (waits) return;
    } else if (exclusive) batch.committedCallbacks.push(() => this.owner.resumeMailboxLane(lane));
    // The reply waits for the log: the sending actor's next events must come later in the log than the events that its
    // command caused in this actor.
    if (isCommandFromActor(pending.envelope.id)) batch.loggedCallbacks.push(finish);
    else batch.committedCallbacks.push(finish);
  }

  #answerInputFailure(pending: QueuedCommand, error: unknown): void {
    if (error instanceof ApiError) {
      this.#refuseCommandOfClientOrTimer(pending, error);
      return;
    }
    if (error instanceof CommandTooEarlyError) {
      this.#answerWithoutChange(pending, { retry: 'early' });
      return;
    }
    this.ports.logger.warn({ ...this.#makeLogFields(pending), err: error }, 'inputs unavailable');
    this.ports.storeOutage.recordFailure(error);
    this.#answerWithoutChange(pending, this.ports.storeOutage.makeRefusal('unavailable'));
  }

  /** Refuses a command with an error of its handler or inputs. A timer has no client that would repeat it. */
  #refuseCommandOfClientOrTimer(pending: QueuedCommand, error: ApiError): void {
    this.#refuseCommand(pending, { error: error.toReply() });
    if (pending.envelope.name !== 'due') return;
    this.ports.logger.error({ ...this.#makeLogFields(pending), err: error }, 'timer was refused, trying again');
    this.ports.setDueTime(this.key, this.ports.clock.now() + DUE_COMMAND_RETRY_DELAY_MS);
  }

  /**
   * Refuses a command. A refused command of another actor is remembered as carried out, so that a repeat is not
   * executed later.
   */
  #refuseCommand(pending: QueuedCommand, reply: ActorReply): void {
    if ('error' in reply && this.ports.logger.isLevelEnabled?.('debug')) {
      const { code, status } = reply.error;
      this.ports.logger.debug({ ...this.#makeLogFields(pending), code, status }, 'command refused');
    }
    if (this.memory.exists && isCommandFromActor(pending.envelope.id))
      this.#applyOutcome(pending, { reply }, this.commits.findOrOpenBatch());
    else this.#answerWithoutChange(pending, reply);
  }

  /**
   * Answers a command that changed nothing. The reply waits for the commits whose results the command may have seen.
   */
  #answerWithoutChange(pending: QueuedCommand, reply: ActorCommandReply): void {
    if (pending.command.exclusive) this.owner.resumeMailboxLane(pending.command.lane ?? 'main');
    const finish = (): void => this.owner.finishCommand(pending, reply);
    if (pending.command.logged) this.commits.callAfterNewestLogged(finish);
    else this.commits.callAfterNewestCommitted(finish);
  }
}

/** Context of a read. It is a class because an object literal with a getter takes a microsecond to make. */
class ReadCommandContext implements CommandContext {
  readonly #commits: CommitLoop;

  constructor(
    readonly key: ActorKey,
    readonly realm: RealmId,
    readonly now: number,
    readonly caller: number,
    readonly client: string,
    readonly directory: DirectoryView,
    readonly findPendingCommands: CommandContext['findPendingCommands'],
    commits: CommitLoop,
  ) {
    this.#commits = commits;
  }

  /**
   * A read seals the open batch, so that no later outcome joins the version that the read saw. Sealing costs a commit
   * of its own, and not every read uses the version.
   */
  get version(): number {
    return this.#commits.sealOpenBatch();
  }
}

const NO_STAGES: readonly (readonly OutboxCommand[])[] = [];

/**
 * Adds `logged` to the reply: the version of the actor up to which the log must be read to see the events of this
 * outcome.
 */
function addLogVersionToReply({ reply, events }: CommandOutcome<JsonObject>, version: number): ActorCommandReply {
  if (!events || events.length === 0 || !('ok' in reply)) return reply;
  const { ok, after, partial } = reply;
  // Most replies have no other fields; spreading an object takes a microsecond.
  return after === undefined && partial === undefined ? { ok, logged: version } : { ...reply, logged: version };
}

function hasChangesToCommit(outcome: CommandOutcome<JsonObject>): boolean {
  const { state, parts, messages, events, commands, due, end } = outcome;
  return !!(state || parts || messages || events || commands || end) || due !== undefined;
}

/**
 * Value of `directory` for kinds that use no directory replica. The realm actor is one of them, because replicas follow
 * it.
 */
const NO_DIRECTORY = undefined as unknown as DirectoryView;
