import type { Collection, Db, Filter, MongoClient } from 'mongodb';
import type { Clock, TimerHandle } from '#base/clock';
import {
  type ActorKey,
  actorKeyRangesOfRealm,
  type Epoch,
  type Partition,
  partitionOfActor,
  type RealmId,
  toEpoch,
  toRealmId,
} from '#model';
import type { MessageRecord } from '#model/records';
import { readTagsReactionsFromMongo } from './format-mongo.js';
import { InFlightStoreOperations } from './in-flight.js';
import {
  type ActorRoot,
  type ActorRootWrite,
  type ActorToWake,
  type MessageScan,
  type Store,
  type StoredActorPart,
  type StoreRecordWrite,
  StoreUnavailableError,
} from './store.js';
import {
  createMongoClient,
  databaseNameOfMongoUrl,
  isMongoDuplicateKeyError,
  isMongoServerSelectionError,
  serverHostsOfMongoUrl,
  translateMongoError,
} from './store-mongo-client.js';
import { MongoRootInserter, MongoRootUpdater } from './store-mongo-commits.js';
import {
  createMongoIndexes,
  decodeMongoMessageDocument,
  decodeMongoPartDocument,
  type MongoEpochDocument,
  type MongoMessageDocument,
  type MongoPartDocument,
  type MongoRootDocument,
  mongoMessageDocumentId,
  mongoPartDocumentId,
  packToMongoBinary,
  ROOT_BEING_REMOVED_VERSION,
  smallestStringAbovePrefix,
} from './store-mongo-documents.js';
import { MongoRecordWriter } from './store-mongo-records.js';
import { MongoRootLoader } from './store-mongo-root-loader.js';
import { scanMongoMessages } from './store-mongo-scan.js';

/**
 * Time limit of a ping, ms: a server that hangs without closing its connections fails other operations only after 10 s.
 */
const PING_TIMEOUT_MS = 3_000;
/** Maximum number of ids in one `$in` condition of a query. */
const MAX_IDS_PER_QUERY = 1_000;

/** The Store of the cluster: MongoDB, or FerretDB over DocumentDB. It needs neither transactions nor change streams. */
export class MongoStore implements Store {
  readonly atomicRecords = false;
  #tagsReactions = false;
  readonly admitsParticipants = false;
  readonly #url: string;
  #client!: MongoClient;
  #rootCollection!: Collection<MongoRootDocument>;
  #partCollection!: Collection<MongoPartDocument>;
  #messageCollection!: Collection<MongoMessageDocument>;
  #epochCollection!: Collection<MongoEpochDocument>;
  #db!: Db;
  #recordWriter!: MongoRecordWriter;
  #commitWriter!: MongoRootUpdater;
  #rootInserter!: MongoRootInserter;
  #rootLoader!: MongoRootLoader;
  readonly #clock: Clock;
  readonly #operationsInFlight: InFlightStoreOperations;
  #closed = false;

  private constructor(url: string, clock: Clock) {
    this.#url = url;
    this.#clock = clock;
    this.#operationsInFlight = new InFlightStoreOperations(clock);
    this.#useClient(createMongoClient(url));
  }

  #useClient(client: MongoClient): void {
    this.#client = client;
    client.on('connectionPoolCleared', () => this.#operationsInFlight.giveUpAfterBrokenConnections());
    this.#db = client.db(databaseNameOfMongoUrl(this.#url));
    this.#rootCollection = this.#db.collection('roots');
    this.#partCollection = this.#db.collection('parts');
    this.#messageCollection = this.#db.collection('messages');
    this.#epochCollection = this.#db.collection('partitions');
    this.#recordWriter = new MongoRecordWriter(this.#db, this.#clock);
    this.#commitWriter = new MongoRootUpdater(this.#db, this.#clock);
    this.#rootInserter = new MongoRootInserter(this.#db, this.#clock);
    this.#rootLoader = new MongoRootLoader(this.#db, this.#rootCollection, (key) => this.#finishActorRemoval(key));
  }

  /**
   * Replaces a client that found no server within its selection timeout; the next operation connects the new client. A
   * client's monitor can stop for good when its connection breaks at the wrong moment (driver 7.8, one of some twenty
   * broken connections on a busy machine), and such a client never sees the server come back.
   */
  #replaceClient(client: MongoClient): void {
    if (client !== this.#client || this.#closed) return;
    this.#operationsInFlight.giveUpAfterBrokenConnections();
    this.#useClient(createMongoClient(this.#url));
    void client.close().catch(() => undefined);
  }

