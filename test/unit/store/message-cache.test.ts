/** Messages cached as bytes: a hit is the last value put, a key being written has no hit, and the size is bounded. */
import fc from 'fast-check';
import t from 'tap';
import { encodeMessageRecord, PackedMessageCursor } from '#ports/store';
import { LmdbMessageCache } from '../../../src/ports/store/store-lmdb-message-cache.js';

const bytesOf = (id: number, rev: number, size = 10): Buffer =>
  encodeMessageRecord(rev, {
    id,
    conversation: 's1',
    topicKey: '',
    sender: rev,
    participants: [],
    movedFrom: '',
    tags: [],
    body: { content: 'x'.repeat(size) },
  });

/** The sender of a cached message, which `bytesOf` sets to its revision; undefined if it is not cached. */
function found(kept: LmdbMessageCache, key: number): number | undefined {
  const packed = new PackedMessageCursor();
  return kept.moveViewToCachedMessage(key, key, packed) ? packed.decodedRecord.sender : undefined;
}

const keys = [0, 1, 2, 7, 2 ** 32 - 1, 2 ** 32, 2 ** 33 + 1, 5 * 2 ** 33 + 1, 2 ** 52];
const step = fc.record({
  what: fc.constantFrom('put' as const, 'get' as const, 'block' as const, 'release' as const),
  key: fc.constantFrom(...keys),
  size: fc.constantFrom(10, 400_000),
});

t.test('the cache acts like a map that forgets', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const kept = new LmdbMessageCache(2);
      const model = new Map<number, number>();
      const blocked = new Map<number, number>();
      steps.forEach(({ what, key, size }, rev) => {
        const writes = blocked.get(key) ?? 0;
        if (what === 'put') {
          kept.putUnlessBlocked(key, bytesOf(key, rev, size));
          if (writes === 0) {
            model.set(key, rev);
            t.equal(found(kept, key), rev);
          }
        } else if (what === 'block') {
          kept.blockKey(key);
          blocked.set(key, writes + 1);
          model.delete(key);
        } else if (what === 'release' && writes > 0) {
          kept.releaseKey(key);
          blocked.set(key, writes - 1);
        }
        for (const one of keys) {
          const rev = found(kept, one);
          if (rev !== undefined) t.equal(rev, model.get(one));
          if ((blocked.get(one) ?? 0) > 0) t.equal(rev, undefined);
        }
      });
    }),
    { numRuns: 60 },
  );
});

t.test('the cache is bounded, and used entries stay', async (t) => {
  const kept = new LmdbMessageCache(2);
  const count = 200;
  for (let key = 0; key < count; key++) {
    kept.putUnlessBlocked(key, bytesOf(key, key, 100_000));
    t.equal(found(kept, 0), 0);
  }
  const left = Array.from({ length: count }, (_, key) => found(kept, key)).filter((one) => one !== undefined);
  // Four slabs of ten messages.
  t.ok(left.length <= 40, `${left.length}`);
  t.equal(found(kept, count - 1), count - 1);
});

t.test('many small messages are cached', async (t) => {
  const kept = new LmdbMessageCache(4);
  const count = 20_000;
  for (let key = 0; key < count; key++) kept.putUnlessBlocked(key * 3, bytesOf(key, key));
  let missing = 0;
  for (let key = 0; key < count; key++) {
    const sender = found(kept, key * 3);
    if (sender === undefined) missing++;
    else if (sender !== key) t.fail(`message ${key}`);
    if (found(kept, key * 3 + 1) !== undefined) t.fail('what nobody put');
  }
  t.equal(missing, 0);
});

t.test('a message larger than the cache is not stored', async (t) => {
  const kept = new LmdbMessageCache(2);
  kept.putUnlessBlocked(1, bytesOf(1, 1, 1_100_000));
  t.equal(found(kept, 1), undefined);
});
