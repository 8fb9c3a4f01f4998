/** Waiting for real processes. Timeouts only guard against hangs; long waits check less and less often. */

/** Timeout for hangs: on a busy machine, a start that takes 1 s alone can take 20 s. */
export const HANG_TIMEOUT_MS = 60_000;

const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [5, 150];
/** A wait takes at most this share longer, because of the pauses between its checks. */
const PAUSE_SHARE = 0.1;

/**
 * Waits for a condition.
 * @param everyMs shortest interval between two checks, for conditions whose check is expensive
 * @returns milliseconds that passed
 * @throws Error after `withinMs`
 */
export async function until(
  description: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = HANG_TIMEOUT_MS,
  everyMs = MIN_PAUSE_MS,
): Promise<number> {
  const start = performance.now();
  const passed = (): number => performance.now() - start;
  while (!(await condition())) {
    if (passed() > withinMs) throw new Error(`timeout of ${withinMs} ms: ${description}`);
    const pauseMs = Math.max(everyMs, Math.min(MAX_PAUSE_MS, everyMs + passed() * PAUSE_SHARE));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return passed();
}
