import type { Db } from 'mongodb';
import type { Clock } from '#base/clock';
import { MongoBulkWriteQueue } from './store-mongo-bulks.js';
import { translateMongoError } from './store-mongo-client.js';
import {
  insertMongoDocuments,
  type MongoUpdate,
  type RefusedMongoWrite,
  updateMongoDocuments,
} from './store-mongo-command.js';

interface VersionedDocument {
  readonly _id: string;
  readonly rev: number;
}

export interface MongoDocumentWrite<D extends VersionedDocument> {
  readonly document: D;
  /** Names of the fields that an update removes. */
  readonly fieldsToRemove: readonly string[];
  /** True if an insert is tried first, because the document is probably new. */
  readonly isProbablyNew: boolean;
  /** Estimated size of the write on the wire, bytes. */
  readonly bytes: number;
}

interface PendingDocumentWrite<D extends VersionedDocument> {
  readonly write: MongoDocumentWrite<D>;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const MAX_WRITE_ATTEMPTS = 3;
const DUPLICATE_KEY_ERROR_CODE = 11000;

interface WriteAttempt<D extends VersionedDocument> {
  readonly write: MongoDocumentWrite<D>;
  readonly mode: 'insert' | 'upsert' | 'update';
}

/** Writes to one collection in bulks that all callers share. */
export class MongoCollectionWriter<D extends VersionedDocument> {
  readonly #db: Db;
  readonly #collectionName: string;
  readonly #bulkQueue: MongoBulkWriteQueue<PendingDocumentWrite<D>>;

  constructor(db: Db, collection: string, clock: Clock) {
    this.#db = db;
    this.#collectionName = collection;
    this.#bulkQueue = new MongoBulkWriteQueue(clock, (bulk) => this.#mergeAndWriteBulk(bulk));
  }

  enqueueWrite(write: MongoDocumentWrite<D>): Promise<void> {
    return new Promise((resolve, reject) => this.#bulkQueue.enqueue({ write, bytes: write.bytes, resolve, reject }));
  }

  async #mergeAndWriteBulk(bulk: readonly PendingDocumentWrite<D>[]): Promise<void> {
    // For each document the write with the largest rev wins. The writes are sorted, because locks taken in different
    // orders can deadlock in PostgreSQL.
    const largest = new Map<string, MongoDocumentWrite<D>>();
    for (const { write } of bulk) {
      const known = largest.get(write.document._id);
      if (!known || known.document.rev < write.document.rev) largest.set(write.document._id, write);
    }
    await this.#writeWithRetries([...largest.values()].sort((a, b) => (a.document._id < b.document._id ? -1 : 1)));
    for (const { resolve } of bulk) resolve();
  }

  async #writeWithRetries(writes: readonly MongoDocumentWrite<D>[]): Promise<void> {
    let left = writes.map((write): WriteAttempt<D> => ({ write, mode: write.isProbablyNew ? 'insert' : 'upsert' }));
    for (let attempt = 1; left.length > 0; attempt++) {
      const failed: WriteAttempt<D>[] = [];
      for (const [of, error] of await this.#attemptWrites(left)) {
        // The document exists. At this rev or above there is nothing to do; below, after a concurrent insert, an update
        // decides.
        if (error.code === DUPLICATE_KEY_ERROR_CODE) failed.push({ ...of, mode: 'update' });
        else if (attempt < MAX_WRITE_ATTEMPTS) failed.push(of);
        else throw translateMongoError(error);
      }
      left = failed;
    }
  }

  /** Writes a bulk and returns the refused writes with their errors. Rejects if the outcome is unknown. */
  async #attemptWrites(
    all: readonly WriteAttempt<D>[],
  ): Promise<(readonly [WriteAttempt<D>, RefusedMongoWrite['error']])[]> {
    const inserts = all.filter(({ mode }) => mode === 'insert');
    const updates = all.filter(({ mode }) => mode !== 'insert');
    const documents = inserts.map(({ write }) => write.document);
    const both = await Promise.allSettled([
      inserts.length > 0 ? insertMongoDocuments(this.#db, this.#collectionName, documents) : undefined,
      updates.length > 0
        ? updateMongoDocuments(this.#db, this.#collectionName, updates.map(makeMongoUpdate))
        : undefined,
    ]);
    return both.flatMap((outcome, i) => {
      if (outcome.status === 'rejected') throw translateMongoError(outcome.reason);
      const of = i === 0 ? inserts : updates;
      return (outcome.value?.refused ?? []).map(({ index, error }) => [of[index]!, error] as const);
    });
  }
}

function makeMongoUpdate<D extends VersionedDocument>({
  write: { document, fieldsToRemove },
  mode,
}: WriteAttempt<D>): MongoUpdate {
  const { _id, rev, ...fields } = document;
  return {
    q: { _id, rev: { $lt: rev } },
    u: {
      $set: { rev, ...fields },
      ...(fieldsToRemove.length > 0 && { $unset: Object.fromEntries(fieldsToRemove.map((f) => [f, ''])) }),
    },
    upsert: mode === 'upsert',
  };
}
