/**
 * Long work in short tasks: a press or a key waits for the task that runs, so none should take more than 50 ms on a
 * phone.
 */

/** Share of the main thread after which work gives way; a phone is four times slower than the machines that measure. */
const TURN_MS = 5;

/** Safari has none yet. */
const { scheduler }: { readonly scheduler?: Pick<Scheduler, 'yield'> } = globalThis;

/** Lets the browser do what is due: events and frames. */
export function yieldToBrowser(): Promise<void> {
  if (scheduler) return scheduler.yield();
  // A timer would wait for 4 ms, and for a second in a page in the background.
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** Does the parts of a work one after the other, with turns for the browser between them. */
export async function runInTurns(parts: Iterable<() => unknown>): Promise<void> {
  let began = performance.now();
  for (const run of parts) {
    if (performance.now() - began > TURN_MS) {
      await yieldToBrowser();
      began = performance.now();
    }
    run();
  }
  await yieldToBrowser();
}
