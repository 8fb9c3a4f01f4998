import t from 'tap';
import type { Json } from '#base';
import { type LogEntry, type LogItem, LogItemGroupDeduplicator, MAX_ITEMS_PER_LOG_ENTRY } from '#model';
import { encodeLogEntry } from '../../../src/ports/log/entry-codec.js';
import type { OutboxEntry } from '../../../src/runtime/commit-batch.js';
import { doItemsFitIntoLog, packLogEntries } from '../../../src/runtime/pack-entries.js';
import { ledgerKey } from '../../cluster/kinds.js';
import { Harness, settle } from './harness.js';

const key = ledgerKey(1);
const other = ledgerKey(2);
const items = (n: number, size = 10): LogItem[] =>
  Array.from({ length: n }, (_, i) => ({ t: 'event', to: {}, event: { i, text: 'x'.repeat(size) } }));
const entry = (v: number, of: LogItem[]): OutboxEntry => ({ v, records: [], items: of, sequences: [] });
const read = (entries: readonly LogEntry[]): LogItem[] => {
  const seen = new LogItemGroupDeduplicator();
  return entries.flatMap((e) => e.groups.filter((g) => seen.recordIfNew(key, g)).flatMap((g) => g.items));
};

t.test('small commits share an entry', (t) => {
  const formed = packLogEntries(key, [entry(1, items(2)), entry(2, items(3))]);
  t.equal(formed.length, 1);
  t.same(formed[0]?.completedVersions, [1, 2]);
  t.end();
});

t.test('a large commit is cut into entries of limited events and bytes', (t) => {
  for (const of of [items(MAX_ITEMS_PER_LOG_ENTRY * 2 + 5), items(30, 100_000)]) {
    const formed = packLogEntries(key, [entry(1, items(3)), entry(2, of), entry(3, items(1))]);
    t.ok(formed.length > 2);
    for (const { entry: e } of formed) {
      t.ok(e.groups.reduce((n, g) => n + g.items.length, 0) <= MAX_ITEMS_PER_LOG_ENTRY);
      t.ok(JSON.stringify(e).length < 512 * 1024);
    }
    t.same(read(formed.map((f) => f.entry)), [...items(3), ...of, ...items(1)]);
    t.same(formed.flatMap((f) => f.completedVersions).sort(), [1, 2, 3]);
  }
  t.end();
});

t.test('an entry that fits the log is no larger than NATS carries, whatever its content', (t) => {
  const values = [
    '\u6f22'.repeat(1_000),
    'x'.repeat(3_000),
    [2 ** 40, 0.5, -(2 ** 33)],
    [1, null, true, 70_000],
    '\ud800',
  ];
  for (const value of values) {
    const of = (n: number): LogItem => ({ t: 'event', to: {}, event: { value: Array(n).fill(value) } });
    let high = 2;
    while (doItemsFitIntoLog([of(high)])) high *= 2;
    let low = high / 2;
    while (low < high) {
      const n = Math.ceil((low + high) / 2);
      if (doItemsFitIntoLog([of(n)])) low = n;
      else high = n - 1;
    }
    for (const waiting of [[of(low)], Array.from({ length: 40 }, () => of(Math.ceil(low / 20)))]) {
      for (const { entry: e } of packLogEntries(key, [entry(1, waiting)])) {
        t.ok(encodeLogEntry(e as unknown as Json).byteLength < 1024 * 1024 - 4096, JSON.stringify(value).slice(0, 20));
      }
    }
  }
  t.end();
});

t.test('a repeat batched with other commits loses nothing: pieces are cut the same', (t) => {
  const large = items(MAX_ITEMS_PER_LOG_ENTRY + 500);
  const before = packLogEntries(key, [entry(1, items(300)), entry(2, large)]).map((f) => f.entry);
  const again = packLogEntries(key, [entry(2, large)]).map((f) => f.entry);
  t.same(read([before[0]!, before[1]!, ...again]), [...items(300), ...large]);
  t.end();
});

t.test('the reply waits for the commands of both stages where that is requested', async (t) => {
  const h = new Harness();
  await h.take(key, other, ledgerKey(3));
  await h.ask(key, 'move', { op: 'm', stages: [[2, 3, 2], [3]] });
  t.same(h.state(other).ops, ['m.0.0', 'm.0.2']);
  t.same(h.state(ledgerKey(3)).ops, ['m.0.1', 'm.1.0']);
});

t.test('an unreachable target delays no other', async (t) => {
  const h = new Harness();
  await h.take(key, other);
  const stuck = h.begin(key, 'move', { op: 'm', stages: [[3]] });
  await settle();
  t.same(await h.ask(key, 'move', { op: 'n', stages: [[2]] }), { total: 2 });
  t.equal(stuck.answer(), undefined);
  await h.take(ledgerKey(3));
  await h.clock.advanceAsync(1_000);
  t.same(stuck.answer(), { total: 1 });
});

t.test("a commit with more than 4,096 commands loses none of the next commit's", async (t) => {
  const h = new Harness();
  const targets = Array.from({ length: 50 }, (_, i) => 2 + i);
  await h.take(key, ...targets.map(ledgerKey));
  await h.ask(key, 'move', { op: 'm', stages: [Array.from({ length: 5_000 }, (_, i) => 2 + (i % 50))] });
  await h.ask(key, 'move', { op: 'n', stages: [targets] });
  t.strictSame([...new Set(targets.map((n) => h.state(ledgerKey(n)).ops.length))], [101]);
});

t.test('a commit with hundreds of slow commands does not hold the event loop until the last one', async (t) => {
  const h = new Harness();
  const targets = Array.from({ length: 300 }, (_, i) => 2 + i);
  await h.take(key, ...targets.map(ledgerKey));
  let time = 0;
  h.clock.monotonic = () => (time += 10);
  const move = h.begin(key, 'move', { op: 'm', stages: [targets] });
  let turns = 0;
  for (; move.answer() === undefined; turns++) await new Promise((resolve) => setImmediate(resolve));
  t.ok(turns >= 299, `${turns} turns of the event loop`);
  t.same(h.errors, []);
});
