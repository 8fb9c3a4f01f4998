import t from 'tap';
import type { Json } from '#base';
import { RecentLogEntryMemoryBudget } from '#delivery';
import { type LogEntry, type MessageLogItem, toLogSeq } from '#model';
import { decodeLogEntry } from '#ports/log';
import { RecentLogEntries } from '../../../src/delivery/recent-entries.js';
import { encodeLogEntry } from '../../../src/ports/log/entry-codec.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { settle } from '../../support/fake-clock.js';

const entry = (content: string): LogEntry =>
  ({
    actor: 'stream/1/1',
    groups: [{ v: 1, p: 0, items: [{ t: 'message', to: {}, flags: {}, message: { common: {}, content } }] }],
  }) as unknown as LogEntry;

/** The entries that a reader gets from a position on; undefined if it must read the log. */
async function read(recent: RecentLogEntries, after: number): Promise<number[] | undefined> {
  const got: number[] = [];
  const reader = { onEntry: (at: number) => void got.push(at), onTransient: () => {}, onGap: () => {} };
  const subscription = recent.subscribeIfStillInMemory(toLogSeq(after), reader);
  if (!subscription) return undefined;
  await settle();
  subscription.close();
  return got;
}

t.test('entries are given from any position above the start, and live ones after them', async (t) => {
  const recent = new RecentLogEntries(new RecentLogEntryMemoryBudget(), toLogSeq(10));
  for (const at of [12, 13, 20]) recent.addNewestEntry(toLogSeq(at), entry('x'));
  t.same(await read(recent, 10), [12, 13, 20]);
  t.same(await read(recent, 11), [12, 13, 20]);
  t.same(await read(recent, 12), [13, 20]);
  t.same(await read(recent, 20), []);
  t.same(await read(recent, 99), [], 'a reader may be ahead of us');
  t.equal(await read(recent, 9), undefined);
  const got: number[] = [];
  const follow = recent.subscribeIfStillInMemory(toLogSeq(13), {
    onEntry: (at) => void got.push(at),
    onTransient: () => {},
    onGap: () => {},
  })!;
  recent.addNewestEntry(toLogSeq(21), entry('x'));
  t.same(got, [], 'not before the caller has what it asked for');
  t.equal(await follow.waitUntilCaughtUp(), 21);
  t.same(got, [20, 21]);
  recent.addNewestEntry(toLogSeq(22), entry('x'));
  follow.close();
  recent.addNewestEntry(toLogSeq(23), entry('x'));
  t.same(got, [20, 21, 22]);
  t.equal(follow.position, 22);
});

t.test('entries read of an earlier time are put first', async (t) => {
  const recent = new RecentLogEntries(new RecentLogEntryMemoryBudget(), toLogSeq(10));
  recent.addNewestEntry(toLogSeq(11), entry('x'));
  recent.prependOnceIfGapless(
    [4, 7, 10].map((at) => ({ seq: toLogSeq(at), entry: entry('x') })),
    toLogSeq(3),
  );
  t.same(await read(recent, 3), [4, 7, 10, 11]);
  t.equal(await read(recent, 2), undefined);
  const long = new RecentLogEntries(new RecentLogEntryMemoryBudget(), toLogSeq(10_000));
  long.prependOnceIfGapless(
    Array.from({ length: 5_000 }, (_, i) => ({ seq: toLogSeq(5_001 + i), entry: entry('x') })),
    toLogSeq(0),
  );
  const all = await read(long, 9_000);
  t.equal(all?.length, 1_000);
  t.equal(await read(long, 5_500), undefined, 'more than is kept');
});

t.test('no entry is put before a gap', async (t) => {
  const gapped = new RecentLogEntries(new RecentLogEntryMemoryBudget(), toLogSeq(10));
  gapped.addNewestEntry(toLogSeq(11), entry('x'));
  gapped.restartEmptyAfter(toLogSeq(20));
  gapped.prependOnceIfGapless([{ seq: toLogSeq(7), entry: entry('x') }], toLogSeq(3));
  gapped.addNewestEntry(toLogSeq(21), entry('x'));
  t.equal(await read(gapped, 3), undefined);
  t.equal(await read(gapped, 11), undefined);
  t.same(await read(gapped, 20), [21]);
  const full = new RecentLogEntries(new RecentLogEntryMemoryBudget(1_000), toLogSeq(10));
  full.addNewestEntry(toLogSeq(11), entry('x'.repeat(900)));
  full.addNewestEntry(toLogSeq(12), entry('x'));
  full.prependOnceIfGapless([{ seq: toLogSeq(7), entry: entry('x') }], toLogSeq(3));
  t.equal(await read(full, 3), undefined);
});

