/** The side of a queue's actor outside the mailbox: opens a session when needed, and refuses polls after the end. */

import type { JsonObject } from '#base';
import type { StopReason } from '#model';
import { apiError } from '#model/errors';
import type { ActivationHandle, ActorCommandReply, DeferredRequest, Sidecar } from '#runtime';
import type { InputSources } from '../services.js';
import { MOVED_REPLY, type QueuePollArgs, QueueSession } from './session.js';
import { type QueueState, queueIdOf } from './state.js';
import type { QueueVolatile } from './volatile.js';

export class QueueSidecar implements Sidecar {
  #session: QueueSession | undefined;
  /** True if the queue was in the Store before this activation. */
  readonly #isReloaded: boolean;
  /** Polls that arrived after the queue's end was decided and before it was written. */
  #late: DeferredRequest[] | undefined;

  constructor(
    private readonly handle: ActivationHandle<QueueState, QueueVolatile>,
    private readonly sources: InputSources,
  ) {
    this.#isReloaded = handle.exists();
  }

  /**
   * Called after a commit. A new queue follows the log from its registration on, a reloaded one only when a poll comes.
   */
  committed(): void {
    if (!this.#session && !this.#isReloaded && this.handle.exists()) this.#open();
  }

  command(_name: string, args: JsonObject, request: DeferredRequest): void {
    if (this.handle.volatile.ended) {
      this.#late ??= [];
      this.#late.push(request);
      return;
    }
    const session = this.#session ?? this.#open();
    session.poll(args as unknown as QueuePollArgs, request);
  }

  isIdle(): boolean {
    return !this.#late && (this.#session?.isIdle ?? true);
  }

  phase(): string | undefined {
    if (!this.#session) return undefined;
    return this.#session.isWaiting ? 'polling' : 'idle';
  }

  endReason(): string | undefined {
    return this.handle.volatile.ended;
  }

  async flush(): Promise<void> {
    await this.#session?.draining();
  }

  stopped(reason: StopReason): void {
    const refusal: ActorCommandReply = reason === 'ended' ? missingQueueReply(this.handle.key) : MOVED_REPLY;
    this.#session?.stop(reason, refusal);
    for (const request of this.#late ?? []) request.reply(refusal);
    this.#late = undefined;
  }

  #open(): QueueSession {
    this.#session = new QueueSession(this.handle, this.sources, this.#isReloaded);
    return this.#session;
  }
}

/** Reply to a command for a queue that does not exist, or exists no longer. */
export const missingQueueReply = (key: ActivationHandle<QueueState>['key']) => ({
  error: apiError('BAD_EVENT_QUEUE_ID', { queue_id: queueIdOf(key) }).toReply(),
});
