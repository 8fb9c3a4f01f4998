/** The bulk loader of LMDB: loaded messages are found as those are that were written one by one. */
import fc from 'fast-check';
import t from 'tap';
import { REAL_CLOCK } from '#base/clock';
import { realmActorKey, toEpoch, toRealmId } from '#model';
import type { MessageRecord } from '#model/records';
import {
  LmdbStore,
  type MessageBulkLoader,
  MessageBulkLoadRefusedError,
  type MessageIndexCondition,
  type MessageScan,
  openLmdbEnvironment,
} from '#ports/store';
import { rounds } from '../../support/rounds.js';

const REALM = toRealmId(3);
const ACTOR = realmActorKey(REALM);
const CONVERSATIONS = ['s1', 's2', 'd5,6'];
const TAGS = ['=tide', '=a/b', '@5', 'has:link'];

async function openStore(directory: string) {
  const environment = await openLmdbEnvironment(directory);
  const store = new LmdbStore(environment, REAL_CLOCK);
  return {
    store,
    loader: () => store.makeMessageBulkLoader(REALM, ACTOR) satisfies MessageBulkLoader,
    async close() {
      await store.close();
      await environment.close();
    },
  };
}

const record = (id: number, fields: Partial<MessageRecord>): MessageRecord => ({
  id,
  conversation: 's1',
  topicKey: 'topic',
  sender: 5,
  participants: [],
  movedFrom: '',
  tags: [],
  body: { content: `message ${id}` },
  ...fields,
});

const fieldsOfMessage = fc.record({
  conversation: fc.constantFrom(...CONVERSATIONS),
  topicKey: fc.constantFrom('topic', 'a/b', 'a', ''),
  sender: fc.integer({ min: 5, max: 7 }),
  participants: fc.subarray([5, 6]),
  movedFrom: fc.constantFrom('', 's2'),
  tags: fc.subarray(TAGS),
});

const CONDITIONS: readonly MessageIndexCondition[] = [
  { by: 'realm' },
  ...CONVERSATIONS.map((conversation) => ({ by: 'conversation', conversation }) as const),
  ...['topic', 'a/b', 'a', ''].flatMap((topicKey) =>
    CONVERSATIONS.map((conversation) => ({ by: 'topic', conversation, topicKey }) as const),
  ),
  ...[5, 6, 7].map((sender) => ({ by: 'sender', sender }) as const),
  ...[5, 6].map((user) => ({ by: 'participant', user }) as const),
  ...TAGS.map((tag) => ({ by: 'tag', tag }) as const),
  { by: 'moved', from: 's2' },
];

/** Ids of the messages of one transaction: fewer are kept until a flush. */
const TRANSACTION_OF_IDS = Array.from({ length: 500 }, (_, i) => i + 1);
const NEXT_ID = TRANSACTION_OF_IDS.length + 1;

const FROM_OLDEST = { from: 0, direction: 'newer', limit: 1_000 } as const;
const FROM_NEWEST = { from: 2 ** 53, direction: 'older', limit: 1_000 } as const;

/** Ids that a scan of each index finds. */
async function idsByIndex(
  store: LmdbStore,
  { from, direction, limit }: Pick<MessageScan, 'from' | 'direction' | 'limit'> = FROM_OLDEST,
): Promise<number[][]> {
  const found: number[][] = [];
  for (const index of CONDITIONS) {
    const messages = await store.scanMessages({ realm: REALM, index, from, direction, limit });
    found.push(messages.map(({ id }) => id));
  }
  return found;
}

