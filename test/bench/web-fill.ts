/**
 * Data of the case `web`. The API creates people, streams and sample messages. The other messages are copies of the
 * samples that are written through the Store while the server is stopped, so that 100,000 messages take seconds.
 */
import { skipMessageIdsInAllRealms } from '#app/backup';
import { IdSet } from '#base';
import { REAL_CLOCK } from '#base/clock';
import {
  encodeOriginReadStatePart,
  makeMessageDigestIfPossible,
  NEWEST_ANCHOR_MESSAGE_ID,
  type StoredMessage,
  toMessageRecord,
  toStoredMessage,
} from '#domain/messages';
import { toComparableTopicKey } from '#domain/streams';
import { streamActorKey, toRealmId, toStreamId, toUserId, userActorKey } from '#model';
import { LmdbStore, openLmdbEnvironment, type Store, type StoreRecordWrite } from '#ports/store';
import { type Face, startFace } from './faces.js';
import { type Account, call, makeAccounts, makeIdleAccounts, makeStream, mapInParallel } from './prepare.js';

export interface WebOrganizationSize {
  readonly people: number;
  readonly streams: number;
  readonly messages: number;
}

export interface WebOrganization {
  /** Accounts that send messages. The first one is the reader, for whom the newest messages are unread. */
  readonly writers: readonly Account[];
  /** Id of the stream `hall`, with all people as subscribers and half of all messages. */
  readonly hall: number;
}

const WRITERS = 10;
/** One of this number of people is subscribed to a stream. The first stream, the hall, has all people. */
const SUBSCRIBER_INTERVAL = 10;
export const TOPICS = 20;
/** Number of the newest messages, which stay unread for the reader. */
const UNREAD_MESSAGES = 100;
const REALM = toRealmId(1);
const WRITES_PER_BATCH = 2_000;
/** Placeholder in the texts of sample messages for the number of a message. */
const NUMBER_PLACEHOLDER = '(4711)';
const SECONDS_BETWEEN_MESSAGES = 30;

export const TEXTS: readonly string[] = [
  'The release is **out**; see `make release` and the notes below.',
  'Could somebody look at the server before the meeting tomorrow?\n\n* first the queue\n* then the store',
  '```js\nconst total = lines.reduce((sum, { bytes }) => sum + bytes, 0);\n```\n',
  '> Who has the branch?\n\nIt is ready with all tests green :tada:',
];

const topicOf = (n: number): string => (n % 4 === 0 ? 'bench' : `topic ${n % TOPICS}`);
/** @returns the index of a message's stream; half of all messages are in the hall, which has index 0 */
const streamOf = (n: number, streams: number): number => (n % 2 === 0 ? 0 : n % streams);

/** @param directory empty folder, which becomes the data directory of an embedded server */
export async function makeWebOrganization(directory: string, size: WebOrganizationSize): Promise<WebOrganization> {
  const nowhere = { profile: undefined, nats: undefined, mongodb: undefined };
  const face = await startFace('embedded', { ...nowhere, dataDir: directory });
  if (!face) throw new Error('no server');
  let writers: readonly Account[];
  try {
    writers = await makePeopleAndStreams(face, size);
  } finally {
    await face.stop();
  }
  const environment = await openLmdbEnvironment(directory);
  try {
    const store = new LmdbStore(environment, REAL_CLOCK, makeMessageDigestIfPossible);
    return { writers, hall: await writeMessages(store, writers, size) };
  } finally {
    await environment.close();
  }
}

/** Creates people, streams and sample messages: each text once in the hall, one text in each other stream. */
async function makePeopleAndStreams(face: Face, { people, streams }: WebOrganizationSize): Promise<Account[]> {
  const writers = await makeAccounts(face, 1, WRITERS);
  await makeIdleAccounts(face, people - WRITERS);
  const others = Array.from({ length: Math.max(0, people - WRITERS) }, (_, i) => `person${i}@example.com`);
  const names = Array.from({ length: streams }, (_, i) => (i === 0 ? 'hall' : `team ${i}`));
  const sendMessage = (to: string, text: string): Promise<unknown> => {
    const form = { type: 'stream', to, topic: topicOf(0), content: `${text} ${NUMBER_PLACEHOLDER}` };
    return call(face, writers[0]!.authorization, '/messages', form);
  };
  for (const [stream, name] of names.entries()) {
    const members = others.filter((_, i) => stream === 0 || (i + stream) % SUBSCRIBER_INTERVAL === 0);
    await makeStream(face, name, writers, members);
    if (stream === 0) for (const text of TEXTS) await sendMessage(name, text);
    else await sendMessage(name, TEXTS[0]!);
  }
  await mapInParallel(writers, ({ authorization }) =>
    call(face, authorization, '/settings', { method: 'PATCH', enter_sends: 'true' }),
  );
  return writers;
}

