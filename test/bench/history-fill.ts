/**
 * Data of the case `history`: an organization of 30 people and 10 streams with a million messages. The API creates
 * people, streams and a sample message of each conversation. The other messages are written through the Store while the
 * server is stopped. That takes minutes, so the data directory is kept for later runs.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { skipMessageIdsInAllRealms } from '#app/backup';
import { escapeHtml, IdSet } from '#base';
import { REAL_CLOCK } from '#base/clock';
import {
  encodeOriginReadStatePart,
  makeMessageDigestIfPossible,
  NEWEST_ANCHOR_MESSAGE_ID,
  type StoredMessage,
  storeNameOfDirectConversation,
  toMessageRecord,
  toStoredMessage,
} from '#domain/messages';
import { toComparableTopicKey } from '#domain/streams';
import { streamActorKey, toRealmId, toStreamId, toUserId, userActorKey } from '#model';
import { LmdbStore, openLmdbEnvironment, type Store, type StoreRecordWrite } from '#ports/store';
import { startFace } from './faces.js';
import { makeRandom } from './fetch-fill.js';
import { isSubscribed, makeOrganization } from './organization.js';
import { type Account, call, mapInParallel } from './prepare.js';

export interface MessageHistory {
  readonly accounts: readonly Account[];
  readonly streams: readonly { readonly id: number; readonly name: string }[];
  /** Pairs of people who write to each other, as indices of `accounts`. */
  readonly pairs: readonly (readonly [number, number])[];
  /** Ids of the first and the last message written. */
  readonly first: number;
  readonly last: number;
}

const PEOPLE = 30;
const STREAMS = 10;
export const TOPICS = 40;
/** Number of direct-message partners of each person. */
const PARTNERS_PER_PERSON = 3;
/** One of this number of messages is a direct message. */
const DIRECT_MESSAGE_INTERVAL = 8;
const WRITES_PER_BATCH = 2_000;
/** Share of the messages that each person has read. */
const READ_SHARE = 0.999;

export const topicName = (n: number): string => `Topic number ${n}`;

const WORDS =
  'the release is out and we will look at what the customer said about the server before the meeting tomorrow so please have the branch ready with all tests green'.split(
    ' ',
  );

/** @param directory data directory; a directory that an earlier run has filled stays as it is */
export async function openOrFillHistory(directory: string, count: number): Promise<MessageHistory> {
  const descriptionFile = join(directory, `history-${count}.json`);
  const description = await readFile(descriptionFile, 'utf8').catch(() => undefined);
  if (description !== undefined) return JSON.parse(description) as MessageHistory;
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const { accounts, pairs } = await makePeopleAndSampleMessages(directory);
  const environment = await openLmdbEnvironment(directory);
  try {
    const store = new LmdbStore(environment, REAL_CLOCK, makeMessageDigestIfPossible);
    const history = await writeMessages(store, accounts, pairs, count);
    await writeFile(descriptionFile, JSON.stringify(history));
    return history;
  } finally {
    await environment.close();
  }
}

/** Creates people, streams, and a message to each stream and in each direction of each direct conversation. */
async function makePeopleAndSampleMessages(directory: string): Promise<Pick<MessageHistory, 'accounts' | 'pairs'>> {
  const face = await startFace('embedded', {
    dataDir: directory,
    profile: undefined,
    nats: undefined,
    mongodb: undefined,
  });
  if (!face) throw new Error('no server');
  try {
    const { accounts, streams } = await makeOrganization(face, PEOPLE, STREAMS);
    const pairs = accounts.flatMap((_, a) =>
      Array.from({ length: PARTNERS_PER_PERSON }, (_, i) => [a, (a + i + 1) % PEOPLE] as const),
    );
    for (const to of streams) {
      await call(face, accounts[isSubscribed(0, streams.indexOf(to)) ? 0 : 1]!.authorization, '/messages', {
        type: 'stream',
        to,
        topic: topicName(0),
        content: 'first',
      });
    }
    await mapInParallel(
      pairs.flatMap(
        ([a, b]) =>
          [
            [a, b],
            [b, a],
          ] as const,
      ),
      async ([from, to]) => {
        const form = { type: 'direct', to: JSON.stringify([accounts[to]!.id]), content: 'first' };
        await call(face, accounts[from]!.authorization, '/messages', form);
      },
    );
    return { accounts, pairs };
  } finally {
    await face.stop();
  }
}

