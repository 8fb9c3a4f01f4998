import t from 'tap';
import { RecentMessageIndex, RecentMessageMemoryBudget } from '#delivery';
import { type MessageBody, NEWEST_ANCHOR_MESSAGE_ID, type StoredMessage, toMessageRecord } from '#domain/messages';
import { type LogEntry, type LogItem, streamActorKey, toLogSeq, toRealmId, toStreamId } from '#model';
import type { MessageRecord } from '#model/records';
import type { MessageScan } from '#ports/store';
import { StreamMembershipCache } from '../../../src/delivery/memberships.js';
import { FakeClock, settle } from '../../support/fake-clock.js';
import { Gate } from '../../support/gate.js';
import { MemoryStore } from '../../support/memory-store.js';

const REALM = toRealmId(1);

const said = (id: number, stream: number, topic = 'topic', rev = 1, more: Partial<MessageBody> = {}): MessageRecord => {
  const has = { link: false, image: false };
  const body = { stream, topic, sent: 1, flags: {}, wildcard: false, content: 'text', html: 'text', rev, has, ...more };
  const participants = stream === 0 ? [8, 9] : [];
  return toMessageRecord(
    { id, sender: 8, participants, originStream: stream, body } as unknown as StoredMessage,
    'd8,9',
  );
};

const told = ({ id, body, participants }: MessageRecord): LogItem => {
  const { stream, topic, sent } = body as MessageBody;
  const place = stream === 0 ? {} : { stream_id: stream };
  return {
    t: 'message',
    to: stream === 0 ? { users: participants } : { stream, mv: 1 },
    message: { common: { id, sender_id: 8, timestamp: sent, subject: topic, ...place } },
    flags: {},
  };
};

const changed = (ids: readonly number[], more: object): LogItem => ({
  t: 'event',
  to: {},
  event: { type: 'update_message', message_id: ids[0]!, message_ids: ids, ...more },
});

async function world(...stored: readonly MessageRecord[]) {
  const clock = new FakeClock();
  const store = new MemoryStore({ atomicRecords: true });
  const write = (...records: readonly MessageRecord[]): Promise<void> =>
    store.applyRecords(
      records.map((value) => {
        const { rev } = value.body as MessageBody;
        return { type: 'message', realm: REALM, id: value.id, rev, value };
      }),
    );
  const remove = (id: number): Promise<void> =>
    store.applyRecords([{ type: 'message', realm: REALM, id, rev: 99, value: null }]);
  await write(...stored);
  const recent: { entry: LogEntry }[] = [];
  const source = { clock, recentEntries: () => recent, delivered: async () => undefined };
  const index = new RecentMessageIndex(
    store,
    REALM,
    new StreamMembershipCache(store, REALM),
    source,
    new RecentMessageMemoryBudget(),
  );
  const apply = (...items: readonly LogItem[]): void => {
    recent.push({ entry: { actor: streamActorKey(REALM, toStreamId(5)), groups: [{ v: toLogSeq(1), p: 0, items }] } });
    for (const item of items) index.applyLogItem(item);
  };
  const newest = (more: Partial<MessageScan> = {}): MessageScan => ({
    realm: REALM,
    index: { by: 'realm' },
    from: NEWEST_ANCHOR_MESSAGE_ID,
    direction: 'older',
    limit: 100,
    ...more,
  });
  /** The messages that a registration sees. */
  const seen = async (more: Partial<MessageScan> = {}): Promise<string[]> => {
    const reads = await index.catchUpAndSelectReadStore();
    const found = await reads.scanMessages(newest(more));
    return found.map(({ id, conversation, body }) => `${id} ${conversation} ${(body as MessageBody).topic}`);
  };
  return { clock, store, write, remove, index, apply, seen };
}

t.test('changes in the log are seen without reading messages again', async (t) => {
  const { index, apply, seen, store, write } = await world(said(1, 5), said(2, 6));
  t.same(await seen(), ['2 s6 topic', '1 s5 topic']);
  t.equal(await index.catchUpAndSelectReadStore(), index);
  const third = said(3, 5, 'other');
  await write(third);
  apply(told(third));
  apply(changed([1], { subject: 'renamed' }));
  store.gate = (step) => {
    if (step === 'before:getMessages') throw new Error('read');
  };
  t.same(await seen(), ['3 s5 other', '2 s6 topic', '1 s5 renamed']);
  t.same(await seen({ index: { by: 'conversation', conversation: 's5' }, limit: 1 }), ['3 s5 other']);
  t.same(await seen({ index: { by: 'conversation', conversation: 's5' }, above: 1 }), ['3 s5 other']);
});

