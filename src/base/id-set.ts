/**
 * Immutable sorted sets of message ids, as user actors keep them. The stored form is delta-encoded with variable-length
 * integers: one or two bytes per id.
 */
import { withLength } from './typed-arrays.js';

export class IdSet {
  static readonly EMPTY = new IdSet([]);

  /** Last result of `#firstIndexFrom`: callers mostly go through messages in the order of their ids. */
  #lastIndex = 0;

  private constructor(private readonly sorted: readonly number[]) {}

  static fromIds(ids: Iterable<number>): IdSet {
    const sorted = [...new Set(ids)].sort((a, b) => a - b);
    return sorted.length === 0 ? IdSet.EMPTY : new IdSet(sorted);
  }

  /** Decodes a set from its stored form. @throws RangeError for bytes that don't come from `encode` */
  static decode(bytes: Uint8Array): IdSet {
    if (bytes.length === 0) return IdSet.EMPTY;
    const sorted: number[] = [];
    let last = 0;
    let value = 0;
    let factor = 1;
    for (const byte of bytes) {
      value += (byte & 0x7f) * factor;
      if (byte & 0x80) {
        factor *= 128;
        continue;
      }
      last += value;
      sorted.push(last);
      value = 0;
      factor = 1;
    }
    if (factor !== 1) throw new RangeError('the bytes end in the middle of an id');
    return new IdSet(sorted);
  }

  encode(): Uint8Array {
    const encoder = new AscendingIdSetEncoder();
    for (const id of this.sorted) encoder.addId(id);
    return encoder.encode();
  }

  get size(): number {
    return this.sorted.length;
  }

  /** The ids of the set, ascending. */
  get ids(): readonly number[] {
    return this.sorted;
  }

  get largestId(): number | undefined {
    return this.sorted.at(-1);
  }

  has(id: number): boolean {
    return this.sorted[this.#firstIndexFrom(id)] === id;
  }

  withIds(ids: Iterable<number>): IdSet {
    const fresh = [...ids].filter((id) => !this.has(id));
    return fresh.length === 0 ? this : IdSet.fromIds([...this.sorted, ...fresh]);
  }

  withoutIds(ids: Iterable<number>): IdSet {
    const gone = new Set(ids);
    const kept = this.sorted.filter((id) => !gone.has(id));
    return kept.length === this.sorted.length ? this : kept.length === 0 ? IdSet.EMPTY : new IdSet(kept);
  }

  /** A set of the ids that are larger than `id`. */
  idsAbove(id: number): IdSet {
    const from = this.#firstIndexFrom(id + 1);
    return from === 0 ? this : from === this.sorted.length ? IdSet.EMPTY : new IdSet(this.sorted.slice(from));
  }

  /** Index of the first id of the set that is at least `id`. */
  #firstIndexFrom(id: number): number {
    const { sorted } = this;
    let low = this.#lastIndex;
    let high = sorted.length;
    if (low > 0 && sorted[low - 1]! >= id) {
      high = low - 1;
      low = 0;
    } else {
      if (low === high || sorted[low]! >= id) return low;
      low++;
      if (low < high && sorted[low]! >= id) high = low;
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sorted[middle]! < id) low = middle + 1;
      else high = middle;
    }
    this.#lastIndex = low;
    return low;
  }
}

const FIRST_ENCODED_BYTES = 16;

/**
 * Makes the stored form of a set (`IdSet.encode`) from ids that come in ascending order. It takes one or two bytes per
 * id while it grows, where a list of numbers takes eight.
 */
export class AscendingIdSetEncoder {
  #bytes: Uint8Array = new Uint8Array(FIRST_ENCODED_BYTES);
  #length = 0;
  #lastId = 0;
  #keptLength = 0;
  #lastKeptId = 0;

