import t from 'tap';
import { CoarseTimerRing } from '#base/clock';
import { FakeClock } from '../../support/fake-clock.js';

function make() {
  const clock = new FakeClock();
  const expired: [string, number][] = [];
  const slices = new CoarseTimerRing<string>(clock, 60_000, (entry) => expired.push([entry, clock.monotonic()]));
  return { clock, expired, slices };
}

t.test('entries expire in order, half a second late at most, never early', async (t) => {
  const { clock, expired, slices } = make();
  const due = new Map<string, number>();
  for (let i = 0; i < 300; i++) {
    const ms = (i * 7_919) % 60_000;
    due.set(`${i}`, clock.monotonic() + ms);
    slices.addExpiringAfter(`${i}`, ms);
    clock.advance((i * 31) % 700);
  }
  clock.advance(60_500);
  t.equal(expired.length, 300);
  for (const [entry, at] of expired) {
    const late = at - due.get(entry)!;
    t.ok(late >= 0 && late <= 500, `${entry}: ${late} ms late`);
  }
  t.equal(clock.next(), undefined, 'and no timer is left');
});

t.test('an entry may be added while others expire, and after long silence', async (t) => {
  const clock = new FakeClock();
  const expired: number[] = [];
  const slices: CoarseTimerRing<number> = new CoarseTimerRing(clock, 1_000, (n) => {
    expired.push(clock.monotonic());
    if (n > 0) slices.addExpiringAfter(n - 1, 1_000);
  });
  slices.addExpiringAfter(2, 1_000);
  clock.advance(10_000);
  t.same(expired, [1_000, 2_000, 3_000]);
  clock.advance(1_000_000);
  slices.addExpiringAfter(0, 500);
  clock.leap(90_000);
  t.same(expired.slice(3), [1_100_000], 'also when the process stood still');
});

t.test('an entry added long after the last one waits its full time', async (t) => {
  const { clock, expired, slices } = make();
  slices.addExpiringAfter('a', 50_000);
  clock.advance(40_000);
  slices.addExpiringAfter('b', 59_000);
  clock.advance(9_000);
  slices.addExpiringAfter('c', 59_900);
  clock.advance(120_000);
  t.same(expired, [
    ['a', 50_000],
    ['b', 99_000],
    ['c', 109_000],
  ]);
});

t.test('a cleared entry does not expire', async (t) => {
  const { clock, expired, slices } = make();
  slices.addExpiringAfter('a', 100);
  slices.clear();
  t.equal(clock.next(), undefined);
  slices.addExpiringAfter('b', 100);
  clock.advance(1_000);
  t.same(
    expired.map(([entry]) => entry),
    ['b'],
  );
});
