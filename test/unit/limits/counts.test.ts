import fc from 'fast-check';
import t from 'tap';
import {
  LeakyBucketCounter,
  type RateLimitCallCounter,
  SlidingWindowCounter,
} from '../../../src/frontend/limits/counts.js';

const RULE = { windowMs: 60_000, calls: 200 };

/** Calls that were let through, by time. */
function passed(count: RateLimitCallCounter, times: readonly number[]): number[] {
  return times.filter((at) => {
    if (count.msUntilNextCall(at) > 0) return false;
    count.addCalls(1, at);
    return true;
  });
}

const steps = fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 400 });
const timesOf = (gaps: readonly number[]): number[] => {
  let at = 0;
  return gaps.map((gap) => {
    at += gap;
    return at;
  });
};

t.test('a sliding window admits all calls at once, then more as the first ones expire', async (t) => {
  const count = new SlidingWindowCounter(RULE);
  t.equal(passed(count, Array<number>(300).fill(1_000)).length, 200);
  t.same([count.msUntilNextCall(1_000), count.remainingCalls(1_000), count.fullQuotaAtMs(1_000)], [60_000, 0, 61_000]);
  t.equal(count.msUntilNextCall(60_999), 1);
  t.same([count.msUntilNextCall(61_000), count.remainingCalls(61_000)], [0, 200]);
});

t.test('counts of other frontends may exceed the limit, and as many calls must expire', async (t) => {
  const count = new SlidingWindowCounter({ windowMs: 60_000, calls: 3 });
  count.addCalls(1, 0);
  count.addCalls(5, 10_000);
  count.addCalls(2, 20_000);
  t.equal(count.msUntilNextCall(20_000), 50_000, 'two of 20 s are left then');
  t.same([count.remainingCalls(69_999), count.remainingCalls(70_000)], [0, 1]);
});

t.test('no window less a sixtieth has more calls than allowed, and the announced wait suffices', async (t) => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 40 }), (gaps, calls) => {
      const count = new SlidingWindowCounter({ windowMs: 60_000, calls });
      const through = passed(count, timesOf(gaps));
      for (const [i, at] of through.entries()) {
        const later = through[i + calls];
        if (later !== undefined && later - at < 59_000) return false;
      }
      const end = timesOf(gaps).at(-1)!;
      const wait = count.msUntilNextCall(end);
      const left = count.remainingCalls(end);
      return count.msUntilNextCall(end + wait) === 0 && (wait === 0) === left > 0;
    }),
  );
  t.pass();
});

t.test('the memory of a window does not depend on the number of calls', async (t) => {
  const count = new SlidingWindowCounter({ windowMs: 60_000, calls: 1_000_000_000 });
  for (let at = 0; at < 300_000; at += 7) count.addCalls(1_000, at);
  t.ok(count.keptPartCount <= 61, `${count.keptPartCount} parts`);
});

t.test('a leaky bucket admits the burst, then one call each window / calls', async (t) => {
  const count = new LeakyBucketCounter(RULE);
  t.equal(passed(count, Array<number>(300).fill(0)).length, 200);
  t.same([count.msUntilNextCall(0), count.remainingCalls(0), count.fullQuotaAtMs(0)], [300, 0, 60_000]);
  t.equal(passed(count, [299, 300, 301, 600, 900]).length, 3);
  t.same([count.remainingCalls(120_000), count.msUntilNextCall(120_000)], [200, 0]);
});

t.test('no burst of a leaky bucket is longer than its rule', async (t) => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 40 }), (gaps, calls) => {
      const count = new LeakyBucketCounter({ windowMs: 60_000, calls });
      const through = passed(count, timesOf(gaps));
      // In any stretch of time the limit is the whole bucket, and the calls that leaked meanwhile.
      for (let i = 0; i < through.length; i++) {
        for (let k = i; k < through.length; k++) {
          const allowed = calls + ((through[k]! - through[i]!) * calls) / 60_000 + 1e-6;
          if (k - i + 1 > allowed) return false;
        }
      }
      const end = timesOf(gaps).at(-1)!;
      return count.msUntilNextCall(end + count.msUntilNextCall(end)) === 0;
    }),
  );
  t.pass();
});
