import fc from 'fast-check';
import t from 'tap';
import { AscendingIdSetEncoder, EncodedIdCursor, EncodedIdCursors, IdSet } from '#base';

const id = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));
const ids = fc.array(id, { maxLength: 40 });
const ascending = (list: Iterable<number>): number[] => [...new Set(list)].sort((a, b) => a - b);

t.test('a set has the ids that it was made of, also after encoding and decoding', async (t) => {
  fc.assert(
    fc.property(ids, (list) => {
      const set = IdSet.fromIds(list);
      return (
        JSON.stringify(set.ids) === JSON.stringify(ascending(list)) &&
        JSON.stringify(IdSet.decode(set.encode()).ids) === JSON.stringify(set.ids)
      );
    }),
  );
  t.pass();
});

t.test('with, without, has and above work as on plain sets and do not change the set', async (t) => {
  fc.assert(
    fc.property(ids, ids, id, (list, other, one) => {
      const set = IdSet.fromIds(list);
      const before = JSON.stringify(set.ids);
      const same = (a: IdSet, b: Iterable<number>): boolean => JSON.stringify(a.ids) === JSON.stringify(ascending(b));
      return (
        same(set.withIds(other), [...list, ...other]) &&
        same(
          set.withoutIds(other),
          list.filter((x) => !other.includes(x)),
        ) &&
        same(
          set.idsAbove(one),
          list.filter((x) => x > one),
        ) &&
        set.has(one) === list.includes(one) &&
        set.size === new Set(list).size &&
        set.largestId === ascending(list).at(-1) &&
        JSON.stringify(set.ids) === before
      );
    }),
  );
  t.pass();
});

t.test('consecutive ids take one byte each', async (t) => {
  t.equal(IdSet.fromIds(Array.from({ length: 1_000 }, (_, i) => 1_000_000 + i)).encode().length, 1_002);
});

t.test('bytes that end in the middle of an id are refused', async (t) => {
  t.throws(() => IdSet.decode(Uint8Array.of(0x80)), RangeError);
});

t.test('ids that come in ascending order are encoded as the whole set is', async (test) => {
  const lists = fc.array(fc.nat(2 ** 40), { maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(lists, lists, async (first, second) => {
      const encoder = new AscendingIdSetEncoder();
      const kept = IdSet.fromIds(first.map((id) => id + 1));
      for (const id of kept.ids) {
        encoder.addId(id);
        encoder.addId(id);
      }
      encoder.keepAddedIds();
      test.strictSame(encoder.encode(), kept.encode());
      const added = IdSet.fromIds(second.map((id) => (kept.largestId ?? 0) + 1 + id));
      for (const id of added.ids) encoder.addId(id);
      test.strictSame(encoder.encode(), kept.withIds(added.ids).encode());
      encoder.dropAddedIds();
      test.strictSame(encoder.encode(), kept.encode(), 'the ids since the last keeping are gone');
      for (const id of added.ids) encoder.addId(id);
      test.strictSame(encoder.encode(), kept.withIds(added.ids).encode(), 'others can follow');
    }),
    { numRuns: 50 },
  );
});

t.test('an id below the last one is refused', async (test) => {
  const encoder = new AscendingIdSetEncoder();
  encoder.addId(300);
  test.throws(() => encoder.addId(299), RangeError);
});

t.test('a cursor along the stored form finds the ids that are asked for in ascending order', async (t) => {
  fc.assert(
    fc.property(ids, ids, (list, other) => {
      const set = IdSet.fromIds(list);
      const cursor = new EncodedIdCursor(set.encode());
      return ascending([...list.slice(0, 10), ...other]).every(
        (one) =>
          cursor.has(one) === set.has(one) &&
          cursor.has(one) === set.has(one) &&
          cursor.firstIdAbove(one) === (set.ids.find((id) => id > one) ?? Number.POSITIVE_INFINITY),
      );
    }),
  );
  t.equal(new EncodedIdCursor(new Uint8Array()).nextId, Number.POSITIVE_INFINITY);
});

t.test('cursors along many stored forms find what a cursor along each finds', async () => {
  fc.assert(
    fc.property(fc.array(fc.option(ids, { nil: undefined }), { maxLength: 5 }), ids, (lists, other) => {
      const sets = lists.map((list) => list && IdSet.fromIds(list).encode());
      const all = new EncodedIdCursors(sets);
      const single = sets.map((set) => new EncodedIdCursor(set ?? new Uint8Array()));
      return ascending([...lists.flatMap((list) => list?.slice(0, 10) ?? []), ...other]).every((id) =>
        single.every(
          (cursor, i) => all.has(i, id) === cursor.has(id) && all.firstIdAbove(i, id) === cursor.firstIdAbove(id),
        ),
      );
    }),
  );
});