t.test('a lookup waits until the log has shown a message that the Store holds', async (t) => {
  const { apply, seen, write } = await world(said(1, 5));
  await seen();
  const second = said(2, 5);
  await write(second);
  let done: string[] | undefined;
  const seeing = seen().then((found) => {
    done = found;
  });
  await settle();
  t.equal(done, undefined);
  apply(told(second));
  await seeing;
  t.same(done, ['2 s5 topic', '1 s5 topic']);
});

t.test('if the log does not show a message in time, the Store is read', async (t) => {
  const { clock, index, seen, store, write } = await world(said(1, 5));
  await seen();
  await write(said(2, 5));
  const reading = index.catchUpAndSelectReadStore();
  await settle();
  await clock.advance(1_000);
  t.equal(await reading, store);
  t.same(await seen(), ['2 s5 topic', '1 s5 topic'], 'and read anew');
});

t.test('an edit is read from the Store, a deleted message is gone', async (t) => {
  const { apply, remove, seen, write, index } = await world(said(1, 5), said(2, 5), said(3, 0));
  await seen();
  await write(said(1, 5, 'topic', 2, { flags: { 9: ['mentioned'] } }));
  await remove(2);
  apply(changed([1], { content: 'now @**nine**' }), {
    t: 'event',
    to: {},
    event: { type: 'delete_message', message_ids: [2], message_type: 'stream' },
  });
  t.same(await seen(), ['3 d8,9 topic', '1 s5 topic']);
  const [, edited, gone] = await index.getMessages(REALM, [3, 1, 2]);
  t.same((edited!.body as MessageBody).flags, { 9: ['mentioned'] });
  t.equal(gone, null);
  t.ok(await index.hasEveryStoredMessage([1, 2, 3]));
});

t.test('a lookup of a message that the log has not shown reads the Store', async (t) => {
  const { index, seen, write } = await world(said(1, 5));
  await seen();
  await write(said(2, 5));
  t.notOk(await index.hasEveryStoredMessage([1, 2]));
  t.ok(await index.hasEveryStoredMessage([1, 7]), 'one that is nowhere is no reason');
});

t.test('during a move between streams the Store is read, and afterwards the whole index again', async (t) => {
  const { apply, index, seen, store, write } = await world(said(1, 5), said(2, 5));
  await seen();
  apply(changed([1, 2], { new_stream_id: 6, subject: 'there' }), { t: 'carrying', from: 5, to: 6, done: false });
  t.equal(await index.catchUpAndSelectReadStore(), store);
  await write(said(1, 6, 'there', 2), said(2, 6, 'there', 2));
  apply({ t: 'carrying', from: 5, to: 6, done: true });
  t.equal(await index.catchUpAndSelectReadStore(), index);
  t.same(await seen(), ['2 s6 there', '1 s6 there']);
});

t.test('a move that arrives during a read invalidates the read', async (t) => {
  const { apply, index, seen, store, write } = await world(said(1, 5));
  const gate = new Gate();
  let shut = true;
  store.gate = (step) => (shut && step === 'after:scanMessages' ? gate.opened : undefined);
  const reading = index.catchUpAndSelectReadStore();
  await settle();
  shut = false;
  await write(said(1, 6, 'there', 2));
  apply(changed([1], { new_stream_id: 6, subject: 'there' }));
  gate.open();
  t.equal(await reading, store);
  t.same(await seen(), ['1 s6 there']);
});

t.test('a rename that is only partly written is taken from the log', async (t) => {
  const { apply, seen } = await world(said(1, 5), said(2, 5));
  apply(changed([1, 2], { subject: 'renamed' }));
  t.same(await seen(), ['2 s5 renamed', '1 s5 renamed']);
});

t.test('organizations without requests are evicted first', (t) => {
  const budget = new RecentMessageMemoryBudget(10);
  const forgotten: string[] = [];
  const one = (name: string): RecentMessageIndex =>
    ({
      reset() {
        forgotten.push(name);
        budget.removeIndex(this as unknown as RecentMessageIndex);
      },
    }) as unknown as RecentMessageIndex;
  const [a, b, c] = ['a', 'b', 'c'].map(one) as [RecentMessageIndex, RecentMessageIndex, RecentMessageIndex];
  budget.setIndexSizeAndResetOverMax(a, 4);
  budget.setIndexSizeAndResetOverMax(b, 4);
  budget.markIndexUsed(a);
  budget.setIndexSizeAndResetOverMax(c, 4);
  t.same(forgotten, ['b']);
  t.end();
});
