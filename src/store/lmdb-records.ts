/** Records of messages in LMDB, keyed [realm, id], and those of them that are kept in memory. */
import type { RealmId } from '../core/index.js';
import type { Table } from './embedded.js';
import { keepRecord, MetBefore } from './kept-records.js';
import { type CacheChanges, GuardedCache } from './lmdb-cache.js';
import {
  type DecodedMessage,
  type DigestOf,
  decodeMessage,
  encodeMessage,
  type PackedMessage,
  Slabs,
} from './packed-message.js';
import type { MessageRecord } from './store.js';

/** Of a generation of what is kept, as it is stored. */
const KEPT_BYTES = 32 * 1_048_576;
/** What a decoded record takes beside what is stored, by its length. */
const DECODED = 4;
/** What is kept is forgotten in no order, so that a large slab would stay for the last message in it. */
const KEPT_SLAB = 64 * 1024;
/** Copies for one look: several answers share a slab. */
const PASSING_SLAB = 256 * 1024;
/** Ids of one realm, told apart from those of others in one number; what is above is not kept. */
const REALM_IDS = 2 ** 33;
const MOST_REALMS = 2 ** 20;
const NOT_KEPT = -1;

export class LmdbRecords {
  /** Realms by the order in which they came up. */
  readonly #slots = new Map<RealmId, number>();
  readonly #met = new MetBefore();
  readonly #kept = new GuardedCache<number, PackedMessage>(
    KEPT_BYTES,
    ({ length, isDecoded }) => length * (isDecoded ? 1 + DECODED : 1),
  );
  readonly #keeping = new Slabs(KEPT_SLAB);
  readonly #passing = new Slabs(PASSING_SLAB);

  constructor(
    private readonly table: Table,
    private readonly digestOf: DigestOf | undefined,
  ) {}

  encode(rev: number, record: MessageRecord): Buffer {
    return encodeMessage(rev, record, this.digestOf?.(record));
  }

  /** Inside a transaction: what it sees. */
  stored(realm: RealmId, id: number): DecodedMessage | undefined {
    const found = this.#found(realm, id);
    return found && decodeMessage(id, found);
  }

  /** Outside of transactions, as the two below. */
  read(realm: RealmId, id: number): MessageRecord | undefined {
    const key = this.#keyOf(realm, id);
    const kept = this.#kept.get(key);
    if (kept) return kept.record;
    const found = this.#found(realm, id);
    if (!found) return undefined;
    return this.#isWorthKeeping(key) ? this.#keep(key, id, found).record : decodeMessage(id, found).record;
  }

  /** Without decoding it. */
  look(realm: RealmId, id: number): PackedMessage | undefined {
    const key = this.#keyOf(realm, id);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const found = this.#found(realm, id);
    if (!found) return undefined;
    return this.#isWorthKeeping(key) ? this.#keep(key, id, found) : this.#passing.packed(id, found);
  }

  /** Inside a transaction that writes it: nothing of it is kept until that is settled. */
  changes(realm: RealmId, id: number, changes: CacheChanges): void {
    const key = this.#keyOf(realm, id);
    this.#kept.block(key);
    changes.onSettled(() => this.#kept.release(key));
  }

  #isWorthKeeping(key: number): boolean {
    return key !== NOT_KEPT && !this.#kept.isBlocked(key) && this.#met.again(key);
  }

  #keep(key: number, id: number, found: Uint8Array): PackedMessage {
    const packed = this.#keeping.packed(id, found);
    packed.keeper = this.#decoded;
    this.#kept.put(key, packed);
    return packed;
  }

  readonly #decoded = ({ body }: MessageRecord, length: number): void => {
    keepRecord(body);
    this.#kept.grew(length * DECODED);
  };

  #keyOf(realm: RealmId, id: number): number {
    let slot = this.#slots.get(realm);
    if (slot === undefined) {
      slot = this.#slots.size;
      this.#slots.set(realm, slot);
    }
    return id < REALM_IDS && slot < MOST_REALMS ? slot * REALM_IDS + id : NOT_KEPT;
  }

  /** In memory that the next look overwrites. */
  #found(realm: RealmId, id: number): Uint8Array | undefined {
    // The first `length` bytes of it.
    const found = this.table.getBinaryFast([realm, id]) as Uint8Array | undefined;
    return found && new Uint8Array(found.buffer, found.byteOffset, found.length);
  }
}
