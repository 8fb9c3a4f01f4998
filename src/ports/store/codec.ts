/**
 * Encodes opaque values as MessagePack, for every Store and for the embedded log, so that each of them returns the same
 * value. A binary field puts no restriction on keys with dots or dollars, nor on 8-byte integers.
 *
 * Preserved: null, booleans, strings, numbers (integers up to 2^53 - 1 exactly, -0 as 0), bytes as plain Uint8Array,
 * arrays, objects without their undefined fields. Not preserved: a lone surrogate becomes one or three U+FFFD, and a
 * key `__proto__` is renamed because msgpackr refuses to build it. Neither may carry meaning.
 */
import { Packr } from 'msgpackr';
import type { Json } from '#base';

const jsonPackrOptions = {
  useRecords: false,
  mapsAsObjects: true,
  moreTypes: false,
  // The encoder drops undefined fields, as JSON does. The size of a map is then only known after writing it.
  skipValues: [undefined],
  variableMapSize: true,
  // Without this option, decoded bytes share memory with the page or network buffer they were read from.
  copyBuffers: true,
};
/** msgpackr documents `skipValues` but leaves it out of its type. */
const jsonPackr = new Packr(jsonPackrOptions as ConstructorParameters<typeof Packr>[0]);

/** Encodes a value into a buffer that later calls don't reuse. */
export function packJsonToBuffer(value: Json): Buffer {
  return jsonPackr.pack(value);
}

export function unpackJson(bytes: Uint8Array): Json {
  // Given a Buffer, msgpackr returns embedded bytes as Buffers, but callers compare and clone plain Uint8Arrays.
  return jsonPackr.unpack(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)) as Json;
}

/**
 * Returns the first element of an encoded list if it is an integer of at most 32 bits, without decoding the rest;
 * otherwise undefined.
 */
export function readFirstSmallInteger(bytes: Uint8Array): number | undefined {
  const list = bytes[0]!;
  if (list < 0x91 || list > 0x9f) return undefined;
  const first = bytes[1]!;
  if (first < 0x80) return first;
  if (first === 0xcc) return bytes[2]!;
  if (first === 0xcd) return bytes[2]! * 0x100 + bytes[3]!;
  if (first === 0xce) return bytes[2]! * 0x1000000 + bytes[3]! * 0x10000 + bytes[4]! * 0x100 + bytes[5]!;
  return undefined;
}

/** Returns a deep copy, equal to the value that a Store would return. */
export function deepCopyJson<T extends Json>(value: T): T {
  return unpackJson(packJsonToBuffer(value)) as T;
}
