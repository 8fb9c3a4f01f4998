/** The worker's side of a thread pool (pool.ts). */
import { parentPort } from 'node:worker_threads';

export type ThreadJobResult<Result> = { readonly result: Result } | { readonly failed: string };

/** The first message of a worker, sent when its code is loaded. */
export const THREAD_LOADED = 'loaded';

/** A message of a worker to its pool. */
export type ThreadMessage<Result> = typeof THREAD_LOADED | ThreadJobResult<Result>;

/** Runs the jobs that the pool sends to this worker thread, one by one. The worker's module calls this once. */
export function serveThreadPoolJobs<Job, Result>(run: (job: Job) => Result | Promise<Result>): void {
  const answer = async (job: Job): Promise<ThreadJobResult<Result>> => {
    try {
      return { result: await run(job) };
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) };
    }
  };
  let earlier: Promise<void> = Promise.resolve();
  parentPort?.on('message', (job: Job) => {
    earlier = earlier.then(async () => parentPort?.postMessage(await answer(job)));
  });
  parentPort?.postMessage(THREAD_LOADED);
}
