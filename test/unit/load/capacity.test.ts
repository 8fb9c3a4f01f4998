/** The search for the capacity, on systems that fail at a load chosen by the test. */
import fc from 'fast-check';
import t from 'tap';
import { broken, findCapacity, type Measured } from '../../load/capacity.js';

const THRESHOLDS = { mean: 100, p99: 2_000, errors: 0.025 };

const calm = (users: number): Measured => ({
  users,
  callMean: 5,
  callP99: 20,
  deliveryMean: 8,
  deliveryP99: 30,
  errors: 0,
  limited: 0,
  doubts: [],
  limit: '',
  facts: '',
});

/** A server that is slow above `limit` users. */
const breaksAbove = (limit: number) => async (users: number) =>
  users > limit ? { ...calm(users), callMean: 150 } : calm(users);

t.test('each threshold fails by itself and is named', async (test) => {
  const cases: readonly [Partial<Measured>, RegExp][] = [
    [{ callMean: 101 }, /^mean of calls 101 ms > 100 ms$/],
    [{ deliveryMean: 101 }, /^mean of deliveries/],
    [{ callP99: 2_001 }, /^p99 of calls/],
    [{ deliveryP99: 2_001 }, /^p99 of deliveries/],
    [{ errors: 0.03 }, /^errors 0\.0300 % > 0\.025 %$/],
    [{ errors: 5, limited: 7 }, /7 of them rate limits$/],
  ];
  for (const [change, words] of cases) {
    const faults = broken({ ...calm(10), ...change }, THRESHOLDS);
    test.equal(faults.length, 1);
    test.match(faults[0], words);
  }
  test.strictSame(broken({ ...calm(10), callMean: 100, errors: 0.025 }, THRESHOLDS), [], 'at the threshold it holds');
});

t.test('the found capacity held, and little more would not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 300 }), async (limit, start) => {
      const search = { start, most: 100_000, growth: 1.5, thresholds: THRESHOLDS };
      const { users, steps, broke, unfinished } = await findCapacity(search, breaksAbove(limit));
      const close = limit - users <= Math.max(1, users * 0.06);
      return users <= limit && close && broke.length === 1 && !unfinished && steps.length < 60;
    }),
  );
});

t.test('the maximum is not exceeded', async (test) => {
  const search = { start: 50, most: 200, growth: 1.5, thresholds: THRESHOLDS };
  const { users, broke, steps } = await findCapacity(search, breaksAbove(1_000_000));
  test.equal(users, 200);
  test.strictSame(broke, []);
  test.strictSame(
    steps.map((step) => step.users),
    [50, 75, 113, 170, 200],
  );
});

t.test('one bad step is repeated, and forgiven', async (test) => {
  let bad = true;
  const { users } = await findCapacity({ start: 50, most: 100, growth: 2, thresholds: THRESHOLDS }, async (count) => {
    const first = bad;
    bad = false;
    return first ? { ...calm(count), callP99: 9_000 } : calm(count);
  });
  test.equal(users, 100);
});

t.test('a search that runs out of time returns the last load that held', async (test) => {
  let steps = 0;
  const { users, unfinished } = await findCapacity(
    { start: 50, most: 1_000, growth: 2, thresholds: THRESHOLDS },
    async (count) => (++steps > 2 ? undefined : calm(count)),
  );
  test.equal(users, 100);
  test.ok(unfinished);
});
