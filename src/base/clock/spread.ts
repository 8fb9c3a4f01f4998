/** Largest share by which jitter prolongs a time, so that timers which start together don't end together. */
export const SPREAD = 0.2;

/** The time plus up to 20 % of it. @param random returns a number in [0, 1) */
export const spread = (ms: number, random: () => number): number => ms * (1 + random() * SPREAD);
