/** Stores the presences that only memory knows: once a minute, and before the actor leaves memory. */
import type { TimerHandle } from '#base/clock';
import { presenceActorCommands } from '#model/commands';
import type { ActorActivationHandle, ActorSidecar, DeferredRequest } from '#runtime';
import type { ActorInputSources } from '../services.js';
import type { PresenceMemory } from './presences.js';
import type { PresenceActorState } from './state.js';

/** Interval of writes, ms. A crash loses at most this much; clients report every minute anyway. */
const FLUSH_MS = 60_000;

export class PresenceActorSidecar implements ActorSidecar {
  #timer: TimerHandle | undefined;

  constructor(
    private readonly handle: ActorActivationHandle<PresenceActorState, PresenceMemory>,
    private readonly sources: ActorInputSources,
  ) {
    const { clock, random } = sources.services;
    handle.volatile.source = `${clock.now()}-${random()}`;
    this.#wait();
  }

  command(_name: string, _args: unknown, request: DeferredRequest): void {
    request.reply({ ok: [] });
  }

  committed(): void {}

  isIdle(): boolean {
    return true;
  }

  async flush(): Promise<void> {
    if (this.handle.volatile.dirty) await this.handle.sendSelf(presenceActorCommands.flush, {});
  }

  stopped(): void {
    if (this.#timer) this.sources.services.clock.clearTimeout(this.#timer);
  }

  #wait(): void {
    this.#timer = this.sources.services.clock.setTimeout(() => {
      this.#wait();
      // A failed write ends the activation; any other failure is made up for by the next flush.
      if (this.handle.exists()) this.flush().catch(() => undefined);
    }, FLUSH_MS);
  }
}
