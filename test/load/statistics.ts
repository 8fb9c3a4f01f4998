/**
 * Differences between two runs, and how far they are noise. A figure of a run is a ratio of sums over its seconds (time
 * per call, calls per second). Neighbouring seconds resemble each other, so seconds are put into blocks, and the spread
 * of the ratio is that of the ratios without one block each (jackknife). The logarithm makes a factor and its inverse
 * equally far from no difference.
 */

/** One second: what it adds to the numerator and to the denominator. */
export type Sample = readonly [amount: number, per: number];

/** Range of the logarithm of after ÷ before in which it lies with 99 % certainty, as far as one run can tell. */
export interface Difference {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

const MOST_BLOCKS = 20;
/** Fewer tell nothing about the spread. */
const LEAST_BLOCKS = 5;
const LEAST_BLOCK_SECONDS = 2;

/** Quantile 0.995 of Student's distribution by degrees of freedom; between them linear in their inverse. */
const STUDENT: readonly (readonly [degrees: number, quantile: number])[] = [
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
  const above = STUDENT.findIndex(([of]) => of >= degrees);
  if (above <= 0) return STUDENT[0]![1];
  const [[low, from], [high, to]] = [STUDENT[above - 1]!, STUDENT[above]!];
  return from + ((to - from) * (1 / low - 1 / degrees)) / (1 / low - 1 / high);
}

export const ratioOf = (samples: readonly Sample[]): number => {
  let [amount, per] = [0, 0];
  for (const [a, p] of samples) {
    amount += a;
    per += p;
  }
  return amount / per;
};

function blocksOf(samples: readonly Sample[]): Sample[] {
  const size = Math.max(LEAST_BLOCK_SECONDS, Math.ceil(samples.length / MOST_BLOCKS));
  const blocks: [number, number][] = [];
  samples.forEach(([amount, per], i) => {
    const whole = Math.floor(i / size) < Math.floor(samples.length / size);
    if (i % size === 0 && whole) blocks.push([0, 0]);
    const last = blocks.at(-1);
    if (!last) return;
    last[0] += amount;
    last[1] += per;
  });
  return blocks;
}

interface Spread {
  readonly value: number;
  readonly variance: number;
  readonly degrees: number;
}

/** Of the logarithm; undefined: too short, or nothing happened. */
function spreadOf(samples: readonly Sample[]): Spread | undefined {
  const blocks = blocksOf(samples);
  if (blocks.length < LEAST_BLOCKS) return undefined;
  const value = Math.log(ratioOf(blocks));
  const without = blocks.map((_, i) => Math.log(ratioOf(blocks.filter((__, j) => j !== i))));
  if (![value, ...without].every(Number.isFinite)) return undefined;
  const mean = without.reduce((sum, one) => sum + one, 0) / without.length;
  const squares = without.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return { value, variance: (squares * (blocks.length - 1)) / blocks.length, degrees: blocks.length - 1 };
}

/** @returns undefined when a run is too short, or has nothing of this kind */
export function differenceOf(before: readonly Sample[], after: readonly Sample[]): Difference | undefined {
  const [a, b] = [spreadOf(before), spreadOf(after)];
  if (!a || !b) return undefined;
  const estimate = b.value - a.value;
  const variance = a.variance + b.variance;
  const degrees = variance ** 2 / (a.variance ** 2 / a.degrees + b.variance ** 2 / b.degrees);
  const reach = variance === 0 ? 0 : studentQuantile(degrees) * Math.sqrt(variance);
  return { estimate, low: estimate - reach, high: estimate + reach };
}

/**
 * Chance that of all that failed in two runs as many or more fell into the second one if both fail equally often.
 *
 * @param share of all attempts that the second run made, 0 to 1
 */
export function chanceOfSoMany(inSecond: number, inBoth: number, share: number): number {
  if (inSecond === 0) return 1;
  if (share <= 0 || share >= 1) return share <= 0 ? 0 : 1;
  // Binomial: each term from the one before, from the logarithm of the first one on.
  let logarithm = inSecond * Math.log(share) + (inBoth - inSecond) * Math.log(1 - share);
  for (let i = 1; i <= inSecond; i++) logarithm += Math.log(inBoth - inSecond + i) - Math.log(i);
  let sum = 0;
  for (let n = inSecond; n <= inBoth; n++) {
    sum += Math.exp(logarithm);
    logarithm += Math.log(inBoth - n) - Math.log(n + 1) + Math.log(share) - Math.log(1 - share);
  }
  return Math.min(1, sum);
}
