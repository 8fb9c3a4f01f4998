/** Histograms of several processes add up to one of everything. */
import fc from 'fast-check';
import t from 'tap';
import { merge, record, sparse, summaryOf, times } from '../../load/histograms.js';

const milliseconds = fc.array(fc.double({ min: 0, max: 700_000, noNaN: true }), { maxLength: 80 });

t.test('merged histograms of two processes equal one histogram of everything', async () => {
  fc.assert(
    fc.property(milliseconds, milliseconds, (a, b) => {
      const [one, two, all, merged] = [times(), times(), times(), times()];
      for (const ms of a) record(one, ms);
      for (const ms of b) record(two, ms);
      for (const ms of [...a, ...b]) record(all, ms);
      merge(merged, sparse(one));
      merge(merged, sparse(two));
      return (
        JSON.stringify(sparse(merged)) === JSON.stringify(sparse(all)) && merged.totalCount === a.length + b.length
      );
    }),
  );
});

t.test('percentiles are exact to three digits', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.001, max: 500_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
      (values) => {
        const histogram = times();
        for (const ms of values) record(histogram, ms);
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

t.test('a reset histogram starts empty, and an empty one has no figures', async (test) => {
  const histogram = times();
  record(histogram, 5);
  histogram.reset();
  test.strictSame(sparse(histogram), []);
  test.strictSame(summaryOf(histogram), { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, p999: 0, max: 0 });
});
