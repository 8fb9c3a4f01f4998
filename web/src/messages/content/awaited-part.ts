import { signal } from '@preact/signals';

/** A part counts as settled after this time. */
const MAX_WAIT_MS = 3_000;

/**
 * A part of the client that changes the heights of messages when it comes, such as a style sheet. A list with messages
 * that need the part waits for it, so that no row moves on the screen; usually it takes some milliseconds.
 */
export class AwaitedPart {
  #isRequested = false;
  readonly #isSettled = signal(false);

  /** @param load asks for the part and calls `settle` when it is there or has failed */
  constructor(private readonly load: (settle: () => void) => void) {}

  /** Whether the part is there, has failed or is late. Reads a signal. */
  get isSettled(): boolean {
    return this.#isSettled.value;
  }

  /** Loads the part, once. */
  request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    const settle = () => {
      this.#isSettled.value = true;
    };
    setTimeout(settle, MAX_WAIT_MS);
    this.load(settle);
  }

  /** True when nothing on screen waits for the part; otherwise the part is requested. Reads a signal. */
  isSettledIf(isNeeded: () => boolean): boolean {
    if (this.isSettled || !isNeeded()) return true;
    this.request();
    return false;
  }
}
