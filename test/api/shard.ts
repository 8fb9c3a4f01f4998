/** API_TEST_SHARD=1/2: the families of the suite that this program runs, when several share them. */
const [index, count] = (process.env.API_TEST_SHARD ?? '1/1').split('/').map(Number) as [number, number];

export const isShard = count > 1;

/** In turn, because neighbours are alike. */
export const shard = <T>(families: readonly T[]): T[] => families.filter((_, i) => i % count === index - 1);
