import fc from 'fast-check';
import { Packr } from 'msgpackr';
import t from 'tap';
import type { Json } from '#base';
import {
  type EventAudience,
  type EventLogItem,
  LOG_ENTRY_HEAD_FLAGS,
  type LogEntry,
  type LogItem,
  LogItemGroupDeduplicator,
  makeLogEntryHead,
  numberOfLogItemGroup,
  streamActorKey,
  type TransientLogItem,
  toRealmId,
  toStreamId,
} from '#model';
import { decodeLogEntry, encodeLogEntry } from '../../../src/ports/log/entry-codec.js';

const ACTOR = streamActorKey(toRealmId(1), toStreamId(5));
const MESSAGE: LogItem = {
  t: 'message',
  to: { stream: 5, mv: 3 },
  message: { common: { id: 71, stream_id: 5 }, content: 'Tides', html: '<p>Tides</p>' },
  flags: { 7: ['mentioned'] },
};
const FLAGS: LogItem = { t: 'event', to: { users: [7, 8] }, event: { type: 'update_message_flags', messages: [1] } };

const entryOf = (...groups: (readonly LogItem[])[]): LogEntry => ({
  actor: ACTOR,
  groups: groups.map((items, i) => ({ v: 10 + i, p: i, items })),
});
const encode = (entry: LogEntry): Buffer => encodeLogEntry(entry as unknown as Json);
const decode = (bytes: Uint8Array): LogEntry => decodeLogEntry(bytes) as unknown as LogEntry;
/** The entry without its head, as values. */
const withoutHead = ({ actor, groups }: LogEntry): LogEntry => ({
  actor,
  groups: groups.map(({ v, p, items }) => ({ v, p, items })),
});

t.test('an entry comes out as it went in, and again after it is passed on', (t) => {
  const entry = entryOf([MESSAGE, FLAGS], [FLAGS]);
  const once = decode(encode(entry));
  t.strictSame(withoutHead(once), entry);
  t.strictSame(withoutHead(decode(encode(once))), entry);
  t.same(once.encodedBytes, encode(entry));
  t.end();
});

t.test('a head names the audience and the newest message', (t) => {
  t.same(decode(encode(entryOf([MESSAGE], [FLAGS]))).head, {
    flags: LOG_ENTRY_HEAD_FLAGS.messages,
    users: [7, 8],
    streams: [5, 3],
    newestStreamMessage: [5, 71],
  });
  const many: LogItem = { ...FLAGS, to: { users: Array.from({ length: 65 }, (_, i) => i) } };
  t.match(makeLogEntryHead(entryOf([many]).groups), { flags: LOG_ENTRY_HEAD_FLAGS.anyUser, users: [] });
  t.end();
});

t.test('versions of the server with and without heads read each other', (t) => {
  const plain = new Packr({ useRecords: false });
  const entry = entryOf([MESSAGE], [FLAGS]);
  const { actor, groups } = plain.unpack(encode(entry)) as LogEntry;
  t.same({ actor, groups }, entry, 'a version without heads reads an entry with one');
  const old = decode(plain.pack(entry));
  t.equal(old.head, undefined);
  t.strictSame(old, entry, 'an entry without a head is read whole');
  t.end();
});

t.test('a head that is too long for its field is not used', (t) => {
  const streams = Array.from(
    { length: 12_000 },
    (_, i): LogItem => ({
      t: 'event',
      to: { stream: 70_000 + i, mv: 1 },
      event: {},
    }),
  );
  const read = decode(encode(entryOf(streams)));
  t.equal(read.head, undefined);
  t.equal(read.groups[0]!.items.length, streams.length);
  t.end();
});

t.test('other values are encoded as they are', (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      fc.pre(!JSON.stringify(value).includes('__proto__'));
      t.same(decodeLogEntry(encodeLogEntry(value as Json)), value);
    }),
    { numRuns: 50 },
  );
  t.end();
});

