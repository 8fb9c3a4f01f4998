/**
 * CPU of a log entry in a cluster process that has no event queue for it. Measured are a frontend (directory replica
 * and cache of newest messages), a host with the event queue of an uninvolved user, and a bare NATS subscription.
 * `. .services/env; node dist/test/bench/entries-bench.js [--entries N] [--runs N]`, about a minute. With
 * `--in-process READER` (frontend or host) the entries come from memory instead of NATS, and the minimum over many
 * blocks is stable even on a busy machine. The program prints figures and asserts nothing.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect } from 'nats';
import { RECOMMENDED_NODE_FLAGS } from '#app/config';
import type { Json, JsonObject } from '#base';
import { REAL_CLOCK } from '#base/clock';
import {
  type EventFeedSubscriber,
  EventQueueCursor,
  RealmEventFeed,
  RecentLogEntryMemoryBudget,
  RecentMessageMemoryBudget,
} from '#delivery';
import { DirectoryReplica } from '#directory';
import {
  type LogEntry,
  type LogItem,
  type LogSeq,
  logSubjectOfRealm,
  streamActorKey,
  toLogSeq,
  toRealmId,
  toStreamId,
  toUserId,
  userActorKey,
} from '#model';
import { type EventLog, type EventLogReader, JetStreamEventLog } from '#ports/log';
import { readRepublishedPosition } from '#ports/nats';
import { RealmNewestMessageCache } from '../../src/frontend/gateway/newest-messages.js';
import { decodeLogEntry, encodeLogEntry } from '../../src/ports/log/entry-codec.js';
import { snapshotWith } from '../support/directory.js';
import { MemoryStore } from '../support/memory-store.js';
import { median } from './figures.js';

const REALM = toRealmId(1);
const STREAM_ID = 5;
const STREAM = streamActorKey(REALM, toStreamId(STREAM_ID));
const SUBSCRIBERS = Array.from({ length: 200 }, (_, i) => i + 1);
/** User without subscriptions whose event queue is on the measured host. */
const OTHER_USER = 9_999;
const LIMITS = { maxAgeMs: 600_000, maxBytes: 256 * 1024 * 1024 };
const APPENDS_AT_ONCE = 64;
const READY_TIMEOUT_MS = 10_000;

type ReaderKind = 'bare' | 'frontend' | 'host';
type EntryKind = 'message' | 'ten messages' | 'flags' | 'typing';

const READER_KINDS: readonly ReaderKind[] = ['bare', 'frontend', 'host'];
const ENTRY_KINDS: readonly EntryKind[] = ['message', 'ten messages', 'flags', 'typing'];

const makeMessage = (id: number): JsonObject => ({
  common: {
    id,
    sender_id: 7,
    content_type: 'text/html',
    recipient_id: 12,
    timestamp: 1_700_000_000,
    client: 'website',
    subject: 'lunch',
    topic_links: [],
    is_me_message: false,
    reactions: [],
    submessages: [],
    sender_full_name: 'King Hamlet',
    sender_email: 'user7@example.com',
    sender_realm_str: 'team',
    display_recipient: 'Denmark',
    type: 'stream',
    stream_id: STREAM_ID,
  },
  content: 'Shall we meet at **noon**, as usual? I would bring what is left of the cake.',
  html: '<p>Shall we meet at <strong>noon</strong>, as usual? I would bring what is left of the cake.</p>',
});

const makeMessageItem = (id: number): LogItem => ({
  t: 'message',
  to: { stream: STREAM_ID, mv: 1 },
  message: makeMessage(id),
  flags: {},
});

const TYPING_ITEM: LogItem = {
  t: 'event',
  to: { users: [7, 8] },
  event: {
    type: 'typing',
    op: 'start',
    message_type: 'private',
    sender: { user_id: 7, email: 'user7@example.com' },
    recipients: [
      { user_id: 7, email: 'user7@example.com' },
      { user_id: 8, email: 'user8@example.com' },
    ],
  },
};

