import type { Key, RangeOptions } from 'lmdb';
import { TimeSlicer } from '#base';
import type { RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import type { LmdbEnvironment, LmdbTable } from './lmdb-environment.js';
import {
  type IndexedMessageFields,
  indexesOfMessageRange,
  isMessageInRange,
  rangesOfMessageScan,
  sharedIndexesOfMessageRanges,
} from './message-range.js';
import type { MessageDigestMaker, PackedMessageCursor } from './packed-message.js';
import type { MessageIndexCondition, MessageIndexRange, MessageRecordWrite, MessageScan } from './store.js';
import { LmdbConsistentCache, type LmdbTransactionCacheChanges } from './store-lmdb-cache.js';
import {
  KeyReadBudget,
  MessageIdListCursor,
  MessageIndexCursor,
  MessageIntersectionCursor,
  type MessageOrdinalCursor,
  MessageUnionCursor,
} from './store-lmdb-cursors.js';
import {
  ABOVE_EVERY_MESSAGE_ID,
  doesIndexFitLmdbKey,
  type LmdbMessageIndex,
  type LmdbMessageIndexKey,
  MESSAGE_INDEX_NAMES,
  makeMessageIndexKeys,
  makeMessageIndexPrefix,
  postingsCacheName,
  postingsCacheNameOfIndex,
} from './store-lmdb-index-keys.js';
import { LmdbPackedPostingTable, type PostingRead, type SinglePostings } from './store-lmdb-packed-postings.js';
import { CachedIndexPostings, type PostingIdFetcher } from './store-lmdb-postings.js';
import { LmdbRecordTable } from './store-lmdb-records.js';
import type { LmdbTombstoneTable } from './store-lmdb-tombstones.js';

const INDEX_ENTRY_VALUE = Buffer.from([1]);
/** Value of the mark that an index entry in a packed row is removed. */
const REMOVED_ENTRY_VALUE = Buffer.from([0]);
/** Number of records decoded before other work gets its turn: some 2 ms. */
const MAX_RECORDS_PER_TURN = 200;
/** Number of index keys read before other work gets its turn: some 2 ms. */
const MAX_INDEX_KEYS_PER_TURN = 4_000;
/**
 * Number of ranges prepared before other work gets its turn: some 2 ms. A user in thousands of streams has three ranges
 * per stream.
 */
const MAX_RANGES_PREPARED_PER_TURN = 500;
/** Number of ranges above which a scan first tries to read the condition that all ranges share. */
const MAX_RANGES_WITHOUT_SHARED_READ = 8;
/**
 * Number of records that are read of a condition shared by all ranges before giving up (some 10 ms): a condition with
 * more records is common, and few of its messages are in the ranges.
 */
const MAX_SHARED_CONDITION_RECORDS = 1_000;
/**
 * First block size, in keys, for ranges with several conditions: the conditions rarely agree, so more keys are needed
 * than messages wanted.
 */
const FIRST_INTERSECTION_BLOCK_KEYS = 4;

/** Maximum number of cached message ids, over all indexes. */
const MAX_CACHED_POSTING_IDS = 1_000_000;
/** Cache weight of an index without ids, counted in ids. Some kinds of index are mostly empty. */
const EMPTY_POSTINGS_WEIGHT = 16;

/** Reads one record of a scan, either decoded or packed. Must be called outside of transactions. */
type ScanRecordReader<T extends IndexedMessageFields> = (realm: RealmId, id: number) => T | undefined;

/** Receives the messages of a scan. */
interface MessageScanOutput<T> {
  length: number;
  push(taken: T): void;
}

/** A message of a bulk load that is encoded, but not written. */
interface EncodedBulkMessage {
  readonly keys: readonly LmdbMessageIndexKey[];
  /** The message's record; undefined if the message is stored already. */
  readonly bytes: Buffer | undefined;
}

/** Message records, and index tables: one whose keys end with the message id, and one of loaded messages. */
export class LmdbMessageTable {
  readonly #messageTable: LmdbTable;
  readonly #recordTable: LmdbRecordTable;
  readonly #indexTable: LmdbTable;
  readonly packedPostings: LmdbPackedPostingTable;
  readonly #tombstoneTable: LmdbTombstoneTable;
  /** Upper bound of the stored message ids, by realm. A write that is not committed yet may have raised the bound. */
  readonly #newestIdByRealm = new Map<RealmId, number>();
  readonly #postingsCache = new LmdbConsistentCache<string, CachedIndexPostings>(
    MAX_CACHED_POSTING_IDS,
    ({ idCount }) => EMPTY_POSTINGS_WEIGHT + idCount,
  );

  readonly #readDecoded: ScanRecordReader<MessageRecord> = (realm, id) => this.#recordTable.readDecoded(realm, id);
  readonly #readPacked: ScanRecordReader<PackedMessageCursor> = (realm, id) => this.#recordTable.readPacked(realm, id);

  constructor(environment: LmdbEnvironment, tombstones: LmdbTombstoneTable, digestOf: MessageDigestMaker | undefined) {
    this.#messageTable = environment.openTable('messages');
    this.#recordTable = new LmdbRecordTable(this.#messageTable, digestOf);
    this.#indexTable = environment.openTable('message-index');
    this.packedPostings = new LmdbPackedPostingTable(environment);
    this.#tombstoneTable = tombstones;
  }

  /** Lists the ranges of keys in which the realm's messages and index entries are. */
  listRangesOfRealm(realm: RealmId): { readonly table: LmdbTable; readonly range: RangeOptions }[] {
    const singles = MESSAGE_INDEX_NAMES.map((name) => ({
      table: this.#indexTable,
      range: { start: [name, realm], end: [name, realm + 1] },
    }));
    const messages = { table: this.#messageTable, range: { start: [realm], end: [realm + 1] } };
    return [messages, ...singles, ...this.packedPostings.listRangesOfRealm(realm)];
  }

  /** Encodes the message at once. The returned function is called inside a write transaction. */
  prepareWrite(write: MessageRecordWrite, changes: LmdbTransactionCacheChanges): () => void {
    const { realm, id, rev, value } = write;
    this.#newestIdByRealm.set(realm, Math.max(this.#newestIdBoundOf(realm), id));
    const keys = value ? makeMessageIndexKeys(realm, value) : [];
    const bytes = value && this.#recordTable.encodeRecord(rev, value);
    return () => {
      const old = this.#recordTable.readUncached(realm, id);
      if ((old?.rev ?? this.#tombstoneTable.readRevision(['m', realm, id])) >= rev) return;
      const before = old ? makeMessageIndexKeys(realm, old.record) : [];
      this.#updateIndexEntries(realm, id, before, keys);
      this.#blockCachedData(realm, id, before, keys, changes);
      if (bytes) {
        if (!old) this.#tombstoneTable.removeTombstone(['m', realm, id]);
        this.#messageTable.put([realm, id], bytes);
      } else {
        if (old) this.#messageTable.remove([realm, id]);
        this.#tombstoneTable.addTombstone(['m', realm, id], rev);
      }
    };
  }

  /** Id of the realm's newest stored message; 0 if it has none. */
  readNewestStoredId(realm: RealmId): number {
    const range = { start: [realm, ABOVE_EVERY_MESSAGE_ID], end: [realm], reverse: true, limit: 1 };
    for (const key of this.#messageTable.getKeys(range)) return (key as [number, number])[1];
    return 0;
  }

  /** Returns an upper bound of the realm's message ids. It is read once; then only writes of this process raise it. */
  #newestIdBoundOf(realm: RealmId): number {
    let bound = this.#newestIdByRealm.get(realm);
    if (bound === undefined) {
      bound = this.readNewestStoredId(realm);
      this.#newestIdByRealm.set(realm, bound);
    }
    return bound;
  }

  /**
   * Encodes a message of a bulk load. No other process may write the message in another form.
   * @param maybeStored false if the message is known not to be stored; a message that is stored already stays
   */
  encodeBulkMessage(realm: RealmId, message: MessageRecord, maybeStored: boolean): EncodedBulkMessage {
    const old = maybeStored ? this.#recordTable.readUncached(realm, message.id) : undefined;
    return old
      ? { keys: makeMessageIndexKeys(realm, old.record), bytes: undefined }
      : { keys: makeMessageIndexKeys(realm, message), bytes: this.#recordTable.encodeRecord(1, message) };
  }

  /** Writes the record of a bulk load. Caches must have nothing of the realm. */
  putBulkRecord(realm: RealmId, id: number, bytes: Buffer): void {
    this.#messageTable.put([realm, id], bytes);
  }

  /** Blocks cached data of this message until the transaction is settled. Must be called inside the transaction. */
  #blockCachedData(
    realm: RealmId,
    id: number,
    before: readonly LmdbMessageIndexKey[],
    after: readonly LmdbMessageIndexKey[],
    changes: LmdbTransactionCacheChanges,
  ) {
    this.#recordTable.blockCacheEntries(realm, id, changes);
    // A new message, as in most writes, leaves no index.
    if (before.length === 0) {
      const names: string[] = [];
      for (const key of after) {
        const name = postingsCacheName(key);
        if (name === '') continue;
        names.push(name);
        this.#postingsCache.blockKey(name, true);
      }
      const add = (of: CachedIndexPostings): void => of.addIdIfCovered(id);
      changes.onSettled((done) => {
        for (const name of names) this.#postingsCache.releaseKey(name, done ? add : undefined);
      });
      return;
    }
    const gone = new Set(before.map(postingsCacheName));
    const now = new Set(after.map(postingsCacheName));
    const names = [...new Set([...gone, ...now])].filter((name) => name !== '' && gone.has(name) !== now.has(name));
    for (const name of names) this.#postingsCache.blockKey(name, true);
    changes.onSettled((done) => {
      for (const name of names) {
        const change = now.has(name)
          ? (of: CachedIndexPostings) => of.addIdIfCovered(id)
          : (of: CachedIndexPostings) => of.removeId(id);
        this.#postingsCache.releaseKey(name, done ? change : undefined);
      }
    });
  }

  #updateIndexEntries(
    realm: RealmId,
    id: number,
    before: readonly LmdbMessageIndexKey[],
    after: readonly LmdbMessageIndexKey[],
  ): void {
    // A new message, as in most writes, has no old index entries to compare.
    if (before.length === 0) {
      for (const key of after) this.#indexTable.put(key as unknown as Key, INDEX_ENTRY_VALUE);
      return;
    }
    const text = (key: LmdbMessageIndexKey): string => JSON.stringify(key);
    const kept = new Set(after.map(text));
    const had = new Set(before.map(text));
    const isLoaded = id <= (this.packedPostings.readNewestLoadedId(realm) ?? -1);
    for (const key of before) {
      if (kept.has(text(key))) continue;
      if (isLoaded) this.#indexTable.put(key as unknown as Key, REMOVED_ENTRY_VALUE);
      else this.#indexTable.remove(key as unknown as Key);
    }
    for (const key of after) if (!had.has(text(key))) this.#indexTable.put(key as unknown as Key, INDEX_ENTRY_VALUE);
  }

  async getMessages(realm: RealmId, ids: readonly number[]): Promise<(MessageRecord | null)[]> {
    const found: (MessageRecord | null)[] = [];
    for (const id of ids) {
      if (found.length > 0 && found.length % MAX_RECORDS_PER_TURN === 0) await yieldToEventLoop();
      found.push(this.#recordTable.readDecoded(realm, id) ?? null);
    }
    return found;
  }

  async scanMessages(scan: MessageScan): Promise<MessageRecord[]> {
    const found: MessageRecord[] = [];
    await this.#runScan(scan, this.#readDecoded, found);
    return found;
  }

  /**
   * Passes each message of the scan to `each`, undecoded.
   * @returns the number of messages
   */
  async forEachPackedMessage(scan: MessageScan, each: (message: PackedMessageCursor) => void): Promise<number> {
    const found: MessageScanOutput<PackedMessageCursor> = {
      length: 0,
      push(message) {
        this.length++;
        each(message);
      },
    };
    await this.#runScan(scan, this.#readPacked, found);
    return found.length;
  }

  async #runScan<T extends IndexedMessageFields>(
    scan: MessageScan,
    read: ScanRecordReader<T>,
    output: MessageScanOutput<T>,
  ): Promise<void> {
    const { limit } = scan;
    let from = scan.from;
    const newest = this.#readNewestKnownMessageOf(scan, read);
    if (newest && limit > 0) {
      from = newest.id;
      output.push(newest);
    }
    const shared = findSharedRange(scan);
    if (shared && output.length < limit) {
      const { realm, direction } = scan;
      const reached = await this.#readAlongAndFilter(
        { ...shared, realm, direction, from, limit },
        scan,
        read,
        output,
        MAX_SHARED_CONDITION_RECORDS,
      );
      if (reached === undefined) return;
      from = reached;
    }
    await this.#readAlongAndFilter({ ...scan, from }, scan, read, output);
  }

  /**
   * Reads along the scan `along` and adds the messages that are also in `scan` to `output`. `scan` must have the same
   * or a wider result. Returns undefined at the end or at the limit, otherwise the id reached after reading `most`
   * messages.
   */
  async #readAlongAndFilter<T extends IndexedMessageFields>(
    along: MessageScan,
    scan: MessageScan,
    read: ScanRecordReader<T>,
    output: MessageScanOutput<T>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<number | undefined> {
    const { realm, limit } = scan;
    const ranges = rangesOfMessageScan(scan);
    const exact = most === Number.POSITIVE_INFINITY;
    const isWholeRealm = isUnconditionalRealmScan(scan);
    const budget = new KeyReadBudget(0);
    const common: MessageIntersectionCursor[] = [];
    const alongAll = rangesOfMessageScan(along);
    const share = Math.ceil(Math.min(limit, MAX_RECORDS_PER_TURN) / alongAll.length);
    for (let i = 0; i < alongAll.length; i++) {
      if (i > 0 && i % MAX_RANGES_PREPARED_PER_TURN === 0) await yieldToEventLoop();
      const cursor = this.#makeIntersectionCursor(along, alongAll[i]!, share, budget);
      if (cursor) common.push(cursor);
    }
    const merged = new MessageUnionCursor(common);
    // A receiver may test each message for many long phrases, at up to 1 ms.
    const slicer = new TimeSlicer(1);
    let hasPaused = false;
    let reached = along.from;
    for (let turns = 0, looked = 0; output.length < limit && !merged.isEnded; turns++) {
      if (looked >= most) return reached;
      if (turns > 0) {
        await yieldToEventLoop();
        hasPaused = true;
      }
      budget.left = MAX_INDEX_KEYS_PER_TURN;
      const missing = limit - output.length;
      const wanted = Math.min(exact ? missing : Math.max(missing, looked), MAX_RECORDS_PER_TURN);
      const ordinals = merged.takeOrdinals(wanted, budget);
      for (const ordinal of ordinals) {
        const pause = slicer.yieldIfSliceIsOver();
        if (pause) {
          await pause;
          hasPaused = true;
        }
        const taken = read(realm, Math.abs(ordinal));
        if (!taken || output.length >= limit) continue;
        // After a pause of the scan, a message may have been deleted or moved since its id was read, so its ranges are
        // checked again.
        const isKnownInRange = (exact && !hasPaused) || isWholeRealm;
        if (!isKnownInRange && !ranges.some((range) => isMessageInRange(taken, range))) continue;
        output.push(taken);
      }
      reached = Math.abs(ordinals.at(-1) ?? reached);
      // A turn spent on reading keys alone counts as much as one spent on decoding records.
      looked += ordinals.length < wanted ? MAX_RECORDS_PER_TURN : ordinals.length;
    }
    return undefined;
  }

  #makeIntersectionCursor(
    { realm, direction, from }: MessageScan,
    range: MessageIndexRange,
    share: number,
    budget: KeyReadBudget,
  ): MessageIntersectionCursor | undefined {
    const newer = direction === 'newer';
    const low = Math.max((newer ? from : -1) + 1, (range.above ?? -1) + 1, 0);
    const high = Math.min(
      newer ? ABOVE_EVERY_MESSAGE_ID : from - 1,
      range.upTo ?? ABOVE_EVERY_MESSAGE_ID,
      ABOVE_EVERY_MESSAGE_ID,
    );
    if (low > high) return undefined;
    const all = indexesOfMessageRange(range);
    // Users search for texts of any length, and no record is stored under a text too long for a key.
    if (!all.every(doesIndexFitLmdbKey)) return undefined;
    const indexes = all.length === 1 ? all : all.filter(({ by }) => by !== 'realm');
    if (all.length === 1 && this.#isKnownToBeEmpty(realm, all[0]!, low, high)) return undefined;
    const first = indexes.length > 1 ? FIRST_INTERSECTION_BLOCK_KEYS : share;
    const cursors = (indexes.length === 0 ? all.slice(0, 1) : indexes).map((index): MessageOrdinalCursor => {
      if (index.by === 'ids') return new MessageIdListCursor(newer ? index.ids : index.ids.map((id) => -id).reverse());
      return new MessageIndexCursor(this.#makeOrdinalReader(realm, index, newer), budget, first);
    });
    return newer
      ? new MessageIntersectionCursor(cursors, low, high)
      : new MessageIntersectionCursor(cursors, -high, -low);
  }

  /**
   * True if the cached ids of the index show that the range has no messages. A user's streams have one index each for
   * messages moved in and for messages moved out, and hardly any of these indexes has entries.
   */
  #isKnownToBeEmpty(realm: RealmId, index: MessageIndexCondition, low: number, high: number): boolean {
    if (index.by === 'ids') return index.ids.length === 0;
    if (index.by !== 'moved' && index.by !== 'tag') return false;
    const name = postingsCacheNameOfIndex(realm, index);
    if (name === '' || this.#postingsCache.isKeyBlocked(name)) return false;
    return this.#postingsCache.get(name)?.hasNoIdsBetween(low, high) === true;
  }

  /**
   * Returns the first message of a scan from the realm's end, read without a cursor. GET /users/me reads just this
   * message, and opening a cursor costs more than the rest of that request.
   */
  #readNewestKnownMessageOf<T extends IndexedMessageFields>(
    scan: MessageScan,
    read: ScanRecordReader<T>,
  ): T | undefined {
    const { realm, from } = scan;
    if (!isUnfilteredOlderRealmScan(scan)) return undefined;
    const id = this.#newestIdBoundOf(realm);
    return id >= from ? undefined : read(realm, id);
  }

  #makeOrdinalReader(
    realm: RealmId,
    index: LmdbMessageIndex,
    newer: boolean,
  ): (ordinal: number, limit: number) => number[] {
    const fetch: PostingIdFetcher = (from, limit, newer) => {
      const wanted = { from, limit, newer };
      if (index.by === 'realm') return readIdsOfKeys(this.#messageTable, [realm], wanted);
      // Most blocks come from the cache, so that the key's prefix is not needed.
      const prefix = makeMessageIndexPrefix(realm, index);
      if (this.packedPostings.readNewestLoadedId(realm) === undefined)
        return readIdsOfKeys(this.#indexTable, prefix, wanted);
      return this.packedPostings.readMergedIds(prefix, wanted, (read) => this.#readSinglePostings(prefix, read));
    };
    const read = this.#makeCachedIdReader(postingsCacheNameOfIndex(realm, index), fetch);
    if (newer) return (ordinal, limit) => read(ordinal, limit, true);
    return (ordinal, limit) => {
      const ids = read(0 - ordinal, limit, false);
      for (let i = 0; i < ids.length; i++) ids[i] = -ids[i]!;
      return ids;
    };
  }

  #readSinglePostings(prefix: LmdbMessageIndexKey, read: PostingRead): SinglePostings {
    const ids: number[] = [];
    const removed = new Set<number>();
    for (const { key, value } of this.#indexTable.getRange(makeIdRange(prefix, read))) {
      const id = (key as unknown[]).at(-1) as number;
      ids.push(id);
      if (REMOVED_ENTRY_VALUE.equals(value)) removed.add(id);
    }
    return { ids, removed };
  }

  /**
   * Makes a reader that goes through the cached ids of the index.
   * @param name name of the cached list; '' reads without a cache
   */
  #makeCachedIdReader(name: string, fetch: PostingIdFetcher): PostingIdFetcher {
    if (name === '') return fetch;
    return (from, limit, newer) => {
      if (this.#postingsCache.isKeyBlocked(name)) return fetch(from, limit, newer);
      let posting = this.#postingsCache.get(name);
      if (!posting) {
        posting = new CachedIndexPostings();
        this.#postingsCache.putUnlessBlocked(name, posting);
      }
      const before = posting.idCount;
      const ids = posting.readIdsThroughCache(from, limit, newer, fetch);
      if (posting.idCount > before) this.#postingsCache.addWeight(posting.idCount - before);
      return ids;
    };
  }
}

/** Range of keys that begin with the prefix and end with a message id. */
function makeIdRange(prefix: readonly Key[], { from, limit, newer }: PostingRead): RangeOptions {
  const start = [...prefix, from] as Key;
  if (newer) return { start, end: [...prefix, ABOVE_EVERY_MESSAGE_ID] as Key, limit };
  // Not -from: keys tell -0 from 0.
  return { start, end: [...prefix, -1] as Key, reverse: true, limit };
}

function readIdsOfKeys(table: LmdbTable, prefix: readonly Key[], read: PostingRead): number[] {
  const ids: number[] = [];
  for (const key of table.getKeys(makeIdRange(prefix, read))) ids.push((key as unknown[]).at(-1) as number);
  return ids;
}

/**
 * Returns the condition shared by all of many ranges, such as a word searched for in all of a user's streams. If the
 * condition is rare, reading all of its messages is cheaper than leaping through every range.
 */
function findSharedRange(scan: MessageScan): MessageIndexRange | undefined {
  const ranges = rangesOfMessageScan(scan);
  if (ranges.length <= MAX_RANGES_WITHOUT_SHARED_READ) return undefined;
  const [index, ...also] = sharedIndexesOfMessageRanges(ranges);
  if (!index) return undefined;
  const above = Math.min(...ranges.map((range) => range.above ?? -1));
  return { index, also, above, upTo: Math.max(...ranges.map((range) => range.upTo ?? ABOVE_EVERY_MESSAGE_ID)) };
}

/** True if the scan reads all messages of a realm from some id on. */
const isUnconditionalRealmScan = ({ index, also, or, above, upTo }: MessageScan): boolean =>
  index.by === 'realm' && !also && !or && above === undefined && upTo === undefined;

/** True if the scan reads all messages of a realm from its end (or from some id back). */
const isUnfilteredOlderRealmScan = (scan: MessageScan): boolean =>
  scan.direction === 'older' && isUnconditionalRealmScan(scan);

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
