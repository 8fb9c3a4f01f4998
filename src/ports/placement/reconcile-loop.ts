/**
 * Repeats a unit of work, one round at a time: the next round starts after a pause, or at once when the loop is woken.
 */
import type { Clock, TimerHandle } from '#base/clock';

interface ReconcileSteps {
  work(): Promise<void>;
  /**
   * Called after each round but the first.
   * @param error undefined after a successful round
   */
  ended(error?: unknown): void;
  /** Returns the pause until the next round, milliseconds. */
  wait(): number;
}

export class PlacementReconcileLoop {
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

  /** Runs the first round and then `more`. If either rejects, so does `start`, and the loop stops. */
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

  /** Starts a round now. Calls during a round cause one more round after it. */
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