const makeFlagsItem = (id: number): LogItem => ({
  t: 'event',
  to: { users: [7] },
  event: {
    type: 'update_message_flags',
    op: 'add',
    operation: 'add',
    flag: 'read',
    messages: [id, id + 1],
    all: false,
  },
});

/** Newest version of all actors. Versions only grow, because an entry with an old version would count as a repeat. */
let newestVersion = 1;

function makeEntry(kind: Exclude<EntryKind, 'typing'>): LogEntry {
  const group = (makeItem: (id: number) => LogItem) => {
    const v = ++newestVersion;
    return { v, p: 0, items: [makeItem(v)] };
  };
  if (kind === 'flags') return { actor: userActorKey(REALM, toUserId(7)), groups: [group(makeFlagsItem)] };
  return { actor: STREAM, groups: Array.from({ length: kind === 'message' ? 1 : 10 }, () => group(makeMessageItem)) };
}

/** Event queue that no measured entry concerns. */
class IdleQueue implements EventFeedSubscriber {
  readonly user = OTHER_USER;
  readonly allPublic = false;
  readonly cursor: EventQueueCursor;
  readonly isLive: Promise<void>;
  wentLive: () => void = () => {};

  constructor(position: LogSeq) {
    this.cursor = new EventQueueCursor(position, {});
    this.isLive = new Promise((resolve) => {
      this.wentLive = resolve;
    });
  }

  push(): void {
    throw new Error('an event for a queue that needs none');
  }

  pushTransient(): void {
    this.push();
  }

  trimmed(): void {
    throw new Error('the log is trimmed');
  }
}

interface ReaderSetup {
  readonly reader: ReaderKind;
  readonly url: string;
  readonly namespace: string;
}

/** Counts log entries and transient values until the expected number has arrived; then reports the CPU time. */
class EntryCounter {
  #left = 0;
  #before = process.cpuUsage();

  expect(count: number): void {
    this.#left = count;
    this.#before = process.cpuUsage();
  }

  one(): void {
    if (--this.#left !== 0) return;
    // The reader processes the last entry after this call.
    setImmediate(() => {
      const { user, system } = process.cpuUsage(this.#before);
      process.send?.({ microseconds: user + system });
    });
  }
}

async function runReader({ reader, url, namespace }: ReaderSetup): Promise<void> {
  const counter = new EntryCounter();
  process.on('message', (order: { readonly expect?: number }) => {
    if (order.expect !== undefined) {
      counter.expect(order.expect);
      process.send?.({ counting: true });
    }
  });
  process.on('disconnect', () => process.exit(0));
  if (reader === 'bare') {
    const nats = await connect({ servers: url });
    nats.subscribe(`${namespace}.r${logSubjectOfRealm(REALM)}`, { callback: () => counter.one() });
    await nats.flush();
  } else {
    const log = await JetStreamEventLog.open(url, REAL_CLOCK, { limits: LIMITS, namespace, stream: namespace });
    const replica = await DirectoryReplica.openAndLoad(REALM, log, async () => snapshotWith({}), REAL_CLOCK);
    if (reader === 'frontend') replica.logTail.addListener(new RealmNewestMessageCache({ usedEntries: 0 }));
    else await attachIdleQueue(replica, log);
    replica.logTail.addListener({
      onLogEntry: () => counter.one(),
      onTransientEvent: () => counter.one(),
      onLogGap: () => {},
    });
    await replica.logTail.waitUntilCaughtUp();
  }
  process.send?.({ ready: true });
}

async function attachIdleQueue(replica: DirectoryReplica, log: EventLog): Promise<void> {
  const store = new MemoryStore({ atomicRecords: true });
  await store.applyRecords(
    SUBSCRIBERS.map((user) => ({
      type: 'part',
      key: STREAM,
      part: `member/${user}`,
      rev: 1,
      value: { stays: [{ from: 1, to: 0, after: 0, until: 0 }] },
    })),
  );
  const feed = new RealmEventFeed(REALM, replica, {
    log,
    store,
    clock: REAL_CLOCK,
    recentEntries: new RecentLogEntryMemoryBudget(),
    recentMessages: new RecentMessageMemoryBudget(),
  });
  const queue = new IdleQueue(replica.logTail.lastEntryPosition);
  feed.attach(queue);
  await queue.isLive;
}

const nextMessageOf = <T>(child: ReturnType<typeof fork>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('a reader did not answer')), READY_TIMEOUT_MS * 6);
    child.once('message', (answer) => {
      clearTimeout(timer);
      resolve(answer as T);
    });
  });

