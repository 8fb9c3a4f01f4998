/**
 * Work that waits until the view of the address is on screen: on a slow line its scripts and requests would take the
 * place of those that the reader waits for.
 */

/** A server that keeps the view waiting takes nothing else away. */
const LIMIT_MS = 5_000;
/** For `setTimeout` this is no number, which counts as 0. */
const IDLE_OPTIONS = { timeout: 500 };

let noteShown = (): void => {};
const shown = new Promise<void>((resolve) => {
  noteShown = resolve;
});

/** Runs something after what is due now. Safari has no idle callbacks; a page in the background hardly has any. */
export function runWhenIdle(run: () => void): void {
  (globalThis.requestIdleCallback ?? setTimeout)(run, IDLE_OPTIONS as IdleRequestOptions & number);
}

/** The frame is there; its view says when it is on screen. */
export function expectFirstView(): void {
  setTimeout(noteFirstViewShown, LIMIT_MS);
}

/** The view is on screen, or says that it failed. */
export function noteFirstViewShown(): void {
  noteShown();
}

/** Ends when a view has been on screen and the browser is idle. */
export async function waitForFirstView(): Promise<void> {
  await shown;
  await new Promise<void>(runWhenIdle);
}
