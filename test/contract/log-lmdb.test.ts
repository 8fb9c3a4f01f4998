import t from 'tap';
import { toLogSeq, toRealmId } from '#model';
import { LmdbEventLog } from '#ports/log';
import { type LmdbEnvironment, openLmdbEnvironment } from '#ports/store';
import { FakeClock } from '../support/fake-clock.js';
import { logContract } from './log.js';

const limits = { maxAgeMs: 60_000, maxBytes: 4 * 1024 * 1024 };
const realm = toRealmId(1);

logContract(t, 'LmdbLog', async () => {
  const directory = t.testdir();
  let environment: LmdbEnvironment;
  const open = async () => {
    environment = await openLmdbEnvironment(directory);
    return LmdbEventLog.open(environment, new FakeClock(), limits);
  };
  return {
    limits,
    open,
    reopen: async () => {
      await environment.close();
      return open();
    },
    close: () => environment.close(),
  };
});

t.test('entries beyond the maximal age are dropped, and the end stays', async (t) => {
  const environment = await openLmdbEnvironment(t.testdir());
  const clock = new FakeClock();
  const log = await LmdbEventLog.open(environment, clock, limits);
  for (let n = 1; n <= 300; n++) log.append(realm, n).catch(t.threw);
  await log.append(realm, 301);
  await clock.advanceAsync(30_000);
  const late = await log.append(realm, 302);
  await clock.advanceAsync(29_000);
  t.match(await log.readBounds(realm), { end: 302, trimmed: 0 });
  const dropped = async (upTo: number) => {
    while ((await log.readBounds(realm)).trimmed < upTo) {
      clock.advance(clock.next() ?? 0);
      // A trimming pass takes several transactions, and schedules the next pass after the last one.
      await environment.runWriteTransaction(() => undefined);
    }
  };
  await dropped(301);
  t.match(await log.readBounds(realm), { end: late, trimmed: 301 });
  await dropped(302);
  t.equal(environment.openTable('log-entries').getCount(), 0);
  t.equal(await log.append(realm, 303), 303);
  const gaps: number[] = [];
  const values: unknown[] = [];
  const subscription = log.subscribe(realm, toLogSeq(5), {
    onEntry: (_, value) => values.push(value),
    onGap: (trimmed) => gaps.push(trimmed),
    onTransient: () => undefined,
  });
  await subscription.waitUntilCaughtUp();
  t.strictSame([gaps, values], [[302], [303]]);
  await log.close();
  await environment.close();
  t.equal(clock.next(), undefined, 'no timer is left');
});

t.test('a new directory has another incarnation', async (t) => {
  const incarnations = [];
  for (const name of ['a', 'b', 'a']) {
    const environment = await openLmdbEnvironment(`${t.testdirName}/${name}`);
    const log = await LmdbEventLog.open(environment, new FakeClock(), limits);
    incarnations.push((await log.readBounds(realm)).incarnation);
    await log.close();
    await environment.close();
  }
  t.not(incarnations[0], incarnations[1]);
  t.equal(incarnations[0], incarnations[2]);
});

t.test('live subscribers share one value', async (t) => {
  const environment = await openLmdbEnvironment(t.testdir());
  const log = await LmdbEventLog.open(environment, new FakeClock(), limits);
  const seen: unknown[] = [];
  const reader = {
    onEntry: (_: unknown, value: unknown) => seen.push(value),
    onGap: () => t.fail(),
    onTransient: () => t.fail(),
  };
  const subscriptions = [log.subscribe(realm, toLogSeq(0), reader), log.subscribe(realm, toLogSeq(0), reader)];
  await environment.runWriteTransaction(() => undefined);
  const value = { n: 1 };
  await log.append(realm, value);
  for (const s of subscriptions) await s.waitUntilCaughtUp();
  t.equal(seen.length, 2);
  t.ok(seen.every((v) => v === value));
  await log.close();
  await environment.close();
});
