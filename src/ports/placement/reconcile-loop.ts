/**
 * Repeats a unit of work, one round at a time: the next round starts after a pause, or at once when the loop is woken.
 */
import type { Clock, TimerHandle } from '#base/clock';

interface ReconcileLoopCallbacks {
  runRound(): Promise<void>;
  /**
   * Called after each round but the first.
   * @param error undefined after a successful round
   */
  onRoundEnd(error?: unknown): void;
  /** Returns the pause until the next round, milliseconds. */
  computePauseMs(): number;
}

export class PlacementReconcileLoop {
  #isRunning = false;
  #isRoundInProgress = false;
  #mustRunAgain = false;
  #nextRoundTimer: TimerHandle | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly round: ReconcileLoopCallbacks,
  ) {}

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Runs the first round and then `more`. If either rejects, so does `start`, and the loop stops. */
  async start(more: () => Promise<unknown>): Promise<void> {
    this.#isRunning = true;
    this.#isRoundInProgress = true;
    try {
      await this.round.runRound();
      await more();
    } catch (error) {
      this.stop();
      throw error;
    } finally {
      this.#isRoundInProgress = false;
    }
    this.requestRound();
  }

  /** Starts a round now. Calls during a round cause one more round after it. */
  requestRound(): void {
    if (!this.#isRunning) return;
    if (this.#isRoundInProgress) {
      this.#mustRunAgain = true;
      return;
    }
    this.#isRoundInProgress = true;
    this.#mustRunAgain = false;
    void this.round
      .runRound()
      .then(
        () => this.round.onRoundEnd(),
        (error: unknown) => this.round.onRoundEnd(error),
      )
      .finally(() => {
        this.#isRoundInProgress = false;
        if (this.#mustRunAgain) this.requestRound();
        else this.#scheduleNextRound();
      });
  }

  stop(): void {
    this.#isRunning = false;
    if (this.#nextRoundTimer) this.clock.clearTimeout(this.#nextRoundTimer);
  }

  #scheduleNextRound(): void {
    if (!this.#isRunning) return;
    if (this.#nextRoundTimer) this.clock.clearTimeout(this.#nextRoundTimer);
    this.#nextRoundTimer = this.clock.setTimeout(() => this.requestRound(), this.round.computePauseMs());
  }
}
