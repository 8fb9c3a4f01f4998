/** So that what began together does not end together: the share by which a time is longer at most. */
export const SPREAD = 0.2;

/** A time and up to a fifth of it more. @param random in [0, 1) */
export const spread = (ms: number, random: () => number): number => ms * (1 + random() * SPREAD);