/** Writes messages, topics and read states through the Store. @returns the id of the hall */
async function writeMessages(
  store: Store,
  writers: readonly Account[],
  { streams, messages }: WebOrganizationSize,
): Promise<number> {
  const scan = { realm: REALM, index: { by: 'realm' }, from: NEWEST_ANCHOR_MESSAGE_ID, direction: 'older' } as const;
  const existing = (await store.scanMessages({ ...scan, limit: 5_000 })).map(toStoredMessage);
  const samples = existing.filter(({ body }) => body.content.endsWith(NUMBER_PLACEHOLDER)).reverse();
  const textSamples = samples.slice(0, TEXTS.length);
  const streamSamples = [textSamples[0]!, ...samples.slice(TEXTS.length)];
  if (streamSamples.length !== streams)
    throw new Error(`first messages of ${streamSamples.length} streams instead of ${streams}`);
  await skipMessageIdsInAllRealms(store, messages + 20_000);
  const first = existing[0]!.id + 10_000;
  const began = Math.floor(Date.now() / 1_000) - messages * SECONDS_BETWEEN_MESSAGES;
  const message = (n: number): StoredMessage => {
    const { body } = textSamples[n % textSamples.length]!;
    const streamSample = streamSamples[streamOf(n, streams)]!;
    const numbered = (text: string): string => text.replace(NUMBER_PLACEHOLDER, `(${n})`);
    return {
      ...streamSample,
      id: first + n,
      sender: writers[n % WRITERS]!.id,
      body: {
        ...streamSample.body,
        content: numbered(body.content),
        html: numbered(body.html),
        has: body.has,
        topic: topicOf(n),
        sent: began + n * SECONDS_BETWEEN_MESSAGES,
      },
    };
  };
  const newest = new Map<string, StoredMessage>();
  for (let from = 0; from < messages; from += WRITES_PER_BATCH) {
    const batch = Array.from({ length: Math.min(WRITES_PER_BATCH, messages - from) }, (_, i) => message(from + i));
    for (const one of batch) newest.set(`${one.originStream} ${one.body.topic}`, one);
    await store.applyRecords(
      batch.map((one) => ({ type: 'message', realm: REALM, id: one.id, rev: 1, value: toMessageRecord(one, '') })),
    );
  }
  await store.applyRecords([
    ...[...newest.values()].map(({ id, originStream, body }) => topicPart(originStream, body.topic, id)),
    ...writers.flatMap((writer, number) => readParts(writer.id, number === 0 ? messages - UNREAD_MESSAGES : messages)),
  ]);
  return streamSamples[0]!.originStream;

  function topicPart(stream: number, name: string, max: number): StoreRecordWrite {
    const key = streamActorKey(REALM, toStreamId(stream));
    return { type: 'part', key, part: `topic/${toComparableTopicKey(name)}`, rev: 1, value: { name, max } };
  }

  /** @param unread number of the first unread message. The user's own messages above it are read, too. */
  function readParts(user: number, unread: number): StoreRecordWrite[] {
    const later = Array.from({ length: messages - unread }, (_, i) => message(unread + i));
    const own = later.filter(({ sender }) => sender === user).map(({ id }) => id);
    return streamSamples.flatMap(({ originStream }) => {
      const state = { mark: first + unread - 1, read: IdSet.fromIds(own), unread: IdSet.EMPTY };
      const key = userActorKey(REALM, toUserId(user));
      return Object.entries(encodeOriginReadStatePart(originStream, state)).map(
        ([part, value]): StoreRecordWrite => ({ type: 'part', key, part, rev: 1, value }),
      );
    });
  }
}
