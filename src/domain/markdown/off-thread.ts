/** Rendering of long texts in threads of their own, so that one message never holds up all others. */
import { ThreadFailed, ThreadPool } from '#base/threads';
import type { MarkdownContext } from './context.js';
import { RenderError, type RenderResult, renderMarkdown } from './render.js';
import type { RenderJob, RenderOutcome } from './render-worker.js';
import { type ContextSnapshot, scanLookupKeys, takeSnapshot } from './snapshot.js';

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

export class RenderThreads {
  readonly #options: RenderThreadOptions;
  readonly #threads: ThreadPool<RenderJob, RenderOutcome>;

  constructor(options: Partial<RenderThreadOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    const { threads, timeout } = this.#options;
    const script = new URL('./render-worker.js', import.meta.url);
    this.#threads = new ThreadPool({ script, threads, timeoutMs: timeout });
  }

  /**
   * As renderMarkdown; the look-ups are made in this thread.
   * @throws CannotRender also if it takes too long
   */
  async render(text: string, context: Partial<MarkdownContext> = {}): Promise<RenderResult> {
    if (text.length <= this.#options.threshold) return renderMarkdown(text, context);
    let snapshot = takeSnapshot(scanLookupKeys(text), context);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const outcome = await this.#run(text, snapshot);
      if ('rendered' in outcome) return outcome.rendered;
      snapshot = takeSnapshot(outcome.wanted, context, snapshot);
    }
    throw new RenderError('names could not be resolved');
  }

  /** Ends all threads; texts under way fail. */
  close(): Promise<void> {
    return this.#threads.close();
  }

  async #run(text: string, snapshot: ContextSnapshot): Promise<RenderOutcome> {
    try {
      return await this.#threads.run({ text, snapshot });
    } catch (error) {
      throw error instanceof ThreadFailed ? new RenderError(error.message) : error;
    }
  }
}
