import t from 'tap';
import { DirectoryReplicaLagMeter, type RealmLogTail } from '#directory';
import { type RealmId, toLogSeq, toRealmId } from '#model';
import type { EventLog } from '#ports/log';

function setUp(realms: number) {
  const ends = new Map<RealmId, number>();
  const tails = Array.from({ length: realms }, (_, i) => ({ realm: toRealmId(i + 1), reachedEnd: toLogSeq(0) }));
  let asked = 0;
  const log = {
    readBounds: async (realm: RealmId) => {
      asked++;
      const end = ends.get(realm);
      if (end === undefined) throw new Error('away');
      return { end, trimmed: 0, incarnation: '' };
    },
  };
  const time = { now: 0 };
  const watch = new DirectoryReplicaLagMeter(
    log as unknown as EventLog,
    () => tails as unknown as RealmLogTail[],
    () => time.now,
  );
  return { ends, tails, time, watch, asked: () => asked };
}

t.test('the lag counts seconds since an unreached end was first seen', async (t) => {
  const { ends, tails, time, watch } = setUp(1);
  const [tail] = tails;
  ends.set(tail!.realm, 10);
  t.strictSame(await watch.measureLagOfNextRealms(), { positions: 10, ms: 0 });
  time.now = 3_000;
  t.strictSame(await watch.measureLagOfNextRealms(), { positions: 10, ms: 3_000 });
  // The replica advances, and so does the log: the first end is reached, the new end is not.
  tail!.reachedEnd = toLogSeq(11);
  ends.set(tail!.realm, 15);
  time.now = 5_000;
  t.strictSame(await watch.measureLagOfNextRealms(), { positions: 4, ms: 0 });
  tail!.reachedEnd = toLogSeq(15);
  t.strictSame(await watch.measureLagOfNextRealms(), { positions: 0, ms: 0 });
});

t.test('an unreachable log keeps the last known lag, and does not fail the scrape', async (t) => {
  const { ends, tails, time, watch } = setUp(1);
  ends.set(tails[0]!.realm, 10);
  await watch.measureLagOfNextRealms();
  ends.clear();
  time.now = 2_000;
  t.strictSame(await watch.measureLagOfNextRealms(), { positions: 0, ms: 2_000 });
});

t.test('each scrape looks at some of many organizations, in turn', async (t) => {
  const { ends, tails, watch, asked } = setUp(120);
  for (const { realm } of tails) ends.set(realm, 0);
  ends.set(tails[110]!.realm, 7);
  t.equal((await watch.measureLagOfNextRealms()).positions, 0);
  t.equal(asked(), 50);
  await watch.measureLagOfNextRealms();
  t.equal((await watch.measureLagOfNextRealms()).positions, 7);
});
