/** Waiting for real processes: limits guard against hangs only, and a long wait asks less and less often. */

/** Every program of this machine may be busy: a start that takes 1 s alone takes 20 s beside others. */
export const HANGS_MS = 60_000;

const [SHORTEST_MS, LONGEST_MS] = [5, 50];

/**
 * Waits for a condition.
 * @param everyMs least time between two looks, for a condition whose look is dear
 * @returns milliseconds that passed
 * @throws Error after `withinMs`
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = HANGS_MS,
  everyMs = SHORTEST_MS,
): Promise<number> {
  const start = performance.now();
  const passed = (): number => performance.now() - start;
  while (!(await condition())) {
    if (passed() > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    const pauseMs = Math.min(LONGEST_MS, everyMs + passed() / 20);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return passed();
}
