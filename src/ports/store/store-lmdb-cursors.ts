/**
 * Cursors that read message ranges as ids only, so records that don't qualify are never read.
 * `MessageIntersectionCursor` intersects conditions by leaping over each other's gaps; `MessageUnionCursor` merges
 * ranges in order.
 *
 * A cursor yields ordinals: ids in the order of the scan, negated for a scan towards older ids, so that they always
 * ascend.
 */
import { findLowerBoundIndex } from '#base';

/** A cursor over the ids of one index, as ordinals. */
export interface MessageOrdinalCursor {
  /**
   * Returns the first ordinal >= `ordinal`; undefined at the end of the index. The arguments of successive calls must
   * ascend.
   */
  seek(ordinal: number): number | undefined;
}

/** Reads at most `limit` ordinals, starting with the first one >= `ordinal`. */
type IndexOrdinalReader = (ordinal: number, limit: number) => number[];

const MIN_ORDINALS_PER_BLOCK_READ = 2;
const MAX_ORDINALS_PER_BLOCK_READ = 256;
/** Cost of one index lookup, in units of keys read. */
const SEEK_COST_IN_KEYS = 8;

/** Number of keys that may still be read before other work of the process gets its turn. */
export class KeyReadBudget {
  constructor(public left: number) {}
}

/**
 * Reads an index in blocks: larger blocks while every id is used, smaller ones while another condition leaps over most
 * ids.
 */
export class MessageIndexCursor implements MessageOrdinalCursor {
  #ordinalBlock: readonly number[] = [];
  #positionInBlock = 0;
  #usedOrdinalCount = 0;
  #isIndexEndReached = false;

  constructor(
    private readonly read: IndexOrdinalReader,
    private readonly budget: KeyReadBudget,
    private size: number,
  ) {}

  seek(ordinal: number): number | undefined {
    const block = this.#ordinalBlock;
    if (this.#positionInBlock < block.length && (block[this.#positionInBlock] as number) < ordinal)
      this.#positionInBlock = findLowerBoundIndex(block, ordinal, this.#positionInBlock + 1);
    if (this.#positionInBlock === block.length) {
      if (this.#isIndexEndReached) return undefined;
      this.#readBlock(ordinal);
    }
    this.#usedOrdinalCount++;
    return this.#ordinalBlock[this.#positionInBlock];
  }

  #readBlock(ordinal: number): void {
    const { length } = this.#ordinalBlock;
    if (length > 0) {
      this.size =
        this.#usedOrdinalCount * 2 >= length
          ? Math.min(this.size * 2, MAX_ORDINALS_PER_BLOCK_READ)
          : Math.max(this.size >> 1, MIN_ORDINALS_PER_BLOCK_READ);
    }
    this.#ordinalBlock = this.read(ordinal, this.size);
    this.#isIndexEndReached = this.#ordinalBlock.length < this.size;
    this.#positionInBlock = 0;
    this.#usedOrdinalCount = 0;
    this.budget.left -= SEEK_COST_IN_KEYS + this.#ordinalBlock.length;
  }
}

export class MessageIdListCursor implements MessageOrdinalCursor {
  #positionInList = 0;

  /** Makes a cursor over given ids. @param ordinals ordinals of the ids, ascending */
  constructor(private readonly ordinals: readonly number[]) {}

  seek(ordinal: number): number | undefined {
    this.#positionInList = findLowerBoundIndex(this.ordinals, ordinal, this.#positionInList);
    return this.ordinals[this.#positionInList];
  }
}

/** The ordinals that several indexes have in common, within bounds. */
export class MessageIntersectionCursor {
  /** The next common ordinal, once it has been found; undefined until then. */
  nextCommonOrdinal: number | undefined;
  isEnded = false;

  constructor(
    private readonly indexes: readonly MessageOrdinalCursor[],
    private at: number,
    private readonly last: number,
  ) {}

  /** Finds `nextCommonOrdinal`. If the budget runs out first, the next call continues from there. */
  findNextCommonOrdinal(budget: KeyReadBudget): void {
    const { indexes } = this;
    let agreed = 0;
    for (let i = 0; agreed < indexes.length; i = (i + 1) % indexes.length) {
      if (this.at > this.last || budget.left <= 0) break;
      const found = (indexes[i] as MessageOrdinalCursor).seek(this.at);
      if (found === undefined) {
        this.isEnded = true;
        return;
      }
      agreed = found === this.at ? agreed + 1 : 1;
      this.at = found;
    }
    if (this.at > this.last) this.isEnded = true;
    else if (agreed === indexes.length) this.nextCommonOrdinal = this.at;
  }

  /** Appends ordinals as `MessageUnionCursor.take` does, for a scan with a single range. */
  appendOrdinalsOfSingleRange(taken: number[], limit: number, budget: KeyReadBudget): void {
    const [only] = this.indexes;
    if (this.indexes.length > 1) {
      for (; taken.length < limit; this.passNextCommonOrdinal()) {
        if (this.nextCommonOrdinal === undefined) this.findNextCommonOrdinal(budget);
        if (this.nextCommonOrdinal === undefined || this.isEnded) return;
        taken.push(this.nextCommonOrdinal);
      }
      return;
    }
    this.nextCommonOrdinal = undefined;
    while (taken.length < limit && budget.left > 0) {
      const found = this.at > this.last ? undefined : (only as MessageOrdinalCursor).seek(this.at);
      if (found === undefined || found > this.last) {
        this.isEnded = true;
        return;
      }
      taken.push(found);
      this.at = found + 1;
    }
  }

  passNextCommonOrdinal(): void {
    this.nextCommonOrdinal = undefined;
    this.at++;
  }
}

/** Merges several ranges in order, each ordinal once. */
export class MessageUnionCursor {
  #unfinishedRanges: MessageIntersectionCursor[];

  constructor(ranges: readonly MessageIntersectionCursor[]) {
    this.#unfinishedRanges = [...ranges];
  }

  get isEnded(): boolean {
    return this.#unfinishedRanges.length === 0;
  }

  /** The next ordinals, at most `limit`; fewer if the budget runs out or the end is reached. */
  takeOrdinals(limit: number, budget: KeyReadBudget): number[] {
    const taken: number[] = [];
    const [only] = this.#unfinishedRanges;
    if (only && this.#unfinishedRanges.length === 1) {
      only.appendOrdinalsOfSingleRange(taken, limit, budget);
      if (only.isEnded) this.#unfinishedRanges = [];
      return taken;
    }
    while (taken.length < limit) {
      let next = Number.POSITIVE_INFINITY;
      let ended = false;
      for (const range of this.#unfinishedRanges) {
        if (range.nextCommonOrdinal === undefined) range.findNextCommonOrdinal(budget);
        if (range.isEnded) ended = true;
        else if (range.nextCommonOrdinal === undefined) return taken;
        else if (range.nextCommonOrdinal < next) next = range.nextCommonOrdinal;
      }
      if (ended) this.#unfinishedRanges = this.#unfinishedRanges.filter((range) => !range.isEnded);
      if (this.#unfinishedRanges.length === 0) break;
      taken.push(next);
      for (const range of this.#unfinishedRanges) if (range.nextCommonOrdinal === next) range.passNextCommonOrdinal();
    }
    return taken;
  }
}
