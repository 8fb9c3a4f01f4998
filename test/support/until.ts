/**
 * Polls a condition every 5 ms and rejects after `withinMs`.
 * @returns milliseconds that passed
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<number> {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > withinMs) throw new Error(`timeout of ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return performance.now() - start;
}
