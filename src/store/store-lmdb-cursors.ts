/**
 * Ranges of messages read as ids alone: several conditions leap over each other's gaps, several ranges are merged in
 * order. Records that don't qualify are never read.
 *
 * Places: ids in the order of the scan, so that they always ascend (an id when it goes to newer ones, else its negative).
 */
import { lowerBound } from './message-range.js';

/** The ids of one index from a place on. */
export interface OrdinalCursor {
  /** The first place that is not below, undefined when there is none. */
  seek(place: number): number | undefined;
}

/** At most `limit` places from this one on. */
export type ReadOrdinals = (place: number, limit: number) => number[];

const MIN_BLOCK = 2;
const MAX_BLOCK = 256;
/** What one look at an index costs beside its keys, in keys. */
const SEEK_COST = 8;

/** How much may be read before other work gets its turn. */
export class ReadBudget {
  constructor(public left: number) {}
}

/** Reads an index in blocks: larger ones while it is read through, small ones while others leap over it. */
export class IndexCursor implements OrdinalCursor {
  #block: readonly number[] = [];
  #at = 0;
  #used = 0;
  #ended = false;

  constructor(
    private readonly read: ReadOrdinals,
    private readonly allowance: ReadBudget,
    private size: number,
  ) {}

  seek(place: number): number | undefined {
    const block = this.#block;
    if (this.#at < block.length && (block[this.#at] as number) < place)
      this.#at = lowerBound(block, place, this.#at + 1);
    if (this.#at === block.length) {
      if (this.#ended) return undefined;
      this.#fill(place);
    }
    this.#used++;
    return this.#block[this.#at];
  }

  #fill(place: number): void {
    const { length } = this.#block;
    if (length > 0) {
      this.size = this.#used * 2 >= length ? Math.min(this.size * 2, MAX_BLOCK) : Math.max(this.size >> 1, MIN_BLOCK);
    }
    this.#block = this.read(place, this.size);
    this.#ended = this.#block.length < this.size;
    this.#at = 0;
    this.#used = 0;
    this.allowance.left -= SEEK_COST + this.#block.length;
  }
}

export class ListCursor implements OrdinalCursor {
  #at = 0;

  /** @param places ascending */
  constructor(private readonly places: readonly number[]) {}

  seek(place: number): number | undefined {
    this.#at = lowerBound(this.places, place, this.#at);
    return this.places[this.#at];
  }
}

/** What all of some indexes have in common, between two places. */
export class IntersectionCursor {
  /** The next place, once it is found. */
  head: number | undefined;
  ended = false;

  constructor(
    private readonly indexes: readonly OrdinalCursor[],
    private at: number,
    private readonly last: number,
  ) {}

  /** Finds `head`, unless the allowance is used up before: then it goes on from there at the next call. */
  advance(allowance: ReadBudget): void {
    const { indexes } = this;
    let agreed = 0;
    for (let i = 0; agreed < indexes.length; i = (i + 1) % indexes.length) {
      if (this.at > this.last || allowance.left <= 0) break;
      const found = (indexes[i] as OrdinalCursor).seek(this.at);
      if (found === undefined) {
        this.ended = true;
        return;
      }
      agreed = found === this.at ? agreed + 1 : 1;
      this.at = found;
    }
    if (this.at > this.last) this.ended = true;
    else if (agreed === indexes.length) this.head = this.at;
  }

  /** Adds the next places, as `MergedPlaces.take`; for a range that is not merged with others. */
  takeTo(taken: number[], limit: number, allowance: ReadBudget): void {
    const [only] = this.indexes;
    if (this.indexes.length > 1) {
      for (; taken.length < limit; this.pass()) {
        if (this.head === undefined) this.advance(allowance);
        if (this.head === undefined || this.ended) return;
        taken.push(this.head);
      }
      return;
    }
    this.head = undefined;
    while (taken.length < limit && allowance.left > 0) {
      const found = this.at > this.last ? undefined : (only as OrdinalCursor).seek(this.at);
      if (found === undefined || found > this.last) {
        this.ended = true;
        return;
      }
      taken.push(found);
      this.at = found + 1;
    }
  }

  pass(): void {
    this.head = undefined;
    this.at++;
  }
}

/** Ranges in one order, each place once. */
export class UnionCursor {
  #ranges: IntersectionCursor[];

  constructor(ranges: readonly IntersectionCursor[]) {
    this.#ranges = [...ranges];
  }

  get ended(): boolean {
    return this.#ranges.length === 0;
  }

  /** The next places, at most `limit`; fewer when the allowance is used up or the end was reached. */
  take(limit: number, allowance: ReadBudget): number[] {
    const taken: number[] = [];
    const [only] = this.#ranges;
    if (only && this.#ranges.length === 1) {
      only.takeTo(taken, limit, allowance);
      if (only.ended) this.#ranges = [];
      return taken;
    }
    while (taken.length < limit) {
      let next = Number.POSITIVE_INFINITY;
      let ended = false;
      for (const range of this.#ranges) {
        if (range.head === undefined) range.advance(allowance);
        if (range.ended) ended = true;
        else if (range.head === undefined) return taken;
        else if (range.head < next) next = range.head;
      }
      if (ended) this.#ranges = this.#ranges.filter((range) => !range.ended);
      if (this.#ranges.length === 0) break;
      taken.push(next);
      for (const range of this.#ranges) if (range.head === next) range.pass();
    }
    return taken;
  }
}