  /** Adds an id. An id that was added last is not added again. @throws RangeError for an id below the last one */
  addId(id: number): void {
    let rest = id - this.#lastId;
    if (rest === 0 && this.#length > 0) return;
    if (rest < 0) throw new RangeError(`${id} comes after ${this.#lastId}`);
    this.#lastId = id;
    while (rest >= 128) {
      this.#addByte((rest % 128) | 0x80);
      rest = Math.floor(rest / 128);
    }
    this.#addByte(rest);
  }

  /** Confirms the ids that were added since the last call: `dropAddedIds` no longer removes them. */
  keepAddedIds(): void {
    this.#keptLength = this.#length;
    this.#lastKeptId = this.#lastId;
  }

  /** Removes the ids that were added since the last call of `keepAddedIds`. */
  dropAddedIds(): void {
    this.#length = this.#keptLength;
    this.#lastId = this.#lastKeptId;
  }

  /** Returns the stored form of the added ids, in bytes of their own. */
  encode(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #addByte(byte: number): void {
    if (this.#length === this.#bytes.length) {
      // Grows by a quarter instead of doubling: an import keeps tens of thousands of these encoders, with 60 MB of ids.
      this.#bytes = withLength(this.#bytes, this.#length + Math.max(FIRST_ENCODED_BYTES, this.#length >> 2));
    }
    this.#bytes[this.#length++] = byte;
  }
}

/** A position in the stored form of a set (`IdSet.encode`), for callers that ask for ids in ascending order. */
export class EncodedIdCursor {
  /** The first id of the set that is at least the last one asked for; `Infinity` behind the last id. */
  nextId = 0;
  #at = 0;

  /** @param bytes a result of `IdSet.encode` */
  constructor(private readonly bytes: Uint8Array) {
    this.#moveToNextId();
  }

  /** Moves to the first id that is at least `id`, and says whether it is `id`. Ids must not descend. */
  has(id: number): boolean {
    while (this.nextId < id) this.#moveToNextId();
    return this.nextId === id;
  }

  /** Returns the first id above `id`, which was asked for last. */
  firstIdAbove(id: number): number {
    if (this.nextId === id) this.#moveToNextId();
    return this.nextId;
  }

  #moveToNextId(): void {
    const { bytes } = this;
    let at = this.#at;
    if (at >= bytes.length) {
      this.nextId = Number.POSITIVE_INFINITY;
      return;
    }
    let byte = bytes[at++]!;
    let difference = byte & 0x7f;
    for (let factor = 128; byte >= 0x80 && at < bytes.length; factor *= 128) {
      byte = bytes[at++]!;
      difference += (byte & 0x7f) * factor;
    }
    this.#at = at;
    this.nextId += difference;
  }
}

/**
 * Positions in the stored forms of many sets: an `EncodedIdCursor` for each. All are in a few arrays, because with
 * 300,000 sets of some 40 bytes the processor would mostly wait for memory if each had objects of its own.
 */
export class EncodedIdCursors {
  /** Stored forms of all sets, one behind the other. */
  readonly #bytes: Uint8Array;
  readonly #at: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #nextIds: Float64Array;

  /** @param sets results of `IdSet.encode`; anything else is an empty set */
  constructor(sets: readonly unknown[]) {
    const encoded = sets.map((set) => (set instanceof Uint8Array ? set : NO_BYTES));
    this.#bytes = new Uint8Array(encoded.reduce((sum, { length }) => sum + length, 0));
    this.#at = new Uint32Array(sets.length);
    this.#ends = new Uint32Array(sets.length);
    this.#nextIds = new Float64Array(sets.length);
    let end = 0;
    for (const [i, one] of encoded.entries()) {
      this.#bytes.set(one, end);
      this.#at[i] = end;
      end += one.length;
      this.#ends[i] = end;
      this.#moveToNextId(i);
    }
  }

  /** As `EncodedIdCursor.has`. @param i index of the set */
  has(i: number, id: number): boolean {
    let nextId = this.#nextIds[i]!;
    while (nextId < id) nextId = this.#moveToNextId(i);
    return nextId === id;
  }

  /** As `EncodedIdCursor.firstIdAbove`. @param i index of the set */
  firstIdAbove(i: number, id: number): number {
    const nextId = this.#nextIds[i]!;
    return nextId === id ? this.#moveToNextId(i) : nextId;
  }

  #moveToNextId(i: number): number {
    const bytes = this.#bytes;
    const end = this.#ends[i]!;
    let at = this.#at[i]!;
    if (at >= end) {
      this.#nextIds[i] = Number.POSITIVE_INFINITY;
      return Number.POSITIVE_INFINITY;
    }
    let byte = bytes[at++]!;
    let difference = byte & 0x7f;
    for (let factor = 128; byte >= 0x80 && at < end; factor *= 128) {
      byte = bytes[at++]!;
      difference += (byte & 0x7f) * factor;
    }
    this.#at[i] = at;
    const nextId = this.#nextIds[i]! + difference;
    this.#nextIds[i] = nextId;
    return nextId;
  }
}

const NO_BYTES = new Uint8Array();