async function measure(url: string, entries: number, runs: number): Promise<void> {
  const namespace = `entries-${process.pid}`;
  const log = await JetStreamEventLog.open(url, REAL_CLOCK, { limits: LIMITS, namespace, stream: namespace });
  await log.append(REALM, { actor: STREAM, groups: [] });
  const results = new Map<string, number[]>();
  const send = async (kind: EntryKind, count: number): Promise<void> => {
    if (kind === 'typing') {
      for (let i = 0; i < count; i++) {
        log.publishTransient(REALM, TYPING_ITEM as unknown as Json);
        if (i % APPENDS_AT_ONCE === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      }
      return;
    }
    let left = count;
    const worker = async (): Promise<void> => {
      while (left-- > 0) await log.append(REALM, makeEntry(kind) as unknown as Json);
    };
    await Promise.all(Array.from({ length: APPENDS_AT_ONCE }, worker));
  };
  try {
    for (let run = 0; run < runs; run++) {
      for (const reader of READER_KINDS) {
        const order: ReaderSetup = { reader, url, namespace };
        const child = fork(fileURLToPath(import.meta.url), {
          env: { ...process.env, ENTRIES_READER: JSON.stringify(order) },
          execArgv: [...process.execArgv, ...RECOMMENDED_NODE_FLAGS],
        });
        await nextMessageOf(child);
        const measureKind = async (kind: EntryKind): Promise<number> => {
          const counting = nextMessageOf(child);
          child.send({ expect: entries });
          await counting;
          const answer = nextMessageOf<{ readonly microseconds: number }>(child);
          await send(kind, entries);
          return (await answer).microseconds / entries;
        };
        // The first pass compiles the code; a server reads millions of entries with compiled code.
        for (const kind of ENTRY_KINDS) await measureKind(kind);
        for (const kind of ENTRY_KINDS) {
          const key = `${reader} ${kind}`;
          results.set(key, [...(results.get(key) ?? []), await measureKind(kind)]);
        }
        child.disconnect();
      }
    }
  } finally {
    await log.close();
    await JetStreamEventLog.discardLog(url, REAL_CLOCK, namespace);
  }
  const cell = (reader: ReaderKind, kind: EntryKind): number => median(results.get(`${reader} ${kind}`) ?? []);
  const rows = ENTRY_KINDS.map((kind) => [
    kind,
    ...READER_KINDS.map((reader) => cell(reader, kind).toFixed(1)),
    ...READER_KINDS.slice(1).map((reader) => (cell(reader, kind) - cell('bare', kind)).toFixed(1)),
  ]);
  const head = ['entry', ...READER_KINDS.map((reader) => `${reader}, µs`), 'frontend over bare', 'host over bare'];
  for (const cells of [head, head.map(() => '---:'), ...rows]) process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

const ENTRIES_PER_BLOCK = 2_000;
const BLOCKS = 60;
/** Number of bytes that one read from a socket returns. */
const SOCKET_READ_BYTES = 65_536;

/** Log whose entries come from the caller: `reader` is the first subscriber. */
class ManualLog {
  reader: EventLogReader | undefined;

  asEventLog(): EventLog {
    const position = toLogSeq(0);
    const log: Partial<EventLog> = {
      readBounds: async () => ({ end: position, trimmed: position, incarnation: 'fed' }),
      subscribe: (_realm, _after, reader) => {
        this.reader ??= reader;
        return { position, waitUntilCaughtUp: async () => position, close: () => {} };
      },
    };
    return log as EventLog;
  }
}

/** Prints the minimum and the median CPU time of an entry over blocks of entries in the NATS client's format, µs. */
async function measureInProcess(reader: Exclude<ReaderKind, 'bare'>): Promise<void> {
  const manualLog = new ManualLog();
  const log = manualLog.asEventLog();
  const replica = await DirectoryReplica.openAndLoad(REALM, log, async () => snapshotWith({}), REAL_CLOCK);
  if (reader === 'frontend') replica.logTail.addListener(new RealmNewestMessageCache({ usedEntries: 0 }));
  else await attachIdleQueue(replica, log);
  let seq = 0;
  const makeBlock = (kind: EntryKind): { header: Buffer; data: Buffer }[] =>
    Array.from({ length: ENTRIES_PER_BLOCK }, (_, i) => {
      const at = seq + i + 1;
      const positions = `Nats-Sequence: ${at}\r\nNats-Time-Stamp: 2026-11-24T00:00:00.123456Z\r\nNats-Last-Sequence: ${at - 1}`;
      const header = `NATS/1.0\r\nNats-Stream: CONCLAVE_EV\r\nNats-Subject: ev.1\r\n${positions}\r\n\r\n`;
      return kind === 'typing'
        ? { header: Buffer.alloc(0), data: encodeLogEntry(TYPING_ITEM as unknown as Json) }
        : { header: Buffer.from(header), data: encodeLogEntry(makeEntry(kind) as unknown as Json) };
    });
  const deliverMessage = (message: Parameters<typeof readRepublishedPosition>[0]): void => {
    const position = readRepublishedPosition(message);
    const value = decodeLogEntry(message.data);
    if (position) manualLog.reader?.onEntry(toLogSeq(++seq), value);
    else manualLog.reader?.onTransient(value);
  };
  for (const kind of ENTRY_KINDS) {
    const costs: number[] = [];
    for (let n = 0; n < BLOCKS; n++) {
      const reads: (() => void)[][] = [[]];
      let piece = Buffer.allocUnsafeSlow(SOCKET_READ_BYTES);
      let used = 0;
      for (const { header, data } of makeBlock(kind)) {
        if (used + header.length + data.length > SOCKET_READ_BYTES) {
          piece = Buffer.allocUnsafeSlow(SOCKET_READ_BYTES);
          used = 0;
          reads.push([]);
        }
        used += header.copy(piece, used) + data.copy(piece, used + header.length);
        const _rdata = new Uint8Array(piece.buffer, used - header.length - data.length, header.length + data.length);
        const message = { _rdata, _msg: { hdr: header.length || -1 }, data: _rdata.subarray(header.length) };
        reads.at(-1)!.push(() => deliverMessage(message as never));
      }
      const before = process.cpuUsage();
      for (const messages of reads) {
        for (const deliver of messages) deliver();
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      const { user, system } = process.cpuUsage(before);
      // The first blocks compile the code.
      if (n >= BLOCKS / 3) costs.push((user + system) / ENTRIES_PER_BLOCK);
    }
    const [lowest, middle] = [Math.min(...costs), median(costs)];
    process.stdout.write(`| ${reader} | ${kind} | ${lowest.toFixed(2)} | ${middle.toFixed(2)} |\n`);
  }
}

const readerSetup = process.env.ENTRIES_READER;
if (readerSetup) await runReader(JSON.parse(readerSetup) as ReaderSetup);
else {
  const { values } = parseArgs({
    options: {
      entries: { type: 'string', default: '8000' },
      runs: { type: 'string', default: '3' },
      'in-process': { type: 'string' },
    },
  });
  const reader = values['in-process'];
  const url = process.env.NATS_URL;
  if (reader === 'frontend' || reader === 'host') await measureInProcess(reader);
  else if (!url) throw new Error('NATS_URL is not set');
  else await measure(url, Number(values.entries), Number(values.runs));
}
