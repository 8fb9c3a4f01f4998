import fc from 'fast-check';
import type { RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import {
  isMessageInRange,
  type MessageIndexCondition,
  type MessageIndexRange,
  type MessageRecordWrite,
  type MessageScan,
  rangesOfMessageScan,
  type Store,
} from '#ports/store';
import { rounds } from '../support/rounds.js';
import { type Fact, freshRealm } from './store.js';

const message = (id: number, more: Partial<MessageRecord> = {}): MessageRecord => ({
  id,
  conversation: 's1',
  topicKey: 'lunch',
  sender: 7,
  participants: [],
  movedFrom: '',
  tags: [],
  body: { content: `m${id}` },
  ...more,
});
const put = (realm: RealmId, value: MessageRecord, rev = 1): MessageRecordWrite => ({
  type: 'message',
  realm,
  id: value.id,
  rev,
  value,
});
const gone = (realm: RealmId, id: number, rev: number): MessageRecordWrite => ({
  type: 'message',
  realm,
  id,
  rev,
  value: null,
});

/** Plain model of `scanMessages`. */
export function modelScan(model: Iterable<MessageRecord>, scan: MessageScan): number[] {
  const newer = scan.direction === 'newer';
  const ranges = rangesOfMessageScan(scan);
  return [...model]
    .filter((m) => (newer ? m.id > scan.from : m.id < scan.from) && ranges.some((range) => isMessageInRange(m, range)))
    .map((m) => m.id)
    .sort((a, b) => (newer ? a - b : b - a))
    .slice(0, scan.limit);
}

export function messageFacts(fact: Fact, store: Store): void {
  const ids = async (
    realm: RealmId,
    index: MessageIndexCondition,
    from = 0,
    direction: 'newer' | 'older' = 'newer',
    limit = 100,
  ) => (await store.scanMessages({ realm, index, from, direction, limit })).map((m) => m.id);

  fact('messages are returned in the order of the ids, with null for missing ones', async (t) => {
    const realm = freshRealm();
    await store.applyRecords([put(realm, message(1)), put(realm, message(2)), put(freshRealm(), message(3))]);
    t.strictSame(await store.getMessages(realm, [2, 3, 1, 2]), [message(2), null, message(1), message(2)]);
    t.strictSame(await store.getMessages(realm, []), []);
  });

  fact('a search for a text too long to be stored finds nothing', async (t) => {
    const realm = freshRealm();
    await store.applyRecords([put(realm, message(1, { tags: ['word'] }))]);
    for (const long of ['x'.repeat(901), '\u{1f600}'.repeat(400), 'x'.repeat(1_000_000)]) {
      t.strictSame(await ids(realm, { by: 'topic', conversation: 's1', topicKey: long }), []);
      t.strictSame(await ids(realm, { by: 'tag', tag: long }), []);
      t.strictSame(await ids(realm, { by: 'conversation', conversation: long }, 2, 'older'), []);
    }
  });

  fact('a scan back from above every id sees the current newest messages after writes and deletes', async (t) => {
    const realm = freshRealm();
    const newest = (limit: number) => ids(realm, { by: 'realm' }, 10_000_000_000_000_000, 'older', limit);
    t.strictSame(await newest(1), []);
    await store.applyRecords([put(realm, message(5))]);
    t.strictSame(await newest(1), [5]);
    await store.applyRecords([put(realm, message(9)), put(realm, message(7))]);
    t.strictSame([await newest(1), await newest(3)], [[9], [9, 7, 5]]);
    // Commits may finish out of id order across streams.
    await store.applyRecords([put(realm, message(6))]);
    t.strictSame(await newest(4), [9, 7, 6, 5]);
    await store.applyRecords([gone(realm, 9, 2)]);
    t.strictSame([await newest(1), await newest(2)], [[7], [7, 6]]);
    t.strictSame(await ids(realm, { by: 'realm' }, 7, 'older', 1), [6]);
  });

  fact('a message is replaced only by a larger rev, and a deleted one stays deleted', async (t) => {
    const realm = freshRealm();
    const text = async () => (await store.getMessages(realm, [1]))[0]?.body.content;
    const write = (rev: number) => store.applyRecords([put(realm, message(1, { body: { content: `r${rev}` } }), rev)]);
    await write(2);
    await write(1);
    await write(2);
    t.equal(await text(), 'r2');
    await store.applyRecords([gone(realm, 1, 5)]);
    await write(4);
    t.strictSame(await store.getMessages(realm, [1]), [null]);
    t.strictSame(await ids(realm, { by: 'realm' }), []);
    t.strictSame(await ids(realm, { by: 'sender', sender: 7 }), []);
    await write(6);
    t.equal(await text(), 'r6');
    t.strictSame(await ids(realm, { by: 'realm' }), [1]);
  });

  fact('the largest rev wins among several writes of one message in one call', async (t) => {
    const realm = freshRealm();
    const revs = [2, 5, 1, 4, 3];
    await store.applyRecords(revs.map((rev) => put(realm, message(9, { body: { rev } }), rev)));
    t.match(await store.getMessages(realm, [9]), [{ body: { rev: 5 } }]);
  });

  fact('each index is scanned in both directions around an anchor, which is excluded', async (t) => {
    const realm = freshRealm();
    const direct = { conversation: 'd3,4', topicKey: '', participants: [3, 4], sender: 3 };
    await store.applyRecords([
      put(realm, message(10)),
      put(realm, message(20, { topicKey: 'tea, green' })),
      put(realm, message(30, { sender: 8 })),
      put(realm, message(40, { conversation: 's2' })),
      put(realm, message(50, direct)),
      put(realm, message(60, { ...direct, conversation: 'd4', participants: [4], sender: 4 })),
      put(freshRealm(), message(25)),
    ]);
    t.strictSame(await ids(realm, { by: 'realm' }, 20), [30, 40, 50, 60]);
    t.strictSame(await ids(realm, { by: 'realm' }, 50, 'older'), [40, 30, 20, 10]);
    t.strictSame(await ids(realm, { by: 'realm' }, Number.MAX_SAFE_INTEGER, 'older', 2), [60, 50]);
    t.strictSame(await ids(realm, { by: 'realm' }, 0, 'newer', 0), []);
    t.strictSame(await ids(realm, { by: 'conversation', conversation: 's1' }), [10, 20, 30]);
    t.strictSame(await ids(realm, { by: 'conversation', conversation: 's1' }, 31, 'older', 2), [30, 20]);
    t.strictSame(await ids(realm, { by: 'conversation', conversation: 's' }), []);
    t.strictSame(await ids(realm, { by: 'topic', conversation: 's1', topicKey: 'lunch' }), [10, 30]);
    t.strictSame(await ids(realm, { by: 'topic', conversation: 's1', topicKey: 'tea, green' }, 999, 'older'), [20]);
    t.strictSame(await ids(realm, { by: 'topic', conversation: 'd3,4', topicKey: '' }), [50]);
    t.strictSame(await ids(realm, { by: 'sender', sender: 7 }, 10), [20, 40]);
    t.strictSame(await ids(realm, { by: 'participant', user: 4 }), [50, 60]);
    t.strictSame(await ids(realm, { by: 'participant', user: 3 }, 51, 'older'), [50]);
    t.strictSame(await ids(freshRealm(), { by: 'realm' }), []);
    t.strictSame(await ids(freshRealm(), { by: 'sender', sender: 7 }, 1e9, 'older'), []);
  });

  fact('a moved message leaves its old indexes and enters the new ones', async (t) => {
    const realm = freshRealm();
    await store.applyRecords([put(realm, message(1)), put(realm, message(2))]);
    await store.applyRecords([put(realm, message(1, { conversation: 's2', topicKey: 'dinner' }), 2)]);
    t.strictSame(await ids(realm, { by: 'conversation', conversation: 's1' }), [2]);
    t.strictSame(await ids(realm, { by: 'topic', conversation: 's1', topicKey: 'lunch' }), [2]);
    t.strictSame(await ids(realm, { by: 'conversation', conversation: 's2' }), [1]);
    t.strictSame(await ids(realm, { by: 'topic', conversation: 's2', topicKey: 'dinner' }), [1]);
    t.strictSame(await ids(realm, { by: 'sender', sender: 7 }), [1, 2]);
  });

  fact('scans find rare messages among many, far apart and at both ends', async (t) => {
    const realm = freshRealm();
    const all: MessageRecord[] = [];
    for (let i = 0; i < 1500; i++) all.push(message(1000 + i * 17, { sender: i % 500 === 0 ? 1 : 2 }));
    await store.applyRecords(all.map((m) => put(realm, m)));
    const rare = [1000, 1000 + 500 * 17, 1000 + 1000 * 17];
    t.strictSame(await ids(realm, { by: 'sender', sender: 1 }), rare);
    t.strictSame(await ids(realm, { by: 'sender', sender: 1 }, 10 ** 9, 'older'), [...rare].reverse());
    const scan = {
      realm,
      index: { by: 'sender', sender: 2 },
      from: 10 ** 12,
      direction: 'older',
      limit: 1300,
    } as const;
    t.strictSame(
      (await store.scanMessages(scan)).map((m) => m.id),
      modelScan(all, scan),
    );
    t.strictSame(await ids(realm, { by: 'realm' }, 10 ** 12, 'newer'), []);
    t.strictSame(await ids(realm, { by: 'realm' }, 0, 'older'), []);
  });

  fact('several conditions are intersected, and several ranges merged without repeats', async (t) => {
    const realm = freshRealm();
    await store.applyRecords([
      put(realm, message(10, { tags: ['=tea', '=milk'] })),
      put(realm, message(20, { conversation: 's2', tags: ['=tea', '=milk'] })),
      put(realm, message(30, { tags: ['=tea'], sender: 8 })),
      put(realm, message(40, { tags: ['=milk'] })),
      put(realm, message(50, { tags: ['=milk', '=tea'] })),
    ]);
    const tea = { by: 'tag', tag: '=tea' } as const;
    const milk = { by: 'tag', tag: '=milk' } as const;
    const one = { by: 'conversation', conversation: 's1' } as const;
    const two = { by: 'conversation', conversation: 's2' } as const;
    const scan = async (of: Partial<MessageScan> & MessageIndexRange, limit = 100) => {
      const found = await store.scanMessages({ realm, from: 0, direction: 'newer', limit, ...of });
      return found.map((m) => m.id);
    };
    t.strictSame(await scan({ index: tea, also: [milk] }), [10, 20, 50]);
    t.strictSame(await scan({ index: tea, also: [milk, one] }), [10, 50]);
    t.strictSame(await scan({ index: one, also: [{ by: 'realm' }, tea], direction: 'older', from: 50 }), [30, 10]);
    t.strictSame(await scan({ index: one, also: [two] }), []);
    t.strictSame(await scan({ index: one, also: [{ by: 'sender', sender: 8 }] }), [30]);
    t.strictSame(await scan({ index: tea, also: [{ by: 'ids', ids: [5, 20, 50, 60] }] }), [20, 50]);
    t.strictSame(await scan({ index: { by: 'ids', ids: [] } }), []);
    t.strictSame(await scan({ index: tea, or: [{ index: milk }] }, 4), [10, 20, 30, 40]);
    t.strictSame(
      await scan({ index: tea, above: 10, upTo: 30, or: [{ index: two }, { index: milk, above: 40 }] }),
      [20, 30, 50],
    );
  });

  fact('a range that ends at the first id ends there', async (t) => {
    const realm = freshRealm();
    await store.applyRecords([1, 2].map((id) => put(realm, message(id))));
    const index = { by: 'sender', sender: 7 } as const;
    const or = [{ index: { by: 'sender', sender: 8 } as const }];
    const found = await store.scanMessages({ realm, index, or, from: 9, direction: 'older', limit: 4 });
    t.strictSame(
      found.map((m) => m.id),
      [2, 1],
    );
  });

  fact('intersections are complete where the conditions have little in common', async (t) => {
    const realm = freshRealm();
    const all: MessageRecord[] = [];
    for (let i = 1; i <= 6_000; i++) {
      const tags = [i % 2 === 0 ? '=even' : '=odd', ...(i % 997 === 0 ? ['=rare'] : [])];
      all.push(message(i * 3, { conversation: `s${i % 40}`, tags }));
    }
    await store.applyRecords(all.map((m) => put(realm, m)));
    const tag = (name: string) => ({ by: 'tag', tag: name }) as const;
    const streams = Array.from({ length: 39 }, (_, i) => ({
      index: { by: 'conversation', conversation: `s${i}` } as const,
      also: [tag('=even')],
    }));
    const scans: Partial<MessageScan>[] = [
      { index: tag('=even'), also: [tag('=odd')] },
      { index: tag('=even'), also: [tag('=rare')] },
      { index: tag('=rare'), also: [tag('=odd')] },
      {
        index: tag('=rare'),
        also: [tag('=even')],
        or: streams.map((of) => ({ ...of, also: [tag('=even'), tag('=rare')] })),
      },
      { index: tag('=odd'), also: [tag('=rare'), { by: 'sender', sender: 999 }] },
      { index: tag('=even'), also: [tag('=rare')], above: 4_000, upTo: 14_000 },
      { index: tag('=none'), or: streams },
      { index: tag('=rare'), or: streams, above: 9_000 },
    ];
    for (const of of scans) {
      for (const direction of ['newer', 'older'] as const) {
        const from = direction === 'newer' ? 0 : 10 ** 15;
        const scan = { realm, index: tag(''), from, direction, limit: 700, ...of };
        const found = await store.scanMessages(scan);
        t.strictSame(
          found.map((m) => m.id),
          modelScan(all, scan),
        );
      }
    }
  });

  fact('scans equal those of a plain model, after any writes, moves and deletes', async (t) => {
    const id = fc.integer({ min: 1, max: 60 }).map((n) => (n > 50 ? n * 1_000_000_007 : n));
    const conversation = fc.constantFrom('s1', 's2', 'd1,2', 'd1');
    const topicKey = fc.constantFrom('', 'a', 'a,b', 'ß😀');
    const person = fc.integer({ min: 1, max: 3 });
    const movedFrom = fc.constantFrom('', '', 's1', 's2');
    const tag = fc.constantFrom('@1', '=word', 'has:link');
    const record = fc.record({
      id,
      conversation,
      topicKey,
      sender: person,
      participants: fc.uniqueArray(person),
      movedFrom,
      tags: fc.uniqueArray(tag),
    });
    const step = fc.record({ record, rev: fc.integer({ min: 1, max: 5 }), deleted: fc.boolean() });
    const index: fc.Arbitrary<MessageIndexCondition> = fc.oneof(
      fc.constant({ by: 'realm' } as const),
      fc.record({ by: fc.constant('conversation' as const), conversation }),
      fc.record({ by: fc.constant('topic' as const), conversation, topicKey }),
      fc.record({ by: fc.constant('sender' as const), sender: person }),
      fc.record({ by: fc.constant('participant' as const), user: person }),
      fc.record({ by: fc.constant('tag' as const), tag }),
      fc.record({ by: fc.constant('moved' as const), from: fc.constantFrom('s1', 's2') }),
      fc.record({
        by: fc.constant('ids' as const),
        ids: fc.uniqueArray(id, { maxLength: 12 }).map((ids) => ids.sort((a, b) => a - b)),
      }),
    );
    const bound = fc.integer({ min: 0, max: 61 });
    const range = fc.record(
      { index, also: fc.array(index, { maxLength: 2 }), above: bound, upTo: bound },
      { requiredKeys: ['index'] },
    );
    const some = fc.oneof(
      { weight: 2, arbitrary: fc.record({ index }) },
      range,
      fc.tuple(range, fc.array(range, { minLength: 1, maxLength: 4 })).map(([first, or]) => ({ ...first, or })),
    );
    const from = fc.oneof(fc.integer({ min: 0, max: 61 }), id, fc.constant(Number.MAX_SAFE_INTEGER));
    const direction = fc.constantFrom('newer' as const, 'older' as const);
    const window = fc.record({ from, direction, limit: fc.integer({ min: 1, max: 20 }) });
    const scan = fc.tuple(some, window).map(([of, where]) => ({ ...of, ...where }));
    const property = fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 15 }), { maxLength: 6 }),
      fc.array(scan, { minLength: 1, maxLength: 12 }),
      async (batches, scans) => {
        const realm = freshRealm();
        const model = new Map<number, { rev: number; value: MessageRecord | null }>();
        for (const batch of batches) {
          const writes = batch.map(({ record, rev, deleted }): MessageRecordWrite => {
            const value = deleted ? null : { ...record, body: { rev } };
            return { type: 'message', realm, id: record.id, rev, value };
          });
          // A rev is never used for two different values: keep the first of each.
          const seen = new Set<string>();
          const once = writes.filter(({ id, rev }) => {
            const named = `${id} ${rev}`;
            return !seen.has(named) && seen.add(named);
          });
          await store.applyRecords(once);
          for (const { id, rev, value } of once) if ((model.get(id)?.rev ?? 0) < rev) model.set(id, { rev, value });
        }
        const alive = [...model.values()].flatMap((m) => m.value ?? []);
        for (const s of scans) {
          const found = await store.scanMessages({ ...s, realm });
          t.strictSame(
            found.map((m) => m.id),
            modelScan(alive, { ...s, realm }),
          );
          for (const m of found) t.strictSame(m, model.get(m.id)?.value);
        }
      },
    );
    await fc.assert(property, { numRuns: rounds(15, 40) });
  });
}
