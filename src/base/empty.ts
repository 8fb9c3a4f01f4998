/**
 * Maps and sets that stay empty in most of the objects that have them, of which there are tens of thousands: one empty
 * one for all, until something is put in (an empty Map of V8 takes some 200 bytes).
 */
const refuse = (): never => {
  throw new Error('the shared empty collection was written to');
};
const NO_ENTRIES = Object.assign(new Map<never, never>(), { set: refuse });
const NO_MEMBERS = Object.assign(new Set<never>(), { add: refuse });

export const emptyMap = <K, V>(): Map<K, V> => NO_ENTRIES as unknown as Map<K, V>;
export const emptySet = <T>(): Set<T> => NO_MEMBERS as unknown as Set<T>;

/** The same, or a new one in place of the shared empty one: to be put in its place before it is written to. */
export const ownMap = <K, V>(map: Map<K, V>): Map<K, V> => (map.set === refuse ? new Map() : map);
export const ownSet = <T>(set: Set<T>): Set<T> => (set.add === refuse ? new Set() : set);

/** The same, or the shared one in place of one that has become empty. */
export const slimMap = <K, V>(map: Map<K, V>): Map<K, V> => (map.size === 0 ? emptyMap() : map);
