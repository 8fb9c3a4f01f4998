import t from 'tap';
import { memoizeByObject } from '#base';

t.test('a derived value is made once for each object', async (test) => {
  let made = 0;
  const of = memoizeByObject((_: object) => ++made);
  const [one, other] = [{}, {}];
  test.same([of(one), of(one), of(other), of(one)], [1, 1, 2, 1]);
});

t.test('another version makes the value again, and an earlier value never returns', async (test) => {
  let made = 0;
  const of = memoizeByObject(
    (_: { version: number }) => ++made,
    ({ version }) => version,
  );
  const one = { version: 1 };
  test.same([of(one), of(one)], [1, 1]);
  one.version = 2;
  test.same([of(one), of(one)], [2, 2]);
  one.version = 1;
  test.equal(of(one), 3);
});

t.test('an undefined result is remembered, too', async (test) => {
  let made = 0;
  const of = memoizeByObject((_: object) => {
    made++;
    return undefined;
  });
  const one = {};
  test.same([of(one), of(one), made], [undefined, undefined, 1]);
});
