/** Loads roots of actors, combining the requests of one event-loop turn: after a takeover there are hundreds. */
import type { Collection, Db } from 'mongodb';
import type { Json } from '#base';
import type { ActorKey, Epoch } from '#model';
import type { ActorRoot } from './store.js';
import { updateMongoDocuments } from './store-mongo-command.js';
import { type MongoRootDocument, ROOT_BEING_REMOVED_VERSION, unpackMongoBinary } from './store-mongo-documents.js';

/** Maximum number of roots per query. */
const MAX_ROOTS_PER_QUERY = 200;

type RootLoadResult = ActorRoot | null | 'fenced';

interface RootLoadRequest {
  readonly key: ActorKey;
  readonly epoch: Epoch;
  resolve(answer: RootLoadResult | Promise<RootLoadResult>): void;
  reject(error: unknown): void;
}

export class MongoRootLoader {
  #queuedRequests: RootLoadRequest[] = [];

  constructor(
    private readonly db: Db,
    private readonly roots: Collection<MongoRootDocument>,
    /** Completes the removal of an actor that a crash interrupted. */
    private readonly finishRemoval: (key: ActorKey) => Promise<void>,
  ) {}

  /** Loads the root of an actor, under the rules of `Store.load`. */
  loadRoot(key: ActorKey, at: Epoch): Promise<RootLoadResult> {
    return new Promise((resolve, reject) => {
      this.#queuedRequests.push({ key, epoch: at, resolve, reject });
      if (this.#queuedRequests.length === 1) setImmediate(() => this.#loadQueuedRoots());
    });
  }

  #loadQueuedRoots(): void {
    const asked = this.#queuedRequests;
    this.#queuedRequests = [];
    if (asked.length === 1) {
      const { key, epoch, resolve } = asked[0]!;
      resolve(this.#loadOneRoot(key, epoch));
      return;
    }
    for (let i = 0; i < asked.length; i += MAX_ROOTS_PER_QUERY) {
      // The requests are sorted, like commits: locks taken in different orders can deadlock in PostgreSQL.
      const some = asked.slice(i, i + MAX_ROOTS_PER_QUERY).sort((a, b) => (a.key < b.key ? -1 : 1));
      this.#loadSeveralRoots(some).catch((error: unknown) => {
        for (const { reject } of some) reject(error);
      });
    }
  }

  async #loadOneRoot(key: ActorKey, at: Epoch): Promise<RootLoadResult> {
    for (;;) {
      const filter = { _id: key, epoch: { $lte: at } };
      const root = await this.roots.findOneAndUpdate(filter, { $set: { epoch: at } }, { returnDocument: 'after' });
      if (root) return this.#decodeLoadedRoot(root, at);
      const other = await this.roots.findOne({ _id: key }, { projection: { epoch: 1 } });
      if (!other) return null;
      // A smaller epoch means that the root was created between the two queries, so the load is tried again.
      if (other.epoch > at) return 'fenced';
    }
  }

  /**
   * Loads several roots. It writes our epoch into the roots first, which fences older owners: a root then read at our
   * epoch can't be changed by another host any more.
   */
  async #loadSeveralRoots(asked: readonly RootLoadRequest[]): Promise<void> {
    const stamps = asked.map(({ key, epoch }) => ({
      q: { _id: key, epoch: { $lt: epoch } },
      u: { $set: { epoch: epoch } },
    }));
    const { refused } = await updateMongoDocuments(this.db, this.roots.collectionName, stamps);
    if (refused[0]) throw refused[0].error;
    const keys = [...new Set(asked.map(({ key }) => key))];
    const found = await this.roots
      .find({ _id: { $in: keys } })
      .batchSize(MAX_ROOTS_PER_QUERY)
      .toArray();
    const byKey = new Map(found.map((root) => [root._id, root]));
    for (const { key, epoch, resolve } of asked) {
      const root = byKey.get(key);
      if (!root) resolve(null);
      else if (root.epoch > epoch) resolve('fenced');
      // A root with an older epoch was created between the write of the epoch and the read.
      else if (root.epoch < epoch) resolve(this.#loadOneRoot(key, epoch));
      else resolve(this.#decodeLoadedRoot(root, epoch));
    }
  }

  async #decodeLoadedRoot(root: MongoRootDocument, at: Epoch): Promise<ActorRoot | null> {
    const { _id: key, version, due } = root;
    if (version === ROOT_BEING_REMOVED_VERSION) {
      await this.finishRemoval(key);
      return null;
    }
    return {
      key,
      epoch: at,
      version,
      state: unpackMongoBinary(root.state),
      outbox: unpackMongoBinary(root.outbox) as Json[],
      due,
    };
  }
}
