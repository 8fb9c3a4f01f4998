/**
 * Thread pool for work that takes long, so that it never holds up the event loop. A thread that exceeds the timeout is
 * terminated and replaced; idle threads end after a while.
 */
import { Worker } from 'node:worker_threads';
import type { ThreadJobResult } from './jobs.js';

interface ThreadPoolOptions {
  /** URL of the module that a worker thread runs; it calls `serveThreadPoolJobs`. */
  readonly script: URL;
  /** Maximum number of threads; each starts when it is needed. */
  readonly threads: number;
  /** Time limit of one job, ms. */
  readonly timeoutMs: number;
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

interface WaitingThreadJob<Job, Result> {
  readonly job: Job;
  resolve(result: Result): void;
  reject(error: ThreadJobFailedError): void;
}

export class ThreadPool<Job, Result> {
  readonly #idleWorkers: Worker[] = [];
  readonly #allWorkers = new Set<Worker>();
  readonly #waitingJobs: WaitingThreadJob<Job, Result>[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly options: ThreadPoolOptions) {}

  /** Number of running threads. */
  get runningThreadCount(): number {
    return this.#allWorkers.size;
  }

  /** Runs a job in an idle thread, or queues it. @throws ThreadJobFailedError */
  runJob(job: Job): Promise<Result> {
    if (this.#closed) return Promise.reject(makePoolClosedError());
    return new Promise((resolve, reject) => {
      this.#waitingJobs.push({ job, resolve, reject });
      this.#startNextJob();
    });
  }

  /** Terminates all threads; running and waiting jobs fail. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    for (const { reject } of this.#waitingJobs.splice(0)) reject(makePoolClosedError());
    await this.#terminateWorkers();
  }

  async #terminateWorkers(): Promise<void> {
    await Promise.all([...this.#allWorkers].map((worker) => worker.terminate()));
  }

  #startNextJob(): void {
    const next = this.#waitingJobs[0];
    const worker = next && (this.#idleWorkers.pop() ?? this.#startWorker());
    if (!next || !worker) return;
    this.#waitingJobs.shift();
    clearTimeout(this.#idleTimer);
    this.#runJobOnWorker(worker, next);
  }

  #startWorker(): Worker | undefined {
    if (this.#closed || this.#allWorkers.size >= this.options.threads) return undefined;
    const { script, threadData, maxYoungGenerationMib } = this.options;
    const resourceLimits = { maxYoungGenerationSizeMb: maxYoungGenerationMib };
    const worker = new Worker(script, { workerData: threadData, ...(maxYoungGenerationMib ? { resourceLimits } : {}) });
    // Idle threads must not keep the process alive.
    worker.unref();
    this.#allWorkers.add(worker);
    worker.once('exit', () => {
      this.#allWorkers.delete(worker);
      const index = this.#idleWorkers.indexOf(worker);
      if (index >= 0) this.#idleWorkers.splice(index, 1);
      this.#startNextJob();
    });
    return worker;
  }

  #runJobOnWorker(worker: Worker, { job, resolve, reject }: WaitingThreadJob<Job, Result>): void {
    const settle = (reusable: boolean): void => {
      clearTimeout(timer);
      worker.removeAllListeners('message');
      worker.removeAllListeners('error');
      worker.off('exit', gone);
      // A dying thread may still report an error; without a listener that would end the process.
      worker.on('error', () => undefined);
      if (reusable) {
        this.#idleWorkers.push(worker);
        this.#startNextJob();
        this.#scheduleStopIfAllIdle();
      } else {
        void worker.terminate();
      }
    };
    const fail = (reason: string): void => {
      settle(false);
      reject(new ThreadJobFailedError(reason));
    };
    const gone = (): void => fail('the thread ended');
    const timer = setTimeout(() => fail('it took too long'), this.options.timeoutMs);
    worker.removeAllListeners('error');
    worker.once('message', (answer: ThreadJobResult<Result>) => {
      settle(true);
      if ('failed' in answer) reject(new ThreadJobFailedError(answer.failed));
      else resolve(answer.result);
    });
    worker.once('error', (error) => fail(error.message));
    worker.once('exit', gone);
    worker.postMessage(job);
  }

  #scheduleStopIfAllIdle(): void {
    const { idleMs } = this.options;
    if (idleMs === undefined || this.#idleWorkers.length < this.#allWorkers.size) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.#terminateWorkers(), idleMs);
    this.#idleTimer.unref();
  }
}

const makePoolClosedError = (): ThreadJobFailedError => new ThreadJobFailedError('the threads are closed');
