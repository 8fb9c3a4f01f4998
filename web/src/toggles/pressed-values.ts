import { effect, signal, untracked } from '@preact/signals-core';
import type { Platform } from '../core/index.js';

/**
 * An event usually arrives before the answer to its request. After this time without one, the state's value is shown.
 */
const EVENT_WAIT_MS = 10_000;

/** The setting that a press changes. S identifies it, V is its value. */
export interface PressSource<S, V> {
  keyOf(subject: S): string;
  /** Value in the state; reads signals. */
  known(subject: S): V;
  send(subject: S, value: V): Promise<unknown>;
  /**
   * Writes a value into the state, so that everything that reads the state follows. Without this, only `shown` has the
   * value until its event arrives.
   */
  show?(subject: S, value: V): void;
}

interface PressRun<V> {
  wanted: V;
  /** Value of the last answered request; before one, the value before the press. */
  settled: V;
  sending: Promise<void> | undefined;
  endWait: () => void;
  /** Stops writing the pressed value into the state. */
  endHold: () => void;
}

/**
 * Values that show at the press, so that a second press counts from the first before the server has answered.
 *
 * Requests for one setting are sent one after the other, since the later of two could arrive first. After an answer
 * only the last press is sent, and none if the server has its value already. The pressed value is shown until its event
 * arrives. After a refusal, the value of the server is shown.
 */
export class PressedValues<S, V> {
  readonly #shownByKey = signal<ReadonlyMap<string, V>>(new Map());
  readonly #runByKey = new Map<string, PressRun<V>>();

  constructor(
    private readonly source: PressSource<S, V>,
    private readonly timers: () => Pick<Platform, 'setTimer' | 'clearTimer'>,
  ) {}

  /** The last pressed value, or the value in the state. A component that reads it renders again when it changes. */
  shown(subject: S): V {
    return this.#shownByKey.value.get(this.source.keyOf(subject)) ?? this.source.known(subject);
  }

  /** @throws ApiFailure when the server refuses */
  async press(subject: S, value: V): Promise<void> {
    const { source } = this;
    const key = source.keyOf(subject);
    let run = this.#runByKey.get(key);
    if (!run) {
      run = { wanted: value, settled: source.known(subject), sending: undefined, endWait() {}, endHold() {} };
      this.#runByKey.set(key, run);
    }
    run.endWait();
    run.wanted = value;
    this.#show(subject, run);
    if (!run.sending && value === run.settled) this.#waitForEvent(subject, run);
    else run.sending ??= this.#sendInTurn(subject, run);
    await run.sending;
  }

  async #sendInTurn(subject: S, run: PressRun<V>): Promise<void> {
    try {
      while (run.wanted !== run.settled) {
        const next = run.wanted;
        await this.source.send(subject, next);
        run.settled = next;
      }
    } catch (error) {
      run.wanted = run.settled;
      this.#show(subject, run);
      throw error;
    } finally {
      run.sending = undefined;
      this.#waitForEvent(subject, run);
    }
  }

  #show(subject: S, run: PressRun<V>): void {
    const { source } = this;
    if (!source.show) {
      this.#shownByKey.value = new Map(this.#shownByKey.peek()).set(source.keyOf(subject), run.wanted);
      return;
    }
    run.endHold();
    // The event of an earlier press may arrive now; the last pressed value is then written again.
    run.endHold = effect(() => {
      if (source.known(subject) !== run.wanted) untracked(() => source.show?.(subject, run.wanted));
    });
  }

  /** Shows the value in the state once it is the one that was sent. */
  #waitForEvent(subject: S, run: PressRun<V>): void {
    const timers = this.timers();
    let endEffect = (): void => {};
    const timer = timers.setTimer(() => this.#forget(subject, run), EVENT_WAIT_MS);
    run.endWait = () => {
      endEffect();
      timers.clearTimer(timer);
    };
    let hasCome = false;
    endEffect = effect(() => {
      hasCome ||= this.source.known(subject) === run.settled;
      if (hasCome) this.#forget(subject, run);
    });
    if (hasCome) endEffect();
  }

  #forget(subject: S, run: PressRun<V>): void {
    const key = this.source.keyOf(subject);
    run.endWait();
    run.endHold();
    this.#runByKey.delete(key);
    const shown = new Map(this.#shownByKey.peek());
    if (shown.delete(key)) this.#shownByKey.value = shown;
  }
}