async function writeMessages(
  store: Store,
  accounts: readonly Account[],
  pairs: MessageHistory['pairs'],
  count: number,
): Promise<MessageHistory> {
  const realm = toRealmId(1);
  const existing = await store.scanMessages({
    realm,
    index: { by: 'realm' },
    from: NEWEST_ANCHOR_MESSAGE_ID,
    direction: 'older',
    limit: 5_000,
  });
  const samples = existing.map(toStoredMessage).filter(({ body }) => body.content === 'first');
  const streamSamples = samples.filter(({ originStream }) => originStream !== 0).reverse();
  const ids = accounts.map(({ id }) => id);
  const people = streamSamples.map((_, stream) => ids.filter((_, person) => isSubscribed(person, stream)));
  const directSamples = samples.filter(({ originStream }) => originStream === 0);
  await skipMessageIdsInAllRealms(store, count + 20_000);
  const first = existing[0]!.id + 10_000;
  const next = makeRandom(42);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)]!;
  const topics = new Map<string, { stream: number; name: string; max: number }>();
  const message = (id: number): StoredMessage => {
    const stream = Math.floor(next() ** 2 * STREAMS);
    const template = next() * DIRECT_MESSAGE_INTERVAL < 1 ? pick(directSamples) : streamSamples[stream]!;
    const words = Array.from({ length: 8 + Math.floor(next() * 40) }, () => pick(WORDS)).join(' ');
    const name = template.originStream === 0 ? '' : topicName(Math.floor(next() ** 2 * TOPICS));
    const text = `${words} **${id}** \`make\` see word${Math.floor(next() ** 2 * 20_000)}`;
    if (template.originStream !== 0)
      topics.set(`${template.originStream} ${name}`, { stream: template.originStream, name, max: id });
    return {
      ...template,
      id,
      sender: template.originStream === 0 ? template.sender : pick(people[stream]!),
      body: {
        ...template.body,
        content: text,
        html: `<p>${escapeHtml(words)} <strong>${id}</strong> <code>make</code> see ${text.split(' ').at(-1)}</p>`,
        topic: name,
        sent: 1_700_000_000 + (id - first) * 30,
      },
    };
  };
  const last = first + count - 1;
  for (let from = first; from <= last; from += WRITES_PER_BATCH) {
    const writes: StoreRecordWrite[] = [];
    for (let id = from; id < from + WRITES_PER_BATCH && id <= last; id++) {
      const one = message(id);
      const value = toMessageRecord(
        one,
        one.originStream === 0 ? storeNameOfDirectConversation(realm, one.participants) : '',
      );
      writes.push({ type: 'message', realm, id, rev: 1, value });
    }
    await store.applyRecords(writes);
    if ((from - first) % (WRITES_PER_BATCH * 50) === 0) process.stderr.write(`${from - first} messages\n`);
  }
  const parts: StoreRecordWrite[] = [...topics.values()].map(({ stream, name, max }) => ({
    type: 'part',
    key: streamActorKey(realm, toStreamId(stream)),
    part: `topic/${toComparableTopicKey(name)}`,
    rev: 1,
    value: { name, max },
  }));
  const mark = Math.floor(first + count * READ_SHARE);
  for (const [person, id] of ids.entries()) {
    const origins = [
      0,
      ...streamSamples.flatMap(({ originStream }, stream) => (isSubscribed(person, stream) ? [originStream] : [])),
    ];
    for (const home of origins) {
      const part = encodeOriginReadStatePart(home, { mark, read: IdSet.EMPTY, unread: IdSet.EMPTY });
      for (const [name, value] of Object.entries(part)) {
        parts.push({ type: 'part', key: userActorKey(realm, toUserId(id)), part: name, rev: 1, value });
      }
    }
  }
  await store.applyRecords(parts);
  const streams = streamSamples.map(({ originStream }, i) => ({ id: originStream, name: `team ${i}` }));
  return { accounts, streams, pairs, first, last };
}
