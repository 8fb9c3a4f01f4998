/**
 * Rendering of long texts in threads of their own, so that one message never holds up all others. A thread that takes
 * too long is ended and replaced.
 */
import { Worker } from 'node:worker_threads';
import type { MarkdownContext } from './context.js';
import { CannotRender, type Rendered, renderMarkdown } from './render.js';
import type { Job, Outcome } from './render-worker.js';
import { takeSnapshot, wantedIn } from './snapshot.js';

export interface RenderThreadOptions {
  /** At most; they are started when needed. */
  readonly threads: number;
  /** Characters up to which a text is rendered here and now: handing it over would cost more. */
  readonly threshold: number;
  /** Milliseconds of work on one text (markdown.md § Pipeline). */
  readonly timeout: number;
}

const DEFAULTS: RenderThreadOptions = { threads: 2, threshold: 2_000, timeout: 5_000 };
/** Times that a text is tried with a larger snapshot; the scan normally finds everything at once. */
const MAX_ROUNDS = 4;

interface Waiting {
  readonly job: Job;
  readonly done: (outcome: Outcome) => void;
}

export class RenderThreads {
  readonly #options: RenderThreadOptions;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  readonly #waiting: Waiting[] = [];
  #closed = false;

  constructor(options: Partial<RenderThreadOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /**
   * As renderMarkdown; the look-ups are made in this thread.
   * @throws CannotRender also if it takes too long
   */
  async render(text: string, context: Partial<MarkdownContext> = {}): Promise<Rendered> {
    if (text.length <= this.#options.threshold) return renderMarkdown(text, context);
    let snapshot = takeSnapshot(wantedIn(text), context);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const outcome = await this.#run({ text, snapshot });
      if (outcome.kind === 'rendered') return outcome.rendered;
      if (outcome.kind === 'failed') throw new CannotRender(outcome.reason);
      snapshot = takeSnapshot(outcome.wanted, context, snapshot);
    }
    throw new CannotRender('names could not be resolved');
  }

  /** Ends all threads; texts under way fail. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { done } of this.#waiting.splice(0)) done(CLOSED);
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #run(job: Job): Promise<Outcome> {
    if (this.#closed) return Promise.resolve(CLOSED);
    return new Promise((done) => {
      this.#waiting.push({ job, done });
      this.#next();
    });
  }

  #next(): void {
    const next = this.#waiting[0];
    const worker = next && (this.#idle.pop() ?? this.#start());
    if (!next || !worker) return;
    this.#waiting.shift();
    this.#work(worker, next);
  }

  #start(): Worker | undefined {
    if (this.#closed || this.#all.size >= this.#options.threads) return undefined;
    const worker = new Worker(new URL('./render-worker.js', import.meta.url));
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

  #work(worker: Worker, { job, done }: Waiting): void {
    const settle = (outcome: Outcome, reusable: boolean): void => {
      clearTimeout(timer);
      worker.removeAllListeners('message');
      worker.removeAllListeners('error');
      worker.off('exit', gone);
      // A failing thread may still report what it died of; without a listener that would end the process.
      worker.on('error', () => undefined);
      done(outcome);
      if (reusable) {
        this.#idle.push(worker);
        this.#next();
      } else {
        void worker.terminate();
      }
    };
    const gone = (): void => settle({ kind: 'failed', reason: 'the thread ended' }, false);
    const timer = setTimeout(
      () => settle({ kind: 'failed', reason: 'rendering took too long' }, false),
      this.#options.timeout,
    );
    worker.removeAllListeners('error');
    worker.once('message', (outcome: Outcome) => settle(outcome, true));
    worker.once('error', (error) => settle({ kind: 'failed', reason: error.message }, false));
    worker.once('exit', gone);
    worker.postMessage(job);
  }
}

const CLOSED: Outcome = { kind: 'failed', reason: 'the threads are closed' };

let shared: RenderThreads | undefined;

/** With threads shared by the whole process. @throws CannotRender */
export function renderOffThread(text: string, context?: Partial<MarkdownContext>): Promise<Rendered> {
  shared ??= new RenderThreads();
  return shared.render(text, context);
}

/** Ends the shared threads; the next text starts new ones. */
export async function closeRenderThreads(): Promise<void> {
  const ending = shared;
  shared = undefined;
  await ending?.close();
}
