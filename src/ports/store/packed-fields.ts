/**
 * Finds values in MessagePack bytes without decoding the others, for readers that need a few fields of very many
 * records. Layout of the bytes: https://github.com/msgpack/msgpack/blob/master/spec.md
 */

const MAX_SHORT_TEXT_BYTES = 31;

/** Number of bytes of each value from 0xc0 to 0xdf without the part whose length the value itself tells. */
const HEADER_BYTES = Uint8Array.from([
  1, 0, 1, 1, 2, 3, 5, 3, 4, 6, 5, 9, 2, 3, 5, 9, 2, 3, 5, 9, 3, 4, 6, 10, 18, 2, 3, 5, 3, 5, 3, 5,
]);
/** Number of bytes in which each value from 0xc0 to 0xdf tells its length; 0 for values that tell none. */
const LENGTH_BYTES = Uint8Array.from([
  0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4,
]);
const FIRST_TYPE_WITH_HEADER = 0xc0;
const UNUSED_TYPE = 0xc1;
const ARRAY_16_TYPE = 0xdc;
const MAP_16_TYPE = 0xde;
const FIRST_NEGATIVE_INTEGER = 0xe0;

const readLength = (view: DataView, at: number, bytes: number): number =>
  bytes === 1 ? view.getUint8(at) : bytes === 2 ? view.getUint16(at) : view.getUint32(at);

/** Returns the position behind the value. @throws RangeError for bytes that are no MessagePack */
export function skipPackedValue(view: DataView, position: number): number {
  let at = position;
  for (let missing = 1; missing > 0; missing--) {
    const type = view.getUint8(at);
    if (type < 0x80 || type >= FIRST_NEGATIVE_INTEGER) at++;
    else if (type < FIRST_TYPE_WITH_HEADER) {
      at++;
      if (type < 0x90) missing += 2 * (type & 0x0f);
      else if (type < 0xa0) missing += type & 0x0f;
      else at += type & 0x1f;
    } else {
      if (type === UNUSED_TYPE) throw new RangeError(`no MessagePack at ${at}`);
      const lengthBytes = LENGTH_BYTES[type - FIRST_TYPE_WITH_HEADER]!;
      const length = lengthBytes === 0 ? 0 : readLength(view, at + 1, lengthBytes);
      at += HEADER_BYTES[type - FIRST_TYPE_WITH_HEADER]!;
      if (type >= MAP_16_TYPE) missing += 2 * length;
      else if (type >= ARRAY_16_TYPE) missing += length;
      else at += length;
    }
  }
  return at;
}

/** Finds the values of some fields of a map. One object is used for many maps. */
export class PackedFieldFinder {
  /** Positions of the values, in the order of the names; -1 for a field that the map doesn't have. */
  readonly positions: Int32Array;
  readonly #names: readonly Uint8Array[];
  /** Indexes of the names that have this number of bytes. */
  readonly #indexesByLength: readonly (readonly number[])[];

  /** @param names ASCII names of at most 31 characters */
  constructor(names: readonly string[]) {
    this.#names = names.map((name) => Buffer.from(name));
    this.positions = new Int32Array(names.length).fill(-1);
    this.#indexesByLength = Array.from({ length: MAX_SHORT_TEXT_BYTES + 1 }, (_, length) =>
      [...names.keys()].filter((i) => names[i]!.length === length),
    );
  }

  /** Finds the fields of the map at this position; those of another value are missing. */
  findFieldsOfMap(view: DataView, position: number): void {
    this.positions.fill(-1);
    const type = view.getUint8(position);
    let count = 0;
    let at = position + 1;
    if (type >= 0x80 && type < 0x90) count = type & 0x0f;
    else if (type === MAP_16_TYPE || type === MAP_16_TYPE + 1) {
      const bytes = type === MAP_16_TYPE ? 2 : 4;
      count = readLength(view, at, bytes);
      at += bytes;
    }
    for (; count > 0; count--) {
      const keyType = view.getUint8(at);
      let found = -1;
      if (keyType >= 0xa0 && keyType < FIRST_TYPE_WITH_HEADER) {
        found = this.#indexOfName(view, at + 1, keyType & 0x1f);
        at += 1 + (keyType & 0x1f);
      } else at = skipPackedValue(view, at);
      if (found >= 0) this.positions[found] = at;
      at = skipPackedValue(view, at);
    }
  }

  #indexOfName(view: DataView, at: number, length: number): number {
    for (const index of this.#indexesByLength[length]!) if (areBytesAt(view, at, this.#names[index]!)) return index;
    return -1;
  }
}

/** True if these bytes are at this position. */
export function areBytesAt(view: DataView, at: number, bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (view.getUint8(at + i) !== bytes[i]) return false;
  return true;
}

// These functions take a position of `PackedFieldFinder`; for a missing field, -1, they return undefined.

/** Returns the unsigned integer or the 64-bit float at this position; undefined if another value is there. */
export function readPackedNumber(view: DataView, at: number): number | undefined {
  if (at < 0) return undefined;
  const type = view.getUint8(at);
  if (type < 0x80) return type;
  if (type === 0xcc) return view.getUint8(at + 1);
  if (type === 0xcd) return view.getUint16(at + 1);
  if (type === 0xce) return view.getUint32(at + 1);
  return type === 0xcb ? view.getFloat64(at + 1) : undefined;
}

/** Returns true or false from this position; undefined if another value is there. */
export function readPackedBoolean(view: DataView, at: number): boolean | undefined {
  if (at < 0) return undefined;
  const type = view.getUint8(at);
  return type === 0xc3 ? true : type === 0xc2 ? false : undefined;
}

/** Returns the number of elements of the list at this position; undefined if another value is there. */
export function readPackedListLength(view: DataView, at: number): number | undefined {
  if (at < 0) return undefined;
  const type = view.getUint8(at);
  if (type >= 0x90 && type < 0xa0) return type & 0x0f;
  return type === ARRAY_16_TYPE || type === ARRAY_16_TYPE + 1
    ? readLength(view, at + 1, type === ARRAY_16_TYPE ? 2 : 4)
    : undefined;
}

/** Returns the text at this position; undefined if another value is there. */
export function readPackedText(view: DataView, at: number): string | undefined {
  const start = findPackedTextStart(view, at);
  if (start === undefined) return undefined;
  return Buffer.from(view.buffer, view.byteOffset + start, skipPackedValue(view, at) - start).toString();
}

/** Returns the position of the first byte of the text at this position; undefined if another value is there. */
export function findPackedTextStart(view: DataView, at: number): number | undefined {
  if (at < 0) return undefined;
  const type = view.getUint8(at);
  if (type >= 0xa0 && type < FIRST_TYPE_WITH_HEADER) return at + 1;
  return type >= 0xd9 && type <= 0xdb ? at + HEADER_BYTES[type - FIRST_TYPE_WITH_HEADER]! : undefined;
}