t.test('all realms share one budget: the oldest entries of any realm go first', async (t) => {
  const budget = new RecentLogEntryMemoryBudget(100_000);
  const [one, two] = [new RecentLogEntries(budget, toLogSeq(0)), new RecentLogEntries(budget, toLogSeq(0))];
  one.addNewestEntry(toLogSeq(1), entry('x'.repeat(30_000)));
  two.addNewestEntry(toLogSeq(2), entry('x'.repeat(30_000)));
  one.addNewestEntry(toLogSeq(3), entry('x'.repeat(30_000)));
  t.same(await read(one, 0), [1, 3]);
  two.addNewestEntry(toLogSeq(4), entry('x'.repeat(30_000)));
  t.equal(await read(one, 0), undefined);
  t.same(await read(one, 1), [3]);
  t.same(await read(two, 0), [2, 4]);
  for (let at = 5; at < 5_000; at++) one.addNewestEntry(toLogSeq(at), entry('x'.repeat(10_000)));
  t.ok(budget.heldBytes <= 100_000);
  t.same(await read(one, 4_990), [4_991, 4_992, 4_993, 4_994, 4_995, 4_996, 4_997, 4_998, 4_999]);
  t.equal(await read(two, 3), undefined);
  one.restartEmptyAfter(toLogSeq(6_000));
  two.restartEmptyAfter(toLogSeq(6_000));
  t.equal(budget.heldBytes, 0);
  t.same(await read(one, 6_000), []);
  t.equal(await read(one, 5_999), undefined);
});

t.test('one realm has a maximum number of entries, however small', async (t) => {
  const recent = new RecentLogEntries(new RecentLogEntryMemoryBudget(), toLogSeq(0));
  for (let at = 1; at <= 20_000; at++) recent.addNewestEntry(toLogSeq(at), entry(''));
  t.equal(await read(recent, 10_000), undefined);
  t.equal((await read(recent, 20_000 - 4_096))?.length, 4_096);
});

/** An entry as it comes from another process, in a buffer that is used for others afterwards. */
const received = (content: string, add: (entry: LogEntry) => void): void => {
  const bytes = encodeLogEntry(entry(content) as unknown as Json);
  add(decodeLogEntry(bytes) as unknown as LogEntry);
  bytes.fill(0);
};

t.test('encoded entries of any size are given as they came, decoded once for all readers', async (t) => {
  const budget = new RecentLogEntryMemoryBudget();
  const recent = new RecentLogEntries(budget, toLogSeq(0));
  const contents = Array.from({ length: 300 }, (_, i) => String(i).repeat(1 + ((i * 7_919) % 3_000)));
  contents.push('x'.repeat(900_000), 'y');
  for (const [i, content] of contents.entries())
    received(content, (got) => recent.addNewestEntry(toLogSeq(i + 1), got));
  const readAll = async (): Promise<LogEntry[]> => {
    const got: LogEntry[] = [];
    const reader = { onEntry: (_at: number, value: Json) => void got.push(value as unknown as LogEntry) };
    const subscription = recent.subscribeIfStillInMemory(toLogSeq(0), {
      ...reader,
      onTransient: () => {},
      onGap: () => {},
    });
    await settle();
    subscription?.close();
    return got;
  };
  const contentOf = ({ groups }: LogEntry): unknown => (groups[0]!.items[0] as MessageLogItem).message.content;
  const [first, second] = [await readAll(), await readAll()];
  t.same(first.map(contentOf), contents);
  t.ok(first.every((one, i) => one === second[i]));
  t.same(
    [...recent].map(({ entry }) => contentOf(entry)),
    contents,
  );
  recent.restartEmptyAfter(toLogSeq(1_000));
  t.equal(budget.heldBytes, 0);
});

t.test('encoded entries count against the budget, also while they are read', async (t) => {
  const budget = new RecentLogEntryMemoryBudget(1_000_000);
  const recent = new RecentLogEntries(budget, toLogSeq(0));
  for (let at = 1; at <= 4_000; at++)
    received('x'.repeat(5_000), (got) => {
      recent.addNewestEntry(toLogSeq(at), got);
      if (budget.heldBytes > 1_000_000) t.fail(`${budget.heldBytes} bytes`);
    });
  const kept = [...recent].length;
  t.ok(kept > 90 && kept < 200, `${kept} entries`);
  t.equal((await read(recent, 4_000 - kept))?.length, kept);
  t.ok(budget.heldBytes <= 1_000_000, `${budget.heldBytes} bytes`);
});

t.test('dropped entries leave memory at once, however few there are', async (t) => {
  const recent = new RecentLogEntries(new RecentLogEntryMemoryBudget(), toLogSeq(0));
  const references: WeakRef<LogEntry>[] = [];
  const add = (at: number): void => {
    const added = entry('x');
    references.push(new WeakRef(added));
    recent.addNewestEntry(toLogSeq(at), added);
  };
  for (let at = 1; at <= 10; at++) add(at);
  for (let i = 0; i < 9; i++) recent.dropOldestEntry();
  // A weak reference keeps its object until the end of the turn in which it was made.
  await settle();
  collectGarbage();
  const isInMemory = references.map((of) => of.deref() !== undefined);
  t.same(isInMemory, [...Array<boolean>(9).fill(false), true]);
  t.same(await read(recent, 9), [10]);
});
