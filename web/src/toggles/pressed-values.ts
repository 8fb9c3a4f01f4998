import { effect, signal, untracked } from '@preact/signals-core';
import type { Platform } from '../core/index.js';

/** An event usually comes before the answer of its request. A value without an event is given up after this time. */
const EVENT_WAIT_MS = 10_000;

/** The owner of a setting that a press changes: S names the thing, V is its value. */
export interface PressSource<S, V> {
  keyOf(subject: S): string;
  /** The value by the events; reads signals. */
  known(subject: S): V;
  send(subject: S, value: V): Promise<unknown>;
  /**
   * Shows a value where `known` reads it, so that everything which reads the state follows; without this, `shown` has
   * the value until the event came.
   */
  show?(subject: S, value: V): void;
}

interface PressRun<V> {
  wanted: V;
  /** The value of the last answered request; at first the one before the press. */
  settled: V;
  sending: Promise<void> | undefined;
  endWait: () => void;
  /** Ends showing the press in the state. */
  endHold: () => void;
}

/**
 * Values that show at the press, so that a second press counts from the first although the server has not answered.
 *
 * Requests about one thing go in turn: beside each other the later could arrive first. After an answer only the last
 * press is sent, and nothing if the server has its value already. The pressed value shows until its event has come. A
 * refusal shows what the server has.
 */
export class PressedValues<S, V> {
  readonly #shownByKey = signal<ReadonlyMap<string, V>>(new Map());
  readonly #runByKey = new Map<string, PressRun<V>>();

  constructor(
    private readonly source: PressSource<S, V>,
    private readonly timers: () => Pick<Platform, 'setTimer' | 'clearTimer'>,
  ) {}

  /** The last press, or the value by the events. A component that reads it renders again when it changes. */
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
    // The event of an earlier press comes while the last one is on its way: the last one is shown again.
    run.endHold = effect(() => {
      if (source.known(subject) !== run.wanted) untracked(() => source.show?.(subject, run.wanted));
    });
  }

  /** The value by the events shows again once it is the one that the server was sent. */
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
