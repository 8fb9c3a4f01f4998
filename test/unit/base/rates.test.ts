import t from 'tap';
import { addRateLimitedCallTime, msUntilCallAllowed } from '#base';

const LIMITS = [
  [60, 2],
  [1_000, 3],
] as const;

t.test('every limit counts, and the longest wait', async (t) => {
  t.equal(msUntilCallAllowed(LIMITS, [], 5), 0);
  t.equal(msUntilCallAllowed(LIMITS, [0], 5), 0);
  t.equal(msUntilCallAllowed(LIMITS, [0, 10], 20), 40);
  t.equal(msUntilCallAllowed(LIMITS, [0, 10], 60), 0);
  t.equal(msUntilCallAllowed(LIMITS, [0, 10, 70], 200), 800);
  t.same(addRateLimitedCallTime(LIMITS, [0, 10, 70], 80), [10, 70, 80], 'no more than count');
  t.same(addRateLimitedCallTime(LIMITS, [0, 10, 70], 1_070), [1_070], 'nor older ones');
});
