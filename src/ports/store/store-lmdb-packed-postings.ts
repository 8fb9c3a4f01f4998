/**
 * Index entries of loaded messages, many to a row: a row has the ids of one index in one window of ids. A million
 * loaded messages have 13 million index entries, which are about a million rows.
 *
 * Rows are never changed. An entry that is removed later gets a mark in the table of single entries
 * (`LmdbMessageTable`), and one that is added becomes a single entry.
 */
import type { Key, RangeOptions } from 'lmdb';
import { type AscendingIdSetEncoder, findLowerBoundIndex, IdSet } from '#base';
import type { RealmId } from '#model';
import type { LmdbEnvironment, LmdbTable } from './lmdb-environment.js';
import { LmdbConsistentCache } from './store-lmdb-cache.js';
import { ABOVE_EVERY_MESSAGE_ID, type LmdbMessageIndexKey, MESSAGE_INDEX_NAMES } from './store-lmdb-index-keys.js';

/**
 * Ids of a window. A reader decodes a window as a whole, 0.1 ms at most, because flushes of several loaders, and of a
 * load that was repeated after a crash, may leave rows that overlap.
 */
const WINDOW_IDS = 16_384;
/** Ids of a decoded window that is worth caching: fewer are decoded as fast as they are found in the cache. */
const MIN_CACHED_IDS = 256;
/** Maximum number of ids in one generation of the cache, two bytes each. */
const MAX_CACHED_IDS = 4_000_000;
/** Index name of the rows that say up to which id a realm's messages were loaded. */
const NEWEST = 'newest';
const NO_IDS = Buffer.alloc(0);

/** Number of the window that has an id. */
export const postingWindowOf = (id: number): number => Math.floor(id / WINDOW_IDS);

/** Single entries of an index: their ids, nearest first, and those among them that are marked as removed. */
export interface SinglePostings {
  readonly ids: readonly number[];
  readonly removed: ReadonlySet<number>;
}

/** Where ids are read from an index: at most `limit` of them from `from` on, upwards or downwards. */
export interface PostingRead {
  readonly from: number;
  readonly limit: number;
  readonly newer: boolean;
}

/** Rows of a realm no longer change once it is read, because its load has ended: what was read of them stays true. */
export class LmdbPackedPostingTable {
  readonly #table: LmdbTable;
  /** Id of the newest loaded message, by realm; undefined for a realm without loaded messages. */
  readonly #newestIdByRealm = new Map<RealmId, number | undefined>();
  /**
   * Windows of common words and large streams, as distances of their ids from the beginning of the window: a search for
   * several words reads them many times.
   */
  readonly #largeWindows = new LmdbConsistentCache<string, Uint16Array>(MAX_CACHED_IDS, ({ length }) => length);

  constructor(environment: LmdbEnvironment) {
    this.#table = environment.openTable('packed-postings');
  }

