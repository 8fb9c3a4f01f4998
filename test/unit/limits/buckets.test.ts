import t from 'tap';
import { parseRateLimitRules } from '#frontend/limits';
import { TwoGenerationBoundedMap } from '../../../src/frontend/limits/bounded-table.js';
import { RateBuckets, type SharedRateBucketCount } from '../../../src/frontend/limits/buckets.js';
import { FakeClock } from '../../support/fake-clock.js';

const MOST = { user: 10, polls: 10, address: 10, mails: 10, file: 10 };

t.test('a bounded table evicts the bucket idle for longest, and keeps active callers', async (t) => {
  const table = new TwoGenerationBoundedMap<number>(10);
  table.set('active', 1);
  for (let i = 0; i < 10_000; i++) {
    table.set(`stranger ${i}`, i);
    if (i % 3 === 0 && table.get('active') !== 1) t.fail(`gone at ${i}`);
    if (table.size > 10) t.fail(`${table.size} entries`);
  }
  t.equal(table.get('stranger 0'), undefined);
  t.equal(table.get('stranger 9999'), 9999);
});

t.test('any number of addresses takes no more than its share of memory', async (t) => {
  const buckets = new RateBuckets(new FakeClock(), MOST);
  const rules = parseRateLimitRules('60:2');
  let news = 0;
  buckets.setFirstUnsharedCountListener(() => news++);
  for (let i = 0; i < 200_000; i++) buckets.countCallUnlessOverLimit('address', `198.51.${i >> 8}.${i & 255}`, rules);
  t.ok(buckets.bucketCount('address') <= 10);
  t.equal(news, 1);
  let told = 0;
  while (buckets.hasUnsharedCounts) told += buckets.takeUnsharedCounts(5_000).length;
  t.equal(told, 100_000, 'of more than that others learn nothing');
  const refused = [1, 2, 3].map(() => buckets.countCallUnlessOverLimit('address', 'one', rules).waitMs > 0);
  t.same(refused, [false, false, true]);
});

t.test('all rules count, and the one with the least left is shown', async (t) => {
  const clock = new FakeClock(1_000_000);
  const buckets = new RateBuckets(clock, MOST);
  const rules = parseRateLimitRules('10:2,60:3');
  const take = (): unknown[] => {
    const { limit, remaining, reset, waitMs } = buckets.countCallUnlessOverLimit('user', '1/8', rules);
    return [limit, remaining, reset - 1_000, waitMs];
  };
  t.same(take(), [2, 1, 60, 0]);
  t.same(take(), [2, 0, 60, 0]);
  t.same(take(), [2, 0, 10, 10_000], 'refused: when it may be repeated');
  clock.advance(10_000);
  t.same(take(), [3, 0, 70, 0]);
  t.same(take(), [3, 0, 60, 50_000], 'refused ones were not counted');
});

t.test('a jump of the wall clock changes no limit', async (t) => {
  const clock = new FakeClock(1_000_000);
  const buckets = new RateBuckets(clock, MOST);
  const rules = parseRateLimitRules('60:1');
  buckets.countCallUnlessOverLimit('user', '1/8', rules);
  clock.now = () => 0;
  t.same(buckets.countCallUnlessOverLimit('user', '1/8', rules).waitMs, 60_000);
});

t.test('each count is published once, with the rules of the account', async (t) => {
  const buckets = new RateBuckets(new FakeClock(), MOST);
  const rules = parseRateLimitRules('60:10');
  let woken = 0;
  buckets.setFirstUnsharedCountListener(() => woken++);
  for (let i = 0; i < 3; i++) buckets.countCallUnlessOverLimit('user', '1/8', rules, '60:10');
  buckets.countCallUnlessOverLimit('polls', '1/8', rules);
  t.equal(woken, 1);
  const expected: SharedRateBucketCount[] = [
    { kind: 'user', key: '1/8', calls: 3, ownRulesText: '60:10' },
    { kind: 'polls', key: '1/8', calls: 1, ownRulesText: undefined },
  ];
  t.same(
    [buckets.takeUnsharedCounts(1), buckets.takeUnsharedCounts(5), buckets.takeUnsharedCounts(5)],
    [expected.slice(0, 1), expected.slice(1), []],
  );
  buckets.countCallUnlessOverLimit('user', '1/8', rules, '60:10');
  t.same(buckets.takeUnsharedCounts(5)[0]?.calls, 1);
  t.equal(woken, 2);
});
