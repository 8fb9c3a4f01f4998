/**
 * Wakes actors at their new owners. A commit of ours may become durable after the new owner has looked for actors with something
 * left to do, and nobody might ever send the actor another command.
 */

import type { Logger } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import type { ActorKey } from '#model';
import type { ActorClient } from './client.js';
import { WAKE } from './protocol.js';

const PATIENCE_MS = 60_000;
/** The same, when this host ends. */
const LAST_PATIENCE_MS = 2_000;

export class HandOn {
  readonly #woken = new Set<Promise<unknown>>();
  #ending = false;

  constructor(
    private readonly client: ActorClient,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  wake(key: ActorKey): void {
    const deadlineMs = this.#ending ? LAST_PATIENCE_MS : PATIENCE_MS;
    const woken: Promise<unknown> = this.client
      .send(key, WAKE, {}, { deadlineMs })
      .reply.catch((error: unknown) => {
        this.logger.warn({ actor: key, err: error }, 'an actor that moved away could not be woken there');
      })
      .finally(() => this.#woken.delete(woken));
    this.#woken.add(woken);
  }

  /** From now on with less patience. */
  ending(): void {
    this.#ending = true;
  }

  /** Before the process ends: nobody else would tell. */
  async all(): Promise<void> {
    if (this.#woken.size === 0) return;
    let timer: TimerHandle | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = this.clock.setTimeout(resolve, LAST_PATIENCE_MS);
    });
    await Promise.race([Promise.all(this.#woken), enough]);
    if (timer) this.clock.clearTimeout(timer);
  }
}
