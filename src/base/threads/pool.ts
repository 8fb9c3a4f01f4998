/**
 * Thread pool for work that takes long, so that it never holds up the event loop. A thread that exceeds the timeout is
 * terminated and replaced; idle threads end after a while.
 */
import { Worker } from 'node:worker_threads';
import { THREAD_LOADED, type ThreadJobResult, type ThreadMessage } from './jobs.js';

interface ThreadPoolOptions {
  /** URL of the module that a worker thread runs; it calls `serveThreadPoolJobs`. */
  readonly script: URL;
  /** Maximum number of threads; each starts when it is needed, or with `startThreads`. */
  readonly threads: number;
  /** Time limit of one job, ms. */
  readonly timeoutMs: number;
  /**
   * Maximum number of jobs that a thread has: one runs, the others wait beside it. With more than one the thread goes
   * on at once, and does not wait for the calling thread's next turn. Default: 1.
   */
  readonly jobsPerThread?: number;
  /** Plain data that every thread gets at its start, as `workerData`. */
  readonly threadData?: unknown;
  /** Maximum size of a thread's young generation, MiB. Default: that of V8. */
  readonly maxYoungGenerationMib?: number;
  /** Time after which an idle thread ends, ms. Default: never. */
  readonly idleMs?: number;
}

/** Error of a job that threw or timed out, or whose thread ended. */
export class ThreadJobFailedError extends Error {
  override readonly name = 'ThreadJobFailedError';
}

interface ThreadJob<Job, Result> {
  readonly job: Job;
  resolve(result: Result): void;
  reject(error: ThreadJobFailedError): void;
}

interface PoolThread<Job, Result> {
  readonly worker: Worker;
  /** Jobs that were sent to the worker, the running one first. */
  readonly jobs: ThreadJob<Job, Result>[];
  /** Resolves when the worker has loaded its code, or has failed. */
  readonly loaded: Promise<void>;
  /** Timer of the running job. */
  timer: NodeJS.Timeout | undefined;
  /** True once the worker has failed. It gets no more jobs. */
  hasFailed: boolean;
}

export class ThreadPool<Job, Result> {
  /** Threads whose workers have not ended, the one with the newest job last. */
  readonly #threads = new Set<PoolThread<Job, Result>>();
  readonly #waitingJobs: ThreadJob<Job, Result>[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly options: ThreadPoolOptions) {}

  /** Number of running threads. */
  get runningThreadCount(): number {
    return this.#threads.size;
  }

