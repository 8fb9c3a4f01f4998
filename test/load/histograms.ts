/** Latency histograms in µs: 3 significant digits up to ten minutes. All have equal buckets, so they can be merged. */
import { createRequire } from 'node:module';
import type { Int32Histogram as Int32 } from 'hdr-histogram-js';

// The package is CommonJS; static analysis does not find all of its named exports.
const { Int32Histogram, encodeIntoCompressedBase64 } = createRequire(import.meta.url)(
  'hdr-histogram-js',
) as typeof import('hdr-histogram-js');

export type Histogram = Int32;
/** Index and count of each bucket that is not empty, in pairs. */
export type SparseHistogram = readonly number[];

const MAX_US = 600_000_000;

export const makeHistogram = (): Histogram => new Int32Histogram(1, MAX_US, 3);

/** @param ms latency with fractions; values below 1 µs, also negative ones, count as 1 µs */
export function recordLatency(to: Histogram, ms: number): void {
  to.recordValue(Math.max(1, Math.min(MAX_US, Math.round(ms * 1_000))));
}

export function toSparse(of: Histogram): SparseHistogram {
  if (of.totalCount === 0) return [];
  const pairs: number[] = [];
  const last = of.countsArrayIndex(of.maxValue);
  for (let i = 0; i <= last; i++) {
    const count = of.getCountAtIndex(i);
    if (count > 0) pairs.push(i, count);
  }
  return pairs;
}

export function addSparse(to: Histogram, from: SparseHistogram): void {
  for (let i = 0; i < from.length; i += 2) to.recordValueWithCount(to.valueFromIndex(from[i]!), from[i + 1]!);
}

export interface Summary {
  readonly count: number;
  /** Mean, percentiles and maximum, ms. */
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export function summaryOf(of: Histogram): Summary {
  // The upper end of a bucket may lie above its largest value.
  const at = (percentile: number): number => Math.min(of.getValueAtPercentile(percentile), of.maxValue) / 1_000;
  const count = of.totalCount;
  if (count === 0) return { count, mean: 0, p50: 0, p90: 0, p99: 0, p999: 0, max: 0 };
  const mean = of.mean / 1_000;
  return { count, mean, p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: of.maxValue / 1_000 };
}

/** Encodes a histogram in HdrHistogram's compressed format, version 2. */
export const encodeHistogram = (of: Histogram): string => encodeIntoCompressedBase64(of);
