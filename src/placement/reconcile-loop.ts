/** Work that is done again and again, and at once when there is reason to: one round at a time. */
import type { Clock, TimerHandle } from '../clock/index.js';

export interface ReconcileSteps {
  work(): Promise<void>;
  /** After each round but the first; undefined: it went well. */
  ended(error?: unknown): void;
  /** Until the next one; milliseconds. */
  wait(): number;
}

export class ReconcileLoop {
  #running = false;
  #busy = false;
  #again = false;
  #timer: TimerHandle | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly round: ReconcileSteps,
  ) {}

  get running(): boolean {
    return this.#running;
  }

  /** The first round; rejects with its error, and nothing goes on then. @param more belongs to it */
  async start(more: () => Promise<unknown>): Promise<void> {
    this.#running = true;
    this.#busy = true;
    try {
      await this.round.work();
      await more();
    } catch (error) {
      this.stop();
      throw error;
    } finally {
      this.#busy = false;
    }
    this.wake();
  }

  /** What comes while a round is under way is done once afterwards. */
  wake(): void {
    if (!this.#running) return;
    if (this.#busy) {
      this.#again = true;
      return;
    }
    this.#busy = true;
    this.#again = false;
    void this.round
      .work()
      .then(
        () => this.round.ended(),
        (error: unknown) => this.round.ended(error),
      )
      .finally(() => {
        this.#busy = false;
        if (this.#again) this.wake();
        else this.#arm();
      });
  }

  stop(): void {
    this.#running = false;
    if (this.#timer) this.clock.clearTimeout(this.#timer);
  }

  #arm(): void {
    if (!this.#running) return;
    if (this.#timer) this.clock.clearTimeout(this.#timer);
    this.#timer = this.clock.setTimeout(() => this.wake(), this.round.wait());
  }
}