t.test('messages of two loaders are stored and found as messages that were written one by one', async (test) => {
  const base = test.testdir();
  const [loaded, written] = [await openStore(`${base}/loaded`), await openStore(`${base}/written`)];
  test.teardown(() => Promise.all([loaded.close(), written.close()]));
  let next = 1;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fieldsOfMessage, { maxLength: 12 }), { maxLength: 6 }), async (batches) => {
      const first = next;
      const loaders = [loaded.loader(), loaded.loader()];
      for (const [i, batch] of batches.entries()) {
        const messages = batch.map((fields) => record(next++, fields));
        await loaders[i % 2]!.addMessages(messages);
        await written.store.applyRecords(
          messages.map((value) => ({ type: 'message', realm: REALM, id: value.id, rev: 1, value })),
        );
        if (i % 3 === 2) await loaders[i % 2]!.flush();
      }
      for (const loader of loaders) await loader.flush();
      const ids = Array.from({ length: next - first }, (_, i) => first + i);
      test.strictSame(await loaded.store.getMessages(REALM, ids), await written.store.getMessages(REALM, ids));
    }),
    { numRuns: 20 },
  );
  test.ok(next > 50, 'enough messages');
  test.strictSame(await idsByIndex(loaded.store), await idsByIndex(written.store));
});

t.test('loaded messages that are changed, removed and followed by others are found as written ones', async (test) => {
  const writes = fc.array(fc.tuple(fc.nat({ max: 40 }), fc.option(fieldsOfMessage)), { maxLength: 30 });
  const scans = fc.array(
    fc.record({ at: fc.nat({ max: 40 }), direction: fc.constantFrom('newer', 'older'), limit: fc.nat({ max: 12 }) }),
    { minLength: 1, maxLength: 4 },
  );
  // Windows of ids are 16,384 wide.
  const gaps = fc.array(fc.constantFrom(1, 1, 1, 2, 1_000, 9_000, 40_000), { minLength: 1, maxLength: 40 });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(gaps, fc.infiniteStream(fieldsOfMessage), writes, scans, async (gaps, fields, writes, scans) => {
      const base = test.testdir();
      const [loaded, written] = [
        await openStore(`${base}/loaded${++round}`),
        await openStore(`${base}/written${round}`),
      ];
      const ids: number[] = [];
      for (const gap of gaps) ids.push((ids.at(-1) ?? 0) + gap);
      const loader = loaded.loader();
      for (const [i, id] of ids.entries()) {
        const value = record(id, fields.next().value);
        await loader.addMessages([value]);
        await written.store.applyRecords([{ type: 'message', realm: REALM, id, rev: 1, value }]);
        if (i % 9 === 8) await loader.flush();
      }
      await loader.flush();
      for (const [i, [at, fields]] of writes.entries()) {
        // A place behind the end is a new message.
        const id = ids[at] ?? (ids.at(-1) ?? 0) + 1;
        if (at >= ids.length) ids.push(id);
        const value = fields && record(id, fields);
        for (const { store } of [loaded, written])
          await store.applyRecords([{ type: 'message', realm: REALM, id, rev: i + 2, value }]);
      }
      for (const { at, direction, limit } of scans) {
        const scan = { from: ids[at] ?? 2 ** 53, direction: direction as 'newer' | 'older', limit: limit + 1 };
        test.strictSame(await idsByIndex(loaded.store, scan), await idsByIndex(written.store, scan));
      }
      for (const scan of [FROM_OLDEST, FROM_NEWEST])
        test.strictSame(await idsByIndex(loaded.store, scan), await idsByIndex(written.store, scan));
      await Promise.all([loaded.close(), written.close()]);
    }),
    { numRuns: rounds(20, 60) },
  );
});

t.test('a load that ends amid a flush and is repeated in other pieces is found once', async (test) => {
  const { store, loader, close } = await openStore(test.testdir());
  test.teardown(close);
  const messages = Array.from({ length: 600 }, (_, i) => record(i * 40 + 1, { tags: ['=tide'] }));
  // Two loaders, as two threads have them, take the pieces by turns. A window has 409 messages.
  for (const size of [70, 110, 600]) {
    const loaders = [loader(), loader()];
    for (let from = 0; from < messages.length; from += size) {
      const [taken] = loaders;
      await taken!.addMessages(messages.slice(from, from + size));
      if (from % 3 > 0) await taken!.flush();
      loaders.reverse();
    }
    for (const one of loaders) await one.flush();
  }
  const index = { by: 'tag', tag: '=tide' } as const;
  const ids = messages.map(({ id }) => id);
  const found = async (direction: 'newer' | 'older', from: number): Promise<number[]> =>
    (await store.scanMessages({ realm: REALM, index, from, direction, limit: 250 })).map(({ id }) => id);
  test.strictSame(await found('newer', 0), ids.slice(0, 250));
  test.strictSame(await found('newer', 12_001), ids.slice(301, 551));
  test.strictSame(await found('older', 2 ** 53), ids.toReversed().slice(0, 250));
  test.strictSame(await found('older', 12_001), ids.slice(50, 300).reverse());
});

