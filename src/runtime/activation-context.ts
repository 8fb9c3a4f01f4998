/**
 * Mediator between the parts of an activation (commit loop, executor, outbox), the activation, and the host's ports.
 * One object serves instead of a closure for each callback, because a host has tens of thousands of activations.
 */

import type { JsonObject } from '#base';
import type { Clock } from '#base/clock';
import type { ActivationStopReason, ActorKey, LogSeq, RealmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { EventLog } from '#ports/log';
import type { CommitBatch } from './commit-batch.js';
import type { CommitLoopOwner } from './commit-loop.js';
import type { CommandExecutorOwner } from './executor.js';
import type { QueuedCommand } from './mailbox.js';
import type { ActorStateInMemory } from './memory.js';
import type { ActorKindMetrics } from './meters.js';
import type { OutboxDelivery, OutboxPorts } from './outbox.js';
import type { ActorActivationPorts } from './ports.js';
import type { ActorCommandReply } from './protocol.js';
import type { UnpublishedCommitTicket } from './unpublished-commits.js';

/** The methods of an activation that its commit loop, executor and outbox call. */
export interface ActorActivationControl {
  readonly status: 'loading' | 'ready' | 'stopped';
  stop(reason: ActivationStopReason, error?: unknown): void;
  /** Called when the Store has written a commit, which holds the outcomes of a batch of commands. */
  onBatchCommitted(): void;
  /** Called when an append to the log, a command of the outbox or a commit has finished. */
  onWorkStepFinished(): void;
  finishCommand(pending: QueuedCommand, reply: ActorCommandReply): void;
  resumeMailboxLane(lane: string): void;
}

export class ActorActivationContext implements CommitLoopOwner, CommandExecutorOwner, OutboxPorts {
  constructor(
    private readonly key: ActorKey,
    private readonly realm: RealmId,
    private readonly memory: ActorStateInMemory,
    private readonly meter: ActorKindMetrics,
    private readonly ports: ActorActivationPorts,
    private readonly whole: ActorActivationControl,
  ) {}

  get clock(): Clock {
    return this.ports.clock;
  }

  get log(): EventLog {
    return this.ports.log;
  }

  now(): number {
    return this.ports.clock.now();
  }

  monotonic(): number {
    return this.ports.clock.monotonic();
  }

  currentActorState(): JsonObject {
    return this.memory.state;
  }

  recordSuccessfulBatchWrite({ version, commandCount, requestIds }: CommitBatch, began: number): void {
    const { clock, logger, storeOutage } = this.ports;
    storeOutage.recordSuccess();
    this.meter.commitSeconds.observe((clock.monotonic() - began) / 1000);
    this.meter.commandsPerCommit.observe(commandCount);
    if (requestIds.length > 0) logger.debug({ actor: this.key, version, requestIds: requestIds }, 'committed');
  }

  onBatchCommitted(): void {
    this.whole.onBatchCommitted();
  }

  stopActivation(reason: ActivationStopReason, error?: unknown): void {
    this.whole.stop(reason, error);
  }

  isActivationStopped(): boolean {
    return this.whole.status === 'stopped';
  }

  setDueTime(at: number | null): void {
    this.ports.setDueTime(this.key, at);
  }

  finishCommand(pending: QueuedCommand, reply: ActorCommandReply): void {
    this.whole.finishCommand(pending, reply);
  }

  resumeMailboxLane(lane: string): void {
    this.whole.resumeMailboxLane(lane);
  }

  stopAsCrashed(): void {
    this.whole.stop('crashed');
  }

  waitForSendingTurn(): Promise<void> | undefined {
    return this.ports.sendingTurns.waitForTurn(this.key);
  }

  sendOutboxCommand(command: OutboxCommand, id: string, requestId: string): OutboxDelivery {
    return this.ports.sendFromOutbox(command, id, requestId);
  }

  beginUnpublishedCommit(): UnpublishedCommitTicket {
    return this.ports.unpublishedCommits.openTicket(this.realm);
  }

  onAppendedToLog(seq: LogSeq, versions: readonly number[]): void {
    const { logger } = this.ports;
    if (logger.isLevelEnabled?.('debug')) logger.debug({ actor: this.key, versions, seq }, 'in the log');
  }

  onAppendToLogFailed(error: unknown): void {
    this.ports.logger.warn({ actor: this.key, err: error }, 'append to the log failed, trying again');
  }

  onWorkStepFinished(): void {
    this.whole.onWorkStepFinished();
  }
}
