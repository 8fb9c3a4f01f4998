/** Gives back, before the actor leaves memory, the message ids that it has reserved and not given out. */

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
    // A passivation may yet be called off by a command, and whoever drains takes ids for others to the end.
    if (reason === 'drained') volatile.draining = true;
    if (volatile.nextId <= this.handle.state().reservedIds) await this.handle.sendSelf(realmCommands.returnIds, {});
  }

  stopped(): void {}
}
