/**
 * Long work on the event loop, in slices: after each the loop serves other requests. `setImmediate` is what lets it, since promises alone
 * are settled before any other request is looked at.
 */

/** Of one slice, ms: a request that comes meanwhile hardly notices. */
const SLICE_MS = 5;

export class Turns {
  #until = performance.now() + SLICE_MS;

  /** The slice has had its time: `next` should be awaited before the work goes on. */
  get over(): boolean {
    return performance.now() >= this.#until;
  }

  /** Resolves when everything else that was ready has had its turn. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#until = performance.now() + SLICE_MS;
  }
}