t.test('an index has all messages of a large load', async (test) => {
  const { store, loader, close } = await openStore(test.testdir());
  test.teardown(close);
  const bulk = loader();
  const tags = Array.from({ length: 20 }, (_, i) => `=word${i}`);
  await bulk.addMessages(Array.from({ length: 2_500 }, (_, i) => record(i + 1, { tags })));
  await bulk.flush();
  const scan = { realm: REALM, from: 0, direction: 'newer', limit: 5_000 } as const;
  for (const tag of tags)
    test.equal((await store.scanMessages({ ...scan, index: { by: 'tag', tag } })).length, 2_500, tag);
});

t.test('more rows of index entries than one transaction takes are all written', async (test) => {
  const { store, loader, close } = await openStore(test.testdir());
  test.teardown(close);
  const bulk = loader();
  const tags = Array.from({ length: 1_100 }, (_, i) => `=word${i}`);
  await bulk.addMessages([1, 2, 3].map((id) => record(id, { tags })));
  await bulk.flush();
  for (const tag of tags) {
    const found = await store.scanMessages({ ...FROM_OLDEST, realm: REALM, index: { by: 'tag', tag } });
    test.equal(found.length, 3, tag);
  }
});

t.test('a message that is stored already stays as it is, with its index entries', async (test) => {
  const { store, loader, close } = await openStore(test.testdir());
  test.teardown(close);
  await loader().addMessages(
    TRANSACTION_OF_IDS.map((id) => record(id, id === 1 ? { tags: ['=tide'] } : { sender: 6 })),
  );
  // As after a crash: another process repeats the load, perhaps another version of the program.
  const again = loader();
  await again.addMessages([record(1, { tags: ['@5'], sender: 7 }), record(NEXT_ID, {})]);
  await again.flush();
  test.equal((await store.getMessages(REALM, [1]))[0]!.sender, 5);
  const ids = await idsByIndex(store);
  const idsOf = (index: MessageIndexCondition) =>
    ids[CONDITIONS.findIndex((one) => JSON.stringify(one) === JSON.stringify(index))];
  test.strictSame(idsOf({ by: 'tag', tag: '=tide' }), [1]);
  test.strictSame(idsOf({ by: 'tag', tag: '@5' }), []);
  test.strictSame(idsOf({ by: 'sender', sender: 5 }), [1, NEXT_ID]);
});

t.test('nothing is loaded once the closing actor exists', async (test) => {
  const { store, loader, close } = await openStore(test.testdir());
  test.teardown(close);
  const late = loader();
  await late.addMessages([record(1, { tags: ['=tide'] })]);
  const root = { key: ACTOR, epoch: toEpoch(1), expected: 0, state: {}, outbox: [], due: null, records: [] };
  test.equal(await store.commit(root), 'ok');
  await test.rejects(late.addMessages(TRANSACTION_OF_IDS.map((id) => record(id, {}))), MessageBulkLoadRefusedError);
  await test.rejects(late.flush(), MessageBulkLoadRefusedError);
  test.strictSame(await store.getMessages(REALM, [2]), [null]);
  const index = { by: 'tag', tag: '=tide' } as const;
  test.strictSame(await store.scanMessages({ realm: REALM, index, from: 0, direction: 'newer', limit: 9 }), []);
});
