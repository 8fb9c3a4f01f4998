import type { Key } from 'lmdb';
import type { RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import type { LmdbEnvironment, LmdbTable } from './lmdb-environment.js';
import {
  indexesOfMessageRange,
  isMessageInRange,
  rangesOfMessageScan,
  sharedIndexesOfMessageRanges,
} from './message-range.js';
import type { MessageDigestMaker, PackedMessage } from './packed-message.js';
import type { MessageRange, MessageRecordWrite, MessageScan } from './store.js';
import { LmdbConsistentCache, type LmdbTransactionCacheChanges } from './store-lmdb-cache.js';
import {
  KeyReadBudget,
  MessageIndexCursor,
  MessageIntersectionCursor,
  MessageListCursor,
  type MessageOrdinalCursor,
  MessageUnionCursor,
} from './store-lmdb-cursors.js';
import {
  doesIndexFitLmdbKey,
  type LmdbMessageIndex,
  type LmdbMessageIndexKey,
  makeMessageIndexKeys,
  makeMessageIndexPrefix,
  postingsCacheName,
} from './store-lmdb-index-keys.js';
import { CachedIndexPostings, type PostingIdFetcher } from './store-lmdb-postings.js';
import { LmdbRecordTable } from './store-lmdb-records.js';
import type { LmdbTombstoneTable } from './store-lmdb-tombstones.js';

const PRESENT = Buffer.from([1]);
/** An id above every message id (ordered-binary sorts numbers by value). */
const LAST_ID = 2 ** 53;
/** Number of records decoded before other work gets its turn: some 2 ms. */
const DECODE_AT_ONCE = 200;
/** Number of index keys read before other work gets its turn: some 2 ms. */
const KEYS_AT_ONCE = 4_000;
/**
 * Number of ranges prepared before other work gets its turn: some 2 ms. A user in thousands of streams has three ranges
 * per stream.
 */
const RANGES_AT_ONCE = 500;
/** Number of ranges above which a scan first tries to read the condition that all ranges share. */
const FEW_RANGES = 8;
/**
 * Number of records that are read of a condition shared by all ranges before giving up (some 10 ms): a condition with
 * more records is common, and few of its messages are in the ranges.
 */
const MAX_TRIED = 1_000;
/**
 * First block size, in keys, for ranges with several conditions: the conditions rarely agree, so more keys are needed
 * than messages wanted.
 */
const FIRST_BLOCK_IN_COMMON = 4;

/** Maximum number of cached message ids, over all indexes. */
const MAX_CACHED_IDS = 1_000_000;
/** Cache weight of an index without ids, counted in ids. Some kinds of index are mostly empty. */
const EMPTY_COST = 16;

/** Reads the records of a scan, either decoded or packed. */
interface RecordReader<T> {
  /** Reads one record. Must be called outside of transactions. */
  read(realm: RealmId, id: number): T | undefined;
  recordOf(taken: T): MessageRecord;
}

/** Receives the messages of a scan. */
interface ScanOutput<T> {
  length: number;
  push(taken: T): void;
}

/** Message records, and one index table whose keys end with the message id. */
export class LmdbMessageTable {
  readonly #table: LmdbTable;
  readonly #records: LmdbRecordTable;
  readonly #index: LmdbTable;
  readonly #tombstones: LmdbTombstoneTable;
  /** Upper bound of the stored message ids, by realm. A write that is not committed yet may have raised the bound. */
  readonly #newest = new Map<RealmId, number>();
  readonly #postings = new LmdbConsistentCache<string, CachedIndexPostings>(
    MAX_CACHED_IDS,
    ({ size }) => EMPTY_COST + size,
  );

  readonly #decoded: RecordReader<MessageRecord> = {
    read: (realm, id) => this.#records.read(realm, id),
    recordOf: (record) => record,
  };
  readonly #packed: RecordReader<PackedMessage> = {
    read: (realm, id) => this.#records.look(realm, id),
    recordOf: ({ record }) => record,
  };

  constructor(environment: LmdbEnvironment, tombstones: LmdbTombstoneTable, digestOf: MessageDigestMaker | undefined) {
    this.#table = environment.table('messages');
    this.#records = new LmdbRecordTable(this.#table, digestOf);
    this.#index = environment.table('message-index');
    this.#tombstones = tombstones;
  }

  /** Encodes the message at once. The returned function is called inside a write transaction. */
  prepare(write: MessageRecordWrite, changes: LmdbTransactionCacheChanges): () => void {
    const { realm, id, rev, value } = write;
    if (id > (this.#newest.get(realm) ?? -1)) this.#newest.set(realm, id);
    const keys = value ? makeMessageIndexKeys(realm, value) : [];
    const bytes = value && this.#records.encode(rev, value);
    return () => {
      const old = this.#records.stored(realm, id);
      if ((old?.rev ?? this.#tombstones.rev(['m', realm, id])) >= rev) return;
      const before = old ? makeMessageIndexKeys(realm, old.record) : [];
      this.#reindex(before, keys);
      this.#invalidate(realm, id, before, keys, changes);
      if (bytes) {
        if (!old) this.#tombstones.remove(['m', realm, id]);
        this.#table.put([realm, id], bytes);
      } else {
        if (old) this.#table.remove([realm, id]);
        this.#tombstones.put(['m', realm, id], rev);
      }
    };
  }

  /** Blocks cached data of this message until the transaction is settled. Must be called inside the transaction. */
  #invalidate(
    realm: RealmId,
    id: number,
    before: readonly LmdbMessageIndexKey[],
    after: readonly LmdbMessageIndexKey[],
    changes: LmdbTransactionCacheChanges,
  ) {
    const gone = new Set(before.map(postingsCacheName));
    const now = new Set(after.map(postingsCacheName));
    const names = [...new Set([...gone, ...now])].filter((name) => name !== '' && gone.has(name) !== now.has(name));
    this.#records.invalidate(realm, id, changes);
    for (const name of names) this.#postings.block(name, true);
    changes.onSettled((done) => {
      for (const name of names) {
        const change = now.has(name)
          ? (of: CachedIndexPostings) => of.add(id)
          : (of: CachedIndexPostings) => of.remove(id);
        this.#postings.release(name, done ? change : undefined);
      }
    });
  }

  #reindex(before: readonly LmdbMessageIndexKey[], after: readonly LmdbMessageIndexKey[]): void {
    // A new message, as in most writes, has no old index entries to compare.
    if (before.length === 0) {
      for (const key of after) this.#index.put(key as unknown as Key, PRESENT);
      return;
    }
    const text = (key: LmdbMessageIndexKey): string => JSON.stringify(key);
    const kept = new Set(after.map(text));
    const had = new Set(before.map(text));
    for (const key of before) if (!kept.has(text(key))) this.#index.remove(key as unknown as Key);
    for (const key of after) if (!had.has(text(key))) this.#index.put(key as unknown as Key, PRESENT);
  }

  async get(realm: RealmId, ids: readonly number[]): Promise<(MessageRecord | null)[]> {
    const found: (MessageRecord | null)[] = [];
    for (const id of ids) {
      if (found.length > 0 && found.length % DECODE_AT_ONCE === 0) await turn();
      found.push(this.#records.read(realm, id) ?? null);
    }
    return found;
  }

  async scan(scan: MessageScan): Promise<MessageRecord[]> {
    const found: MessageRecord[] = [];
    await this.#scan(scan, this.#decoded, found);
    return found;
  }

  /**
   * Passes each message of the scan to `each`, undecoded.
   * @returns the number of messages
   */
  async look(scan: MessageScan, each: (message: PackedMessage) => void): Promise<number> {
    const found: ScanOutput<PackedMessage> = {
      length: 0,
      push(message) {
        this.length++;
        each(message);
      },
    };
    await this.#scan(scan, this.#packed, found);
    return found.length;
  }

  async #scan<T extends { readonly id: number }>(
    scan: MessageScan,
    reader: RecordReader<T>,
    output: ScanOutput<T>,
  ): Promise<void> {
    const { limit } = scan;
    let from = scan.from;
    const newest = this.#newestOf(scan, reader);
    if (newest && limit > 0) {
      from = newest.id;
      output.push(newest);
    }
    const shared = sharedRange(scan);
    if (shared && output.length < limit) {
      const { realm, direction } = scan;
      const reached = await this.#walk({ ...shared, realm, direction, from, limit }, scan, reader, output, MAX_TRIED);
      if (reached === undefined) return;
      from = reached;
    }
    await this.#walk({ ...scan, from }, scan, reader, output);
  }

  /**
   * Reads along the scan `along` and adds the messages that are also in `scan` to `output`. `scan` must have the same
   * or a wider result. Returns undefined at the end or at the limit, otherwise the id reached after reading `most`
   * messages.
   */
  async #walk<T>(
    along: MessageScan,
    scan: MessageScan,
    reader: RecordReader<T>,
    output: ScanOutput<T>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<number | undefined> {
    const { realm, limit } = scan;
    const ranges = rangesOfMessageScan(scan);
    const exact = most === Number.POSITIVE_INFINITY;
    const budget = new KeyReadBudget(0);
    const common: MessageIntersectionCursor[] = [];
    const alongAll = rangesOfMessageScan(along);
    const share = Math.ceil(Math.min(limit, DECODE_AT_ONCE) / alongAll.length);
    for (let i = 0; i < alongAll.length; i++) {
      if (i > 0 && i % RANGES_AT_ONCE === 0) await turn();
      const cursor = this.#intersection(along, alongAll[i]!, share, budget);
      if (cursor) common.push(cursor);
    }
    const merged = new MessageUnionCursor(common);
    let reached = along.from;
    for (let turns = 0, looked = 0; output.length < limit && !merged.ended; turns++) {
      if (looked >= most) return reached;
      if (turns > 0) await turn();
      budget.left = KEYS_AT_ONCE;
      const missing = limit - output.length;
      const wanted = Math.min(exact ? missing : Math.max(missing, looked), DECODE_AT_ONCE);
      const ordinals = merged.take(wanted, budget);
      for (const ordinal of ordinals) {
        const taken = reader.read(realm, Math.abs(ordinal));
        if (!taken || output.length >= limit) continue;
        // After a pause of the scan, a message may have been deleted or moved since its id was read, so its ranges are
        // checked again.
        if (!(exact && turns === 0)) {
          const record = reader.recordOf(taken);
          if (!ranges.some((range) => isMessageInRange(record, range))) continue;
        }
        output.push(taken);
      }
      if (exact && turns === 0 && ordinals[0] !== undefined) this.#learn(scan, Math.abs(ordinals[0]));
      reached = Math.abs(ordinals.at(-1) ?? reached);
      // A turn spent on reading keys alone counts as much as one spent on decoding records.
      looked += ordinals.length < wanted ? DECODE_AT_ONCE : ordinals.length;
    }
    return undefined;
  }

  #intersection(
    { realm, direction, from }: MessageScan,
    range: MessageRange,
    share: number,
    budget: KeyReadBudget,
  ): MessageIntersectionCursor | undefined {
    const newer = direction === 'newer';
    const low = Math.max((newer ? from : -1) + 1, (range.above ?? -1) + 1, 0);
    const high = Math.min(newer ? LAST_ID : from - 1, range.upTo ?? LAST_ID, LAST_ID);
    if (low > high) return undefined;
    const all = indexesOfMessageRange(range);
    // Users search for texts of any length, and no record is stored under a text too long for a key.
    if (!all.every(doesIndexFitLmdbKey)) return undefined;
    const indexes = all.length === 1 ? all : all.filter(({ by }) => by !== 'realm');
    const first = indexes.length > 1 ? FIRST_BLOCK_IN_COMMON : share;
    const cursors = (indexes.length === 0 ? all.slice(0, 1) : indexes).map((index): MessageOrdinalCursor => {
      if (index.by === 'ids') return new MessageListCursor(newer ? index.ids : index.ids.map((id) => -id).reverse());
      return new MessageIndexCursor(this.#readerOf(realm, index, newer), budget, first);
    });
    return newer
      ? new MessageIntersectionCursor(cursors, low, high)
      : new MessageIntersectionCursor(cursors, -high, -low);
  }

  /**
   * Returns the first message of a scan from the realm's end, read without a cursor. GET /users/me reads just this
   * message, and opening a cursor costs more than the rest of that request.
   */
  #newestOf<T>(scan: MessageScan, reader: RecordReader<T>): T | undefined {
    const { realm, from } = scan;
    if (!isFromEnd(scan)) return undefined;
    const id = this.#newest.get(realm);
    return id === undefined || id >= from ? undefined : reader.read(realm, id);
  }

  /**
   * Stores the realm's newest message id, found by a scan after a start. Once a write of the realm is prepared, only
   * writes raise that id.
   */
  #learn(scan: MessageScan, first: number): void {
    if (!isFromEnd(scan) || scan.from < LAST_ID || this.#newest.has(scan.realm)) return;
    this.#newest.set(scan.realm, first);
  }

  #readerOf(realm: RealmId, index: LmdbMessageIndex, newer: boolean): (ordinal: number, limit: number) => number[] {
    const prefix = index.by === 'realm' ? [realm] : makeMessageIndexPrefix(realm, index);
    const table = index.by === 'realm' ? this.#table : this.#index;
    const fetch: PostingIdFetcher = (from, limit, upwards) => {
      const range = upwards
        ? { start: [...prefix, from], end: [...prefix, LAST_ID] }
        : // Not -from: keys tell -0 from 0.
          { start: [...prefix, from], end: [...prefix, -1], reverse: true };
      const ids: number[] = [];
      const keys = table.getKeys({ ...range, limit } as { start: Key; end: Key; limit: number });
      for (const key of keys) ids.push((key as unknown[]).at(-1) as number);
      return ids;
    };
    const read = this.#cachedReader(
      index.by === 'realm' ? '' : postingsCacheName([...prefix, 0] as LmdbMessageIndexKey),
      fetch,
    );
    if (newer) return (ordinal, limit) => read(ordinal, limit, true);
    return (ordinal, limit) => {
      const ids = read(0 - ordinal, limit, false);
      for (let i = 0; i < ids.length; i++) ids[i] = -ids[i]!;
      return ids;
    };
  }

  /**
   * Makes a reader that goes through the cached ids of the index.
   * @param name name of the cached list; '' reads without a cache
   */
  #cachedReader(name: string, fetch: PostingIdFetcher): PostingIdFetcher {
    if (name === '') return fetch;
    return (from, limit, newer) => {
      if (this.#postings.isBlocked(name)) return fetch(from, limit, newer);
      let posting = this.#postings.get(name);
      if (!posting) {
        posting = new CachedIndexPostings();
        this.#postings.put(name, posting);
      }
      const before = posting.size;
      const ids = posting.read(from, limit, newer, fetch);
      if (posting.size > before) this.#postings.grew(posting.size - before);
      return ids;
    };
  }
}

/**
 * Returns the condition shared by all of many ranges, such as a word searched for in all of a user's streams. If the
 * condition is rare, reading all of its messages is cheaper than leaping through every range.
 */
function sharedRange(scan: MessageScan): MessageRange | undefined {
  const ranges = rangesOfMessageScan(scan);
  if (ranges.length <= FEW_RANGES) return undefined;
  const [index, ...also] = sharedIndexesOfMessageRanges(ranges);
  if (!index) return undefined;
  const above = Math.min(...ranges.map((range) => range.above ?? -1));
  return { index, also, above, upTo: Math.max(...ranges.map((range) => range.upTo ?? LAST_ID)) };
}

/** True if the scan reads all messages of a realm from its end (or from some id back). */
const isFromEnd = ({ index, also, or, above, upTo, direction }: MessageScan): boolean =>
  index.by === 'realm' && direction === 'older' && !also && !or && above === undefined && upTo === undefined;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