  /**
   * Connects and creates missing indexes. The URL's path names the database (default `conclave`). The clock dates
   * tombstones.
   * @throws StoreUnavailableError after some 3 s if no server answers
   */
  static async connect(url: string, clock: Clock): Promise<MongoStore> {
    const store = new MongoStore(url, clock);
    const client = store.#client;
    try {
      await client.connect();
      await createMongoIndexes(store.#db);
      store.#tagsReactions = await readTagsReactionsFromMongo(store.#db);
      return store;
    } catch (cause) {
      await client.close().catch(() => undefined);
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new StoreUnavailableError(`MongoDB at ${serverHostsOfMongoUrl(url)} can't be used: ${why}`, { cause });
    }
  }

  get tagsReactions(): boolean {
    return this.#tagsReactions;
  }

  loadRoot(key: ActorKey, at: Epoch): Promise<ActorRoot | null | 'fenced'> {
    return this.#runOperation(() => this.#rootLoader.loadRoot(key, at));
  }

  commit(write: ActorRootWrite): Promise<'ok' | 'conflict'> {
    if (write.records.length > 0) return Promise.reject(new Error('a commit to MongoDB takes no records'));
    const { key, expected, due } = write;
    const pending = write.outbox.length > 0;
    const root = {
      version: expected + 1,
      state: packToMongoBinary(write.state),
      outbox: packToMongoBinary(write.outbox),
      due,
      pending,
      sleeper: pending || due !== null,
    };
    const epoch = write.epoch as number;
    return this.#runOperation(() =>
      expected > 0
        ? this.#commitWriter.enqueueCommit({ key, epoch, expected, root })
        : this.#rootInserter.enqueueInsert({ _id: key, epoch, partition: partitionOfActor(key), ...root }),
    );
  }

  applyRecords(writes: readonly StoreRecordWrite[]): Promise<void> {
    return this.#runOperation(() => this.#recordWriter.writeRecords(writes));
  }

