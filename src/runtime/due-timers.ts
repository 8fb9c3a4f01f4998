/** Wakes actors, in memory or not, at the wall time that their roots ask for. */
import type { Clock, TimerHandle } from '../clock/index.js';
import type { ActorKey } from '../core/index.js';

export class DueTimers {
  readonly #timers = new Map<ActorKey, { at: number; handle: TimerHandle }>();

  constructor(
    private readonly clock: Clock,
    private readonly fire: (key: ActorKey) => void,
  ) {}

  /** null: nothing more to wait for. */
  set(key: ActorKey, at: number | null): void {
    const known = this.#timers.get(key);
    if (known?.at === at) return;
    if (known) this.clock.clearTimeout(known.handle);
    this.#timers.delete(key);
    if (at === null) return;
    const handle = this.clock.setTimeout(
      () => {
        this.#timers.delete(key);
        this.fire(key);
      },
      Math.max(0, at - this.clock.now()),
    );
    this.#timers.set(key, { at, handle });
  }

  drop(which: (key: ActorKey) => boolean): void {
    for (const key of [...this.#timers.keys()]) if (which(key)) this.set(key, null);
  }

  clear(): void {
    this.drop(() => true);
  }
}
