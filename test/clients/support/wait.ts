/** Waiting for real processes. Timeouts only guard against hangs; long waits check less and less often. */

/** Timeout for hangs: on a busy machine, a start that takes 1 s alone can take 20 s. */
export const HANGS_MS = 60_000;

const [SHORTEST_MS, LONGEST_MS] = [5, 50];

/**
 * Waits for a condition.
 * @param everyMs shortest interval between two checks, for conditions whose check is expensive
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