  removeActor(key: ActorKey, at: Epoch, expected: number): Promise<'ok' | 'conflict'> {
    return this.#runOperation(async () => {
      const filter = { _id: key, epoch: at as number, version: expected };
      // The first write marks the root as a sleeper, so that the next load completes a removal interrupted by a crash.
      const mark = { version: ROOT_BEING_REMOVED_VERSION, pending: true, sleeper: true, due: null };
      const { matchedCount } = await this.#rootCollection.updateOne(filter, { $set: mark });
      if (matchedCount === 0) return 'conflict';
      await this.#finishActorRemoval(key);
      return 'ok';
    });
  }

  async #finishActorRemoval(key: ActorKey): Promise<void> {
    await this.#partCollection.deleteMany({ _id: makeIdPrefixRange(mongoPartDocumentId(key, '')) });
    await this.#rootCollection.deleteOne({ _id: key, version: ROOT_BEING_REMOVED_VERSION });
  }

  async removeRealm(realm: RealmId): Promise<number> {
    const ranges = actorKeyRangesOfRealm(realm);
    let removed = 0;
    for (const { first, end } of ranges)
      removed += await this.#removeDocumentsOfRange(this.#rootCollection, first, end);
    for (const { first, end } of ranges)
      removed += await this.#removeDocumentsOfRange(this.#partCollection, first, end);
    removed += await this.#removeDocumentsOfRange(
      this.#messageCollection,
      mongoMessageDocumentId(realm, 0),
      mongoMessageDocumentId(toRealmId(realm + 1), 0),
    );
    return removed;
  }

  async #removeDocumentsOfRange<D extends { readonly _id: string }>(
    from: Collection<D>,
    first: string,
    end: string,
  ): Promise<number> {
    const range = { _id: { $gte: first, $lt: end } } as Filter<D>;
    const removeSome = async (): Promise<number> => {
      const found = await from
        .find(range, { projection: { _id: 1 } })
        .limit(MAX_IDS_PER_QUERY)
        .toArray();
      if (found.length > 0) await from.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } } as Filter<D>);
      return found.length;
    };
    for (let removed = 0; ; ) {
      const some = await this.#runOperation(removeSome);
      removed += some;
      if (some < MAX_IDS_PER_QUERY) return removed;
    }
  }

  listParts(key: ActorKey, prefix: string): Promise<StoredActorPart[]> {
    return this.#runOperation(async () => {
      const documents = await this.#partCollection
        .find({ _id: makeIdPrefixRange(mongoPartDocumentId(key, prefix)), gone: { $exists: false } })
        .batchSize(MAX_IDS_PER_QUERY)
        .toArray();
      const found = documents.flatMap((d) => decodeMongoPartDocument(key, d) ?? []);
      // The server sorts by UTF-8 bytes, but the contract by UTF-16 code units, which differ for characters beyond
      // U+FFFF.
      return found.sort((a, b) => (a.part < b.part ? -1 : a.part > b.part ? 1 : 0));
    });
  }

  getParts(wanted: readonly { key: ActorKey; part: string }[]): Promise<(StoredActorPart | null)[]> {
    return this.#runOperation(async () => {
      const ids = wanted.map(({ key, part }) => mongoPartDocumentId(key, part));
      const found = await findDocumentsByIds(this.#partCollection, ids);
      return wanted.map(({ key }, i) => {
        const document = found.get(ids[i] as string);
        return document ? decodeMongoPartDocument(key, document) : null;
      });
    });
  }

  getMessages(realm: RealmId, ids: readonly number[]): Promise<(MessageRecord | null)[]> {
    return this.#runOperation(async () => {
      const names = ids.map((id) => mongoMessageDocumentId(realm, id));
      const found = await findDocumentsByIds(this.#messageCollection, names);
      return names.map((name) => {
        const document = found.get(name);
        return document ? decodeMongoMessageDocument(document) : null;
      });
    });
  }

  scanMessages(wanted: MessageScan): Promise<MessageRecord[]> {
    return this.#runOperation(() => scanMongoMessages(this.#messageCollection, wanted));
  }

  listActorsToWake(partitions: readonly Partition[]): Promise<ActorToWake[]> {
    return this.#runOperation(async () => {
      const filter = { partition: { $in: [...new Set<number>(partitions)] }, sleeper: true };
      const projection = { due: 1, pending: 1 };
      const found = await this.#rootCollection.find(filter, { projection }).batchSize(MAX_IDS_PER_QUERY).toArray();
      return found.map(({ _id, due, pending }) => ({ key: _id, due, pending }));
    });
  }

  raiseEpoch(of: Partition, atLeast: number): Promise<Epoch> {
    return this.#runOperation(async () => {
      for (;;) {
        const reached = { _id: of as number, epoch: { $gte: atLeast } };
        const raised = await this.#epochCollection.findOneAndUpdate(
          reached,
          { $inc: { epoch: 1 } },
          { returnDocument: 'after' },
        );
        if (raised) return toEpoch(raised.epoch);
        try {
          const below = { _id: of as number, epoch: { $lt: atLeast } };
          const { matchedCount, upsertedCount } = await this.#epochCollection.updateOne(
            below,
            { $set: { epoch: atLeast + 1 } },
            { upsert: true },
          );
          if (matchedCount + upsertedCount === 1) return toEpoch(atLeast + 1);
        } catch (error) {
          // Another caller inserted the epoch first, so that epoch is raised.
          if (!isMongoDuplicateKeyError(error)) throw error;
        }
      }
    });
  }

  raiseEpochs(atLeast: ReadonlyMap<Partition, number>): Promise<Map<Partition, Epoch>> {
    return this.#runOperation(async () => {
      const partitions = [...atLeast.keys()];
      if (partitions.length === 0) return new Map();
      const found = await this.#epochCollection.find({ _id: { $in: partitions } }).toArray();
      const stored = new Map(found.map(({ _id, epoch: n }) => [_id, n]));
      const raised = new Map(partitions.map((p) => [p, toEpoch(1 + Math.max(stored.get(p) ?? 0, atLeast.get(p)!))]));
      const writes = [...raised].map(([p, n]) =>
        stored.has(p)
          ? { updateOne: { filter: { _id: p, epoch: stored.get(p)! }, update: { $set: { epoch: n } } } }
          : { insertOne: { document: { _id: p, epoch: n } } },
      );
      try {
        const { matchedCount, insertedCount } = await this.#epochCollection.bulkWrite(writes, { ordered: false });
        if (matchedCount + insertedCount === partitions.length) return raised;
      } catch (error) {
        if (!isMongoDuplicateKeyError(error)) throw error;
      }
      // Another caller raised some of the epochs in the meantime, and the server doesn't report which. So each epoch is
      // raised by itself.
      const each = await Promise.all(partitions.map((p) => this.raiseEpoch(p, atLeast.get(p)!)));
      return new Map(partitions.map((p, i) => [p, each[i]!]));
    });
  }

  async ping(): Promise<void> {
    let timer: TimerHandle | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new StoreUnavailableError('MongoDB did not answer in time');
      timer = this.#clock.setTimeout(() => reject(error), PING_TIMEOUT_MS);
    });
    try {
      await Promise.race([late, this.#runOperation(() => this.#db.command({ ping: 1 }))]);
    } finally {
      if (timer) this.#clock.clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#operationsInFlight.waitUntilIdle();
    await this.#client.close();
  }

  async #runOperation<T>(action: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreUnavailableError('the store is closed');
    const client = this.#client;
    try {
      return await this.#operationsInFlight.runOperation(action);
    } catch (error) {
      const translated = translateMongoError(error);
      if (isMongoServerSelectionError(translated)) this.#replaceClient(client);
      throw translated;
    }
  }
}

const makeIdPrefixRange = (prefix: string): { $gte: string; $lt: string } => ({
  $gte: prefix,
  $lt: smallestStringAbovePrefix(prefix),
});

async function findDocumentsByIds<D extends { readonly _id: string }>(
  from: Collection<D>,
  ids: string[],
): Promise<Map<string, D>> {
  const found = new Map<string, D>();
  const unique = [...new Set(ids)];
  for (let i = 0; i < unique.length; i += MAX_IDS_PER_QUERY) {
    const filter = { _id: { $in: unique.slice(i, i + MAX_IDS_PER_QUERY) } } as Parameters<typeof from.find>[0] & object;
    for (const d of await from.find(filter).batchSize(MAX_IDS_PER_QUERY).toArray()) found.set(d._id, d as unknown as D);
  }
  return found;
}
