/** Records of messages in LMDB, keyed [realm, id], and those of them that are kept in memory. */
import type { RealmId } from '../core/index.js';
import type { MessageRecord } from '../model/records/message.js';
import type { LmdbTable } from './lmdb-environment.js';
import {
  type DecodedMessage,
  type DigestOf,
  decodeMessage,
  encodeMessage,
  PackedMessage,
  Slab,
} from './packed-message.js';
import { enableMemo } from './record-memo.js';
import { type CacheChanges, GuardedCache, SeenFilter } from './store-lmdb-cache.js';
import { cacheMib, MessageCache, usableMemory } from './store-lmdb-message-cache.js';

/** Of records that were decoded, as they are stored; they take some four times as much. */
const DECODED_BYTES = 16 * 1_048_576;
/** Ids of one realm, told apart from those of others in one number; what is above is not kept. */
const REALM_IDS = 2 ** 33;
const MAX_REALMS = 2 ** 19;
const NOT_CACHED = -1;

interface DecodedRecord {
  readonly record: MessageRecord;
  readonly bytes: number;
}

export class LmdbRecords {
  /** Realms by the order in which they came up. */
  readonly #slots = new Map<RealmId, number>();
  readonly #seen = new SeenFilter();
  readonly #decoded = new GuardedCache<number, DecodedRecord>(DECODED_BYTES, ({ bytes }) => bytes);
  readonly #packed = new MessageCache(cacheMib(usableMemory()));
  readonly #view = new PackedMessage();
  /** A message without a digest came up. */
  #hasPlain = false;
  /** What LMDB gave last, in which it gives most values. */
  #lastBuffer: Uint8Array | undefined;
  #slab = new Slab(new Uint8Array(0));

  constructor(
    private readonly table: LmdbTable,
    private readonly digestOf: DigestOf | undefined,
  ) {}

  encode(rev: number, record: MessageRecord): Buffer {
    return encodeMessage(rev, record, this.digestOf?.(record));
  }

  /** Inside a transaction: what it sees. */
  stored(realm: RealmId, id: number): DecodedMessage | undefined {
    const found = this.#copyOf(realm, id);
    return found && decodeMessage(id, found);
  }

  /** Outside of transactions, as `look`. */
  read(realm: RealmId, id: number): MessageRecord | undefined {
    const key = this.#keyOf(realm, id);
    const kept = this.#decoded.get(key);
    if (kept) return kept.record;
    const found = this.#copyOf(realm, id);
    if (!found) return undefined;
    const bytes = found.length;
    const { record } = decodeMessage(id, found);
    if (key !== NOT_CACHED && this.#seen.isRepeat(key)) {
      this.#cacheDecoded(key, record, bytes);
    }
    return record;
  }

  #cacheDecoded(key: number, record: MessageRecord, bytes: number): void {
    enableMemo(record.body);
    this.#decoded.put(key, { record, bytes });
  }

  /** Without decoding it, until the next look at anything. */
  look(realm: RealmId, id: number): PackedMessage | undefined {
    const key = this.#keyOf(realm, id);
    const looked = this.#view;
    if (key !== NOT_CACHED && this.#packed.get(key, id, looked)) return looked;
    // What was written without a digest is kept decoded.
    const decoded = this.#hasPlain ? this.#decoded.get(key) : undefined;
    if (decoded) return looked.moveToRecord(decoded.record);
    const given = this.#readBuffer(realm, id);
    if (!given) return undefined;
    if (given !== this.#lastBuffer) {
      this.#lastBuffer = given;
      this.#slab = new Slab(new Uint8Array(given.buffer, given.byteOffset, given.byteLength));
    }
    const { length } = given;
    looked.moveTo(id, this.#slab, 0, length);
    const isPlain = looked.version === undefined;
    if (isPlain) this.#hasPlain = true;
    if (key !== NOT_CACHED && this.#seen.isRepeat(key)) {
      if (isPlain) this.#cacheDecoded(key, looked.record, length);
      else this.#packed.put(key, this.#slab.bytes.subarray(0, length));
    }
    return looked;
  }

  /** Inside a transaction that writes it: nothing of it is kept until that is settled. */
  invalidate(realm: RealmId, id: number, changes: CacheChanges): void {
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

  /** In memory that the next look overwrites. */
  #copyOf(realm: RealmId, id: number): Uint8Array | undefined {
    const given = this.#readBuffer(realm, id);
    return given && new Uint8Array(given.buffer, given.byteOffset, given.length);
  }

  /** The first `length` bytes, which are not all. */
  #readBuffer(realm: RealmId, id: number): Uint8Array | undefined {
    return this.table.getBinaryFast([realm, id]) as Uint8Array | undefined;
  }
}
