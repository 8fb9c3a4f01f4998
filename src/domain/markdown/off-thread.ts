/** Renders long texts and long formulas in worker threads, so that one message never delays all others. */
import { ThreadJobFailedError, ThreadPool } from '#base/threads';
import type { MarkdownRenderResult } from '#model';
import type { MarkdownContext } from './context.js';
import { mayTakeLongToTypeset } from './math.js';
import { MarkdownRenderError, renderMarkdown } from './render.js';
import type { SnapshotRenderJob, SnapshotRenderOutcome } from './render-worker.js';
import {
  type MarkdownContextSnapshot,
  scanPossibleMarkdownLookupKeys,
  takeMarkdownContextSnapshot,
} from './snapshot.js';

interface RenderThreadOptions {
  /** Maximum number of threads. A thread is started when it is needed. */
  readonly threads: number;
  /** Maximum length of texts that are rendered in the calling thread, characters: passing them on would cost more. */
  readonly threshold: number;
  /** Maximum time for one text, ms (markdown.md § Pipeline). */
  readonly timeout: number;
}

const DEFAULT_RENDER_THREAD_OPTIONS: RenderThreadOptions = { threads: 2, threshold: 2_000, timeout: 5_000 };
/**
 * Maximum number of attempts per text, each with a larger snapshot. Normally the scan finds all keys for the first
 * attempt.
 */
const MAX_RENDER_ATTEMPTS_PER_TEXT = 4;

export class MarkdownRenderer {
  readonly #options: RenderThreadOptions;
  readonly #threadPool: ThreadPool<SnapshotRenderJob, SnapshotRenderOutcome>;
  /** The newest text of each author that waits or is being rendered. */
  readonly #newestTextByAuthor = new Map<string, Promise<MarkdownRenderResult>>();

  constructor(options: Partial<RenderThreadOptions> = {}) {
    this.#options = { ...DEFAULT_RENDER_THREAD_OPTIONS, ...options };
    const { threads, timeout } = this.#options;
    const script = new URL('./render-worker.js', import.meta.url);
    this.#threadPool = new ThreadPool({ script, threads, timeoutMs: timeout });
  }

  /**
   * Renders like renderMarkdown. The functions of `context` are called in the calling thread.
   *
   * @param author key of the author: threads render one text of an author at a time, so that others don't wait for many
   * @throws MarkdownRenderError also after `timeout`
   */
  async renderInlineOrOnThread(
    text: string,
    context: Partial<MarkdownContext> = {},
    author = '',
  ): Promise<MarkdownRenderResult> {
    return this.renderIfShort(text, context) ?? this.#renderAfterEarlierTexts(text, context, author);
  }

  #renderAfterEarlierTexts(
    text: string,
    context: Partial<MarkdownContext>,
    author: string,
  ): Promise<MarkdownRenderResult> {
    const render = (): Promise<MarkdownRenderResult> => this.#renderOnThread(text, context);
    const rendering = (this.#newestTextByAuthor.get(author) ?? Promise.resolve()).then(render, render);
    this.#newestTextByAuthor.set(author, rendering);
    const forget = (): void => {
      if (this.#newestTextByAuthor.get(author) === rendering) this.#newestTextByAuthor.delete(author);
    };
    rendering.then(forget, forget);
    return rendering;
  }

  async #renderOnThread(text: string, context: Partial<MarkdownContext>): Promise<MarkdownRenderResult> {
    let snapshot = takeMarkdownContextSnapshot(scanPossibleMarkdownLookupKeys(text), context);
    for (let round = 0; round < MAX_RENDER_ATTEMPTS_PER_TEXT; round++) {
      const outcome = await this.#renderSnapshotOnThread(text, snapshot);
      if ('rendered' in outcome) return outcome.rendered;
      snapshot = takeMarkdownContextSnapshot(outcome.missing, context, snapshot);
    }
    throw new MarkdownRenderError('names could not be resolved');
  }

  /** Renders a text in the calling thread; undefined: it may take so long that it belongs in a thread. */
  renderIfShort(text: string, context: Partial<MarkdownContext>): MarkdownRenderResult | undefined {
    const isShort = text.length <= this.#options.threshold && !mayTakeLongToTypeset(text, context.defaultCodeLanguage);
    return isShort ? renderMarkdown(text, context) : undefined;
  }

  /** Ends all threads. Unfinished texts fail. */
  close(): Promise<void> {
    return this.#threadPool.close();
  }

  async #renderSnapshotOnThread(text: string, snapshot: MarkdownContextSnapshot): Promise<SnapshotRenderOutcome> {
    try {
      return await this.#threadPool.runJob({ text, snapshot });
    } catch (error) {
      throw error instanceof ThreadJobFailedError ? new MarkdownRenderError(error.message) : error;
    }
  }
}
