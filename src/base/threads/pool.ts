/**
 * Thread pool for work that takes long, so that it never holds up the event loop. A thread that exceeds the timeout is
 * terminated and replaced; idle threads end after a while.
 */
import { Worker } from 'node:worker_threads';
import type { ThreadJobResult } from './jobs.js';

interface ThreadOptions {
  /** URL of the module that a worker thread runs; it calls `serveThreadPoolJobs`. */
  readonly script: URL;
  /** Maximum number of threads; each starts when it is needed. */
  readonly threads: number;
  /** Time limit of one job, ms. */
  readonly timeoutMs: number;
  /** Time after which an idle thread ends, ms. Default: never. */
  readonly idleMs?: number;
}

/** Error of a job that threw or timed out, or whose thread ended. */
export class ThreadJobFailedError extends Error {
  override readonly name = 'ThreadJobFailedError';
}

interface Waiting<Job, Result> {
  readonly job: Job;
  resolve(result: Result): void;
  reject(error: ThreadJobFailedError): void;
}

export class ThreadPool<Job, Result> {
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  readonly #waiting: Waiting<Job, Result>[] = [];
  #rest: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly options: ThreadOptions) {}

  /** Number of running threads. */
  get size(): number {
    return this.#all.size;
  }

  /** Runs a job in an idle thread, or queues it. @throws ThreadJobFailedError */
  run(job: Job): Promise<Result> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#next();
    });
  }

  /** Terminates all threads; running and waiting jobs fail. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#rest);
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    await this.#end();
  }

  async #end(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #next(): void {
    const next = this.#waiting[0];
    const worker = next && (this.#idle.pop() ?? this.#start());
    if (!next || !worker) return;
    this.#waiting.shift();
    clearTimeout(this.#rest);
    this.#work(worker, next);
  }

  #start(): Worker | undefined {
    if (this.#closed || this.#all.size >= this.options.threads) return undefined;
    const worker = new Worker(this.options.script);
    // Idle threads must not keep the process alive.
    worker.unref();
    this.#all.add(worker);
    worker.once('exit', () => {
      this.#all.delete(worker);
      const index = this.#idle.indexOf(worker);
      if (index >= 0) this.#idle.splice(index, 1);
      this.#next();
    });
    return worker;
  }

  #work(worker: Worker, { job, resolve, reject }: Waiting<Job, Result>): void {
    const settle = (reusable: boolean): void => {
      clearTimeout(timer);
      worker.removeAllListeners('message');
      worker.removeAllListeners('error');
      worker.off('exit', gone);
      // A dying thread may still report an error; without a listener that would end the process.
      worker.on('error', () => undefined);
      if (reusable) {
        this.#idle.push(worker);
        this.#next();
        this.#restLater();
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

  #restLater(): void {
    const { idleMs } = this.options;
    if (idleMs === undefined || this.#idle.length < this.#all.size) return;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.#end(), idleMs);
    this.#rest.unref();
  }
}

const closed = (): ThreadJobFailedError => new ThreadJobFailedError('the threads are closed');
