/** Typed arrays that grow: compact lists of numbers whose length is not known in advance. */

type GrowableArray = Uint8Array | Uint32Array | Float64Array;

/** Returns a copy of twice the length, with zeros behind the numbers of the array. */
export function withDoubledLength<T extends GrowableArray>(array: T): T {
  const larger = new (array.constructor as new (length: number) => T)(array.length * 2);
  larger.set(array);
  return larger;
}
