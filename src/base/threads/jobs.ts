/** The worker's side of a thread pool (pool.ts). */
import { parentPort } from 'node:worker_threads';

export type ThreadJobResult<Result> = { readonly result: Result } | { readonly failed: string };

/** Runs the jobs that the pool sends to this worker thread. The worker's module calls this once. */
export function serveThreadPoolJobs<Job, Result>(run: (job: Job) => Result): void {
  const answer = (job: Job): ThreadJobResult<Result> => {
    try {
      return { result: run(job) };
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) };
    }
  };
  parentPort?.on('message', (job: Job) => parentPort?.postMessage(answer(job)));
}
