import fc from 'fast-check';
import t from 'tap';
import { RecentChanges } from '../../../src/directory/collections/recent-changes.js';

t.test('the ids that changed since a count are those that were added after it, or unknown', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20)), { maxLength: 60 }), fc.nat(60), (changes, seen) => {
      const recent = new RecentChanges<number>();
      for (const id of changes) {
        if (id === null) recent.addChangeOfAll();
        else recent.add(id);
      }
      const after = changes.slice(seen);
      const expected = seen > changes.length || after.includes(null) ? undefined : [...new Set(after)];
      return JSON.stringify(recent.since(seen)) === JSON.stringify(expected) && recent.count === changes.length;
    }),
  );
  t.pass();
});

t.test('only the newest changes are remembered', async (t) => {
  const recent = new RecentChanges<number>();
  for (let id = 0; id < 100_000; id++) recent.add(id);
  t.equal(recent.since(50_000), undefined);
  t.same(recent.since(99_998), [99_998, 99_999]);
  t.same(recent.since(100_000), []);
  t.equal(recent.since(99_000)?.length, 1_000);
});
