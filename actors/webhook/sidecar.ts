/**
 * Makes the calls of the webhook actor outside its mailbox, so that a slow answer holds back no other call. Calls start
 * in the order in which the handlers started them.
 *
 * A call outlives its activation: its outcome goes to whichever activation has the actor then, on another host too. It
 * does not outlive its process, so a drain waits for its answer for a while.
 */

import { Semaphore } from '#base';
import { waitOnClock } from '#base/clock';
import { webhookActorCommands } from '#model/commands';
import type { ActorActivationHandle, ActorSidecar, DeferredRequest, PassivationReason } from '#runtime';
import type { ActorInputSources } from '../services.js';
import { startWebhookCall } from './calls.js';
import type { WaitingWebhookCall, WebhookActorState, WebhookMemoryState } from './state.js';

/** Time after which the outcome of a call is recorded again if the Store was away, ms. */
const RECORD_AGAIN_AFTER_MS = 5_000;
/** Maximum time for which a drain waits for running calls, ms: less than the drain has, whose other steps follow. */
const MAX_WAIT_AT_DRAIN_MS = 7_000;

export class WebhookActorSidecar implements ActorSidecar {
  /** Messages whose calls run here. A call that runs longer than expected is not made a second time. */
  readonly #running = new Set<number>();
  readonly #start = new Semaphore(1);
  #isStopped = false;
  /** Ends the wait of a drain; absent: none waits. */
  #endDrainWait: (() => void) | undefined;

  constructor(
    private readonly handle: ActorActivationHandle<WebhookActorState, WebhookMemoryState>,
    private readonly sources: ActorInputSources,
  ) {}

  handleCommand(_name: string, _args: unknown, request: DeferredRequest): void {
    request.reply({ ok: [] });
  }

  onCommitted(): void {
    for (const call of this.handle.volatile.startedCalls.splice(0))
      if (!this.#running.has(call.message)) void this.#makeCallAndRecordOutcome(call);
  }

  /**
   * Waits, in a drain, for calls that run or whose start is not committed yet. The next owner repeats each call whose
   * outcome is not recorded at the end of the wait.
   */
  async flush(reason: PassivationReason): Promise<void> {
    if (reason !== 'drained') return;
    this.handle.volatile.isPartitionDraining = true;
    if (this.isIdle()) return;
    const { clock } = this.sources.services;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, MAX_WAIT_AT_DRAIN_MS);
      this.#endDrainWait = () => {
        clock.clearTimeout(timer);
        resolve();
      };
    });
  }

  isIdle(): boolean {
    return this.#running.size === 0 && this.handle.volatile.startedCalls.length === 0;
  }

  onActivationStopped(): void {
    this.#isStopped = true;
  }

  async #makeCallAndRecordOutcome(call: WaitingWebhookCall): Promise<void> {
    const { message, tries } = call;
    const { key, realm } = this.handle;
    this.#running.add(message);
    try {
      const started = await this.#start.runWhenPermitted(async () =>
        this.#isStopped ? undefined : startWebhookCall(key, realm, call, this.sources),
      );
      const outcome = await started?.outcome;
      if (outcome) {
        const args = { message, tries, outcome };
        await this.#recordReliably(() => this.handle.sendSelf(webhookActorCommands.called, args));
      }
    } catch {
      // The message could not be read. The actor's timer starts the call again.
    }
    this.#running.delete(message);
    if (this.isIdle()) this.#endDrainWait?.();
  }

  /** Records the outcome of a call, again and again until the activation stops. */
  async #recordReliably(record: () => Promise<void>): Promise<void> {
    const { clock } = this.sources.services;
    do {
      try {
        await record();
        return;
      } catch {
        await waitOnClock(clock, RECORD_AGAIN_AFTER_MS);
      }
    } while (!this.#isStopped);
  }
}
