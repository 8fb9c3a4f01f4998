/** The schedule of a simulated client follows from seed, client and mix; the agenda of a worker. */
import fc from 'fast-check';
import t from 'tap';
import { Agenda } from '../../load/agenda.js';
import { DEFAULT_MIX, type Mix, mixOf } from '../../load/mix.js';
import { makeRandom, type PlannedAction, Schedule } from '../../load/schedule.js';

const MINUTE_MS = 60_000;

function actionsBefore(seed: number, client: number, mix: Mix, ms: number): PlannedAction[] {
  const schedule = new Schedule(makeRandom(seed, client), mix);
  const planned: PlannedAction[] = [];
  for (let next = schedule.next(); next && next.at < ms; next = schedule.next()) planned.push(next);
  return planned;
}

const planText = (planned: readonly PlannedAction[]): string =>
  planned.map(({ at, entry }) => `${at.toFixed(3)} ${entry.action}`).join('\n');

t.test('equal seeds and clients have equal schedules; another seed or client has another one', async (test) => {
  const plan = planText(actionsBefore(7, 3, DEFAULT_MIX, 60 * MINUTE_MS));
  test.equal(planText(actionsBefore(7, 3, DEFAULT_MIX, 60 * MINUTE_MS)), plan);
  test.not(planText(actionsBefore(8, 3, DEFAULT_MIX, 60 * MINUTE_MS)), plan);
  test.not(planText(actionsBefore(7, 4, DEFAULT_MIX, 60 * MINUTE_MS)), plan);
});

t.test('neighbouring large seeds give different random numbers', async (test) => {
  const firsts = new Set<number>();
  for (let i = 0; i < 1_000; i++) firsts.add(makeRandom(2 ** 31 - i, 5).next());
  test.ok(firsts.size > 990, `${firsts.size} distinct beginnings of 1,000 seeds`);
});

t.test('over many clients each action has the frequency of the mix', async (test) => {
  const minutes = 100;
  const clients = 200;
  const counts = new Map<string, number>();
  for (let client = 0; client < clients; client++) {
    for (const { entry } of actionsBefore(1, client, DEFAULT_MIX, minutes * MINUTE_MS)) {
      counts.set(entry.action, (counts.get(entry.action) ?? 0) + 1);
    }
  }
  for (const { action, perMinute, everySeconds } of DEFAULT_MIX.actions) {
    const rate = perMinute ?? (everySeconds === undefined ? undefined : 60 / everySeconds);
    if (rate === undefined) {
      test.notOk(counts.has(action), `${action} only follows messages`);
      continue;
    }
    const expected = rate * minutes * clients;
    // Five standard deviations of a Poisson count; the seed is fixed.
    const off = Math.abs((counts.get(action) ?? 0) - expected);
    test.ok(off < 5 * Math.sqrt(expected) + 1, `${action}: ${counts.get(action)} of about ${expected}`);
  }
});

t.test('the times of a schedule never decrease, and fixed intervals are exact', async (test) => {
  const planned = actionsBefore(3, 0, DEFAULT_MIX, 300 * MINUTE_MS);
  test.ok(planned.every(({ at }, i) => i === 0 || at >= planned[i - 1]!.at));
  const presences = planned.filter(({ entry }) => entry.action === 'presence').map(({ at }) => at);
  test.ok(presences.length >= 299);
  test.ok(presences.every((at, i) => i === 0 || Math.abs(at - presences[i - 1]! - MINUTE_MS) < 1e-3));
});

t.test('a mix without perMinute and everySeconds has an empty schedule', async (test) => {
  const mix = mixOf({ actions: [{ action: 'react', perReceived: 0.5 }] });
  test.equal(new Schedule(makeRandom(1, 1), mix).next(), undefined);
});

t.test('the agenda returns every due task once, ordered by time and then by addition', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }),
      fc.integer({ min: 0, max: 20 }),
      (times, now) => {
        const agenda = new Agenda<number>();
        times.forEach((at, i) => {
          agenda.add(at, i);
        });
        const taken: { at: number; item: number }[] = [];
        for (let one = agenda.take(now); one; one = agenda.take(now)) taken.push({ at: one.at, item: one.item });
        const expected = times
          .map((at, item) => ({ at, item }))
          .filter(({ at }) => at <= now)
          .sort((a, b) => a.at - b.at || a.item - b.item);
        return JSON.stringify(taken) === JSON.stringify(expected) && agenda.size === times.length - expected.length;
      },
    ),
  );
});
