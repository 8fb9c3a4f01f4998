/** Writes down, now and then and before leaving, what only memory knows. */
import type { TimerHandle } from '#base/clock';
import { presenceCommands } from '#model/commands';
import type { ActivationHandle, HeldRequest, LiveActor, Suppliers } from '#runtime';
import type { Presences } from './presences.js';
import type { PresenceState } from './state.js';

/** What a crash loses at most; clients report every minute anyway. */
const FLUSH_MS = 60_000;

export class LivePresence implements LiveActor {
  #timer: TimerHandle | undefined;

  constructor(
    private readonly handle: ActivationHandle<PresenceState, Presences>,
    private readonly suppliers: Suppliers,
  ) {
    const { clock, random } = suppliers.services;
    handle.volatile.source = `${clock.now()}-${random()}`;
    this.#wait();
  }

  command(_name: string, _args: unknown, request: HeldRequest): void {
    request.reply({ ok: [] });
  }

  committed(): void {}

  idle(): boolean {
    return true;
  }

  async draining(): Promise<void> {
    if (this.handle.volatile.dirty) await this.handle.tell(presenceCommands.flush, {});
  }

  stopped(): void {
    if (this.#timer) this.suppliers.services.clock.clearTimeout(this.#timer);
  }

  #wait(): void {
    this.#timer = this.suppliers.services.clock.setTimeout(() => {
      this.#wait();
      // A failure ends the activation, or the next time makes up for it.
      if (this.handle.exists()) this.draining().catch(() => undefined);
    }, FLUSH_MS);
  }
}
