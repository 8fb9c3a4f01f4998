/** Delays work until the first view is on screen: on a slow line, its requests would compete with those of the view. */

/** Delayed work begins after this time even if no view has been shown. */
const MAX_FIRST_VIEW_WAIT_MS = 5_000;
/** Also passed to `setTimeout`, for which an object counts as a delay of 0. */
const IDLE_OPTIONS = { timeout: 500 };

let resolveFirstViewShown = (): void => {};
const firstViewShown = new Promise<void>((resolve) => {
  resolveFirstViewShown = resolve;
});

/**
 * Runs a function when the browser is idle, after 500 ms at the latest, since pages in the background are rarely idle.
 * Safari has no idle callbacks; the function runs in the next task there.
 */
export function runWhenIdle(run: () => void): void {
  (globalThis.requestIdleCallback ?? setTimeout)(run, IDLE_OPTIONS as IdleRequestOptions & number);
}

/** Called when the frame is rendered. The time limit of the first view begins. */
export function expectFirstView(): void {
  setTimeout(noteFirstViewShown, MAX_FIRST_VIEW_WAIT_MS);
}

/** Called when the first view is on screen or has failed. */
export function noteFirstViewShown(): void {
  resolveFirstViewShown();
}

/** Resolves when the first view is on screen and the browser is idle. */
export async function waitForFirstView(): Promise<void> {
  await firstViewShown;
  await new Promise<void>(runWhenIdle);
}
