/** The topics in which a user received messages (streams.md § GET /users/me/{stream_id}/topics). */
import t from 'tap';
import { IdSet } from '#base';
import {
  encodeMarkedMessageIdsPart,
  listReceivedTopics,
  makeNarrowQueryPlan,
  makeViewerWithoutFlags,
  type StoredMessage,
  toMessageRecord,
  UserMessageFlagsView,
  UserMessageReader,
} from '#domain/messages';
import { streamMemberPartAddress, toComparableTopicKey } from '#domain/streams';
import { toRealmId, toStreamId } from '#model';
import type { MessageRecord } from '#model/records';
import type { MessageScan } from '#ports/store';
import { makeRandom } from '../../bench/fetch-fill.js';
import { directoryWith } from '../../support/directory.js';
import { MemoryStore } from '../../support/memory-store.js';
import { person } from '../../support/person.js';

const REALM = toRealmId(1);
const ME = 9;
const STREAM = toStreamId(5);
const MESSAGES = 3_000;

/** A memory store that counts the scans and the messages that they return. */
class CountingStore extends MemoryStore {
  scans = 0;
  returned = 0;

  override async scanMessages(scan: MessageScan): Promise<MessageRecord[]> {
    const found = await super.scanMessages(scan);
    this.scans++;
    this.returned += found.length;
    return found;
  }
}

interface Stay {
  readonly after: number;
  readonly until: number;
}

/** A stream with protected history and its reader. @param topicOf topic of the message with this id */
async function world(topicOf: (id: number) => string, stays: readonly Stay[], copies: readonly number[] = []) {
  const store = new CountingStore({ atomicRecords: true });
  const newest = new Map<string, { name: string; max_id: number }>();
  for (let id = 1; id <= MESSAGES; id++) {
    const name = topicOf(id);
    newest.set(toComparableTopicKey(name), { name, max_id: id });
    const has = { link: false, image: false };
    const body = {
      stream: STREAM,
      topic: name,
      content: '',
      html: '',
      sent: id,
      rev: 1,
      flags: {},
      wildcard: false,
      has,
    };
    const message = { id, originStream: STREAM, sender: 8, participants: [], body } as unknown as StoredMessage;
    await store.applyRecords([{ type: 'message', realm: REALM, id, rev: 1, value: toMessageRecord(message) }]);
  }
  const value = {
    stays: stays.map(({ after, until }, i) => ({ from: 2 * i + 1, after, to: until === 0 ? 0 : 2 * i + 2, until })),
  };
  await store.applyRecords([{ type: 'part', ...streamMemberPartAddress(REALM, STREAM, ME), rev: 1, value }]);
  const directory = directoryWith({ users: [person(8), person(ME)] });
  const user = directory.user(ME as never)!;
  const parts = new Map(Object.entries(encodeMarkedMessageIdsPart('historical', IdSet.fromIds(copies))));
  const viewer = {
    ...makeViewerWithoutFlags({ realm: REALM, user, directory, subscribed: () => true }),
    flags: new UserMessageFlagsView(ME, parts),
    streams: [STREAM],
  };
  return { store, reader: new UserMessageReader(store, viewer), topics: [...newest.values()] };
}

t.test('one scan for all topics finds the same topics as a scan for each', async (t) => {
  for (let seed = 1; seed <= 4; seed++) {
    const random = makeRandom(seed);
    const below = (n: number): number => Math.floor(random() * n);
    const bounds = Array.from({ length: 4 }, () => below(MESSAGES)).sort((a, b) => a - b);
    const stays = [
      { after: bounds[0]!, until: bounds[1]! },
      { after: bounds[2]!, until: seed % 2 === 0 ? bounds[3]! : 0 },
    ];
    const copies = Array.from({ length: 20 }, () => 1 + below(MESSAGES));
    // Two busy topics have most of the messages; other topics end early.
    const topicOf = (id: number): string =>
      below(3) > 0 ? `Busy ${below(2)}` : `${below(2) === 0 ? 'Topic' : 'topic'} ${Math.floor(id / 500)}.${below(30)}`;
    const { reader, topics } = await world(topicOf, stays, copies);
    const expected: { name: string; max_id: number }[] = [];
    for (const { name } of topics) {
      const topic = { is: 'topic', topic: toComparableTopicKey(name), negated: false } as const;
      const terms = [{ is: 'stream', stream: STREAM, negated: false } as const, topic];
      const plan = makeNarrowQueryPlan(terms, reader.viewer, { copies: true });
      const [own] = await reader.scanNarrow(plan, MESSAGES + 1, 'older', 1);
      if (own) expected.push({ name: own.message.body.topic, max_id: own.message.id });
    }
    t.ok(expected.length > 50 && expected.length < topics.length);
    t.same(
      await listReceivedTopics(topics, STREAM, reader),
      expected.sort((a, b) => b.max_id - a.max_id),
    );
  }
});

t.test('thousands of topics of a stream with protected history are listed with few scans', async (t) => {
  const { store, reader, topics } = await world((id) => `topic ${id}`, [{ after: 1_000, until: 0 }], [3, 5]);
  const listed = await listReceivedTopics(topics, STREAM, reader);
  t.equal(listed.length, 2_002);
  t.ok(store.scans < 20, `${store.scans} scans`);
});

t.test('a topic that ended long ago is found without reading the messages sent since', async (t) => {
  const { store, reader, topics } = await world((id) => (id < 10 ? 'old' : 'busy'), [{ after: 0, until: 0 }]);
  t.same(await listReceivedTopics(topics, STREAM, reader), [
    { name: 'busy', max_id: MESSAGES },
    { name: 'old', max_id: 9 },
  ]);
  t.ok(store.returned < 600, `${store.returned} messages`);
});

t.test('a recent topic that was not received does not make the list read all older messages', async (t) => {
  // The reader was unsubscribed during the last 50 messages, which are in a topic of their own.
  const topicOf = (id: number): string => (id > MESSAGES - 50 || id === 5 ? 'missed' : `topic ${Math.floor(id / 500)}`);
  const stays = [
    { after: 0, until: MESSAGES - 50 },
    { after: MESSAGES, until: 0 },
  ];
  const { store, reader, topics } = await world(topicOf, stays);
  t.same(await listReceivedTopics(topics, STREAM, reader), [
    { name: 'topic 5', max_id: 2_950 },
    { name: 'topic 4', max_id: 2_499 },
    { name: 'topic 3', max_id: 1_999 },
    { name: 'topic 2', max_id: 1_499 },
    { name: 'topic 1', max_id: 999 },
    { name: 'topic 0', max_id: 499 },
    { name: 'missed', max_id: 5 },
  ]);
  t.ok(store.returned < 600, `${store.returned} messages`);
});

t.test('many topics that were not received are not looked up one by one if the scan ends soon', async (t) => {
  const stays = [{ after: 0, until: 100 }];
  const { store, reader, topics } = await world((id) => (id > 3 ? `topic ${id}` : 'old'), stays);
  const listed = await listReceivedTopics(topics, STREAM, reader);
  t.equal(listed.length, 98);
  t.ok(store.scans < 20, `${store.scans} scans`);
});
