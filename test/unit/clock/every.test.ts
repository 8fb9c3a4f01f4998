import t from 'tap';
import { CoarseTimerRing, runPeriodically } from '#base/clock';
import { FakeClock } from '../../support/fake-clock.js';

t.test('calls come at multiples of the period, whenever they were registered', async (t) => {
  const clock = new FakeClock();
  const at: [string, number, number][] = [];
  clock.advance(130);
  const stopQuick = runPeriodically(clock, 500, (late) => at.push(['quick', clock.monotonic(), late]));
  clock.advance(40);
  const stopSlow = runPeriodically(clock, 1_000, (late) => at.push(['slow', clock.monotonic(), late]));
  clock.advance(1_500);
  t.same(at, [
    ['quick', 500, 0],
    ['slow', 1_000, 0],
    ['quick', 1_000, 0],
    ['quick', 1_500, 0],
  ]);
  stopQuick();
  clock.advance(900);
  t.same(at.slice(4), [['slow', 2_000, 0]]);
  stopSlow();
  t.equal(clock.next(), undefined, 'no timer is left');
});

t.test('a process that stood still gets the length of the pause, and continues at the next multiple', async (t) => {
  const clock = new FakeClock();
  const at: [number, number][] = [];
  runPeriodically(clock, 500, (late) => at.push([clock.monotonic(), late]));
  clock.leap(1_630);
  clock.advance(0);
  clock.advance(400);
  t.same(at, [
    [1_630, 1_130],
    [2_000, 0],
  ]);
});

t.test('all users of a clock share one timer', async (t) => {
  const clock = new FakeClock();
  const slices = new CoarseTimerRing<string>(clock, 60_000, () => {});
  for (let i = 0; i < 10; i++) runPeriodically(clock, 500 * (i + 1), () => {});
  slices.addExpiringAfter('a', 10_000);
  let turns = 0;
  while (clock.monotonic() < 10_000) {
    clock.advance(clock.next()!);
    turns++;
  }
  t.equal(turns, 20);
});
