import t from 'tap';
import type { MessageRecord } from '#model/records';
import { isMessageInRange, type MessageIndexCondition, type MessageIndexRange, type MessageScan } from '#ports/store';
import { RecentMessageRecords } from '../../../src/delivery/recent-messages.js';
import { makeRandom } from '../../bench/fetch-fill.js';

const STREAMS = 5;
const USERS = 6;

t.test('a scan in memory finds what a look at every message finds, after any changes', async (t) => {
  const random = makeRandom(20);
  const below = (n: number): number => Math.floor(random() * n);
  const makeRecord = (id: number): MessageRecord => {
    const stream = below(STREAMS + 1);
    return {
      id,
      conversation: stream === 0 ? 'd1,2' : `s${stream}`,
      topicKey: 'topic',
      sender: 1,
      participants: stream === 0 ? [below(USERS), USERS + below(USERS)] : [],
      movedFrom: stream !== 0 && below(4) === 0 ? `s${1 + below(STREAMS)}` : '',
      tags: [],
      body: { stream, topic: 'topic', sent: id, flags: {}, wildcard: false } as unknown as MessageRecord['body'],
    };
  };
  const makeIndex = (): MessageIndexCondition => {
    const stream = `s${1 + below(STREAMS)}`;
    const all: MessageIndexCondition[] = [
      { by: 'realm' },
      { by: 'conversation', conversation: stream },
      { by: 'moved', from: stream },
      { by: 'participant', user: below(2 * USERS) },
    ];
    return all[below(all.length)]!;
  };
  let newest = 0;
  const known = new Map<number, MessageRecord>();
  for (; newest < 200; newest += 2) known.set(newest, makeRecord(newest));
  const records = new RecentMessageRecords([...known.values()].reverse(), 0);
  const bound = (): number | undefined => (below(2) === 0 ? undefined : below(newest));
  const makeRange = (): MessageIndexRange => {
    const [above, upTo] = [bound(), bound()];
    return { index: makeIndex(), ...(above === undefined ? {} : { above }), ...(upTo === undefined ? {} : { upTo }) };
  };
  const change = (): void => {
    const id = below(newest + 10);
    switch (below(6)) {
      case 0:
      case 1:
      case 2:
        // Messages of several streams arrive out of order.
        newest = Math.max(newest, id);
        if (known.has(id) || id < records.completeFromId) return;
        known.set(id, makeRecord(id));
        records.addIfMissing(known.get(id)!);
        return;
      case 3:
        if (known.has(id)) known.set(id, makeRecord(id));
        records.replaceOrRemove(id, known.get(id) ?? null);
        return;
      case 4:
        known.delete(id);
        records.replaceOrRemove(id, null);
        return;
      default:
        if (below(20) > 0) return;
        records.keepNewest(known.size - 5);
        for (const old of known.keys()) if (old < records.completeFromId) known.delete(old);
    }
  };
  for (let i = 0; i < 3_000; i++) {
    change();
    const [range, ...or] = Array.from({ length: 1 + below(4) }, makeRange) as [
      MessageIndexRange,
      ...MessageIndexRange[],
    ];
    const scan = { ...range, or, realm: 1, from: below(newest + 20), direction: 'older', limit: 1 + below(30) };
    const expected = [...known.values()]
      .filter((record) => record.id < scan.from && [range, ...or].some((one) => isMessageInRange(record, one)))
      .sort((a, b) => b.id - a.id)
      .slice(0, scan.limit)
      .map(({ id }) => id);
    const found = records.scanInMemory(scan as unknown as MessageScan)!;
    t.same(
      found.records.map(({ id }) => id),
      expected,
    );
  }
});
