/**
 * Statistics of the difference between two runs. A figure of a run is a ratio of sums over its seconds (time per call,
 * calls per second). Neighbouring seconds are correlated, so seconds are grouped into blocks, and the variance of the
 * ratio is the jackknife estimate over blocks. Logarithms make a factor and its inverse equally different.
 */

/** Contribution of one second to the numerator and to the denominator of a ratio. */
export type RatioSample = readonly [amount: number, per: number];

/** Estimate and 99 % confidence interval of the logarithm of after ÷ before. */
export interface Difference {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

const MAX_BLOCKS = 20;
/** Smallest number of blocks for an estimate of the variance. */
const MIN_BLOCKS = 5;
const MIN_BLOCK_SECONDS = 2;

/** Quantile 0.995 of Student's t-distribution by degrees of freedom; interpolated linearly in their inverse. */
const STUDENT_QUANTILES: readonly (readonly [degrees: number, quantile: number])[] = [
  ...([
    [4, 4.604],
    [5, 4.032],
    [6, 3.707],
    [8, 3.355],
    [10, 3.169],
    [15, 2.947],
    [20, 2.845],
    [30, 2.75],
    [60, 2.66],
  ] as const),
  [Number.POSITIVE_INFINITY, 2.576],
];

export function studentQuantile(degrees: number): number {
  const above = STUDENT_QUANTILES.findIndex(([of]) => of >= degrees);
  if (above <= 0) return STUDENT_QUANTILES[0]![1];
  const [[low, from], [high, to]] = [STUDENT_QUANTILES[above - 1]!, STUDENT_QUANTILES[above]!];
  return from + ((to - from) * (1 / low - 1 / degrees)) / (1 / low - 1 / high);
}

export const ratioOf = (samples: readonly RatioSample[]): number => {
  let [amount, per] = [0, 0];
  for (const [a, p] of samples) {
    amount += a;
    per += p;
  }
  return amount / per;
};

function blocksOf(samples: readonly RatioSample[]): RatioSample[] {
  const size = Math.max(MIN_BLOCK_SECONDS, Math.ceil(samples.length / MAX_BLOCKS));
  const blocks: [number, number][] = [];
  samples.forEach(([amount, per], i) => {
    const isFullBlock = Math.floor(i / size) < Math.floor(samples.length / size);
    if (i % size === 0 && isFullBlock) blocks.push([0, 0]);
    const last = blocks.at(-1);
    if (!last) return;
    last[0] += amount;
    last[1] += per;
  });
  return blocks;
}

interface LogRatio {
  readonly value: number;
  readonly variance: number;
  readonly degrees: number;
}

/** @returns the logarithm of the ratio with its variance; undefined for a short run or a ratio of 0 */
function logRatioOf(samples: readonly RatioSample[]): LogRatio | undefined {
  const blocks = blocksOf(samples);
  if (blocks.length < MIN_BLOCKS) return undefined;
  const value = Math.log(ratioOf(blocks));
  const leaveOneOut = blocks.map((_, i) => Math.log(ratioOf(blocks.filter((__, j) => j !== i))));
  if (![value, ...leaveOneOut].every(Number.isFinite)) return undefined;
  const mean = leaveOneOut.reduce((sum, one) => sum + one, 0) / leaveOneOut.length;
  const squares = leaveOneOut.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return { value, variance: (squares * (blocks.length - 1)) / blocks.length, degrees: blocks.length - 1 };
}

/** @returns the difference; undefined if a run is too short, or has events in fewer than two blocks */
export function differenceOf(before: readonly RatioSample[], after: readonly RatioSample[]): Difference | undefined {
  const [a, b] = [logRatioOf(before), logRatioOf(after)];
  if (!a || !b) return undefined;
  const estimate = b.value - a.value;
  const variance = a.variance + b.variance;
  const degrees = variance ** 2 / (a.variance ** 2 / a.degrees + b.variance ** 2 / b.degrees);
  const halfWidth = variance === 0 ? 0 : studentQuantile(degrees) * Math.sqrt(variance);
  return { estimate, low: estimate - halfWidth, high: estimate + halfWidth };
}

/**
 * Binomial probability that at least `inSecond` of the failures of two runs fall into the second one, if both runs fail
 * equally often.
 *
 * @param share of all attempts that the second run made, 0 to 1
 */
export function probabilityOfAtLeast(inSecond: number, inBoth: number, share: number): number {
  if (inSecond === 0) return 1;
  if (share <= 0 || share >= 1) return share <= 0 ? 0 : 1;
  // Each binomial term follows from the one before; logarithms avoid underflow.
  let logarithm = inSecond * Math.log(share) + (inBoth - inSecond) * Math.log(1 - share);
  for (let i = 1; i <= inSecond; i++) logarithm += Math.log(inBoth - inSecond + i) - Math.log(i);
  let sum = 0;
  for (let n = inSecond; n <= inBoth; n++) {
    sum += Math.exp(logarithm);
    logarithm += Math.log(inBoth - n) - Math.log(n + 1) + Math.log(share) - Math.log(1 - share);
  }
  return Math.min(1, sum);
}
