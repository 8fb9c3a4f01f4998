/** streams.md § Stream objects, `stream_weekly_traffic`. */
import fc from 'fast-check';
import t from 'tap';
import {
  countMessagesInTrafficWindow,
  type DailyMessageCounts,
  estimateWeeklyStreamTraffic,
  withMessageAddedToDailyCounts,
} from '#domain/streams';

const DAY = 86_400_000;
const NOW = 20_000 * DAY + 1_000;
const daysAgo = (days: number): number => (NOW - days * DAY) / 1000;

t.test('a stream younger than a week has no traffic', async (t) => {
  t.equal(estimateWeeklyStreamTraffic(100, daysAgo(0), NOW), null);
  t.equal(estimateWeeklyStreamTraffic(100, daysAgo(7) + 1, NOW), null);
  t.equal(estimateWeeklyStreamTraffic(100, daysAgo(7), NOW), 100);
});

t.test('the traffic is scaled to a week, to two digits, and is not zero if there was a message', async (t) => {
  const cases: readonly [recent: number, age: number, weekly: number][] = [
    [0, 100, 0],
    [1, 100, 1],
    [3, 28, 1],
    [8, 28, 2],
    [11, 28, 2],
    [100, 14, 50],
    [10, 8, 8],
    [9, 27, 2],
    [404, 28, 100],
    [500, 28, 120],
    [540, 28, 140],
    [4_980, 28, 1_200],
    [3_999, 28, 1_000],
  ];
  for (const [recent, age, weekly] of cases)
    t.equal(estimateWeeklyStreamTraffic(recent, daysAgo(age), NOW), weekly, `${recent} in ${age} days`);
});

t.test('the last 28 days count, with any gaps between messages', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 }), fc.nat({ max: 40 }), (gaps, silence) => {
      let counts: DailyMessageCounts | undefined;
      let day = 20_000;
      const sent: number[] = [];
      for (const gap of gaps) {
        day += gap;
        sent.push(day);
        counts = withMessageAddedToDailyCounts(counts, day * DAY + 5);
      }
      const today = day + silence;
      const expected = sent.filter((one) => one > today - 28).length;
      t.equal(countMessagesInTrafficWindow(counts, today * DAY), expected);
      t.ok((counts?.counts.length ?? 0) <= 28);
    }),
  );
});