  /** Number of jobs that wait or run. */
  get unfinishedJobCount(): number {
    let count = this.#waitingJobs.length;
    for (const { jobs } of this.#threads) count += jobs.length;
    return count;
  }

  /**
   * Starts all threads, so that they load their code while the caller prepares their first jobs.
   * @returns a promise that resolves when they have loaded it, or have failed
   */
  async startThreads(): Promise<void> {
    while (!this.#closed && this.#threads.size < this.options.threads) this.#startThread();
    const loading = [...this.#threads].map(async (thread) => {
      thread.worker.ref();
      await thread.loaded;
      // The process must not end before the end of a worker that is being terminated.
      if (!this.#closed && !thread.hasFailed) thread.worker.unref();
    });
    await Promise.all(loading);
  }

  /** Runs a job in an idle thread, or queues it. @throws ThreadJobFailedError */
  runJob(job: Job): Promise<Result> {
    if (this.#closed) return Promise.reject(makePoolClosedError());
    return new Promise((resolve, reject) => {
      this.#waitingJobs.push({ job, resolve, reject });
      this.#sendWaitingJobs();
    });
  }

  /** Terminates all threads; running and waiting jobs fail. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    this.#rejectWaitingJobs();
    await this.#terminateWorkers();
  }

  #rejectWaitingJobs(): void {
    for (const { reject } of this.#waitingJobs.splice(0)) reject(makePoolClosedError());
  }

  async #terminateWorkers(): Promise<void> {
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #sendWaitingJobs(): void {
    while (this.#waitingJobs.length > 0) {
      const thread = this.#findOrStartThread();
      if (!thread) return;
      clearTimeout(this.#idleTimer);
      const next = this.#waitingJobs.shift()!;
      this.#threads.delete(thread);
      this.#threads.add(thread);
      thread.jobs.push(next);
      if (thread.jobs.length === 1) this.#startTimer(thread);
      thread.worker.postMessage(next.job);
    }
  }

  /** An idle thread if there is one, else a new one, else the one with the fewest jobs; undefined if all are full. */
  #findOrStartThread(): PoolThread<Job, Result> | undefined {
    let found: PoolThread<Job, Result> | undefined;
    for (const thread of this.#threads)
      if (!thread.hasFailed && (!found || thread.jobs.length <= found.jobs.length)) found = thread;
    if (found?.jobs.length === 0) return found;
    if (this.#threads.size < this.options.threads) return this.#startThread();
    return found && found.jobs.length < (this.options.jobsPerThread ?? 1) ? found : undefined;
  }

  #startThread(): PoolThread<Job, Result> {
    const { script, threadData, maxYoungGenerationMib } = this.options;
    const resourceLimits = { maxYoungGenerationSizeMb: maxYoungGenerationMib };
    const worker = new Worker(script, { workerData: threadData, ...(maxYoungGenerationMib ? { resourceLimits } : {}) });
    let setLoaded: () => void = () => undefined;
    const loaded = new Promise<void>((resolve) => {
      setLoaded = resolve;
    });
    const thread: PoolThread<Job, Result> = { worker, jobs: [], loaded, timer: undefined, hasFailed: false };
    worker.on('message', (message: ThreadMessage<Result>) => {
      if (message === THREAD_LOADED) setLoaded();
      else this.#endRunningJob(thread, message);
    });
    worker.on('error', (error) => this.#failThread(thread, error.message));
    worker.once('exit', () => {
      setLoaded();
      this.#threads.delete(thread);
      this.#failThread(thread, 'the thread ended');
      this.#sendWaitingJobs();
    });
    // Idle threads must not keep the process alive. Node takes this back when a listener for messages is added.
    worker.unref();
    this.#threads.add(thread);
    return thread;
  }

  #startTimer(thread: PoolThread<Job, Result>): void {
    thread.timer = setTimeout(() => this.#failThread(thread, 'it took too long'), this.options.timeoutMs);
  }

  #endRunningJob(thread: PoolThread<Job, Result>, answer: ThreadJobResult<Result>): void {
    const job = thread.jobs.shift();
    // A failed worker may still answer.
    if (!job) return;
    clearTimeout(thread.timer);
    if (thread.jobs.length > 0) this.#startTimer(thread);
    this.#sendWaitingJobs();
    this.#scheduleStopIfAllIdle();
    if ('failed' in answer) job.reject(new ThreadJobFailedError(answer.failed));
    else job.resolve(answer.result);
  }

  /** Fails the running job of a thread and ends the thread. The jobs behind it wait for another one. */
  #failThread(thread: PoolThread<Job, Result>, reason: string): void {
    if (thread.hasFailed) return;
    thread.hasFailed = true;
    clearTimeout(thread.timer);
    thread.jobs.shift()?.reject(new ThreadJobFailedError(reason));
    this.#waitingJobs.unshift(...thread.jobs.splice(0));
    if (this.#closed) this.#rejectWaitingJobs();
    void thread.worker.terminate();
  }

  #scheduleStopIfAllIdle(): void {
    const { idleMs } = this.options;
    if (idleMs === undefined || [...this.#threads].some(({ jobs }) => jobs.length > 0)) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.#terminateWorkers(), idleMs);
    this.#idleTimer.unref();
  }
}

const makePoolClosedError = (): ThreadJobFailedError => new ThreadJobFailedError('the threads are closed');
