/**
 * The thread of an export that makes the rows of receivers, while the export's main thread reads messages and writes
 * their rows. The main thread makes some of the rows, too: with a hundred receivers for a message they take twice as
 * long as the rest of the export. Only the command `conclave export` uses the thread: exports of a running server must
 * leave the cores to its requests.
 */
import { availableParallelism } from 'node:os';
import type { Json } from '#base';
import { ThreadPool } from '#base/threads';
import type { StreamMembershipRecord } from '#domain/streams';
import type { UserId } from '#model';
import { type MessagesForReceivers, ReceiverRowMaker } from './receiver-rows.js';
import type { ReceiverRowsJob } from './receiver-rows-worker.js';
import { isPartOfMessageFlags } from './receivers.js';

/** Time limit of a job, ms: a file has a thousand messages, and each may have thousands of receivers. */
const MAX_JOB_MS = 1_800_000;
/**
 * Maximum size of V8's young generation in the thread, MiB. With the default size an export takes some 60 MB more and
 * is no faster.
 */
const MAX_YOUNG_GENERATION_MIB = 8;
/** Maximum number of jobs that wait or run in the thread: each keeps a thousand messages in memory. */
const MAX_JOBS_UNDER_WAY = 3;
/** Number of users whose flags are sent to the thread in one job. */
const USERS_PER_JOB = 50;

/** Appends rows of receivers to files of messages. Streams and users are added before the first file. */
export interface ReceiverRows {
  /** Resolves when the thread, if there is one, has loaded its code. */
  readonly loaded: Promise<void>;
  addStream(stream: number, members: ReadonlyMap<number, StreamMembershipRecord>): void;
  /** Adds a user with the parts of the user's actor. */
  addUser(user: UserId, parts: ReadonlyMap<string, Json>): Promise<void>;
  /**
   * Appends the rows of the messages' receivers; ids ascend from call to call. The file is complete when `finish` has
   * resolved, at the latest.
   */
  appendToFile(path: string, messages: MessagesForReceivers): Promise<void>;
  /** Waits until all files are complete and durable. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Makes the rows in a thread of their own if that is wanted and the machine has two cores, else in the calling thread.
 */
export function makeReceiverRows(
  wantsThread: boolean,
  pace: () => Promise<void> | undefined,
  cores = availableParallelism(),
): ReceiverRows {
  const maker = new ReceiverRowMaker(pace);
  if (wantsThread && cores >= 2) return new ThreadedReceiverRows(maker);
  return {
    loaded: Promise.resolve(),
    addStream: (stream, members) => maker.addStream(stream, members),
    addUser: async (user, parts) => maker.addUser(user, pickMessageFlags(parts)),
    appendToFile: (path, messages) => maker.appendToFile(path, messages),
    finish: () => maker.finish(),
    close: () => maker.finish().catch(() => undefined),
  };
}

const pickMessageFlags = (parts: ReadonlyMap<string, Json>): ReadonlyMap<string, Json> =>
  new Map([...parts].filter(([name]) => isPartOfMessageFlags(name)));

class ThreadedReceiverRows implements ReceiverRows {
  readonly #pool = new ThreadPool<ReceiverRowsJob, void>({
    script: new URL('./receiver-rows-worker.js', import.meta.url),
    threads: 1,
    jobsPerThread: MAX_JOBS_UNDER_WAY,
    timeoutMs: MAX_JOB_MS,
    maxYoungGenerationMib: MAX_YOUNG_GENERATION_MIB,
  });
  readonly #underWay: Promise<void>[] = [];
  readonly #streams: [stream: number, members: ReadonlyMap<number, StreamMembershipRecord>][] = [];
  readonly #users: [user: UserId, parts: ReadonlyMap<string, Json>][] = [];

  readonly loaded = this.#pool.startThreads();

  /** @param maker makes rows in the calling thread */
  constructor(private readonly maker: ReceiverRowMaker) {}

  addStream(stream: number, members: ReadonlyMap<number, StreamMembershipRecord>): void {
    this.#streams.push([stream, members]);
    this.maker.addStream(stream, members);
  }

  async addUser(user: UserId, parts: ReadonlyMap<string, Json>): Promise<void> {
    const flags = pickMessageFlags(parts);
    this.#users.push([user, flags]);
    this.maker.addUser(user, flags);
    if (this.#users.length >= USERS_PER_JOB) await this.#sendFacts();
  }

  async appendToFile(path: string, messages: MessagesForReceivers): Promise<void> {
    if (this.#users.length > 0) await this.#sendFacts();
    // Otherwise this thread would wait for the other one.
    if (this.#pool.unfinishedJobCount >= MAX_JOBS_UNDER_WAY) await this.maker.appendToFile(path, messages);
    else await this.#run({ path, messages });
  }

  async finish(): Promise<void> {
    await this.#run('finish');
    await this.maker.finish();
    for (const job of this.#underWay.splice(0)) await job;
  }

  #sendFacts(): Promise<void> {
    return this.#run({ streams: this.#streams.splice(0), users: this.#users.splice(0) });
  }

  async #run(job: ReceiverRowsJob): Promise<void> {
    while (this.#underWay.length >= MAX_JOBS_UNDER_WAY) await this.#underWay.shift();
    const running = this.#pool.runJob(job);
    // A failure is reported where the promise is awaited.
    running.catch(() => undefined);
    this.#underWay.push(running);
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#pool.close(), this.maker.finish()]);
  }
}
