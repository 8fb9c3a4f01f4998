/** Holds a request or another step of a test back until the test has seen what it needs to see. */
export class Gate {
  #open: () => void = () => {};
  /** Resolves when the gate opens. */
  readonly opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  /** Lets everything pass, now and later. */
  open(): void {
    this.#open();
  }
}
