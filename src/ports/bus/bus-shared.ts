/** Building blocks shared by the implementations of Bus. */
import type { Json } from '#base';
import type { BusRequest } from './bus.js';

/** The server's side of a request: delivered to a handler, until it is answered or cancelled. */
export abstract class BusRequestDelivery implements BusRequest {
  #done = false;
  #cancelled = false;
  /** Listeners for the cancel: one function or several; most requests have one. */
  #onCancel: (() => void) | (() => void)[] | undefined;

  constructor(
    readonly value: Json,
    readonly from: string,
  ) {}

  protected abstract sendReply(value: Json): void;

  /** Called once when the request is cancelled, so that the server frees the resources of the request. */
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

  /** Cancels the request, because the requester has given up. */
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

  /** Drops the request without calling its listeners, because the server itself is gone. */
  abandon(): void {
    this.#done = true;
    this.#onCancel = undefined;
  }
}

/**
 * Hints that a subject is now served: this client's hints that are still to be sent, and the local listeners for hints
 * of other clients.
 */
export class ServedSubjectHints {
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

  /** Takes the subjects that are still to be announced, and clears their list. */
  takeAnnouncements(): readonly string[] {
    const begun = this.#begun;
    this.#begun = [];
    return begun;
  }
}
