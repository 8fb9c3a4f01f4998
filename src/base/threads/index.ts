/**
 * Threads: a pool of workers for long jobs (Markdown with hostile input, password strength), which would hold up the
 * event loop. A pool starts workers on demand, terminates a job that exceeds its time limit, and ends idle
 * workers. The worker's module calls `serveThreadPoolJobs` once.
 */
export { serveThreadPoolJobs } from './jobs.js';
export { ThreadJobFailedError, ThreadPool } from './pool.js';
