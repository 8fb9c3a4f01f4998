export { serveJobs } from './jobs.js';
export { ThreadFailed, type ThreadOptions, ThreadPool } from './pool.js';
