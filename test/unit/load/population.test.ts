/** Members of streams in a simulated organization; no member leaves a stream when the organization grows. */
import fc from 'fast-check';
import t from 'tap';
import { colleaguesOf, membersOf, type Shape, shapeOf, streamsOf } from '../../load/population.js';

const shapes = fc
  .record({
    seed: fc.integer({ min: 0, max: 1_000 }),
    users: fc.integer({ min: 1, max: 500 }),
    streams: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
    smallest: fc.integer({ min: 1, max: 20 }),
    more: fc.integer({ min: 0, max: 200 }),
    grows: fc.boolean(),
  })
  .map(({ more, ...rest }) => shapeOf({ ...rest, largest: rest.smallest + more }));

const all = (shape: Shape): number[][] => Array.from({ length: streamsOf(shape) }, (_, i) => membersOf(shape, i));

t.test('the members of a stream are distinct existing users, ascending', async () => {
  fc.assert(
    fc.property(shapes, (shape) =>
      all(shape).every((members) =>
        members.every((user, i) => user >= 0 && user < shape.users && (i === 0 || user > members[i - 1]!)),
      ),
    ),
    { numRuns: 60 },
  );
});

t.test('every stream keeps its members when users are added', async () => {
  fc.assert(
    fc.property(shapes, fc.integer({ min: 0, max: 300 }), (shape, more) => {
      const grown = { ...shape, users: shape.users + more };
      const after = all(grown);
      return all(shape).every((members, i) => members.every((user) => after[i]!.includes(user)));
    }),
    { numRuns: 60 },
  );
});

t.test('the sizes of streams span the range, and a range above the number of users means all users', async (test) => {
  const shape = shapeOf({ seed: 1, users: 400, streams: undefined, smallest: 5, largest: 200, grows: false });
  const sizes = all(shape).map(({ length }) => length);
  test.equal(Math.min(...sizes), 5);
  test.equal(Math.max(...sizes), 200);
  const each = sizes.reduce((sum, size) => sum + size, 0) / 400;
  test.ok(each > 6 && each < 10, `${each} streams per user`);
  const everybody = shapeOf({ seed: 1, users: 30, streams: 3, smallest: 100_000, largest: 100_000, grows: false });
  test.strictSame(
    all(everybody).map(({ length }) => length),
    [30, 30, 30],
  );
});

t.test('the population has the requested number of streams', async (test) => {
  for (const streams of [1, 7, 40]) {
    const shape = shapeOf({ seed: 1, users: 450, streams, smallest: 5, largest: 200, grows: false });
    test.equal(streamsOf(shape), streams);
  }
});

t.test('colleagues are the existing users of a department', async (test) => {
  const shape = shapeOf({ seed: 1, users: 250, streams: undefined, smallest: 5, largest: 200, grows: true });
  test.strictSame(colleaguesOf(shape, 10), { from: 0, count: 200 });
  test.strictSame(colleaguesOf(shape, 249), { from: 200, count: 50 });
});
