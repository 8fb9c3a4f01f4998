import type { Json } from '#base';
import type { BusRequest } from './bus.js';

/** A delivered request until it is answered or given up: the server's side, common to all implementations. */
export abstract class Held implements BusRequest {
  #done = false;
  #cancelled = false;
  /** Most have one listener. */
  #onCancel: (() => void) | (() => void)[] | undefined;

  constructor(
    readonly value: Json,
    readonly from: string,
  ) {}

  protected abstract answered(value: Json): void;

  /** Called once when the request was given up. */
  protected abstract released(): void;

  reply(value: Json): void {
    if (this.#done) return;
    this.#done = true;
    this.#onCancel = undefined;
    this.answered(value);
  }

  onCancel(fn: () => void): void {
    if (this.#cancelled) queueMicrotask(fn);
    else if (!this.#done) {
      const known = this.#onCancel;
      if (known === undefined) this.#onCancel = fn;
      else this.#onCancel = Array.isArray(known) ? [...known, fn] : [known, fn];
    }
  }

  /** The requester is known to have given up. */
  cancel(): void {
    if (this.#done) return;
    this.#done = true;
    this.#cancelled = true;
    this.released();
    const calls = this.#onCancel;
    this.#onCancel = undefined;
    if (Array.isArray(calls)) for (const fn of calls) fn();
    else calls?.();
  }

  /** The server itself is gone: nobody must be told. */
  abandon(): void {
    this.#done = true;
    this.#onCancel = undefined;
  }
}
