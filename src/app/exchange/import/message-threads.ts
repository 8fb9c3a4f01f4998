/**
 * Threads of an import: one reads files of messages, one or two render and store messages. Meanwhile the import's main
 * thread records conversations, receivers and flags, in the order of the messages. The result of a job depends on its
 * file or its messages alone, so it is the same without threads.
 */
import { availableParallelism } from 'node:os';
import { Semaphore } from '#base';
import { ThreadPool } from '#base/threads';
import { ExportFormatError } from '../format/problem.js';
import type { MessageFileAnswer } from './message-file-worker.js';
import { type MessageFileContent, type MessageFileJob, readMessageFile } from './message-files.js';
import { encodeMessageSlice } from './message-slices.js';
import { type MessagesToStore, type MessageWriterContext, StoringMessageWriter } from './message-writer.js';
import type { MessageWriterJob } from './message-writer-worker.js';

/** Maximum number of writer threads: the import's main thread can't keep more of them busy. Each takes some 70 MB. */
const MAX_WRITER_THREADS = 2;
/**
 * Maximum size of V8's young generation in a thread, MiB, which keeps the memory of an import within its bound. With
 * the default size a thread takes 20 MB more and is no faster.
 */
const MAX_YOUNG_GENERATION_MIB = 8;
/** Time limit of a job, ms: a file has a thousand messages, but files of foreign converters may be much larger. */
const MAX_JOB_MS = 1_800_000;
/** A writer has its next slice at hand: the import's main thread may take 5 ms until its next turn. */
const JOBS_PER_WRITER_THREAD = 3;
const THREAD_OPTIONS = { timeoutMs: MAX_JOB_MS, maxYoungGenerationMib: MAX_YOUNG_GENERATION_MIB };

export interface MessageFileReader {
  /** Resolves when the reader's thread has loaded its code. */
  readonly loaded: Promise<void>;
  /** Reads a file of messages. @throws ExportFormatError */
  readFile(job: MessageFileJob): Promise<MessageFileContent>;
  close(): Promise<void>;
}

/** Renders and stores files of messages, several at a time. */
export interface MessageWriters {
  /** Number of files that are written at a time. */
  readonly atOnce: number;
  /** True if the writers run in threads, so that the calling thread can render messages at the same time. */
  readonly isThreaded: boolean;
  /** Renders the messages of a file, whose ids are above those of earlier calls, and begins to store them. */
  storeMessages(messages: MessagesToStore): Promise<void>;
  /**
   * Begins a flush, which makes the messages of all finished `storeMessages` calls durable, with their index entries.
   */
  beginFlush(): Promise<void>;
  /** Waits for the end of the flush that the last `beginFlush` began. */
  endFlush(): Promise<void>;
  /**
   * Stores the number of files whose messages have been flushed. A writer thread does it: in the import's main thread,
   * which is busy with the next file, the transaction would have to wait with LMDB locked for all processes.
   */
  recordStoredFiles(files: number): Promise<void>;
  /** Closes the writers after the files under way. */
  close(): Promise<void>;
}

/** Writers whose threads load their code before the context of their messages is known. */
export interface StartedMessageWriters {
  /** Resolves when the threads have loaded their code. */
  readonly loaded: Promise<void>;
  /** Opens the writers. Called once. */
  open(context: MessageWriterContext): Promise<MessageWriters>;
  /** Ends the threads, also those of writers that were not opened. */
  close(): Promise<void>;
}

/** Makes a reader, with a thread of its own, which starts at once, if the machine has two cores. */
export function makeMessageFileReader(cores = availableParallelism()): MessageFileReader {
  if (cores < 2) return { loaded: Promise.resolve(), readFile: readMessageFile, close: async () => undefined };
  const script = new URL('./message-file-worker.js', import.meta.url);
  const pool = new ThreadPool<MessageFileJob, MessageFileAnswer>({ ...THREAD_OPTIONS, script, threads: 1 });
  return {
    loaded: pool.startThreads(),
    async readFile(job) {
      const answer = await pool.runJob(job);
      if ('problem' in answer) throw new ExportFormatError(answer.problem);
      return answer;
    },
    close: () => pool.close(),
  };
}

/** Starts writers, with threads of their own, which load 4 MB of code, if the machine has two cores or more. */
export function startMessageWriters(cores = availableParallelism()): StartedMessageWriters {
  if (cores < 2) return { loaded: Promise.resolve(), open: openUnthreadedWriters, close: async () => undefined };
  return new ThreadedMessageWriters(Math.min(cores - 1, MAX_WRITER_THREADS));
}

async function openUnthreadedWriters(context: MessageWriterContext): Promise<MessageWriters> {
  const writer = await StoringMessageWriter.open(context);
  const turns = new Semaphore(1);
  return {
    atOnce: 1,
    isThreaded: false,
    storeMessages: (messages) => turns.runWhenPermitted(() => writer.storeMessages(messages)),
    beginFlush: () => turns.runWhenPermitted(() => writer.beginFlush()),
    endFlush: () => turns.runWhenPermitted(() => writer.endFlush()),
    recordStoredFiles: (files) => turns.runWhenPermitted(() => writer.recordStoredFiles(files)),
    close: () => writer.close(),
  };
}

class ThreadedMessageWriters implements MessageWriters, StartedMessageWriters {
  readonly atOnce: number;
  readonly isThreaded = true;
  readonly loaded: Promise<void>;
  /** Pools of one thread each, because each thread must get a job to close its Store. */
  readonly #pools: readonly ThreadPool<MessageWriterJob, void>[];

  constructor(atOnce: number) {
    this.atOnce = atOnce;
    const script = new URL('./message-writer-worker.js', import.meta.url);
    const options = { ...THREAD_OPTIONS, script, threads: 1, jobsPerThread: JOBS_PER_WRITER_THREAD };
    this.#pools = Array.from({ length: atOnce }, () => new ThreadPool<MessageWriterJob, void>(options));
    this.loaded = Promise.all(this.#pools.map((pool) => pool.startThreads())).then(() => undefined);
  }

  async open(context: MessageWriterContext): Promise<MessageWriters> {
    // A failure is reported by the first slice.
    for (const pool of this.#pools) pool.runJob({ open: context }).catch(() => undefined);
    return this;
  }

  storeMessages(messages: MessagesToStore): Promise<void> {
    return this.#leastBusyPool.runJob({ slice: encodeMessageSlice(messages) });
  }

  recordStoredFiles(files: number): Promise<void> {
    return this.#leastBusyPool.runJob({ storedFiles: files });
  }

  get #leastBusyPool(): ThreadPool<MessageWriterJob, void> {
    return this.#pools.reduce((least, one) => (one.unfinishedJobCount < least.unfinishedJobCount ? one : least));
  }

  beginFlush(): Promise<void> {
    return this.#runJobOnAll('begin-flush');
  }

  endFlush(): Promise<void> {
    return this.#runJobOnAll('end-flush');
  }

  async #runJobOnAll(job: MessageWriterJob): Promise<void> {
    const running = this.#pools.filter(({ runningThreadCount }) => runningThreadCount > 0);
    await Promise.all(running.map((pool) => pool.runJob(job)));
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#pools.map(async (pool) => {
        // A thread that failed to open its Store has none to close.
        if (pool.runningThreadCount > 0) await pool.runJob('close').catch(() => undefined);
        await pool.close();
      }),
    );
  }
}
