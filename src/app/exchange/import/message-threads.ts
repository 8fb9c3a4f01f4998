/**
 * Threads of an import: one reads files of messages, some render texts, while the import's own thread keeps the order
 * and writes. A job is a pure function of the file or of the texts, so threads change nothing of the result.
 */
import { availableParallelism } from 'node:os';
import { ThreadPool } from '#base/threads';
import { ExportFormatError } from '../format/problem.js';
import type { MessageFileAnswer } from './message-file-worker.js';
import {
  type MessageFileContent,
  type MessageFileJob,
  type MessageTextContext,
  MessageTextRenderer,
  type MessageTextToRender,
  type RenderedMessageText,
  readMessageFile,
} from './message-jobs.js';

/** Rendering a file takes less time than reading, sorting in and writing it: more threads would wait. */
const MAX_RENDERING_THREADS = 2;
/** Keeps the memory of an import below its bound; with V8's usual size a thread has 20 MB more and is as fast. */
const MAX_YOUNG_GENERATION_MIB = 8;
/** A file has a thousand messages, but those of foreign converters may be much larger. */
const MAX_JOB_MS = 1_800_000;
const THREAD_OPTIONS = { timeoutMs: MAX_JOB_MS, maxYoungGenerationMib: MAX_YOUNG_GENERATION_MIB };

export interface MessageFileReader {
  /** Reads a file of messages. @throws ExportFormatError */
  readFile(job: MessageFileJob): Promise<MessageFileContent>;
  close(): Promise<void>;
}

export interface MessageTextRenderers {
  renderTexts(texts: readonly MessageTextToRender[]): Promise<RenderedMessageText[]>;
  close(): Promise<void>;
}

/** Makes a reader with a thread of its own, if the machine has a core for it. */
export function makeMessageFileReader(cores = availableParallelism()): MessageFileReader {
  if (cores < 2) return { readFile: readMessageFile, close: async () => undefined };
  const script = new URL('./message-file-worker.js', import.meta.url);
  const pool = new ThreadPool<MessageFileJob, MessageFileAnswer>({ ...THREAD_OPTIONS, script, threads: 1 });
  return {
    async readFile(job) {
      const answer = await pool.runJob(job);
      if ('problem' in answer) throw new ExportFormatError(answer.problem);
      return answer;
    },
    close: () => pool.close(),
  };
}

/** Makes a renderer with threads of its own, if the machine has cores for them. */
export function makeMessageTextRenderers(
  context: MessageTextContext,
  cores = availableParallelism(),
): MessageTextRenderers {
  if (cores < 2) return new MessageTextRenderer(context);
  const script = new URL('./message-text-worker.js', import.meta.url);
  const threads = Math.min(cores - 1, MAX_RENDERING_THREADS);
  const options = { ...THREAD_OPTIONS, script, threads, threadData: context };
  const pool = new ThreadPool<readonly MessageTextToRender[], RenderedMessageText[]>(options);
  return { renderTexts: (texts) => pool.runJob(texts), close: () => pool.close() };
}
