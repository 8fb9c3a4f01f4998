/** Message records in LMDB, keyed [realm, id], with two caches in front: packed messages and decoded records. */
import type { RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import type { LmdbTable } from './lmdb-environment.js';
import {
  type DecodedMessageRecord,
  decodeMessageRecord,
  encodeMessageRecord,
  type MessageDigestMaker,
  PackedMessageCursor,
  PackedMessageSlab,
} from './packed-message.js';
import { enableCachedRecordMemo } from './record-memo.js';
import { LmdbConsistentCache, type LmdbTransactionCacheChanges, RecentlyReadKeys } from './store-lmdb-cache.js';
import { LmdbMessageCache, messageCacheGenerationMib, readUsableMemoryBytes } from './store-lmdb-message-cache.js';

/** Size of the decoded cache, counted in encoded bytes. The decoded records take about four times as much. */
const MAX_DECODED_CACHE_BYTES = 16 * 1_048_576;
/** Size of the range of message ids that each realm gets in the numeric cache key. Larger ids are not cached. */
const CACHE_KEY_RANGE_PER_REALM = 2 ** 33;
const MAX_CACHED_REALMS = 2 ** 19;
const NOT_CACHED_KEY = -1;

interface CachedDecodedRecord {
  readonly record: MessageRecord;
  readonly encodedBytes: number;
}

export class LmdbRecordTable {
  /** Number of each realm in the cache key, in the order of first use. */
  readonly #realmNumberByRealm = new Map<RealmId, number>();
  #lastRealm: RealmId | undefined;
  #lastRealmNumber = 0;
  /** Reused key of a read: lmdb encodes the key at once, so the next read may overwrite it. */
  readonly #lmdbKey: [realm: number, id: number] = [0, 0];
  readonly #recentlyReadKeys = new RecentlyReadKeys();
  readonly #decodedCache = new LmdbConsistentCache<number, CachedDecodedRecord>(
    MAX_DECODED_CACHE_BYTES,
    ({ encodedBytes }) => encodedBytes,
  );
  readonly #packedCache = new LmdbMessageCache(messageCacheGenerationMib(readUsableMemoryBytes()));
  readonly #packedView = new PackedMessageCursor();
  /** True once a message without a digest was read; such messages are cached decoded. */
  #hasMessagesWithoutDigest = false;
  /** Buffer that LMDB returned last. LMDB returns most values in the same buffer. */
  #lastLmdbBuffer: Uint8Array | undefined;
  #lastLmdbBufferSlab = new PackedMessageSlab(new Uint8Array(0));

  constructor(
    private readonly table: LmdbTable,
    private readonly digestOf: MessageDigestMaker | undefined,
  ) {}

  encodeRecord(rev: number, record: MessageRecord): Buffer {
    return encodeMessageRecord(rev, record, this.digestOf?.(record));
  }

  /** Returns the message in the state that the open transaction sees; outside of one, the newest state. */
  readUncached(realm: RealmId, id: number): DecodedMessageRecord | undefined {
    const found = this.#readStoredBytes(realm, id);
    return found && decodeMessageRecord(id, found);
  }

  /** Returns the decoded record. Must be called outside of transactions, like `readPacked`. */
  readDecoded(realm: RealmId, id: number): MessageRecord | undefined {
    const key = this.#cacheKeyOf(realm, id);
    const kept = this.#decodedCache.get(key);
    if (kept) return kept.record;
    const found = this.#readStoredBytes(realm, id);
    if (!found) return undefined;
    const bytes = found.length;
    const { record } = decodeMessageRecord(id, found);
    if (key !== NOT_CACHED_KEY && this.#recentlyReadKeys.addAndCheckRepeat(key)) {
      this.#cacheDecoded(key, record, bytes);
    }
    return record;
  }

  #cacheDecoded(key: number, record: MessageRecord, bytes: number): void {
    enableCachedRecordMemo(record.body);
    this.#decodedCache.putUnlessBlocked(key, { record, encodedBytes: bytes });
  }

  /** Returns a view of the message without decoding it; valid until the next call of any method. */
  readPacked(realm: RealmId, id: number): PackedMessageCursor | undefined {
    const key = this.#cacheKeyOf(realm, id);
    const view = this.#packedView;
    if (key !== NOT_CACHED_KEY && this.#packedCache.moveViewToCachedMessage(key, id, view)) return view;
    // Messages without a digest are cached decoded.
    const decoded = this.#hasMessagesWithoutDigest ? this.#decodedCache.get(key) : undefined;
    if (decoded) return view.moveToRecord(decoded.record);
    const buffer = this.#readLmdbBuffer(realm, id);
    if (!buffer) return undefined;
    if (buffer !== this.#lastLmdbBuffer) {
      this.#lastLmdbBuffer = buffer;
      this.#lastLmdbBufferSlab = new PackedMessageSlab(
        new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength),
      );
    }
    const { length } = buffer;
    view.moveToPackedBytes(id, this.#lastLmdbBufferSlab, 0, length);
    const isPlain = view.digestVersion === undefined;
    if (isPlain) this.#hasMessagesWithoutDigest = true;
    if (key !== NOT_CACHED_KEY && this.#recentlyReadKeys.addAndCheckRepeat(key)) {
      if (isPlain) this.#cacheDecoded(key, view.decodedRecord, length);
      else this.#packedCache.putUnlessBlocked(key, this.#lastLmdbBufferSlab.bytes.subarray(0, length));
    }
    return view;
  }

  /**
   * Blocks the message's cache entries until the transaction is settled. Must be called inside the transaction that
   * writes the message.
   */
  blockCacheEntries(realm: RealmId, id: number, changes: LmdbTransactionCacheChanges): void {
    const key = this.#cacheKeyOf(realm, id);
    if (key === NOT_CACHED_KEY) return;
    this.#decodedCache.blockKey(key);
    this.#packedCache.blockKey(key);
    changes.onSettled(() => {
      this.#decodedCache.releaseKey(key);
      this.#packedCache.releaseKey(key);
    });
  }

  #cacheKeyOf(realm: RealmId, id: number): number {
    if (realm !== this.#lastRealm) {
      this.#lastRealmNumber = this.#findOrAddRealmNumber(realm);
      this.#lastRealm = realm;
    }
    const slot = this.#lastRealmNumber;
    return id < CACHE_KEY_RANGE_PER_REALM && slot < MAX_CACHED_REALMS
      ? slot * CACHE_KEY_RANGE_PER_REALM + id
      : NOT_CACHED_KEY;
  }

  #findOrAddRealmNumber(realm: RealmId): number {
    let slot = this.#realmNumberByRealm.get(realm);
    if (slot === undefined) {
      slot = this.#realmNumberByRealm.size;
      this.#realmNumberByRealm.set(realm, slot);
    }
    return slot;
  }

  /** Returns the message's stored bytes, in memory that the next read overwrites. */
  #readStoredBytes(realm: RealmId, id: number): Uint8Array | undefined {
    const buffer = this.#readLmdbBuffer(realm, id);
    return buffer && new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
  }

  /** Returns LMDB's buffer, whose first `length` bytes hold the value. */
  #readLmdbBuffer(realm: RealmId, id: number): Uint8Array | undefined {
    const key = this.#lmdbKey;
    key[0] = realm;
    key[1] = id;
    return this.table.getBinaryFast(key) as Uint8Array | undefined;
  }
}
