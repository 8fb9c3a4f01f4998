/** Typed arrays that grow: compact lists of numbers whose length is not known in advance. */

type GrowableArray = Uint8Array | Uint32Array | Float64Array;

/** Returns a longer copy, with zeros behind the numbers of the array. */
export function withLength<T extends GrowableArray>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
}

export const withDoubledLength = <T extends GrowableArray>(array: T): T => withLength(array, array.length * 2);
