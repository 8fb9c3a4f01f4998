/** Closed loop in one process: a number of workers repeat an operation for a given time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClosedLoopOptions, RateResult } from './jobs.js';

/**
 * Measures the throughput of an operation and the CPU time of this process.
 *
 * @param runOnce runs the operation once; a rejection makes the measurement fail
 */
export async function closedLoop(
  { concurrency, warmUpMs, ms }: ClosedLoopOptions,
  runOnce: () => Promise<unknown>,
): Promise<RateResult> {
  let count = 0;
  let stopping = false;
  const worker = async (): Promise<void> => {
    while (!stopping) {
      await runOnce();
      count++;
    }
  };
  const all = Promise.all(Array.from({ length: concurrency }, worker));
  // The handler is attached now, because a rejection before the end of the loop would count as unhandled.
  const failed = all.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  await sleep(warmUpMs);
  count = 0;
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await sleep(ms);
  const { user, system } = process.cpuUsage(cpu);
  const result = { count, seconds: (performance.now() - begun) / 1000, cpuMs: (user + system) / 1000 };
  stopping = true;
  const failure = await failed;
  if (failure) throw failure.error;
  return { ...result, failed: 0, firstFailure: '' };
}
