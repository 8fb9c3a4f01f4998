/** The search for the capacity, on simulated servers that break a threshold above a chosen number of users. */
import fc from 'fast-check';
import t from 'tap';
import { brokenThresholds, capacityText, type EndReason, findCapacity, type StepFigures } from '../../load/capacity.js';

const THRESHOLDS = { mean: 100, p99: 2_000, errors: 0.025 };
const PRECISION = 6;

const goodFigures = (users: number): StepFigures => ({
  users,
  clients: users,
  arrived: users,
  callMean: 5,
  callP99: 20,
  deliveryMean: 8,
  deliveryP99: 30,
  errors: 0,
  limited: 0,
  doubts: [],
  limit: '',
  limitedBy: 'server',
  facts: '',
  span: [0, 1],
  rows: [],
  next: { advice: [], room: '', processes: [] },
});

/** A server that is slow above `limit` users. */
const makeServer = (limit: number) => async (users: number) =>
  users > limit ? { ...goodFigures(users), callMean: 150 } : goodFigures(users);

t.test('a broken threshold is named, alone', async (test) => {
  const cases: readonly [Partial<StepFigures>, RegExp][] = [
    [{ callMean: 101 }, /^mean of calls 101 ms > 100 ms$/],
    [{ deliveryMean: 101 }, /^mean of deliveries/],
    [{ callP99: 2_001 }, /^p99 of calls/],
    [{ deliveryP99: 2_001 }, /^p99 of deliveries/],
    [{ errors: 0.03 }, /^errors 0\.0300 % > 0\.025 %$/],
    [{ arrived: 9, clients: 10 }, /^only 9 of 10 clients got an event queue$/],
    [{ errors: 5, limited: 7 }, /7 of them rate limits$/],
  ];
  for (const [change, words] of cases) {
    const faults = brokenThresholds({ ...goodFigures(10), ...change }, THRESHOLDS);
    test.equal(faults.length, 1);
    test.match(faults[0], words);
  }
  test.strictSame(
    brokenThresholds({ ...goodFigures(10), callMean: 100, errors: 0.025 }, THRESHOLDS),
    [],
    'a value at its threshold breaks nothing',
  );
});

t.test('the capacity is within the precision below the largest load that the server carries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 300 }), async (limit, start) => {
      const search = { start, maxUsers: 100_000, growth: 1.5, thresholds: THRESHOLDS, precision: PRECISION };
      const { users, steps, broke, brokeAt, end } = await findCapacity(search, makeServer(limit));
      const close = limit - users <= Math.max(1, users * 0.06);
      const least = brokeAt !== undefined && brokeAt > limit && brokeAt - users <= Math.max(1, users * 0.06);
      return users <= limit && close && least && broke.length === 1 && end === 'found' && steps.length < 60;
    }),
  );
});

t.test('the search ends at the maximum number of users', async (test) => {
  const search = { start: 50, maxUsers: 200, growth: 1.5, thresholds: THRESHOLDS, precision: PRECISION };
  const { users, broke, steps, end } = await findCapacity(search, makeServer(1_000_000));
  test.equal(end, 'max-users');
  test.equal(users, 200);
  test.strictSame(broke, []);
  test.strictSame(
    steps.map((step) => step.users),
    [50, 75, 113, 170, 200],
  );
});

t.test('a step that breaks a threshold once and holds when repeated does not end the search', async (test) => {
  let bad = true;
  const { users } = await findCapacity(
    { start: 50, maxUsers: 100, growth: 2, thresholds: THRESHOLDS, precision: PRECISION },
    async (count) => {
      const first = bad;
      bad = false;
      return first ? { ...goodFigures(count), callP99: 9_000 } : goodFigures(count);
    },
  );
  test.equal(users, 100);
});

/** Measures `count` steps on a server that is slow above `limit` users; the next step ends the search with a reason. */
const makeEndingServer = (count: number, reason: EndReason, limit = Number.POSITIVE_INFINITY) => {
  let steps = 0;
  return async (users: number): Promise<StepFigures | EndReason> =>
    ++steps > count ? reason : makeServer(limit)(users);
};

t.test('a search that ends early returns the last load within the thresholds, and the reason', async (test) => {
  const search = { start: 50, maxUsers: 1_000, growth: 2, thresholds: THRESHOLDS, precision: PRECISION };
  for (const reason of ['time', 'interrupted', 'accounts', 'rate limits', 'harness'] as const) {
    test.match(await findCapacity(search, makeEndingServer(2, reason)), {
      users: 100,
      brokeAt: undefined,
      end: reason,
    });
  }
  const between = await findCapacity(search, makeEndingServer(4, 'time', 150));
  test.match(between, { users: 100, brokeAt: 200, end: 'time' });
  test.equal(
    capacityText(between),
    'capacity: at least 100 users, 200 were too many; the time limit ended the search (--max-minutes)',
  );
  const unconfirmed = await findCapacity(search, makeEndingServer(3, 'time', 150));
  test.match(
    unconfirmed,
    { users: 100, brokeAt: 200, end: 'time' },
    'a broken step counts even if its repetition did not finish',
  );
  test.match(await findCapacity(search, makeEndingServer(0, 'time')), { users: 0, steps: [], end: 'time' });
});

t.test('a limit other than the server gives a lower bound and no capacity', async (test) => {
  const search = { start: 50, maxUsers: 10_000, growth: 2, thresholds: THRESHOLDS, precision: PRECISION };
  for (const limitedBy of ['harness', 'rate limits', 'machine'] as const) {
    const capacity = await findCapacity(search, async (users) => ({ ...(await makeServer(450)(users)), limitedBy }));
    test.equal(capacity.end, limitedBy);
    const expected = limitedBy === 'machine' ? 450 : 400;
    test.equal(capacity.users, expected, 'only the search on a full machine continues');
    test.match(capacityText(capacity), /^capacity: at least 4\d\d users, \d+ were too many; .* (is|are) the limit/);
  }
});

t.test('the text of the result is one sentence', async (test) => {
  const search = { start: 50, maxUsers: 10_000, growth: 2, thresholds: THRESHOLDS, precision: PRECISION };
  const of = async (limit: number, maxUsers = 10_000): Promise<string> =>
    capacityText(await findCapacity({ ...search, maxUsers }, makeServer(limit)));
  test.match(await of(1_500), /^capacity: 1,500 users \(1,550 were too many\)$/);
  test.equal(await of(0), 'capacity: not even one user (1 was too many)');
  test.equal(await of(9_000, 80), 'capacity: at least 80 users; --max-users allowed no more');
});
