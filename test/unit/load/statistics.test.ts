/** Statistics of comparisons, on fixed and on random series. */
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

/** Seconds with a hundred calls each, whose mean wanders around `mean`. */
function series(mean: number, seed: number, seconds = 60, noise = 0.2): RatioSample[] {
  const random = makeRandom(seed, 0);
  return Array.from({ length: seconds }, () => [100 * mean * (1 + noise * (2 * random.next() - 1)), 100] as const);
}

t.test('a series differs from itself by nothing', async (test) => {
  const difference = differenceOf(series(10, 1), series(10, 1))!;
  test.equal(difference.estimate, 0);
  test.ok(difference.low < 0 && difference.high > 0);
  const constant = Array.from({ length: 20 }, (): RatioSample => [1, 1]);
  test.strictSame(differenceOf(constant, constant), { estimate: 0, low: 0, high: 0 });
});

t.test('a shifted series is found, within its range', async (test) => {
  const shifted = series(10, 1).map(([amount, per]): RatioSample => [amount * 1.15, per]);
  const { estimate, low, high } = differenceOf(series(10, 1), shifted)!;
  test.ok(Math.abs(estimate - Math.log(1.15)) < 1e-9);
  test.ok(low > 0 && high > estimate, `${low} to ${high}`);
});

t.test('noise alone is rarely taken for a difference, and a third more is always found', async (test) => {
  let [alarms, misses] = [0, 0];
  for (let seed = 1; seed <= 300; seed++) {
    const { low, high } = differenceOf(series(10, seed), series(10, 1_000 + seed))!;
    if (low > 0 || high < 0) alarms++;
    if (differenceOf(series(10, seed), series(13.3, 1_000 + seed))!.low <= 0) misses++;
  }
  test.ok(alarms <= 9, `${alarms} of 300 at 99 %`);
  test.equal(misses, 0);
});

t.test('neighbouring seconds that resemble each other do not count as many observations', async (test) => {
  // Ten slow seconds, ten fast ones, and so on: the two halves of such a pattern are the same server.
  const wave = (phase: number): RatioSample[] =>
    Array.from({ length: 70 }, (_, i): RatioSample => [Math.floor((i + phase) / 10) % 2 === 0 ? 8 : 12, 1]);
  const { low, high } = differenceOf(wave(0), wave(10))!;
  test.ok(low < 0 && high > 0, `${low} to ${high}`);
});

t.test('one bad second is no difference', async (test) => {
  const stalled = series(10, 2).map((sample, i): RatioSample => (i === 30 ? [20_000, 100] : sample));
  test.ok(ratioOf(stalled) > 12);
  test.ok(differenceOf(series(10, 1), stalled)!.low < 0);
});

t.test('swapping both runs swaps the sign', async () => {
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

t.test('short runs and runs in which nothing happened have no difference', async (test) => {
  test.equal(differenceOf(series(10, 1, 9), series(10, 2)), undefined);
  test.ok(differenceOf(series(10, 1, 10), series(10, 2)));
  const empty = Array.from({ length: 60 }, (): RatioSample => [0, 0]);
  test.equal(differenceOf(empty, series(10, 1)), undefined);
  const once = empty.map((sample, i): RatioSample => (i === 3 ? [50, 10] : sample));
  test.equal(differenceOf(once, series(10, 1)), undefined, 'all of it in one block');
});

t.test("quantiles of Student's distribution", async (test) => {
  test.equal(studentQuantile(1), 4.604, 'fewer degrees do not occur');
  test.equal(studentQuantile(10), 3.169);
  test.ok(Math.abs(studentQuantile(12) - 3.055) < 0.01);
  test.ok(Math.abs(studentQuantile(40) - 2.704) < 0.01);
  test.ok(Math.abs(studentQuantile(1e9) - 2.576) < 1e-6);
});

t.test('the chance of so many failures in the second run', async (test) => {
  test.equal(probabilityOfAtLeast(0, 7, 0.5), 1);
  test.ok(Math.abs(probabilityOfAtLeast(3, 3, 0.5) - 0.125) < 1e-12);
  test.ok(Math.abs(probabilityOfAtLeast(1, 2, 0.25) - (1 - 0.75 ** 2)) < 1e-12);
  test.ok(probabilityOfAtLeast(60, 70, 0.5) < 1e-6);
  test.ok(probabilityOfAtLeast(35, 70, 0.5) > 0.5);
  test.equal(probabilityOfAtLeast(5, 5, 1), 1);
  test.ok(Number.isFinite(probabilityOfAtLeast(60_000, 100_000, 0.5)));
});
