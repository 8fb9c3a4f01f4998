/** Message records in LMDB, keyed [realm, id], with two caches in front: packed messages and decoded records. */
import type { RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import type { LmdbTable } from './lmdb-environment.js';
import {
  type DecodedMessageRecord,
  decodeMessageRecord,
  encodeMessageRecord,
  type MessageDigestMaker,
  PackedMessage,
  PackedMessageSlab,
} from './packed-message.js';
import { enableCachedRecordMemo } from './record-memo.js';
import { LmdbConsistentCache, type LmdbTransactionCacheChanges, RecentlyReadKeys } from './store-lmdb-cache.js';
import { LmdbMessageCache, messageCacheGenerationMib, readUsableMemoryBytes } from './store-lmdb-message-cache.js';

/** Size of the decoded cache, counted in encoded bytes. The decoded records take about four times as much. */
const DECODED_BYTES = 16 * 1_048_576;
/** Size of the range of message ids that each realm gets in the numeric cache key. Larger ids are not cached. */
const REALM_IDS = 2 ** 33;
const MAX_REALMS = 2 ** 19;
const NOT_CACHED = -1;

interface DecodedRecord {
  readonly record: MessageRecord;
  readonly bytes: number;
}

export class LmdbRecordTable {
  /** Number of each realm in the cache key, in the order of first use. */
  readonly #slots = new Map<RealmId, number>();
  readonly #seen = new RecentlyReadKeys();
  readonly #decoded = new LmdbConsistentCache<number, DecodedRecord>(DECODED_BYTES, ({ bytes }) => bytes);
  readonly #packed = new LmdbMessageCache(messageCacheGenerationMib(readUsableMemoryBytes()));
  readonly #view = new PackedMessage();
  /** True once a message without a digest was read; such messages are cached decoded. */
  #hasPlain = false;
  /** Buffer that LMDB returned last. LMDB returns most values in the same buffer. */
  #lastBuffer: Uint8Array | undefined;
  #slab = new PackedMessageSlab(new Uint8Array(0));

  constructor(
    private readonly table: LmdbTable,
    private readonly digestOf: MessageDigestMaker | undefined,
  ) {}

  encode(rev: number, record: MessageRecord): Buffer {
    return encodeMessageRecord(rev, record, this.digestOf?.(record));
  }

  /** Returns the message in the state that the open transaction sees. Must be called inside that transaction. */
  stored(realm: RealmId, id: number): DecodedMessageRecord | undefined {
    const found = this.#storedBytes(realm, id);
    return found && decodeMessageRecord(id, found);
  }

  /** Returns the decoded record. Must be called outside of transactions, like `look`. */
  read(realm: RealmId, id: number): MessageRecord | undefined {
    const key = this.#keyOf(realm, id);
    const kept = this.#decoded.get(key);
    if (kept) return kept.record;
    const found = this.#storedBytes(realm, id);
    if (!found) return undefined;
    const bytes = found.length;
    const { record } = decodeMessageRecord(id, found);
    if (key !== NOT_CACHED && this.#seen.isRepeat(key)) {
      this.#cacheDecoded(key, record, bytes);
    }
    return record;
  }

  #cacheDecoded(key: number, record: MessageRecord, bytes: number): void {
    enableCachedRecordMemo(record.body);
    this.#decoded.put(key, { record, bytes });
  }

  /** Returns a view of the message without decoding it; valid until the next call of any method. */
  look(realm: RealmId, id: number): PackedMessage | undefined {
    const key = this.#keyOf(realm, id);
    const view = this.#view;
    if (key !== NOT_CACHED && this.#packed.get(key, id, view)) return view;
    // Messages without a digest are cached decoded.
    const decoded = this.#hasPlain ? this.#decoded.get(key) : undefined;
    if (decoded) return view.moveToRecord(decoded.record);
    const buffer = this.#readBuffer(realm, id);
    if (!buffer) return undefined;
    if (buffer !== this.#lastBuffer) {
      this.#lastBuffer = buffer;
      this.#slab = new PackedMessageSlab(new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength));
    }
    const { length } = buffer;
    view.moveTo(id, this.#slab, 0, length);
    const isPlain = view.version === undefined;
    if (isPlain) this.#hasPlain = true;
    if (key !== NOT_CACHED && this.#seen.isRepeat(key)) {
      if (isPlain) this.#cacheDecoded(key, view.record, length);
      else this.#packed.put(key, this.#slab.bytes.subarray(0, length));
    }
    return view;
  }

  /**
   * Blocks the message's cache entries until the transaction is settled. Must be called inside the transaction that
   * writes the message.
   */
  invalidate(realm: RealmId, id: number, changes: LmdbTransactionCacheChanges): void {
    const key = this.#keyOf(realm, id);
    if (key === NOT_CACHED) return;
    this.#decoded.block(key);
    this.#packed.block(key);
    changes.onSettled(() => {
      this.#decoded.release(key);
      this.#packed.release(key);
    });
  }

  #keyOf(realm: RealmId, id: number): number {
    let slot = this.#slots.get(realm);
    if (slot === undefined) {
      slot = this.#slots.size;
      this.#slots.set(realm, slot);
    }
    return id < REALM_IDS && slot < MAX_REALMS ? slot * REALM_IDS + id : NOT_CACHED;
  }

  /** Returns the message's stored bytes, in memory that the next read overwrites. */
  #storedBytes(realm: RealmId, id: number): Uint8Array | undefined {
    const buffer = this.#readBuffer(realm, id);
    return buffer && new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
  }

  /** Returns LMDB's buffer, whose first `length` bytes hold the value. */
  #readBuffer(realm: RealmId, id: number): Uint8Array | undefined {
    return this.table.getBinaryFast([realm, id]) as Uint8Array | undefined;
  }
}