  /** Id of the realm's newest loaded message; undefined if none was loaded. Sent messages have larger ids. */
  readNewestLoadedId(realm: RealmId): number | undefined {
    const known = this.#newestIdByRealm.get(realm);
    if (known !== undefined || this.#newestIdByRealm.has(realm)) return known;
    const range = { start: [NEWEST, realm, ABOVE_EVERY_MESSAGE_ID], end: [NEWEST, realm], reverse: true, limit: 1 };
    let newest: number | undefined;
    for (const key of this.#table.getKeys(range)) newest = (key as [string, number, number])[2];
    this.#newestIdByRealm.set(realm, newest);
    return newest;
  }

  /**
   * Writes a row. Must be called inside a transaction, or where lmdb collects one.
   * @param prefix key of the index entries without the message id
   * @param first the smallest of the ids, which are of one window
   */
  putRow(prefix: readonly (string | number)[], first: number, ids: AscendingIdSetEncoder): void {
    this.#table.put([...prefix, postingWindowOf(first), first], Buffer.from(ids.encode()));
  }

  /** Records that messages up to this id were loaded. Must be called as `putRow`. */
  putNewestLoadedId(realm: RealmId, id: number): void {
    this.#table.put([NEWEST, realm, id], NO_IDS);
  }

  /** Lists the ranges of keys in which the realm's rows are. */
  listRangesOfRealm(realm: RealmId): { readonly table: LmdbTable; readonly range: RangeOptions }[] {
    return [...MESSAGE_INDEX_NAMES, NEWEST].map((name) => ({
      table: this.#table,
      range: { start: [name, realm], end: [name, realm + 1] },
    }));
  }

  /** Reads ids of an index from packed rows and single entries, nearest first. */
  readMergedIds(
    prefix: LmdbMessageIndexKey,
    { from, limit, newer }: PostingRead,
    readSingles: (read: PostingRead) => SinglePostings,
  ): number[] {
    const found: number[] = [];
    for (let at = from; ; ) {
      const packed = this.#readPackedIds(prefix, { from: at, limit, newer });
      const { ids: singles, removed } = readSingles({ from: at, limit, newer });
      if (singles.length === 0 && found.length === 0) return packed;
      // A list that was cut off at the limit says nothing of the ids behind its last one.
      const ends = [packed, singles].flatMap((ids) => (ids.length < limit ? [] : [ids.at(-1)!]));
      const end = newer ? Math.min(...ends) : Math.max(...ends);
      const isKnown = (id: number): boolean => !removed.has(id) && (newer ? id <= end : id >= end);
      const { ids } = IdSet.fromIds([...packed.filter(isKnown), ...singles.filter(isKnown)]);
      for (const id of newer ? ids : ids.toReversed()) found.push(id);
      if (found.length >= limit) return found.slice(0, limit);
      if (ends.length === 0) return found;
      at = newer ? end + 1 : end - 1;
    }
  }

  /** Reads at most `limit` packed ids of an index from `from` on, nearest first. */
  #readPackedIds(prefix: LmdbMessageIndexKey, { from, limit, newer }: PostingRead): number[] {
    const found: number[] = [];
    const name = prefix.join('/');
    const step = newer ? 1 : -1;
    let window = postingWindowOf(from);
    const take = (distances: Uint16Array): void => {
      const begin = window * WINDOW_IDS;
      let i = newer
        ? findLowerBoundIndex(distances, from - begin)
        : findLowerBoundIndex(distances, from - begin + 1) - 1;
      for (; i >= 0 && i < distances.length && found.length < limit; i += step) found.push(begin + distances[i]!);
    };
    for (;;) {
      const cached = this.#largeWindows.get(`${name}/${window}`);
      if (!cached) break;
      take(cached);
      if (found.length >= limit) return found;
      window += step;
    }
    let rows: (readonly number[])[] = [];
    const takeRows = (): void => {
      const begin = window * WINDOW_IDS;
      const distances = Uint16Array.from(joinRows(newer ? rows : rows.reverse()), (id) => id - begin);
      if (distances.length >= MIN_CACHED_IDS) this.#largeWindows.putUnlessBlocked(`${name}/${window}`, distances);
      take(distances);
      rows = [];
    };
    const range = newer
      ? { start: [...prefix, window], end: [...prefix, ABOVE_EVERY_MESSAGE_ID] }
      : { start: [...prefix, window, ABOVE_EVERY_MESSAGE_ID], end: [...prefix, -1], reverse: true };
    for (const { key, value } of this.#table.getRange(range as { start: Key; end: Key })) {
      const windowOfRow = (key as unknown[]).at(-2) as number;
      if (windowOfRow !== window) {
        takeRows();
        if (found.length >= limit) return found;
        window = windowOfRow;
      }
      rows.push(IdSet.decode(value).ids);
    }
    takeRows();
    return found;
  }
}

/** Joins rows of a window, which come in the order of their first ids, to ascending ids. */
function joinRows(rows: readonly (readonly number[])[]): readonly number[] {
  const [first = []] = rows;
  if (rows.length <= 1) return first;
  const isAscending = rows.every((row, i) => i === 0 || rows[i - 1]!.at(-1)! < row[0]!);
  return isAscending ? rows.flat() : IdSet.fromIds(rows.flat()).ids;
}
