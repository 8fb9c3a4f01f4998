/** Returns reserved message ids that were not handed out, before the actor leaves memory. */

import { realmCommands } from '#model/commands';
import type { ActivationHandle, DeferredRequest, PassivationReason, Sidecar } from '#runtime';
import type { RealmState } from './state.js';
import type { RealmVolatile } from './volatile.js';

export class RealmSidecar implements Sidecar {
  constructor(private readonly handle: ActivationHandle<RealmState, RealmVolatile>) {}

  command(_name: string, _args: unknown, request: DeferredRequest): void {
    request.reply({ ok: [] });
  }

  committed(): void {}

  isIdle(): boolean {
    return true;
  }

  async flush(reason: PassivationReason): Promise<void> {
    const { volatile } = this.handle;
    // The actor still hands out ids while the partition is handed over, but reserves each singly. This holds for drains
    // only: any other passivation can be called off by a new command, after which the actor stays.
    if (reason === 'drained') volatile.draining = true;
    if (volatile.nextId <= this.handle.state().reservedIds) await this.handle.sendSelf(realmCommands.returnIds, {});
  }

  stopped(): void {}
}