t.test('readers that follow directory, messages or memberships see it in the head', (t) => {
  const { directory, messageChanges, messages, deliveryState, anyUser, allPublicStreams } = LOG_ENTRY_HEAD_FLAGS;
  const event = (type: string, to: EventAudience = {}): LogItem => ({ t: 'event', to, event: { type } });
  const direct: LogItem = { ...MESSAGE, to: { users: [7] }, message: { common: { id: 72 } } };
  const cases: readonly (readonly [LogItem, number])[] = [
    [MESSAGE, messages],
    [{ ...MESSAGE, first: true }, messages | directory],
    [direct, messages | messageChanges],
    [{ t: 'directory', change: {} }, directory],
    [{ t: 'members', stream: 5, mv: 4, last: 0, join: [7], leave: [] }, deliveryState | messageChanges],
    [{ t: 'carrying', from: 5, to: 6, done: false }, deliveryState | messageChanges | messages],
    [event('delete_message'), messageChanges | messages],
    [event('update_message'), messageChanges | messages],
    [event('reaction'), 0],
    [event('realm_user', { role: 600, rv: 1 }), anyUser],
    [event('stream', { moved: { id: 1, home: 5, moves: [] } }), anyUser],
    [event('reaction', { stream: 5, mv: 1, publicStream: true, rv: 1 }), allPublicStreams],
  ];
  for (const [item, flags] of cases) t.equal(makeLogEntryHead([{ v: 1, p: 0, items: [item] }]).flags, flags);
  t.end();
});

t.test('a head of any numbers is decoded as it was made', (t) => {
  const number = fc.oneof(fc.nat(200), fc.nat(70_000), fc.nat(2 ** 32 - 1), fc.nat(2 ** 40));
  const entries = fc.record({
    actor: fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 20 })),
    users: fc.array(number, { maxLength: 70 }),
    stream: number,
    versions: fc.array(fc.tuple(number, fc.nat(300)), { maxLength: 20 }),
  });
  fc.assert(
    fc.property(entries, ({ actor, users, stream, versions }) => {
      const items: LogItem[] = [{ ...MESSAGE, to: { users, stream, mv: 3 } }];
      const groups = versions.map(([v, p]) => ({ v, p, items }));
      const read = decode(encode({ actor: actor as LogEntry['actor'], groups }));
      t.same([read.actor, read.head], [actor, makeLogEntryHead(groups)]);
      const numbers = groups.map(numberOfLogItemGroup);
      const ascend = numbers.every((n, i) => i === 0 || n > numbers[i - 1]!);
      t.equal(read.firstGroupNumber, ascend ? numbers[0] : undefined);
      t.equal(read.lastGroupNumber, ascend ? numbers.at(-1) : undefined);
      t.same(
        read.groups.map(({ v, p }) => [v, p]),
        versions,
      );
    }),
    { numRuns: 200 },
  );
  t.end();
});

t.test('repeats among the groups of an encoded entry are found as among those of a decoded one', (t) => {
  const versions = fc.array(fc.array(fc.tuple(fc.nat(6), fc.nat(2)), { maxLength: 4 }), { maxLength: 8 });
  fc.assert(
    fc.property(versions, (entries) => {
      const [encoded, plain] = [new LogItemGroupDeduplicator(), new LogItemGroupDeduplicator()];
      for (const of of entries) {
        const entry = { actor: ACTOR, groups: of.map(([v, p]) => ({ v, p, items: [] })) };
        const read = decode(encode(entry));
        const fresh = encoded.recordNewGroups(read) ?? read.groups;
        const expected = entry.groups.filter((group) => plain.recordIfNew(ACTOR, group));
        t.same(fresh.map(numberOfLogItemGroup), expected.map(numberOfLogItemGroup));
      }
    }),
    { numRuns: 200 },
  );
  t.end();
});

t.test('an event beside the log has a head, too, and is the same event for versions without heads', (t) => {
  const only = { capability: 'bulk_message_deletion', has: true } as const;
  const typing = { t: 'event', to: { users: [7] }, event: { type: 'typing' }, aux: { a: 1 }, only, sinceLevel: 250 };
  const bytes = encodeLogEntry(typing as unknown as Json);
  const { head, t: kind, to, event, aux, only: own, sinceLevel } = decodeLogEntry(bytes) as unknown as TransientLogItem;
  t.match(head, { users: [7], flags: 0 });
  t.same({ t: kind, to, event, aux, only: own, sinceLevel }, typing);
  const { head: _, ...plain } = new Packr({ useRecords: false }).unpack(bytes) as TransientLogItem;
  t.same(plain, typing);
  t.end();
});

t.test('a decoded entry does not change with the buffer from which it came', (t) => {
  const bytes = Buffer.from(encode(entryOf([{ ...FLAGS, event: { type: 'x', bytes: Uint8Array.of(1, 2) as never } }])));
  const read = decode(bytes);
  const [item] = read.groups[0]!.items;
  bytes.fill(0);
  t.same((item as EventLogItem).event.bytes, Uint8Array.of(1, 2));
  t.end();
});
