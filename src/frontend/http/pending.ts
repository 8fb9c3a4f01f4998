import type { Clock, TimerHandle } from '#base/clock';
import type { Forwarding } from './services.js';

/** A request that outlives its turn: the deadline, and what must be released when it ends, however it ends. */
export class Pending {
  /** Answered or aborted: whatever still arrives for it is dropped. */
  over = false;
  /** The command under way at an actor. */
  forwarding: Pick<Forwarding, 'cancel' | 'release'> | undefined;
  /** Its client goes away. */
  gone: () => void = () => {};
  /** Gives back what the request holds. */
  release: (() => void) | undefined;
  #timer: TimerHandle | undefined;

  constructor(
    readonly arrival: unknown,
    private readonly clock: Clock,
    private readonly late: () => void,
  ) {}

  /** Counts from the first call; later ones change nothing while it runs. */
  startDeadline(ms: number): void {
    if (!this.over) this.#timer ??= this.clock.setTimeout(this.late, ms);
  }

  stopDeadline(): void {
    if (this.#timer) this.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    this.stopDeadline();
    this.forwarding?.cancel();
    this.forwarding = undefined;
    this.release?.();
  }
}
