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
import type { ActorMemory } from './memory.js';
import type { ActorKindMetrics } from './meters.js';
import type { OutboxDelivery, OutboxPorts } from './outbox.js';
import type { ActorActivationPorts } from './ports.js';
import type { ActorCommandReply } from './protocol.js';
import type { UnpublishedCommitTicket } from './unpublished-commits.js';

/** The methods of an activation that its commit loop, executor and outbox call. */
export interface ActorActivationControl {
  readonly status: 'loading' | 'ready' | 'stopped';
  stop(reason: ActivationStopReason, error?: unknown): void;
  /** Called when the Store has written a commit batch. */
  committed(): void;
  /** Called when an append to the log, a command of the outbox or a commit has finished. */
  progressed(): void;
  finish(pending: QueuedCommand, reply: ActorCommandReply): void;
  wake(lane: string): void;
}

export class ActorActivationContext implements CommitLoopOwner, CommandExecutorOwner, OutboxPorts {
  constructor(
    private readonly key: ActorKey,
    private readonly realm: RealmId,
    private readonly memory: ActorMemory,
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

  state(): JsonObject {
    return this.memory.state;
  }

  wrote({ version, commands, requests }: CommitBatch, began: number): void {
    const { clock, logger, storeOutage } = this.ports;
    storeOutage.worked();
    this.meter.commitSeconds.observe((clock.monotonic() - began) / 1000);
    this.meter.commitCommands.observe(commands);
    if (requests.length > 0) logger.debug({ actor: this.key, version, requestIds: requests }, 'committed');
  }

  committed(): void {
    this.whole.committed();
  }

  failed(reason: ActivationStopReason, error?: unknown): void {
    this.whole.stop(reason, error);
  }

  stopped(): boolean {
    return this.whole.status === 'stopped';
  }

  due(at: number | null): void {
    this.ports.due(this.key, at);
  }

  finish(pending: QueuedCommand, reply: ActorCommandReply): void {
    this.whole.finish(pending, reply);
  }

  wake(lane: string): void {
    this.whole.wake(lane);
  }

  crashed(): void {
    this.whole.stop('crashed');
  }

  send(command: OutboxCommand, id: string, requestId: string): OutboxDelivery {
    return this.ports.sendFromOutbox(command, id, requestId);
  }

  unpublished(): UnpublishedCommitTicket {
    return this.ports.unpublished.begin(this.realm);
  }

  appended(seq: LogSeq, versions: readonly number[]): void {
    const { logger } = this.ports;
    if (logger.isLevelEnabled?.('debug')) logger.debug({ actor: this.key, versions, seq }, 'in the log');
  }

  appendFailed(error: unknown): void {
    this.ports.logger.warn({ actor: this.key, err: error }, 'append to the log failed, trying again');
  }

  progressed(): void {
    this.whole.progressed();
  }
}
