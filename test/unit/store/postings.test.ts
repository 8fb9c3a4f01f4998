/** Postings answer like the index itself, after any reads, additions and removals. */
import fc from 'fast-check';
import t from 'tap';
import { toRealmId } from '#model';
import {
  type LmdbMessageIndex,
  makeMessageIndexPrefix,
  postingsCacheName,
  postingsCacheNameOfIndex,
} from '../../../src/ports/store/store-lmdb-index-keys.js';
import { CachedIndexPostings } from '../../../src/ports/store/store-lmdb-postings.js';

const HIGHEST = 60;
const id = fc.integer({ min: 0, max: HIGHEST });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ read: id, limit: fc.integer({ min: 1, max: 20 }), newer: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ add: id }) },
  { weight: 1, arbitrary: fc.record({ remove: id }) },
);

t.test('postings are right after reads, additions and removals in any order', async () => {
  fc.assert(
    fc.property(fc.uniqueArray(id), fc.array(step, { maxLength: 60 }), (first, steps) => {
      const index = new Set(first);
      const postings = new CachedIndexPostings();
      let asked = 0;
      const read = (from: number, limit: number, newer: boolean): number[] => {
        const all = [...index].filter((one) => (newer ? one >= from : one <= from));
        return all.sort((a, b) => (newer ? a - b : b - a)).slice(0, limit);
      };
      const fetch = (from: number, limit: number, newer: boolean): number[] => {
        asked++;
        return read(from, limit, newer);
      };
      for (const one of steps) {
        if ('read' in one) {
          const expected = read(one.read, one.limit, one.newer);
          t.same(postings.readIdsThroughCache(one.read, one.limit, one.newer, fetch), expected);
          const before = asked;
          t.same(postings.readIdsThroughCache(one.read, one.limit, one.newer, fetch), expected, 'again');
          t.equal(asked, before, 'without looking');
        } else if ('add' in one) {
          index.add(one.add);
          postings.addIdIfCovered(one.add);
        } else {
          index.delete(one.remove);
          postings.removeId(one.remove);
        }
      }
      t.ok(postings.idCount <= index.size);
    }),
    { numRuns: 300 },
  );
});

t.test('an index is cached under the name that its keys have, by which writes find it', async (t) => {
  const realm = toRealmId(7);
  const indexes: readonly Exclude<LmdbMessageIndex, { by: 'realm' }>[] = [
    { by: 'conversation', conversation: 's1' },
    { by: 'topic', conversation: 's1', topicKey: 'a/b' },
    { by: 'sender', sender: 8 },
    { by: 'participant', user: 9 },
    { by: 'tag', tag: 'mentioned/9' },
    { by: 'tag', tag: '=word' },
    { by: 'moved', from: 's2' },
  ];
  for (const index of indexes) {
    const [letter, ofRealm, ...rest] = makeMessageIndexPrefix(realm, index);
    t.equal(postingsCacheNameOfIndex(realm, index), postingsCacheName([letter, ofRealm, ...rest, 4711]), index.by);
  }
});
