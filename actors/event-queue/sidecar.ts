/** The side of a queue's actor outside the mailbox: opens a session when needed, and refuses polls after the end. */

import type { JsonObject } from '#base';
import type { ActivationStopReason } from '#model';
import { apiError } from '#model/errors';
import type { ActorActivationHandle, ActorCommandReply, ActorSidecar, DeferredRequest } from '#runtime';
import type { ActorInputSources } from '../services.js';
import { ActiveEventQueue, EVENT_QUEUE_MOVED_REPLY, type EventQueuePollArgs } from './session.js';
import { type EventQueueActorState, eventQueueIdOfActorKey } from './state.js';
import type { EventQueueMemoryState } from './volatile.js';

export class EventQueueActorSidecar implements ActorSidecar {
  #activeQueue: ActiveEventQueue | undefined;
  /** True if the queue was in the Store before this activation. */
  readonly #wasStoredBeforeActivation: boolean;
  /** Polls that arrived after the queue's end was decided and before it was written. */
  #pollsAfterEndDecision: DeferredRequest[] | undefined;

  constructor(
    private readonly handle: ActorActivationHandle<EventQueueActorState, EventQueueMemoryState>,
    private readonly sources: ActorInputSources,
  ) {
    this.#wasStoredBeforeActivation = handle.exists();
  }

  /**
   * Called after a commit. A new queue follows the log from its registration on, a reloaded one only when a poll comes.
   */
  onCommitted(): void {
    if (!this.#activeQueue && !this.#wasStoredBeforeActivation && this.handle.exists()) this.#openActiveQueue();
  }

  handleCommand(_name: string, args: JsonObject, request: DeferredRequest): void {
    if (this.handle.volatile.endReason) {
      this.#pollsAfterEndDecision ??= [];
      this.#pollsAfterEndDecision.push(request);
      return;
    }
    const session = this.#activeQueue ?? this.#openActiveQueue();
    session.admitOrHoldPoll(args as unknown as EventQueuePollArgs, request);
  }

  isIdle(): boolean {
    return !this.#pollsAfterEndDecision && (this.#activeQueue?.canLeaveMemory ?? true);
  }

  phase(): string | undefined {
    if (!this.#activeQueue) return undefined;
    return this.#activeQueue.hasWaitingPoll ? 'polling' : 'idle';
  }

  endReason(): string | undefined {
    return this.handle.volatile.endReason;
  }

  async flush(): Promise<void> {
    await this.#activeQueue?.writeLastCheckpointIfNeeded();
  }

  onActivationStopped(reason: ActivationStopReason): void {
    const refusal: ActorCommandReply =
      reason === 'ended' ? makeMissingEventQueueReply(this.handle.key) : EVENT_QUEUE_MOVED_REPLY;
    this.#activeQueue?.stop(reason, refusal);
    for (const request of this.#pollsAfterEndDecision ?? []) request.reply(refusal);
    this.#pollsAfterEndDecision = undefined;
  }

  #openActiveQueue(): ActiveEventQueue {
    this.#activeQueue = new ActiveEventQueue(this.handle, this.sources, this.#wasStoredBeforeActivation);
    return this.#activeQueue;
  }
}

/** Reply to a command for a queue that does not exist, or exists no longer. */
export const makeMissingEventQueueReply = (key: ActorActivationHandle<EventQueueActorState>['key']) => ({
  error: apiError('BAD_EVENT_QUEUE_ID', { queue_id: eventQueueIdOfActorKey(key) }).toReply(),
});
