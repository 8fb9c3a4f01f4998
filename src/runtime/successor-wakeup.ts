/**
 * Wakes actors at their new owners. A commit of this host may become durable after the new owner has searched for
 * actors with unfinished work, and perhaps no other command ever comes for such an actor.
 */

import type { Logger } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import type { ActorKey } from '#model';
import type { ActorClient } from './client.js';
import { WAKE_ACTOR_COMMAND } from './protocol.js';

/** Time limit of a wake-up at the new owner, ms. */
const WAKE_UP_DEADLINE_MS = 60_000;
/** Time limit of a wake-up while this host shuts down, ms. */
const SHUTDOWN_WAKE_UP_DEADLINE_MS = 2_000;

export class NewOwnerActorWaker {
  readonly #wakeUpsUnderWay = new Set<Promise<unknown>>();
  #isShuttingDown = false;

  constructor(
    private readonly client: ActorClient,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  wakeAtNewOwner(key: ActorKey): void {
    const deadlineMs = this.#isShuttingDown ? SHUTDOWN_WAKE_UP_DEADLINE_MS : WAKE_UP_DEADLINE_MS;
    const woken: Promise<unknown> = this.client
      .send(key, WAKE_ACTOR_COMMAND, {}, { deadlineMs })
      .reply.catch((error: unknown) => {
        this.logger.warn({ actor: key, err: error }, 'an actor that moved away could not be woken there');
      })
      .finally(() => this.#wakeUpsUnderWay.delete(woken));
    this.#wakeUpsUnderWay.add(woken);
  }

  /** Shortens the time limit of wake-ups from now on, because the process ends. */
  shortenWakeUpDeadlines(): void {
    this.#isShuttingDown = true;
  }

  /** Resolves when the wake-ups under way are done, or after the short deadline. */
  async waitForWakeUps(): Promise<void> {
    if (this.#wakeUpsUnderWay.size === 0) return;
    let timer: TimerHandle | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = this.clock.setTimeout(resolve, SHUTDOWN_WAKE_UP_DEADLINE_MS);
    });
    await Promise.race([Promise.all(this.#wakeUpsUnderWay), enough]);
    if (timer) this.clock.clearTimeout(timer);
  }
}
