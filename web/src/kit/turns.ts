/**
 * Splits long work into short tasks. A click or a key waits for the running task, so none should take more than 50 ms
 * on a phone.
 */

/** Work yields after this time. A phone is four times slower than the machine on which it was measured. */
const MAX_TASK_MS = 5;

/** Undefined in Safari. */
const { scheduler }: { readonly scheduler?: Pick<Scheduler, 'yield'> } = globalThis;

/** Lets the browser handle events and paint. */
export function yieldToBrowser(): Promise<void> {
  if (scheduler) return scheduler.yield();
  // A timer takes 4 ms, and a second in a page in the background.
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** Runs the parts one after the other, and yields to the browser in between. */
export async function runInTurns(parts: Iterable<() => unknown>): Promise<void> {
  let began = performance.now();
  for (const run of parts) {
    if (performance.now() - began > MAX_TASK_MS) {
      await yieldToBrowser();
      began = performance.now();
    }
    run();
  }
  await yieldToBrowser();
}
