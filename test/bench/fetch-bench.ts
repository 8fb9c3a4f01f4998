/**
 * Time of fetching 100 messages around an anchor, in a small and in a large organization: `node
 * dist/test/bench/fetch-bench.js [--large N] [--runs N] [--face embedded,cluster] [--narrow WORD]`. Measured is the
 * work of the user's actor without HTTP: query plan, Store, access checks, flags. It takes about four minutes with a
 * million messages on LMDB and 200,000 on MongoDB (MONGODB_URL). The program prints figures and asserts nothing.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { IdSet, type Json } from '#base';
import { REAL_CLOCK } from '#base/clock';
import {
  encodeOriginReadStatePart,
  fetchMessageWindow,
  type MessageViewerContext,
  makeMessageDigestIfPossible,
  makeNarrowQueryPlan,
  NEWEST_ANCHOR_MESSAGE_ID,
  parseDistinctNarrowTerms,
  resolveNarrowTerms,
  UserMessageFlagsView,
  UserMessageReader,
} from '#domain/messages';
import type { DirectoryView } from '#model/records';
import { LmdbStore, MongoStore, openLmdbEnvironment, type Store } from '#ports/store';
import { BUSY_USER, fillStore, QUIET_USER, REALM, STREAMS } from './fetch-fill.js';
import { median } from './figures.js';
import { machineText } from './report.js';

const SMALL_MESSAGES = 10_000;
const ANCHORS = ['oldest', 'middle', 'newest', 'first unread'] as const;
type Anchor = (typeof ANCHORS)[number];

const NARROWS: Readonly<Record<string, readonly unknown[]>> = {
  everything: [],
  'a busy stream': [['stream', 'stream 2']],
  'a topic': [
    ['stream', 'stream 2'],
    ['topic', 'topic 3'],
  ],
  'direct messages': [['is', 'dm']],
  'a conversation': [{ operator: 'dm', operand: [103] }],
  'a sender': [{ operator: 'sender', operand: 105 }],
  'all public streams': [['streams', 'public']],
  'a common word': [['search', 'release']],
  'a rare word': [['search', 'aardvark']],
  'two words': [['search', 'release aardvark']],
  unread: [['is', 'unread']],
};

const stream = (id: number) =>
  id >= 1 && id <= STREAMS
    ? { id, name: `stream ${id}`, inviteOnly: false, historyPublic: true, webPublic: false, archived: false }
    : undefined;

const directory = {
  stream,
  streamByName: (name: string) => stream(Number(name.slice('stream '.length))),
  streams: () => Array.from({ length: STREAMS }, (_, i) => stream(i + 1)),
  user: (id: number) => ({ id, role: 400, isActive: true }),
} as unknown as DirectoryView;

/** @returns a user who has read all messages except the newest 1 % */
function makeViewer(user: number, count: number): MessageViewerContext {
  const streams = user === QUIET_USER ? [STREAMS] : Array.from({ length: STREAMS / 2 }, (_, i) => (i + 1) * 2);
  const mark = Math.floor(count * 0.99);
  const parts = new Map<string, Json>();
  for (const home of [0, ...streams]) {
    const part = encodeOriginReadStatePart(home, { mark, read: IdSet.EMPTY, unread: IdSet.EMPTY });
    for (const [name, value] of Object.entries(part)) parts.set(name, value);
  }
  return {
    realm: REALM,
    user: directory.user(user as never)!,
    directory,
    flags: new UserMessageFlagsView(user, parts),
    streams,
    subscribed: (stream) => streams.includes(stream),
    mutedStreams: new Set(),
    mutesTopic: () => false,
    followsTopic: () => false,
  };
}

interface FetchTime {
  readonly ms: number;
  readonly rows: number;
}

