/** Loads many messages into LMDB: records as they come, index entries later, packed, in the order of their keys. */
import { setTimeout } from 'node:timers/promises';
import { AscendingIdSetEncoder, Semaphore } from '#base';
import type { ActorKey, RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import { type MessageBulkLoader, MessageBulkLoadRefusedError } from './store.js';
import type { LmdbMessageIndexKey } from './store-lmdb-index-keys.js';
import type { LmdbMessageTable } from './store-lmdb-messages.js';
import { postingWindowOf } from './store-lmdb-packed-postings.js';

/**
 * Number of rows of index entries in one transaction, for which commits of other processes wait: some 4 ms, because in
 * a large organization each of them lies in a page of its own.
 */
const MAX_ROWS_PER_TRANSACTION = 500;
/** Number of records of one transaction. They go to the end of their table, which takes some 3 ms. */
const MAX_RECORDS_PER_TRANSACTION = 500;
/**
 * Pause between two transactions, ms. LMDB's lock is not fair: without a pause this thread takes it again before a
 * process that waits for it has woken up.
 */
export const PAUSE_BETWEEN_TRANSACTIONS_MS = 1;
/** Number of rows above which they are written before `flush`, which bounds the memory: a text has many words. */
const MAX_PENDING_ROWS = 100_000;

/** Row that is not written yet. */
interface PendingRow {
  /** Key of the index entries without the message id. */
  readonly prefix: readonly (string | number)[];
  readonly first: number;
  readonly ids: AscendingIdSetEncoder;
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
 * rewrite most of its pages. So entries wait for `flush`, which writes those of an index as one row or a few.
 */
export class LmdbMessageBulkLoader implements MessageBulkLoader {
  #pendingRowByName = new Map<string, PendingRow>();
  #newestAddedId = 0;
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
      this.#newestAddedId = id;
    }
    if (this.#pendingRecords.length >= MAX_RECORDS_PER_TRANSACTION) await this.#writePendingRecords();
    if (this.#pendingRowByName.size > MAX_PENDING_ROWS) await this.flush();
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
    // The name is unambiguous: of the fields of an index, only the last one may have a slash.
    let name = key[0];
    for (let i = 1; i < key.length - 1; i++) name += `/${key[i]}`;
    name += `/${postingWindowOf(id)}`;
    let row = this.#pendingRowByName.get(name);
    if (!row) {
      row = { prefix: key.slice(0, -1), first: id, ids: new AscendingIdSetEncoder() };
      this.#pendingRowByName.set(name, row);
    }
    row.ids.addId(id);
  }

  async flush(): Promise<void> {
    const { messageTable, realm } = this.options;
    const newest = this.#newestAddedId;
    const pending = this.#pendingRowByName;
    this.#pendingRowByName = new Map();
    await this.#writePendingRecords();
    const names = [...pending.keys()].sort();
    for (let from = 0; from < names.length; from += MAX_ROWS_PER_TRANSACTION) {
      const rows = names.slice(from, from + MAX_ROWS_PER_TRANSACTION).map((name) => pending.get(name)!);
      await this.#runWriteUnlessClosed(() => {
        for (const { prefix, first, ids } of rows) messageTable.packedPostings.putRow(prefix, first, ids);
        messageTable.packedPostings.putNewestLoadedId(realm, newest);
      });
    }
  }

  #runWriteUnlessClosed(enqueue: () => void): Promise<void> {
    const { closingActor, writeUnlessClosed } = this.options;
    return this.#turns.runWhenPermitted(async () => {
      if (!(await writeUnlessClosed(enqueue))) throw new MessageBulkLoadRefusedError(`${closingActor} exists already`);
      await setTimeout(PAUSE_BETWEEN_TRANSACTIONS_MS);
    });
  }
}
