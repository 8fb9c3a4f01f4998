/** API_TEST_SHARD=1/2: the families of the suite that this program runs, when several share them. */
const [index, count] = (process.env.API_TEST_SHARD ?? '1/1').split('/').map(Number) as [number, number];

export const isShard = count > 1;

/** Families are dealt in turn, because neighbours take similar time. */
export const shard = <T>(families: readonly T[]): T[] => families.filter((_, i) => i % count === index - 1);
