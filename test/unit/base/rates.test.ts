import t from 'tap';
import { addRateLimitedCallTime, computeRateLimitStatus, isAnyCallStillCounted, msUntilCallAllowed } from '#base';

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

t.test('calls from a time when the clock was ahead refuse no call after its correction', async (t) => {
  const ahead = [100_000, 100_010, 100_020];
  t.equal(msUntilCallAllowed(LIMITS, ahead, 50), 0);
  t.equal(msUntilCallAllowed(LIMITS, [0, 10, ...ahead], 20), 40, 'earlier calls count');
  t.equal(isAnyCallStillCounted(LIMITS, ahead, 50), false);
  t.same(computeRateLimitStatus(LIMITS, ahead, 50), { limit: 2, remaining: 2, reset: 1 });
  t.same(addRateLimitedCallTime(LIMITS, [0, ...ahead], 50), [0, 50]);
});
