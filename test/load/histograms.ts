/** Histograms of times in microseconds: 3 significant digits up to ten minutes, all of one shape, so they add up. */
import { createRequire } from 'node:module';
import type { Int32Histogram as Int32 } from 'hdr-histogram-js';

// The package is CommonJS and its names aren't found by static analysis everywhere.
const { Int32Histogram, encodeIntoCompressedBase64 } = createRequire(import.meta.url)(
  'hdr-histogram-js',
) as typeof import('hdr-histogram-js');

export type Times = Int32;
/** Pairs of index and count of the buckets that aren't empty. */
export type Sparse = readonly number[];

const HIGHEST_US = 600_000_000;

export const times = (): Times => new Int32Histogram(1, HIGHEST_US, 3);

/** @param ms may have fractions; less than a microsecond, also less than nothing, counts as one */
export function record(to: Times, ms: number): void {
  to.recordValue(Math.max(1, Math.min(HIGHEST_US, Math.round(ms * 1_000))));
}

export function sparse(of: Times): Sparse {
  if (of.totalCount === 0) return [];
  const pairs: number[] = [];
  const last = of.countsArrayIndex(of.maxValue);
  for (let i = 0; i <= last; i++) {
    const count = of.getCountAtIndex(i);
    if (count > 0) pairs.push(i, count);
  }
  return pairs;
}

export function merge(to: Times, from: Sparse): void {
  for (let i = 0; i < from.length; i += 2) to.recordValueWithCount(to.valueFromIndex(from[i]!), from[i + 1]!);
}

export interface Summary {
  readonly count: number;
  /** Milliseconds, as all of these. */
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export function summaryOf(of: Times): Summary {
  // A bucket's upper end may lie above everything in it.
  const at = (percentile: number): number => Math.min(of.getValueAtPercentile(percentile), of.maxValue) / 1_000;
  const count = of.totalCount;
  if (count === 0) return { count, mean: 0, p50: 0, p90: 0, p99: 0, p999: 0, max: 0 };
  const mean = of.mean / 1_000;
  return { count, mean, p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: of.maxValue / 1_000 };
}

/** In the format that tools for such histograms read. */
export const encoded = (of: Times): string => encodeIntoCompressedBase64(of);