async function measure(
  store: Store,
  of: MessageViewerContext,
  narrow: readonly unknown[],
  at: Anchor,
  count: number,
  runs: number,
) {
  const anchor = {
    oldest: 0,
    middle: Math.floor(count / 2),
    newest: NEWEST_ANCHOR_MESSAGE_ID,
    'first unread': 'first_unread',
  }[at];
  const window = { anchor: anchor as number | 'first_unread', numBefore: 50, numAfter: 50, includeAnchor: true };
  if (at === 'newest') window.numBefore = 100;
  if (at === 'oldest') window.numAfter = 100;
  const times: number[] = [];
  let rows = 0;
  // The first three fetches warm up the code and the page cache.
  for (let i = -3; i < runs; i++) {
    const begun = performance.now();
    const terms = resolveNarrowTerms(parseDistinctNarrowTerms(JSON.stringify(narrow)), of.directory, of.user.id);
    const fetched = await fetchMessageWindow(new UserMessageReader(store, of), makeNarrowQueryPlan(terms, of), window);
    const flags = fetched.rows.map((row) => of.flags.flagsOf(row));
    if (i >= 0) times.push(performance.now() - begun);
    rows = flags.length;
  }
  return { ms: median(times), rows };
}

async function measureAll(store: Store, count: number, runs: number): Promise<Map<string, FetchTime>> {
  const found = new Map<string, FetchTime>();
  for (const [who, user] of [
    ['', BUSY_USER],
    ['user with few messages: ', QUIET_USER],
  ] as const) {
    const viewer = makeViewer(user, count);
    for (const [name, narrow] of Object.entries(NARROWS)) {
      if (onlyNarrow !== undefined && !name.includes(onlyNarrow)) continue;
      for (const at of ANCHORS) {
        found.set(`${who}${name} | ${at}`, await measure(store, viewer, narrow, at, count, runs));
      }
    }
  }
  return found;
}

const log = (text: string): void => void process.stderr.write(`[${(performance.now() / 1000).toFixed(0)} s] ${text}\n`);

async function withLmdbStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'conclave-fetch-'));
  const environment = await openLmdbEnvironment(dir);
  try {
    return await use(new LmdbStore(environment, REAL_CLOCK, makeMessageDigestIfPossible));
  } finally {
    await environment.close();
    await rm(dir, { recursive: true });
  }
}

async function withMongoStore<T>(url: string, use: (store: Store) => Promise<T>): Promise<T> {
  const database = new URL(url);
  const name = `fetch${randomBytes(4).toString('hex')}`;
  database.pathname = `/${name}`;
  const store = await MongoStore.connect(database.href, REAL_CLOCK);
  try {
    return await use(store);
  } finally {
    await store.close();
    const client = await MongoClient.connect(url, { retryWrites: false });
    await client.db(name).dropDatabase();
    await client.close();
  }
}

const { values } = parseArgs({
  options: {
    large: { type: 'string' },
    runs: { type: 'string' },
    face: { type: 'string' },
    narrow: { type: 'string' },
  },
});
const runs = Number(values.runs ?? 15);
const faces = (values.face ?? 'embedded,cluster').split(',');
const onlyNarrow = values.narrow;
const mongodb = process.env.MONGODB_URL;

for (const face of faces) {
  const withStore =
    face === 'embedded'
      ? withLmdbStore
      : mongodb
        ? <T>(use: (store: Store) => Promise<T>) => withMongoStore(mongodb, use)
        : undefined;
  if (!withStore) {
    process.stdout.write(`${face}: not measured (no services)\n`);
    continue;
  }
  const large = Number(values.large ?? (face === 'embedded' ? 1_000_000 : 200_000));
  const results: Map<string, FetchTime>[] = [];
  for (const count of [SMALL_MESSAGES, large]) {
    await withStore(async (store) => {
      log(`${face}: writing ${count} messages`);
      await fillStore(store, count);
      log(`${face}: fetching among ${count}`);
      results.push(await measureAll(store, count, runs));
    });
  }
  const [small, big] = results as [Map<string, FetchTime>, Map<string, FetchTime>];
  process.stdout.write(`\n${face}: narrow | anchor | ms of ${SMALL_MESSAGES} (rows) | ms of ${large} (rows) | ratio\n`);
  for (const [name, { ms, rows }] of small) {
    const other = big.get(name)!;
    const ratio = (other.ms / ms).toFixed(2);
    process.stdout.write(`${name} | ${ms.toFixed(2)} (${rows}) | ${other.ms.toFixed(2)} (${other.rows}) | ${ratio}\n`);
  }
}
process.stdout.write(`\n${machineText()}; ${runs} runs\n`);
