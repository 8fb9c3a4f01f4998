/**
 * Lazy maps and sets: tens of thousands of objects hold collections that mostly stay empty, so all of them share one
 * empty collection until the first entry (an empty Map takes some 200 bytes in V8).
 */
const refuseToAdd = (): never => {
  throw new Error('the shared empty collection was written to');
};
const SHARED_EMPTY_MAP = Object.assign(new Map<never, never>(), { set: refuseToAdd });
const SHARED_EMPTY_SET = Object.assign(new Set<never>(), { add: refuseToAdd });

export const newLazyMap = <K, V>(): Map<K, V> => SHARED_EMPTY_MAP as unknown as Map<K, V>;
export const newLazySet = <T>(): Set<T> => SHARED_EMPTY_SET as unknown as Set<T>;

/**
 * Returns a collection that may be written to: the given one, or a new one if the given one is the shared empty one.
 */
export const toWritableMap = <K, V>(map: Map<K, V>): Map<K, V> => (map.set === refuseToAdd ? new Map() : map);
export const toWritableSet = <T>(set: Set<T>): Set<T> => (set.add === refuseToAdd ? new Set() : set);
