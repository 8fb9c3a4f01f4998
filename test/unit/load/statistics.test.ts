/** Statistics for the comparison of two runs, on fixed and on random series. */
import fc from 'fast-check';
import t from 'tap';
import { makeRandom } from '../../load/schedule.js';
import {
  differenceOf,
  probabilityOfAtLeast,
  type RatioSample,
  ratioOf,
  studentQuantile,
} from '../../load/statistics.js';

/** @returns a series of seconds with a hundred calls each, whose times vary randomly around `mean` */
function series(mean: number, seed: number, seconds = 60, noise = 0.2): RatioSample[] {
  const random = makeRandom(seed, 0);
  return Array.from({ length: seconds }, () => [100 * mean * (1 + noise * (2 * random.next() - 1)), 100] as const);
}

t.test('a series does not differ from itself', async (test) => {
  const difference = differenceOf(series(10, 1), series(10, 1))!;
  test.equal(difference.estimate, 0);
  test.ok(difference.low < 0 && difference.high > 0);
  const constant = Array.from({ length: 20 }, (): RatioSample => [1, 1]);
  test.strictSame(differenceOf(constant, constant), { estimate: 0, low: 0, high: 0 });
});

t.test('the range of a difference contains a known factor', async (test) => {
  const shifted = series(10, 1).map(([amount, per]): RatioSample => [amount * 1.15, per]);
  const { estimate, low, high } = differenceOf(series(10, 1), shifted)!;
  test.ok(Math.abs(estimate - Math.log(1.15)) < 1e-9);
  test.ok(low > 0 && high > estimate, `${low} to ${high}`);
});

t.test('noise rarely counts as a difference, and an increase by a third always does', async (test) => {
  let [alarms, misses] = [0, 0];
  for (let seed = 1; seed <= 300; seed++) {
    const { low, high } = differenceOf(series(10, seed), series(10, 1_000 + seed))!;
    if (low > 0 || high < 0) alarms++;
    if (differenceOf(series(10, seed), series(13.3, 1_000 + seed))!.low <= 0) misses++;
  }
  test.ok(alarms <= 9, `${alarms} of 300 at 99 %`);
  test.equal(misses, 0);
});

t.test('correlated neighbouring seconds widen the range of a difference', async (test) => {
  // Ten slow seconds alternate with ten fast ones; both series have this pattern, in opposite phase.
  const wave = (phase: number): RatioSample[] =>
    Array.from({ length: 70 }, (_, i): RatioSample => [Math.floor((i + phase) / 10) % 2 === 0 ? 8 : 12, 1]);
  const { low, high } = differenceOf(wave(0), wave(10))!;
  test.ok(low < 0 && high > 0, `${low} to ${high}`);
});

t.test('one very slow second is no difference', async (test) => {
  const stalled = series(10, 2).map((sample, i): RatioSample => (i === 30 ? [20_000, 100] : sample));
  test.ok(ratioOf(stalled) > 12);
  test.ok(differenceOf(series(10, 1), stalled)!.low < 0);
});

t.test('swapped runs have the opposite difference', async () => {
  const sample = fc.tuple(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 500 }));
  const some = fc.array(sample, { minLength: 10, maxLength: 90 });
  await fc.assert(
    fc.property(some, some, (a, b) => {
      const [there, back] = [differenceOf(a, b)!, differenceOf(b, a)!];
      const close = (x: number, y: number): boolean => Math.abs(x + y) < 1e-9;
      return close(there.estimate, back.estimate) && close(there.low, back.high) && close(there.high, back.low);
    }),
  );
});

t.test('the difference of short runs and of runs without calls is unknown', async (test) => {
  test.equal(differenceOf(series(10, 1, 9), series(10, 2)), undefined);
  test.ok(differenceOf(series(10, 1, 10), series(10, 2)));
  const empty = Array.from({ length: 60 }, (): RatioSample => [0, 0]);
  test.equal(differenceOf(empty, series(10, 1)), undefined);
  const once = empty.map((sample, i): RatioSample => (i === 3 ? [50, 10] : sample));
  test.equal(differenceOf(once, series(10, 1)), undefined, 'all calls are in one block');
});

t.test("quantiles of Student's distribution", async (test) => {
  test.equal(studentQuantile(1), 4.604, 'the smallest degrees of freedom have the largest quantile');
  test.equal(studentQuantile(10), 3.169);
  test.ok(Math.abs(studentQuantile(12) - 3.055) < 0.01);
  test.ok(Math.abs(studentQuantile(40) - 2.704) < 0.01);
  test.ok(Math.abs(studentQuantile(1e9) - 2.576) < 1e-6);
});

t.test('the probability of failures in the second run is binomial', async (test) => {
  test.equal(probabilityOfAtLeast(0, 7, 0.5), 1);
  test.ok(Math.abs(probabilityOfAtLeast(3, 3, 0.5) - 0.125) < 1e-12);
  test.ok(Math.abs(probabilityOfAtLeast(1, 2, 0.25) - (1 - 0.75 ** 2)) < 1e-12);
  test.ok(probabilityOfAtLeast(60, 70, 0.5) < 1e-6);
  test.ok(probabilityOfAtLeast(35, 70, 0.5) > 0.5);
  test.equal(probabilityOfAtLeast(5, 5, 1), 1);
  test.ok(Number.isFinite(probabilityOfAtLeast(60_000, 100_000, 0.5)));
});
