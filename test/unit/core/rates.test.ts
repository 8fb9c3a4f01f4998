import t from 'tap';
import { RecentTimes, waitFor, withTime } from '../../../src/core/index.js';

const LIMITS = [
  [60, 2],
  [1_000, 3],
] as const;

t.test('every limit counts, and the longest wait', async (t) => {
  t.equal(waitFor(LIMITS, [], 5), 0);
  t.equal(waitFor(LIMITS, [0], 5), 0);
  t.equal(waitFor(LIMITS, [0, 10], 20), 40);
  t.equal(waitFor(LIMITS, [0, 10], 60), 0);
  t.equal(waitFor(LIMITS, [0, 10, 70], 200), 800);
  t.same(withTime(LIMITS, [0, 10, 70], 80), [10, 70, 80], 'no more than count');
  t.same(withTime(LIMITS, [0, 10, 70], 1_070), [1_070], 'nor older ones');
});

t.test('names are counted apart; of too many, the one that was longest quiet is forgotten', async (t) => {
  const recent = new RecentTimes(LIMITS, 2);
  t.same([recent.take('a', 0), recent.take('a', 1), recent.take('a', 2)], [0, 0, 58]);
  t.equal(recent.take('b', 3), 0);
  t.equal(recent.take('a', 62), 0);
  t.equal(recent.take('c', 63), 0, 'b goes');
  t.equal(recent.take('a', 70), 930, 'a has been here since');
  t.same([recent.take('b', 71), recent.take('b', 71), recent.take('b', 71)], [0, 0, 60]);
});
