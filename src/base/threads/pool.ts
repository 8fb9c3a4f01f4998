/**
 * Work that takes long, in threads of its own, so that it never holds up everything else. A thread that takes too long is ended
 * and replaced; one that had nothing to do for a while is ended, too.
 */
import { Worker } from 'node:worker_threads';
import type { Answer } from './jobs.js';

export interface ThreadOptions {
  /** Module that calls `serveJobs`. */
  readonly script: URL;
  /** At most; they are started when needed. */
  readonly threads: number;
  /** Milliseconds of work on one job. */
  readonly timeoutMs: number;
  /** Milliseconds after which idle threads end. Default: never. */
  readonly idleMs?: number;
}

/** The job threw, took too long, or its thread is no more. */
export class ThreadFailed extends Error {
  override readonly name = 'ThreadFailed';
}

interface Waiting<Job, Result> {
  readonly job: Job;
  resolve(result: Result): void;
  reject(error: ThreadFailed): void;
}

export class ThreadPool<Job, Result> {
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  readonly #waiting: Waiting<Job, Result>[] = [];
  #rest: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly options: ThreadOptions) {}

  /** Threads that there are. */
  get size(): number {
    return this.#all.size;
  }

  /** @throws ThreadFailed */
  run(job: Job): Promise<Result> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#next();
    });
  }

  /** Ends all threads; jobs under way fail. */
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
      // A failing thread may still report what it died of; without a listener that would end the process.
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
      reject(new ThreadFailed(reason));
    };
    const gone = (): void => fail('the thread ended');
    const timer = setTimeout(() => fail('it took too long'), this.options.timeoutMs);
    worker.removeAllListeners('error');
    worker.once('message', (answer: Answer<Result>) => {
      settle(true);
      if ('failed' in answer) reject(new ThreadFailed(answer.failed));
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

const closed = (): ThreadFailed => new ThreadFailed('the threads are closed');
