/**
 * Commits of many actors in one command. A command of its own for each root costs this process and the server two to
 * three times as much, and what commits together goes on together: its records, log entries and replies share bulks, writes and frames.
 */
import type { Binary, Db } from 'mongodb';
import type { ActorKey } from '../core/index.js';
import { translate } from './store-mongo-client.js';
import { updateMany } from './store-mongo-command.js';
import { bytes, type RootDocument } from './store-mongo-documents.js';

export interface Commit {
  readonly key: ActorKey;
  readonly epoch: number;
  /** The version that it replaces; its own is the next. */
  readonly expected: number;
  readonly root: Pick<RootDocument, 'version' | 'due' | 'pending' | 'sleeper'> & {
    readonly state: Binary;
    readonly outbox: Binary;
  };
}

type Result = 'ok' | 'conflict';

interface Waiting {
  readonly commit: Commit;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

const MAX_COMMITS = 500;
const MAX_BYTES = 8 * 1024 * 1024;
const DOCUMENT_BYTES = 400;
/** Commands under way. More would be smaller, and the server is no faster for them. */
const MAX_IN_FLIGHT = 2;

/** Collects the commits of a tick, and those that come while enough is in flight. An actor has one at a time here. */
export class MongoCommits {
  #waiting: Waiting[] = [];
  #scheduled = false;
  #inFlight = 0;

  constructor(private readonly db: Db) {}

  put(commit: Commit): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#inFlight >= MAX_IN_FLIGHT || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#inFlight < MAX_IN_FLIGHT && this.#waiting.length > 0) void this.#send(this.#take());
    });
  }

  #take(): Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const { commit } of this.#waiting) {
      bytes += DOCUMENT_BYTES + commit.root.state.length() + commit.root.outbox.length();
      if (count === MAX_COMMITS || (count > 0 && bytes > MAX_BYTES)) break;
      count++;
    }
    // Sorted, since bulks that lock the same rows in different orders can deadlock each other in PostgreSQL.
    return this.#waiting.splice(0, count).sort((a, b) => (a.commit.key < b.commit.key ? -1 : 1));
  }

  async #send(taken: readonly Waiting[]): Promise<void> {
    this.#inFlight++;
    try {
      await this.#write(taken);
    } catch (error) {
      const translated = translate(error);
      // Those that have their result already are past that.
      for (const { reject } of taken) reject(translated);
    } finally {
      this.#inFlight--;
      this.#schedule();
    }
  }

  async #write(taken: readonly Waiting[]): Promise<void> {
    const updates = taken.map(({ commit: { key, epoch, expected, root } }) => ({
      q: { _id: key, epoch, version: expected },
      u: { $set: root },
    }));
    const { n, refused } = await updateMany(this.db, 'roots', updates);
    if (n === taken.length) {
      for (const { resolve } of taken) resolve('ok');
      return;
    }
    for (const { index, error } of refused) taken[index]!.reject(translate(error));
    const left = taken.filter((_, i) => !refused.some(({ index }) => index === i));
    if (n === 0) for (const { resolve } of left) resolve('conflict');
    else await this.#ask(left);
  }

  /**
   * How many matched is told, but not which. The version alone doesn't say: a write of an earlier activation of the same
   * owner, whose outcome stayed unknown, may have come before ours. What is stored does.
   */
  async #ask(left: readonly Waiting[]): Promise<void> {
    const ids = left.map(({ commit }) => commit.key);
    const found = await this.db
      .collection<RootDocument>('roots')
      .find({ _id: { $in: ids } })
      .batchSize(ids.length)
      .toArray();
    const roots = new Map(found.map((root) => [root._id, root]));
    for (const { commit, resolve } of left) resolve(holds(roots.get(commit.key), commit) ? 'ok' : 'conflict');
  }
}

const holds = (stored: RootDocument | undefined, { epoch, root }: Commit): boolean =>
  stored?.epoch === epoch &&
  stored.version === root.version &&
  stored.due === root.due &&
  same(stored.state, root.state) &&
  same(stored.outbox, root.outbox);

const same = (one: Binary | Uint8Array, other: Binary): boolean => Buffer.compare(bytes(one), bytes(other)) === 0;
