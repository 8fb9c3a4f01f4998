/**
 * The system resets connections that were made but not yet accepted when a listening socket is closed. Right after a turn
 * of the event loop in which none was accepted, and next to nothing else happened, there are none but those of this moment.
 */
const QUIET_MS = 0.2;
/** A server that is never quiet closes all the same. */
const MOST_TURNS = 500;

/** @param accepted connections so far, where a turn accepts one at most (libuv); constant where it accepts all there are */
export async function quietTurn(accepted: () => number): Promise<void> {
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    const before = accepted();
    const began = performance.now();
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (accepted() === before && performance.now() - began < QUIET_MS) return;
  }
}
