/** Cached message ids of one index: intervals in which every id is known. */
import { findLowerBoundIndex } from '#base';
import { ABOVE_EVERY_MESSAGE_ID } from './store-lmdb-index-keys.js';

/** Reads at most `limit` ids of an index from `from` on, upwards or downwards. */
export type PostingIdFetcher = (from: number, limit: number, newer: boolean) => number[];

interface CachedIdInterval {
  low: number;
  high: number;
  /** Cached ids of the index, ascending: all that lie between `low` and `high`. */
  ids: number[];
}

/** Maximum number of ids in an interval made by joining two adjacent ones. Larger ones would cost too much copying. */
const MAX_JOINED_IDS = 256;

export class CachedIndexPostings {
  /** Intervals of cached ids, ascending, without overlaps. */
  readonly #intervals: CachedIdInterval[] = [];
  /** Number of cached ids in all intervals. */
  idCount = 0;

  readIdsThroughCache(from: number, limit: number, newer: boolean, fetch: PostingIdFetcher): number[] {
    const found: number[] = [];
    let at = from;
    while (found.length < limit) {
      const { low, high, ids } =
        this.#findIntervalContaining(at) ?? this.#fetchAndStoreInterval(at, limit - found.length, newer, fetch);
      if (newer) {
        for (let i = findLowerBoundIndex(ids, at); i < ids.length && found.length < limit; i++) found.push(ids[i]!);
        if (high >= ABOVE_EVERY_MESSAGE_ID) break;
        at = high + 1;
      } else {
        for (let i = findLowerBoundIndex(ids, at + 1) - 1; i >= 0 && found.length < limit; i--) found.push(ids[i]!);
        if (low <= 0) break;
        at = low - 1;
      }
    }
    return found;
  }

  /** True if the cache knows that the index has no ids from `low` to `high`. */
  hasNoIdsBetween(low: number, high: number): boolean {
    const interval = this.#findIntervalContaining(low);
    if (!interval || interval.high < high) return false;
    const { ids } = interval;
    return ids.length === 0 || !(ids[findLowerBoundIndex(ids, low)]! <= high);
  }

  /** Adds an id that was written to the index. */
  addIdIfCovered(id: number): void {
    const ids = this.#findIntervalContaining(id)?.ids;
    if (!ids) return;
    const at = findLowerBoundIndex(ids, id);
    if (ids[at] === id) return;
    ids.splice(at, 0, id);
    this.idCount++;
  }

  removeId(id: number): void {
    const ids = this.#findIntervalContaining(id)?.ids;
    if (!ids) return;
    const at = findLowerBoundIndex(ids, id);
    if (ids[at] !== id) return;
    ids.splice(at, 1);
    this.idCount--;
  }

  #findIntervalContaining(id: number): CachedIdInterval | undefined {
    const interval = this.#intervals[this.#firstIntervalIndexAbove(id) - 1];
    return interval && id <= interval.high ? interval : undefined;
  }

  /** Returns the position of the first interval that begins above `id`. */
  #firstIntervalIndexAbove(id: number): number {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#intervals[middle]!.low <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Fetches ids from `from` on, which no interval covers, and stores them as an interval. */
  #fetchAndStoreInterval(from: number, limit: number, newer: boolean, fetch: PostingIdFetcher): CachedIdInterval {
    const fetched = fetch(from, limit, newer);
    const ended = fetched.length < limit;
    const at = this.#firstIntervalIndexAbove(from);
    const before = this.#intervals[at - 1];
    const after = this.#intervals[at];
    let interval: CachedIdInterval;
    if (newer) {
      const reached = ended ? ABOVE_EVERY_MESSAGE_ID : fetched.at(-1)!;
      const high = after ? Math.min(reached, after.low - 1) : reached;
      interval = { low: from, high, ids: high < reached ? fetched.filter((id) => id <= high) : fetched };
    } else {
      const reached = ended ? 0 : fetched.at(-1)!;
      const low = before ? Math.max(reached, before.high + 1) : reached;
      const kept = low > reached ? fetched.filter((id) => id >= low) : fetched;
      interval = { low, high: from, ids: kept.reverse() };
    }
    this.idCount += interval.ids.length;
    this.#intervals.splice(at, 0, interval);
    return this.#joinWithNeighbors(at);
  }

  /** Joins the interval with its neighbours if they are adjacent. */
  #joinWithNeighbors(at: number): CachedIdInterval {
    let here = at;
    for (const left of [at, at - 1]) {
      const one = this.#intervals[left];
      const next = this.#intervals[left + 1];
      if (!one || !next || one.high + 1 !== next.low || one.ids.length + next.ids.length > MAX_JOINED_IDS) continue;
      const joined = { low: one.low, high: next.high, ids: one.ids.concat(next.ids) };
      this.#intervals.splice(left, 2, joined);
      if (left < at) here = left;
    }
    return this.#intervals[here]!;
  }
}
