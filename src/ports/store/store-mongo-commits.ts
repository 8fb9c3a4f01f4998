/**
 * Commits of many actors in one command. A command per root would cost this process and the server two to three times
 * as much. Actors that commit together also continue together, so their records, log entries and replies share bulks,
 * writes and frames.
 */
import type { Binary, Db } from 'mongodb';
import type { Clock } from '#base/clock';
import type { ActorKey } from '#model';
import { MongoBulkWriteQueue } from './store-mongo-bulks.js';
import { isMongoDuplicateKeyError, translateMongoError } from './store-mongo-client.js';
import { insertMongoDocuments, updateMongoDocuments } from './store-mongo-command.js';
import { bytesOfMongoBinary, type MongoRootDocument } from './store-mongo-documents.js';

interface MongoRootCommit {
  readonly key: ActorKey;
  readonly epoch: number;
  /** The version of the root to replace; the commit stores `expected + 1`. */
  readonly expected: number;
  readonly root: Pick<MongoRootDocument, 'version' | 'due' | 'pending' | 'sleeper'> & {
    readonly state: Binary;
    readonly outbox: Binary;
  };
}

type MongoCommitResult = 'ok' | 'conflict';

interface PendingMongoCommit<C = MongoRootCommit> {
  readonly commit: C;
  readonly bytes: number;
  resolve(result: MongoCommitResult): void;
  reject(error: unknown): void;
}

const ESTIMATED_ROOT_OVERHEAD_BYTES = 400;

const estimateRootBytes = ({ state, outbox }: Pick<MongoRootDocument, 'state' | 'outbox'>): number =>
  ESTIMATED_ROOT_OVERHEAD_BYTES + bytesOfMongoBinary(state).length + bytesOfMongoBinary(outbox).length;

/** Collects commits to existing roots. An actor has at most one commit in flight. */
export class MongoRootUpdater {
  readonly #bulkQueue: MongoBulkWriteQueue<PendingMongoCommit>;

  constructor(
    private readonly db: Db,
    clock: Clock,
  ) {
    this.#bulkQueue = new MongoBulkWriteQueue(clock, (bulk) => this.#sendBulkSorted(bulk));
  }

  enqueueCommit(commit: MongoRootCommit): Promise<MongoCommitResult> {
    const bytes = estimateRootBytes(commit.root);
    return new Promise((resolve, reject) => this.#bulkQueue.enqueue({ commit, bytes, resolve, reject }));
  }

  #sendBulkSorted(bulk: readonly PendingMongoCommit[]): Promise<void> {
    // The commits are sorted: bulks that lock the same rows in different orders can deadlock in PostgreSQL.
    return this.#writeCommits([...bulk].sort((a, b) => (a.commit.key < b.commit.key ? -1 : 1)));
  }

  async #writeCommits(taken: readonly PendingMongoCommit[]): Promise<void> {
    const updates = taken.map(({ commit: { key, epoch, expected, root } }) => ({
      q: { _id: key, epoch, version: expected },
      u: { $set: root },
    }));
    const { writtenCount, refused } = await updateMongoDocuments(this.db, 'roots', updates);
    if (writtenCount === taken.length) {
      for (const { resolve } of taken) resolve('ok');
      return;
    }
    for (const { index, error } of refused) taken[index]!.reject(translateMongoError(error));
    const left = taken.filter((_, i) => !refused.some(({ index }) => index === i));
    if (writtenCount === 0) for (const { resolve } of left) resolve('conflict');
    else await this.#resolveByReading(left);
  }

  /**
   * Reads the roots to find out which commits matched, as the server reports only the number. Comparing versions isn't
   * enough: an earlier write of the same owner with an unknown outcome may have come first. So the stored content is
   * compared.
   */
  async #resolveByReading(left: readonly PendingMongoCommit[]): Promise<void> {
    const ids = left.map(({ commit }) => commit.key);
    const found = await this.db
      .collection<MongoRootDocument>('roots')
      .find({ _id: { $in: ids } })
      .batchSize(ids.length)
      .toArray();
    const roots = new Map(found.map((root) => [root._id, root]));
    for (const { commit, resolve } of left) resolve(isCommitStored(roots.get(commit.key), commit) ? 'ok' : 'conflict');
  }
}

/**
 * Collects first commits of actors, which insert their roots, in bulks apart from other commits: thousands of event
 * queues may be created at once, and messages must not wait for them.
 */
export class MongoRootInserter {
  readonly #bulkQueue: MongoBulkWriteQueue<PendingMongoCommit<MongoRootDocument>>;

  constructor(
    private readonly db: Db,
    clock: Clock,
  ) {
    this.#bulkQueue = new MongoBulkWriteQueue(clock, (bulk) => this.#insertBulk(bulk));
  }

  /** Inserts an actor's root. Resolves to 'conflict' if the actor already has a root. */
  enqueueInsert(root: MongoRootDocument): Promise<MongoCommitResult> {
    const bytes = estimateRootBytes(root);
    return new Promise((resolve, reject) => this.#bulkQueue.enqueue({ commit: root, bytes, resolve, reject }));
  }

  async #insertBulk(bulk: readonly PendingMongoCommit<MongoRootDocument>[]): Promise<void> {
    const documents = bulk.map(({ commit }) => commit);
    const { refused } = await insertMongoDocuments(this.db, 'roots', documents);
    const errors = new Map(refused.map(({ index, error }) => [index, error]));
    bulk.forEach(({ resolve, reject }, i) => {
      const error = errors.get(i);
      if (!error) resolve('ok');
      else if (isMongoDuplicateKeyError(error)) resolve('conflict');
      else reject(translateMongoError(error));
    });
  }
}

const isCommitStored = (stored: MongoRootDocument | undefined, { epoch, root }: MongoRootCommit): boolean =>
  stored?.epoch === epoch &&
  stored.version === root.version &&
  stored.due === root.due &&
  areBinariesEqual(stored.state, root.state) &&
  areBinariesEqual(stored.outbox, root.outbox);

const areBinariesEqual = (one: Binary | Uint8Array, other: Binary): boolean =>
  Buffer.compare(bytesOfMongoBinary(one), bytesOfMongoBinary(other)) === 0;
