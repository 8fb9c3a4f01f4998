/** Latency histograms: merging, precision and reset. */
import fc from 'fast-check';
import t from 'tap';
import { addSparse, makeHistogram, recordLatency, summaryOf, toSparse } from '../../load/histograms.js';

const milliseconds = fc.array(fc.double({ min: 0, max: 700_000, noNaN: true }), { maxLength: 80 });

t.test('merged histograms of two processes equal one histogram of all values', async () => {
  fc.assert(
    fc.property(milliseconds, milliseconds, (a, b) => {
      const [one, two, all, merged] = [makeHistogram(), makeHistogram(), makeHistogram(), makeHistogram()];
      for (const ms of a) recordLatency(one, ms);
      for (const ms of b) recordLatency(two, ms);
      for (const ms of [...a, ...b]) recordLatency(all, ms);
      addSparse(merged, toSparse(one));
      addSparse(merged, toSparse(two));
      return (
        JSON.stringify(toSparse(merged)) === JSON.stringify(toSparse(all)) && merged.totalCount === a.length + b.length
      );
    }),
  );
});

t.test('percentiles are exact to three digits', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.001, max: 500_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
      (values) => {
        const histogram = makeHistogram();
        for (const ms of values) recordLatency(histogram, ms);
        const sorted = [...values].sort((a, b) => a - b);
        const { p50, p99, max } = summaryOf(histogram);
        const near = (is: number, percentile: number): boolean => {
          const should = sorted[Math.ceil((percentile / 100) * sorted.length) - 1]!;
          return Math.abs(is - should) <= should * 0.002 + 0.002;
        };
        return near(p50, 50) && near(p99, 99) && near(max, 100);
      },
    ),
  );
});

t.test('a reset histogram is empty, and the summary of an empty histogram is zero', async (test) => {
  const histogram = makeHistogram();
  recordLatency(histogram, 5);
  histogram.reset();
  test.strictSame(toSparse(histogram), []);
  test.strictSame(summaryOf(histogram), { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, p999: 0, max: 0 });
});
