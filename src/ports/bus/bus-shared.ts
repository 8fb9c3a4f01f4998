/** Building blocks shared by the implementations of Bus. */
import type { Json } from '#base';
import type { BusRequest } from './bus.js';

/** The server's side of a request: delivered to a handler, until it is answered or cancelled. */
export abstract class BusRequestDelivery implements BusRequest {
  #isDone = false;
  #isCanceled = false;
  /** Listeners for the cancel: one function or several; most requests have one. */
  #cancelListeners: (() => void) | (() => void)[] | undefined;

  constructor(
    readonly value: Json,
    readonly from: string,
  ) {}

  protected abstract sendReply(value: Json): void;

  /** Called once when the request is cancelled, so that the server frees the resources of the request. */
  protected abstract releaseResources(): void;

  reply(value: Json): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#cancelListeners = undefined;
    this.sendReply(value);
  }

  onCancel(fn: () => void): void {
    if (this.#isCanceled) queueMicrotask(fn);
    else if (!this.#isDone) {
      const known = this.#cancelListeners;
      if (known === undefined) this.#cancelListeners = fn;
      else this.#cancelListeners = Array.isArray(known) ? [...known, fn] : [known, fn];
    }
  }

  /** Cancels the request, because the requester has given up. */
  cancel(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#isCanceled = true;
    this.releaseResources();
    const calls = this.#cancelListeners;
    this.#cancelListeners = undefined;
    if (Array.isArray(calls)) for (const fn of calls) fn();
    else calls?.();
  }

  /** Drops the request without calling its listeners, because the server itself is gone. */
  abandon(): void {
    this.#isDone = true;
    this.#cancelListeners = undefined;
  }
}

/**
 * Hints that a subject is now served: this client's hints that are still to be sent, and the local listeners for hints
 * of other clients.
 */
export class ServedSubjectHints {
  readonly #listeners: ((subject: string) => void)[] = [];
  #unannouncedSubjects: string[] = [];

  addListener(fn: (subject: string) => void): void {
    this.#listeners.push(fn);
  }

  notifyListeners(subjects: readonly string[]): void {
    for (const subject of subjects) for (const fn of this.#listeners) fn(subject);
  }

  queueAnnouncement(subject: string): void {
    this.#unannouncedSubjects.push(subject);
  }

  /** Takes the subjects that are still to be announced, and clears their list. */
  takeUnannouncedSubjects(): readonly string[] {
    const begun = this.#unannouncedSubjects;
    this.#unannouncedSubjects = [];
    return begun;
  }
}
