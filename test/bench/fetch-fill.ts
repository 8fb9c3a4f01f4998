/** Fills a Store with the messages of an organization, without commands to actors. */

import { type StoredMessage, storeNameOfDirectConversation, toMessageRecord } from '#domain/messages';
import { streamMemberPartAddress } from '#domain/streams';
import { type RealmId, toRealmId } from '#model';
import type { ActorPartWrite, MessageRecordWrite, Store } from '#ports/store';

export const REALM: RealmId = toRealmId(7);
export const STREAMS = 100;
/**
 * BUSY_USER is a subscriber of the streams with even ids. QUIET_USER is a subscriber of the last stream only, which
 * gets one of QUIET_INTERVAL messages.
 */
export const BUSY_USER = 11;
export const QUIET_USER = 12;
export const QUIET_INTERVAL = 500;
/** One of this number of messages has the rare word. */
const RARE_WORD_INTERVAL = 499;
const WRITES_PER_BATCH = 2_000;
const SENDERS = 40;

const COMMON_WORDS = ['release', 'server', 'meeting', 'coffee', 'branch', 'tomorrow', 'customer', 'question'];

/** @returns a seeded pseudo-random generator of numbers from 0 to 1, so that every run has equal data */
export function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @returns a random stream; the first streams are much more frequent than the others */
const pickStream = (next: () => number): number => 1 + Math.floor(next() ** 3 * (STREAMS - 1));

function messageOf(id: number, next: () => number): StoredMessage {
  const direct = id % 20 === 0;
  const stream = direct ? 0 : id % QUIET_INTERVAL === 1 ? STREAMS : pickStream(next);
  const sender = 100 + Math.floor(next() ** 2 * SENDERS);
  const participants = direct ? [id % 200 === 0 ? QUIET_USER : BUSY_USER, sender].sort((a, b) => a - b) : [];
  const words = Array.from({ length: 6 }, () => COMMON_WORDS[Math.floor(next() ** 2 * COMMON_WORDS.length)]!);
  const rarerWords = Array.from({ length: 6 }, () => `word${Math.floor(next() ** 2 * 20_000)}`);
  const text = [...words, ...rarerWords, ...(id % RARE_WORD_INTERVAL === 0 ? ['aardvark'] : [])].join(' ');
  return {
    id,
    sender,
    participants,
    originStream: stream,
    body: {
      content: text,
      html: `<p>${text}</p>`,
      topic: direct ? '' : `Topic ${Math.floor(next() ** 2 * 30)}`,
      sent: 1_700_000_000 + id,
      client: 'bench',
      recipient: stream,
      stream,
      rev: 1,
      flags: {},
      wildcard: false,
      topicLinks: [],
      has: { link: false, image: false },
    },
  };
}

export async function fillStore(store: Store, count: number): Promise<void> {
  const member = (stream: number, user: number): ActorPartWrite => {
    const stays = [{ from: 1, to: 0, after: 0, until: 0 }];
    return { type: 'part', ...streamMemberPartAddress(REALM, stream, user), rev: 1, value: { stays } };
  };
  const members = [member(STREAMS, QUIET_USER)];
  for (let stream = 2; stream <= STREAMS; stream += 2) members.push(member(stream, BUSY_USER));
  await store.applyRecords(members);
  const next = makeRandom(42);
  for (let from = 1; from <= count; from += WRITES_PER_BATCH) {
    const writes: MessageRecordWrite[] = [];
    for (let id = from; id < from + WRITES_PER_BATCH && id <= count; id++) {
      const message = messageOf(id, next);
      const { participants } = message;
      const value = toMessageRecord(
        message,
        participants.length > 0 ? storeNameOfDirectConversation(REALM, participants) : '',
      );
      writes.push({ type: 'message', realm: REALM, id, rev: 1, value });
    }
    await store.applyRecords(writes);
  }
}
