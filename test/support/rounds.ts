/** Length of long test series: `npm test` runs a part that SEED picks, `npm run test:long` runs all. */

export const LONG = process.env.TEST_LONG === '1';
/** Set by `npm run test:quick`. */
export const QUICK = process.env.TEST_QUICK === '1';
const SEED = process.env.SEED ?? '1';

/** FNV-1a hash, so that the choice depends only on the seed and the text. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}

/** Share of the usual rounds, and of the families of the API suite, that a quick run makes. */
export const QUICK_SHARE = 1 / 3;

/** Number of rounds of a property test or a simulation. */
export function rounds(short: number, long: number): number {
  if (LONG) return long;
  return QUICK ? Math.ceil(short * QUICK_SHARE) : short;
}

/**
 * Picks items by SEED and keeps their order; returns all of them in a long run.
 * @param nameOf name of an item, unique within the items
 */
export function picked<T>(items: readonly T[], count: number, nameOf: (item: T) => string): readonly T[] {
  if (LONG || items.length <= count) return items;
  const ranked = items.map((item) => ({ item, rank: hash(`${SEED} ${nameOf(item)}`) }));
  const chosen = new Set(
    ranked
      .sort((a, b) => a.rank - b.rank)
      .slice(0, count)
      .map(({ item }) => item),
  );
  return items.filter((item) => chosen.has(item));
}
