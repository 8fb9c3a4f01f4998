/** Loads many messages into LMDB: records as they come, index entries later, in the order of their keys. */
import { setTimeout } from 'node:timers/promises';
import { AscendingIdSetEncoder, IdSet, Semaphore } from '#base';
import type { ActorKey, RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import { type MessageBulkLoader, MessageBulkLoadRefusedError } from './store.js';
import type { LmdbMessageIndexKey } from './store-lmdb-index-keys.js';
import type { LmdbMessageTable } from './store-lmdb-messages.js';

/** Number of index entries of one transaction: some 5 ms, for which commits of other processes wait. */
const MAX_INDEX_ENTRIES_PER_TRANSACTION = 2_500;
/** Number of records of one transaction. They go to the end of their table, which takes some 3 ms. */
const MAX_RECORDS_PER_TRANSACTION = 500;
/**
 * Pause between two transactions, ms. LMDB's lock is not fair: without a pause this thread takes it again before a
 * process that waits for it has woken up.
 */
const PAUSE_BETWEEN_TRANSACTIONS_MS = 1;
/** Number of index entries above which they are written before `flush`, which bounds the memory. */
const MAX_PENDING_INDEX_ENTRIES = 2_000_000;
/** Number of distinct indexes above which they are written before `flush`: a text has many words. */
const MAX_PENDING_INDEXES = 100_000;

/** Messages of one index that are not written yet. */
interface PendingPostings {
  /** Key of the index entries without the message id. */
  readonly prefix: readonly (string | number)[];
  readonly ids: AscendingIdSetEncoder;
}

/** Index entries of one transaction that share the key without the message id. */
interface DecodedPostings {
  readonly prefix: readonly (string | number)[];
  readonly ids: readonly number[];
}

interface EncodedMessageRecord {
  readonly id: number;
  readonly bytes: Buffer;
}

interface LmdbBulkLoaderOptions {
  readonly realm: RealmId;
  readonly closingActor: ActorKey;
  readonly messageTable: LmdbMessageTable;
  /**
   * Writes in one transaction what `enqueue` puts into tables. @returns false if nothing was written, because the
   * closing actor has a root
   */
  writeUnlessClosed(enqueue: () => void): Promise<boolean>;
}

/**
 * Index entries of messages in the order of sending are spread over the whole index table: each transaction would
 * rewrite most of its pages. In the order of their keys many entries share a page.
 */
export class LmdbMessageBulkLoader implements MessageBulkLoader {
  #pendingPostingsByIndex = new Map<string, PendingPostings>();
  #pendingEntryCount = 0;
  /** Records that are encoded and not written yet. */
  #pendingRecords: EncodedMessageRecord[] = [];
  /** Id of the newest message that an earlier load has stored. */
  readonly #newestStoredId: number;
  /**
   * Separates writes of messages from those of a running flush: one larger transaction would lock the file for longer.
   */
  readonly #turns = new Semaphore(1);

  constructor(private readonly options: LmdbBulkLoaderOptions) {
    this.#newestStoredId = options.messageTable.readNewestStoredId(options.realm);
  }

  /** Encodes the messages at once, so that their objects are garbage before V8 promotes them. */
  async addMessages(messages: readonly MessageRecord[]): Promise<void> {
    const { messageTable, realm } = this.options;
    for (const message of messages) {
      const { id } = message;
      const { keys, bytes } = messageTable.encodeBulkMessage(realm, message, id <= this.#newestStoredId);
      if (bytes) this.#pendingRecords.push({ id, bytes });
      for (const key of keys) this.#addPendingEntry(key);
    }
    if (this.#pendingRecords.length >= MAX_RECORDS_PER_TRANSACTION) await this.#writePendingRecords();
    if (this.#pendingEntryCount > MAX_PENDING_INDEX_ENTRIES || this.#pendingPostingsByIndex.size > MAX_PENDING_INDEXES)
      await this.flush();
  }

  async #writePendingRecords(): Promise<void> {
    const { messageTable, realm } = this.options;
    const records = this.#pendingRecords;
    this.#pendingRecords = [];
    for (let from = 0; from < records.length; from += MAX_RECORDS_PER_TRANSACTION) {
      await this.#runWriteUnlessClosed(() => {
        for (const { id, bytes } of records.slice(from, from + MAX_RECORDS_PER_TRANSACTION))
          messageTable.putBulkRecord(realm, id, bytes);
      });
    }
  }

  #addPendingEntry(key: LmdbMessageIndexKey): void {
    const id = key[key.length - 1] as number;
    // The id makes no part of the name, and the other fields are unambiguous: only the last one may have a slash.
    let name = key[0];
    for (let i = 1; i < key.length - 1; i++) name += `/${key[i]}`;
    let postings = this.#pendingPostingsByIndex.get(name);
    if (!postings) {
      postings = { prefix: key.slice(0, -1), ids: new AscendingIdSetEncoder() };
      this.#pendingPostingsByIndex.set(name, postings);
    }
    postings.ids.addId(id);
    this.#pendingEntryCount++;
  }

  async flush(): Promise<void> {
    const pending = this.#pendingPostingsByIndex;
    this.#pendingPostingsByIndex = new Map();
    this.#pendingEntryCount = 0;
    await this.#writePendingRecords();
    let batch: DecodedPostings[] = [];
    let left = MAX_INDEX_ENTRIES_PER_TRANSACTION;
    for (const name of [...pending.keys()].sort()) {
      const { prefix, ids } = pending.get(name)!;
      pending.delete(name);
      const all = IdSet.decode(ids.encode()).ids;
      for (let from = 0; from < all.length; ) {
        const taken = all.slice(from, from + left);
        batch.push({ prefix, ids: taken });
        from += taken.length;
        left -= taken.length;
        if (left > 0) continue;
        await this.#putIndexEntries(batch);
        batch = [];
        left = MAX_INDEX_ENTRIES_PER_TRANSACTION;
      }
    }
    if (batch.length > 0) await this.#putIndexEntries(batch);
  }

  #putIndexEntries(postings: readonly DecodedPostings[]): Promise<void> {
    return this.#runWriteUnlessClosed(() => {
      for (const { prefix, ids } of postings) {
        // LMDB encodes a key at once, so the next entry may overwrite it.
        const key = [...prefix, 0];
        for (const id of ids) {
          key[prefix.length] = id;
          this.options.messageTable.putIndexEntry(key as unknown as LmdbMessageIndexKey);
        }
      }
    });
  }

  #runWriteUnlessClosed(enqueue: () => void): Promise<void> {
    const { closingActor, writeUnlessClosed } = this.options;
    return this.#turns.runWhenPermitted(async () => {
      if (!(await writeUnlessClosed(enqueue))) throw new MessageBulkLoadRefusedError(`${closingActor} exists already`);
      await setTimeout(PAUSE_BETWEEN_TRANSACTIONS_MS);
    });
  }
}
