/** How much of a long series a run tries: `npm test` a part that a seed picks, `npm run test:long` all of it. */

export const LONG = process.env.TEST_LONG === '1';
/** `npm run test:quick`. */
export const QUICK = process.env.TEST_QUICK === '1';
const SEED = process.env.SEED ?? '1';

/** FNV-1a, so that the choice depends on the seed and the text alone. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}

/** Share of the short form's rounds in a quick run. */
const QUICK_SHARE = 1 / 3;

/** Rounds of a property or a simulation. */
export function rounds(short: number, long: number): number {
  if (LONG) return long;
  return QUICK ? Math.ceil(short * QUICK_SHARE) : short;
}

/** Some of the items by SEED, in their order; all of them in the long form. @param nameOf must differ between items */
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
