/** The cache of a Store is invisible: answers equal those of a Store that has read nothing before. */
import fc from 'fast-check';
import t from 'tap';
import { streamActorKey, toRealmId, toStreamId } from '#model';
import {
  enableCachedRecordMemo,
  LmdbStore,
  type MessageIndexCondition,
  memoOfCachedRecord,
  openLmdbEnvironment,
  type StoreRecordWrite,
} from '#ports/store';
import { LmdbConsistentCache } from '../../../src/ports/store/store-lmdb-cache.js';
import { FakeClock } from '../../support/fake-clock.js';
import { rounds } from '../../support/rounds.js';

const REALMS = [toRealmId(1), toRealmId(2)] as const;
const id = fc.integer({ min: 1, max: 12 });
const which = fc.integer({ min: 0, max: 1 });
const message = fc.record({
  kind: fc.constant('message' as const),
  realm: which,
  id,
  stream: fc.integer({ min: 1, max: 2 }),
  topic: fc.constantFrom('a', 'b'),
  from: fc.constantFrom('', 's1', 's2'),
  tags: fc.uniqueArray(fc.constantFrom('*s1', '>s2', '=word')),
  gone: fc.boolean(),
});
const part = fc.record({ kind: fc.constant('part' as const), realm: which, id, gone: fc.boolean() });
const batch = fc.record({ writes: fc.array(fc.oneof(message, part), { maxLength: 5 }), waits: fc.boolean() });

const INDEXES: readonly MessageIndexCondition[] = [
  { by: 'realm' },
  { by: 'conversation', conversation: 's1' },
  { by: 'conversation', conversation: 's2' },
  { by: 'topic', conversation: 's1', topicKey: 'a' },
  { by: 'sender', sender: 7 },
  { by: 'participant', user: 9 },
  { by: 'tag', tag: '*s1' },
  { by: 'tag', tag: '=word' },
  { by: 'moved', from: 's2' },
];
const keyOf = (realm: number) => streamActorKey(REALMS[realm]!, toStreamId(1));

t.test('reads between and during writes are right', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 12 }), async (batches) => {
      const environment = await openLmdbEnvironment(t.testdir());
      const clock = new FakeClock();
      const store = new LmdbStore(environment, clock);
      let rev = 0;
      const writeOf = (one: (typeof batches)[number]['writes'][number]): StoreRecordWrite => {
        rev++;
        const realm = REALMS[one.realm]!;
        if (one.kind === 'part') {
          const value = one.gone ? null : { rev };
          return { type: 'part', key: keyOf(one.realm), part: `member/${one.id}`, rev, value };
        }
        const { stream, topic, from, tags } = one;
        const record = {
          id: one.id,
          conversation: `s${stream}`,
          topicKey: topic,
          sender: 7,
          participants: one.id % 2 === 0 ? [9] : [],
          movedFrom: from,
          tags,
          body: { content: `revision ${rev}` },
        };
        return { type: 'message', realm, id: one.id, rev, value: one.gone ? null : record };
      };
      const look = async (of: LmdbStore): Promise<unknown> => {
        const found: Promise<unknown>[] = [];
        const all = Array.from({ length: 12 }, (_, i) => i + 1);
        for (const realm of REALMS) {
          found.push(of.getMessages(realm, all));
          for (const index of INDEXES) {
            const scan = { realm, index, limit: 4 } as const;
            for (const [from, direction] of [
              [5, 'newer'],
              [9, 'older'],
              [2 ** 53 - 1, 'older'],
            ] as const) {
              const decoded = of.scanMessages({ ...scan, from, direction });
              const shown: unknown[] = [];
              const count = of.forEachPackedMessage({ ...scan, from, direction }, ({ decodedRecord }) =>
                shown.push(decodedRecord),
              );
              found.push(
                decoded,
                Promise.all([count, decoded]).then(([n, all]) => [n === all.length, shown]),
              );
            }
          }
        }
        for (const realm of [0, 1])
          found.push(of.getParts(all.map((n) => ({ key: keyOf(realm), part: `member/${n}` }))));
        return Promise.all(found);
      };
      const agrees = async (): Promise<void> => {
        // Two reads begun in one turn see the same commits.
        const [kept, fresh] = await Promise.all([look(store), look(new LmdbStore(environment, clock))]);
        t.same(kept, fresh);
      };
      const writing: Promise<void>[] = [];
      for (const { writes, waits } of batches) {
        writing.push(store.applyRecords(writes.map(writeOf)));
        await agrees();
        if (!waits) continue;
        await Promise.all(writing);
        await agrees();
        await agrees();
      }
      await Promise.all(writing);
      await agrees();
      await store.close();
      await environment.close();
    }),
    { numRuns: rounds(15, 40) },
  );
});

t.test('a write removes its cached entries, and caching waits until it is settled', async (t) => {
  const cache = new LmdbConsistentCache<string, number[]>(100, () => 1);
  cache.putUnlessBlocked('a', [1]);
  cache.blockKey('a');
  cache.putUnlessBlocked('a', [1]);
  t.equal(cache.get('a'), undefined);
  cache.blockKey('a');
  cache.releaseKey('a');
  cache.putUnlessBlocked('a', [1]);
  t.equal(cache.get('a'), undefined, 'one of two is settled');
  cache.releaseKey('a');
  cache.putUnlessBlocked('a', [2]);
  t.same(cache.get('a'), [2]);

  cache.blockKey('a', true);
  t.equal(cache.get('a'), undefined);
  cache.releaseKey('a', (held) => held.push(3));
  t.same(cache.get('a'), [2, 3], 'what was held goes on with the change');
  cache.blockKey('a', true);
  cache.releaseKey('a');
  t.equal(cache.get('a'), undefined, 'of a write whose end is not known nothing comes back');
});

t.test('the cache is bounded, and used entries stay', async (t) => {
  const cache = new LmdbConsistentCache<number, number>(10, () => 1);
  for (let i = 0; i < 1_000; i++) {
    cache.putUnlessBlocked(i, i);
    t.equal(cache.get(0), 0);
  }
  const kept = Array.from({ length: 1_000 }, (_, i) => cache.get(i)).filter((one) => one !== undefined);
  t.ok(kept.length <= 22, `${kept.length}`);
});

t.test('only cached records have a place for derived values', async (t) => {
  const body = { content: 'text' };
  t.equal(memoOfCachedRecord(body), undefined);
  enableCachedRecordMemo(body);
  t.same(memoOfCachedRecord(body), {});
  t.equal(memoOfCachedRecord({ ...body }), undefined);
});
