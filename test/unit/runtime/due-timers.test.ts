import fc from 'fast-check';
import t from 'tap';
import type { ActorKey } from '#model';
import { HostActorDueTimers } from '../../../src/runtime/due-timers.js';
import { FakeClock } from '../../support/fake-clock.js';

const key = (n: number): ActorKey => `queue/1/2/${n}` as ActorKey;

t.test('each actor is woken once, at the time set last', (t) => {
  const change = fc.record({
    wait: fc.nat(50),
    key: fc.nat(4),
    at: fc.option(fc.nat(400), { nil: null }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const clock = new FakeClock(0);
      const fired: [ActorKey, number][] = [];
      const expected: [ActorKey, number][] = [];
      const due = new Map<ActorKey, number>();
      const timers = new HostActorDueTimers(clock, (of) => void fired.push([of, clock.now()]));
      const pass = (ms: number): void => {
        clock.advance(ms);
        const past = [...due].filter(([, at]) => at <= clock.now());
        for (const [of, at] of past) {
          expected.push([of, at]);
          due.delete(of);
        }
      };
      for (const { wait, key: n, at } of changes) {
        pass(wait);
        const when = at === null ? null : clock.now() + at + 1;
        timers.setWakeTime(key(n), when);
        if (when === null) due.delete(key(n));
        else due.set(key(n), when);
        if (timers.timerCount !== due.size) return false;
      }
      pass(1_000);
      const order = (list: [ActorKey, number][]): string =>
        list
          .map(([of, at]) => `${String(at).padStart(6)} ${of}`)
          .sort()
          .join();
      return order(fired) === order(expected) && timers.timerCount === 0;
    }),
  );
  t.end();
});

t.test('thousands of timers due together are fired in slices, and none is lost', (t) => {
  const clock = new FakeClock(0);
  const fired: ActorKey[] = [];
  const timers = new HostActorDueTimers(clock, (of) => void fired.push(of));
  for (let n = 0; n < 5_000; n++) timers.setWakeTime(key(n), 1_000);
  clock.advance(999);
  t.equal(fired.length, 0);
  clock.advance(1);
  t.ok(fired.length > 0 && fired.length < 5_000);
  clock.advance(1_000);
  t.equal(new Set(fired).size, 5_000);
  t.equal(fired.length, 5_000);
  t.equal(clock.next(), undefined, 'nothing is left to wait for');
  t.end();
});

t.test('a wake-up time beyond the longest delay of its actor was set by a wrong clock, and is due now', (t) => {
  const clock = new FakeClock(0);
  const fired: ActorKey[] = [];
  const longest = (of: ActorKey): number => (of === key(9) ? Number.POSITIVE_INFINITY : 1_000);
  const timers = new HostActorDueTimers(clock, (of) => void fired.push(of), longest);
  clock.correctWallTime(10_000_000);
  timers.setWakeTime(key(5), clock.now());
  clock.advance(0);
  t.same(fired.splice(0), [key(5)]);
  for (const n of [1, 2, 9]) timers.setWakeTime(key(n), clock.now() + 100 * n);
  clock.correctWallTime(-10_000_000);
  timers.setWakeTime(key(3), 500);
  timers.setWakeTimeIfEarlier(key(4), 5_000_000);
  clock.advance(0);
  t.same(fired.splice(0).sort(), [key(1), key(2), key(4)], 'wake-up times in memory and a stored one');
  clock.advance(500);
  t.same(fired, [key(3)]);
  clock.advance(10_000_400);
  t.same(fired.at(-1), key(9), 'other actors wait for their time');
  t.end();
});

t.test(
  'a time that is set while the clock is ahead is now when it is right, and other times that came are now',
  (t) => {
    const clock = new FakeClock(0);
    const fired: ActorKey[] = [];
    const timers = new HostActorDueTimers(
      clock,
      (of) => void fired.push(of),
      () => 1_000,
    );
    timers.setWakeTime(key(1), 800);
    clock.correctWallTime(10_000_000);
    timers.setWakeTime(key(2), clock.now() + 500);
    clock.advance(1);
    t.same(fired.splice(0), [key(1)], 'its time has come by the wrong clock');
    timers.setWakeTime(key(3), clock.now() + 100);
    clock.correctWallTime(-10_000_000);
    clock.advance(100);
    t.same(fired.sort(), [key(2), key(3)]);
    t.end();
  },
);

t.test('a clock that is ahead between two times leaves no later time behind', (t) => {
  const clock = new FakeClock(0);
  const fired: ActorKey[] = [];
  const timers = new HostActorDueTimers(
    clock,
    (of) => void fired.push(of),
    () => 1_000,
  );
  timers.setWakeTime(key(1), 800);
  timers.setWakeTime(key(2), 900);
  clock.correctWallTime(10_000_000);
  timers.setWakeTime(key(2), clock.now() + 500);
  clock.correctWallTime(-10_000_000);
  clock.advance(800);
  t.same(fired.sort(), [key(1), key(2)]);
  t.end();
});

t.test('lost partitions take their timers with them', (t) => {
  const clock = new FakeClock(0);
  const fired: ActorKey[] = [];
  const timers = new HostActorDueTimers(clock, (of) => void fired.push(of));
  for (let n = 0; n < 10; n++) timers.setWakeTime(key(n), 100 + n);
  timers.removeTimersWhere((of) => of !== key(7));
  t.equal(timers.timerCount, 1);
  clock.advance(1_000);
  t.same(fired, [key(7)]);
  t.end();
});
