/** Returns reserved message ids that were not handed out, before the actor leaves memory. */

import { realmActorCommands } from '#model/commands';
import type { ActorActivationHandle, ActorSidecar, DeferredRequest, PassivationReason } from '#runtime';
import type { RealmActorState } from './state.js';
import type { RealmMemoryState } from './volatile.js';

export class RealmActorSidecar implements ActorSidecar {
  constructor(private readonly handle: ActorActivationHandle<RealmActorState, RealmMemoryState>) {}

  handleCommand(_name: string, _args: unknown, request: DeferredRequest): void {
    request.reply({ ok: [] });
  }

  onCommitted(): void {}

  isIdle(): boolean {
    return true;
  }

  async flush(reason: PassivationReason): Promise<void> {
    const { volatile } = this.handle;
    // The actor still hands out ids while the partition is handed over, but reserves each singly. This holds for drains
    // only: any other passivation can be called off by a new command, after which the actor stays.
    if (reason === 'drained') volatile.isDraining = true;
    if (volatile.nextMessageId <= this.handle.state().reservedIds)
      await this.handle.sendSelf(realmActorCommands.returnIds, {});
  }

  onActivationStopped(): void {}
}
