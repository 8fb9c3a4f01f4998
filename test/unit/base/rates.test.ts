import t from 'tap';
import { addCallTime, msUntilAllowed } from '#base';

const LIMITS = [
  [60, 2],
  [1_000, 3],
] as const;

t.test('every limit counts, and the longest wait', async (t) => {
  t.equal(msUntilAllowed(LIMITS, [], 5), 0);
  t.equal(msUntilAllowed(LIMITS, [0], 5), 0);
  t.equal(msUntilAllowed(LIMITS, [0, 10], 20), 40);
  t.equal(msUntilAllowed(LIMITS, [0, 10], 60), 0);
  t.equal(msUntilAllowed(LIMITS, [0, 10, 70], 200), 800);
  t.same(addCallTime(LIMITS, [0, 10, 70], 80), [10, 70, 80], 'no more than count');
  t.same(addCallTime(LIMITS, [0, 10, 70], 1_070), [1_070], 'nor older ones');
});
