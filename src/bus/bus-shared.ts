import type { Json } from '../core/index.js';
import type { BusRequest } from './bus.js';

/** A delivered request until it is answered or given up: the server's side, common to all implementations. */
export abstract class RequestDelivery implements BusRequest {
  #done = false;
  #cancelled = false;
  /** Most have one listener. */
  #onCancel: (() => void) | (() => void)[] | undefined;

  constructor(
    readonly value: Json,
    readonly from: string,
  ) {}

  protected abstract sendReply(value: Json): void;

  /** Called once when the request was given up. */
  protected abstract release(): void;

  reply(value: Json): void {
    if (this.#done) return;
    this.#done = true;
    this.#onCancel = undefined;
    this.sendReply(value);
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
    this.release();
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

/** Of one client of a bus: what it must tell the others that it serves now, and whom here to tell what others serve. */
export class ServedHints {
  readonly #listeners: ((subject: string) => void)[] = [];
  #begun: string[] = [];

  listen(fn: (subject: string) => void): void {
    this.#listeners.push(fn);
  }

  notify(subjects: readonly string[]): void {
    for (const subject of subjects) for (const fn of this.#listeners) fn(subject);
  }

  announce(subject: string): void {
    this.#begun.push(subject);
  }

  /** What the others have not been told yet; from now on they have. */
  takeAnnouncements(): readonly string[] {
    const begun = this.#begun;
    this.#begun = [];
    return begun;
  }
}
