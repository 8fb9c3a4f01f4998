import t from 'tap';
import type { Json } from '#base';
import { toEpoch, toLogSeq, toRealmId, toUserId, userActorKey } from '#model';
import { LmdbEventLog } from '#ports/log';
import { type LmdbEnvironment, LmdbStore, openLmdbEnvironment } from '#ports/store';
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

t.test('entries beyond the maximum age are dropped, and the end position stays', async (t) => {
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
  await dropped(303);
  t.equal(environment.openTable('log-entries').getCount(), 0, 'an entry after a time without entries is dropped, too');
  await log.close();
  await environment.close();
  t.equal(clock.next(), undefined, 'no timer is left');
});

t.test(
  'entries written while the clock was ahead, and those written later, are dropped at the maximum age',
  async (t) => {
    const environment = await openLmdbEnvironment(t.testdir());
    const clock = new FakeClock();
    const log = await LmdbEventLog.open(environment, clock, limits);
    const year = 365 * 86_400_000;
    const passTrims = async (ms: number) => {
      for (const end = clock.monotonic() + ms; clock.monotonic() < end; ) {
        clock.advance(Math.min(clock.next() ?? ms, end - clock.monotonic()));
        for (let n = 0; n < 4; n++) await environment.runWriteTransaction(() => undefined);
      }
    };
    await log.append(realm, 1);
    clock.correctWallTime(year);
    for (let n = 2; n <= 300; n++) log.append(realm, n).catch(t.threw);
    await log.append(realm, 301);
    await passTrims(10_000);
    t.match(await log.readBounds(realm), { end: 301, trimmed: 1 });
    clock.correctWallTime(-year);
    await log.append(realm, 302);
    await passTrims(30_000);
    await log.append(realm, 303);
    await passTrims(29_000);
    t.match(await log.readBounds(realm), { end: 303, trimmed: 1 });
    await passTrims(10_000);
    t.match(await log.readBounds(realm), { end: 303, trimmed: 302 });
    clock.correctWallTime(year);
    await log.append(realm, 304);
    clock.correctWallTime(-year);
    await passTrims(59_000);
    t.match(await log.readBounds(realm), { end: 304, trimmed: 303 });
    await passTrims(61_000);
    t.match(
      await log.readBounds(realm),
      { end: 304, trimmed: 304 },
      'the age of the newest entry counts from the first trimming',
    );
    await log.close();
    await environment.close();
  },
);

t.test('the log of a new directory has a new incarnation', async (t) => {
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

t.test('live subscribers get the same object', async (t) => {
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

/** Opens a log with a Store beside it, and a subscriber that has read all entries. */
async function openWithStore(directory: string) {
  const environment = await openLmdbEnvironment(directory);
  const clock = new FakeClock();
  const log = await LmdbEventLog.open(environment, clock, limits);
  const seen: [number, Json][] = [];
  const subscription = log.subscribe(realm, toLogSeq(0), {
    onEntry: (at, value) => seen.push([at, value]),
    onGap: () => seen.push([-1, null]),
    onTransient: (value) => seen.push([0, value]),
  });
  await subscription.waitUntilCaughtUp();
  const store = new LmdbStore(environment, clock);
  const commit = (user: number, expected: number, ...values: Json[]) =>
    store.commit({
      key: userActorKey(realm, toUserId(user)),
      epoch: toEpoch(1),
      expected,
      state: null,
      outbox: [],
      due: null,
      records: [],
      participants: values.map((value) => log.prepareAppend(realm, value)),
    });
  const close = async () => {
    await log.close();
    await store.close();
    await environment.close();
  };
  return { log, store, seen, subscription, commit, close };
}

t.test('the log has the entries of a commit if and only if the commit succeeds', async (t) => {
  const directory = t.testdir();
  const first = await openWithStore(directory);
  t.equal(await first.commit(1, 0, 'a', 'b'), 'ok');
  t.equal(await first.commit(1, 0, 'c'), 'conflict');
  t.match(await first.log.readBounds(realm), { end: 2 });
  t.strictSame(first.seen, [
    [1, 'a'],
    [2, 'b'],
  ]);
  await first.close();
  const second = await openWithStore(directory);
  await second.subscription.waitUntilCaughtUp();
  t.strictSame(second.seen, first.seen, 'the entries are also found after a restart');
  await second.close();
});

t.test('entries of commits and of appends are delivered in the order of their positions', async (t) => {
  const { commit, log, seen, subscription, close } = await openWithStore(t.testdir());
  const all = [];
  for (let user = 1; user <= 20; user++) {
    all.push(commit(user, 0, `commit ${user}`), log.append(realm, `append ${user}`));
    if (user % 5 === 0) all.push(commit(user, 0, 'conflict'));
  }
  await Promise.all(all);
  await subscription.waitUntilCaughtUp();
  t.strictSame(
    seen.map(([at]) => at),
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
  t.notOk(seen.some(([, value]) => value === 'conflict'));
  await close();
});

t.test(
  'an entry of a commit is delivered after the commit returns, but before a read of the end position',
  async (t) => {
    const { commit, log, seen, subscription, close } = await openWithStore(t.testdir());
    await commit(1, 0, 'a');
    t.strictSame(seen, [], 'the caller of the commit continues before the delivery');
    t.equal((await log.readBounds(realm)).end, 1);
    t.strictSame(seen, [[1, 'a']]);
    await commit(2, 0, 'b');
    t.equal(await subscription.waitUntilCaughtUp(), 2);
    await commit(3, 0, 'c');
    log.publishTransient(realm, 'typing');
    await new Promise((resolve) => setImmediate(resolve));
    t.strictSame(seen.slice(1), [
      [2, 'b'],
      [3, 'c'],
      [0, 'typing'],
    ]);
    await close();
  },
);
