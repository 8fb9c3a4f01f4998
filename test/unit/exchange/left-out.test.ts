/** Counts of what an import leaves out. */
import t from 'tap';
import { sumCountsByReason } from '#app/exchange';

t.test('a reason that a conversion and the import both count has the sum in the report', async (test) => {
  const converted = new Map([
    ['reaction', 3],
    ['message without text', 2],
  ]);
  test.strictSame(
    [...sumCountsByReason(converted, new Map([['reaction', 4]]))],
    [
      ['reaction', 7],
      ['message without text', 2],
    ],
  );
});
