/** Stores the presences that only memory knows: once a minute, and before the actor leaves memory. */
import type { TimerHandle } from '#base/clock';
import { presenceActorCommands } from '#model/commands';
import type { ActorActivationHandle, ActorSidecar, DeferredRequest } from '#runtime';
import type { ActorInputSources } from '../services.js';
import type { PresenceMemory } from './presences.js';
import type { PresenceActorState } from './state.js';

/** Interval of writes, ms. A crash loses at most this much; clients report every minute anyway. */
const PRESENCE_FLUSH_INTERVAL_MS = 60_000;

export class PresenceActorSidecar implements ActorSidecar {
  #flushTimer: TimerHandle | undefined;

  constructor(
    private readonly handle: ActorActivationHandle<PresenceActorState, PresenceMemory>,
    private readonly sources: ActorInputSources,
  ) {
    const { clock, random } = sources.services;
    handle.volatile.activationId = `${clock.now()}-${random()}`;
    handle.volatile.correctTimesAfter(clock.now());
    this.#scheduleRepeatingFlush();
  }

  handleCommand(_name: string, _args: unknown, request: DeferredRequest): void {
    request.reply({ ok: [] });
  }

  onCommitted(): void {}

  isIdle(): boolean {
    return true;
  }

  async flush(): Promise<void> {
    if (this.handle.volatile.hasUnsavedChanges) await this.handle.sendSelf(presenceActorCommands.flush, {});
  }

  onActivationStopped(): void {
    if (this.#flushTimer) this.sources.services.clock.clearTimeout(this.#flushTimer);
  }

  #scheduleRepeatingFlush(): void {
    this.#flushTimer = this.sources.services.clock.setTimeout(() => {
      this.#scheduleRepeatingFlush();
      // A failed write ends the activation; any other failure is made up for by the next flush.
      if (this.handle.exists()) this.flush().catch(() => undefined);
    }, PRESENCE_FLUSH_INTERVAL_MS);
  }
}
