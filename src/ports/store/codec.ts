/**
 * The one encoding of opaque values, shared by every Store and by the embedded log, so that a value reads back the same
 * from each of them. MessagePack in a binary field needs no care for keys with dots, dollars or 8-byte integers.
 *
 * What comes back: null, booleans, strings, numbers (integers up to 2^53 - 1 exactly, -0 as 0), bytes as plain
 * Uint8Array, arrays, objects without their undefined fields. What doesn't survive: a lone surrogate becomes U+FFFD
 * (one or three of them), and a key `__proto__` is renamed (msgpackr refuses to build it), so neither may carry meaning.
 */
import { Packr } from 'msgpackr';
import type { Json } from '#base';

const options = {
  useRecords: false,
  mapsAsObjects: true,
  moreTypes: false,
  // Undefined fields are dropped, as JSON does; the size of a map is then known only after it was written.
  skipValues: [undefined],
  variableMapSize: true,
  // Else bytes would share memory with the page or the network buffer that they were read from.
  copyBuffers: true,
};
/** `skipValues` is missing from msgpackr's type, not from its documentation. */
const packr = new Packr(options as ConstructorParameters<typeof Packr>[0]);

/** The result isn't reused by a later call. */
export function pack(value: Json): Buffer {
  return packr.pack(value);
}

export function unpack(bytes: Uint8Array): Json {
  // From a Buffer, msgpackr would return embedded bytes as Buffers; callers compare and clone plain Uint8Arrays.
  return packr.unpack(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)) as Json;
}

/** A copy that shares nothing with its original, equal to what a Store returns. */
export function copy<T extends Json>(value: T): T {
  return unpack(pack(value)) as T;
}
