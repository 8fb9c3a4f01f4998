/**
 * Cursors that read message ranges as ids only, so records that don't qualify are never read.
 * `MessageIntersectionCursor` intersects conditions by leaping over each other's gaps; `MessageUnionCursor` merges
 * ranges in order.
 *
 * A cursor yields ordinals: ids in the order of the scan, negated for a scan towards older ids, so that they always
 * ascend.
 */
import { findLowerBoundIndex } from './message-range.js';

/** A cursor over the ids of one index, as ordinals. */
export interface MessageOrdinalCursor {
  /**
   * Returns the first ordinal >= `ordinal`; undefined at the end of the index. The arguments of successive calls must
   * ascend.
   */
  seek(ordinal: number): number | undefined;
}

/** Reads at most `limit` ordinals, starting with the first one >= `ordinal`. */
type ReadOrdinals = (ordinal: number, limit: number) => number[];

const MIN_BLOCK = 2;
const MAX_BLOCK = 256;
/** Cost of one index lookup, in units of keys read. */
const SEEK_COST = 8;

/** Number of keys that may still be read before other work of the process gets its turn. */
export class KeyReadBudget {
  constructor(public left: number) {}
}

/**
 * Reads an index in blocks: larger blocks while every id is used, smaller ones while another condition leaps over most
 * ids.
 */
export class MessageIndexCursor implements MessageOrdinalCursor {
  #block: readonly number[] = [];
  #at = 0;
  #used = 0;
  #ended = false;

  constructor(
    private readonly read: ReadOrdinals,
    private readonly budget: KeyReadBudget,
    private size: number,
  ) {}

  seek(ordinal: number): number | undefined {
    const block = this.#block;
    if (this.#at < block.length && (block[this.#at] as number) < ordinal)
      this.#at = findLowerBoundIndex(block, ordinal, this.#at + 1);
    if (this.#at === block.length) {
      if (this.#ended) return undefined;
      this.#fill(ordinal);
    }
    this.#used++;
    return this.#block[this.#at];
  }

  #fill(ordinal: number): void {
    const { length } = this.#block;
    if (length > 0) {
      this.size = this.#used * 2 >= length ? Math.min(this.size * 2, MAX_BLOCK) : Math.max(this.size >> 1, MIN_BLOCK);
    }
    this.#block = this.read(ordinal, this.size);
    this.#ended = this.#block.length < this.size;
    this.#at = 0;
    this.#used = 0;
    this.budget.left -= SEEK_COST + this.#block.length;
  }
}

export class MessageListCursor implements MessageOrdinalCursor {
  #at = 0;

  /** Makes a cursor over given ids. @param ordinals ordinals of the ids, ascending */
  constructor(private readonly ordinals: readonly number[]) {}

  seek(ordinal: number): number | undefined {
    this.#at = findLowerBoundIndex(this.ordinals, ordinal, this.#at);
    return this.ordinals[this.#at];
  }
}

/** The ordinals that several indexes have in common, within bounds. */
export class MessageIntersectionCursor {
  /** The next common ordinal, once it has been found; undefined until then. */
  head: number | undefined;
  ended = false;

  constructor(
    private readonly indexes: readonly MessageOrdinalCursor[],
    private at: number,
    private readonly last: number,
  ) {}

  /** Finds `head`. If the budget runs out first, the next call continues from there. */
  advance(budget: KeyReadBudget): void {
    const { indexes } = this;
    let agreed = 0;
    for (let i = 0; agreed < indexes.length; i = (i + 1) % indexes.length) {
      if (this.at > this.last || budget.left <= 0) break;
      const found = (indexes[i] as MessageOrdinalCursor).seek(this.at);
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

  /** Appends ordinals as `MessageUnionCursor.take` does, for a scan with a single range. */
  takeTo(taken: number[], limit: number, budget: KeyReadBudget): void {
    const [only] = this.indexes;
    if (this.indexes.length > 1) {
      for (; taken.length < limit; this.pass()) {
        if (this.head === undefined) this.advance(budget);
        if (this.head === undefined || this.ended) return;
        taken.push(this.head);
      }
      return;
    }
    this.head = undefined;
    while (taken.length < limit && budget.left > 0) {
      const found = this.at > this.last ? undefined : (only as MessageOrdinalCursor).seek(this.at);
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

/** Merges several ranges in order, each ordinal once. */
export class MessageUnionCursor {
  #ranges: MessageIntersectionCursor[];

  constructor(ranges: readonly MessageIntersectionCursor[]) {
    this.#ranges = [...ranges];
  }

  get ended(): boolean {
    return this.#ranges.length === 0;
  }

  /** The next ordinals, at most `limit`; fewer if the budget runs out or the end is reached. */
  take(limit: number, budget: KeyReadBudget): number[] {
    const taken: number[] = [];
    const [only] = this.#ranges;
    if (only && this.#ranges.length === 1) {
      only.takeTo(taken, limit, budget);
      if (only.ended) this.#ranges = [];
      return taken;
    }
    while (taken.length < limit) {
      let next = Number.POSITIVE_INFINITY;
      let ended = false;
      for (const range of this.#ranges) {
        if (range.head === undefined) range.advance(budget);
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
