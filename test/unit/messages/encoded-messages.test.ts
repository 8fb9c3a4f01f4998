/**
 * Reads from digests give the same messages, objects, flags, topics and unread counts as from decoded messages.
 */
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { endLeaseOfBytes, IdSet, type Json, keepLeasedBytes, MIN_LEASED_BYTES } from '#base';
import {
  encodeMarkedMessageIdsPart,
  encodeOriginReadStatePart,
  formatMessageForClientVariant,
  listReceivedTopics,
  type MessageBody,
  MessageResponseEncoder,
  type MessageViewerContext,
  makeClientNeutralMessage,
  makeMessageDigestIfPossible,
  makeNarrowQueryPlan,
  parseDistinctNarrowTerms,
  resolveNarrowTerms,
  type StoredMessage,
  toMessageRecord,
  toStoredMessage,
  UserMessageFlagsView,
  UserMessageReader,
} from '#domain/messages';
import { streamMemberPartAddress, toComparableTopicKey } from '#domain/streams';
import { toRealmId, toStreamId, toUserId } from '#model';
import type { DirectoryStream, DirectoryView, MessageRecord } from '#model/records';
import { LmdbStore, openLmdbEnvironment, PackedMessageCursor, type StoreRecordWrite } from '#ports/store';
import { getMessagesWithoutText } from '../../../src/delivery/recent-messages.js';
import { directoryWith } from '../../support/directory.js';
import { FakeClock } from '../../support/fake-clock.js';
import { person } from '../../support/person.js';
import { rounds } from '../../support/rounds.js';

const REALM = toRealmId(1);
const ME = 9;
const PEOPLE = [8, 9, 10, 11];
const STREAMS = [1, 2, 3, 4];

const stream = (id: number, name = `stream ${id}`): DirectoryStream =>
  ({ id, name, inviteOnly: id === 3, historyPublic: id !== 3, webPublic: false, archived: false }) as DirectoryStream;

const directoryOf = (version: number, name: string, streamName: string) =>
  directoryWith({
    version,
    settings: { allow_edit_history: version % 2 === 0 },
    users: PEOPLE.map((id) =>
      person(id, { fullName: id === 8 ? name : `User ${id}`, avatarSource: id === 10 ? 'U' : 'G' }),
    ),
    streams: STREAMS.map((id) => stream(id, id === 1 ? streamName : undefined)),
  });

const text = fc.oneof(fc.string(), fc.constantFrom('"a" \\ b\n', '<p>ä€😀</p>', '/me waves', ''));
const moved = fc.record({
  from: fc.constantFrom(...STREAMS),
  fromMv: fc.integer({ min: 1, max: 5 }),
  to: fc.constantFrom(...STREAMS),
  toMv: fc.integer({ min: 1, max: 5 }),
  gained: fc.boolean(),
});
const body = fc.record({
  content: text,
  html: text,
  topic: fc.constantFrom('Lunch', 'ÄRGER "x"', '✔ done'),
  sent: fc.nat(),
  client: text,
  recipient: fc.nat(),
  rev: fc.constant(1),
  flags: fc.dictionary(
    fc.constantFrom(...PEOPLE.map(String)),
    fc.uniqueArray(fc.constantFrom('read', 'mentioned', 'wildcard_mentioned', 'has_alert_word', 'starred'), {
      maxLength: 3,
    }),
  ),
  wildcard: fc.boolean(),
  topicLinks: fc.array(fc.record({ text, url: text }), { maxLength: 2 }),
  has: fc.record({ link: fc.boolean(), image: fc.boolean() }),
  reactions: fc.option(
    fc.array(
      fc.record({
        user: fc.constantFrom(...PEOPLE),
        emoji_name: fc.constant('tada'),
        emoji_code: fc.constant('1f389'),
        reaction_type: fc.constant('unicode_emoji'),
      }),
      { maxLength: 2 },
    ),
    { nil: undefined },
  ),
  edits: fc.option(
    fc.array(fc.record({ user: fc.constant(8), at: fc.nat(), topic: fc.constant({ from: 'a', to: 'b' }) })),
    {
      nil: undefined,
    },
  ),
  moves: fc.option(fc.array(moved, { maxLength: 2 }), { nil: undefined }),
  submessages: fc.option(
    fc.array(fc.record({ id: fc.nat(), sender: fc.constant(8), type: fc.constant('widget'), content: text }), {
      maxLength: 1,
    }),
    { nil: undefined },
  ),
});
const message = fc
  .record({
    sender: fc.constantFrom(...PEOPLE, 77),
    home: fc.constantFrom(0, ...STREAMS),
    now: fc.constantFrom(...STREAMS),
    participants: fc.uniqueArray(fc.constantFrom(...PEOPLE), { minLength: 1, maxLength: 3 }),
    body,
    digest: fc.boolean(),
  })
  .map(({ sender, home, now, participants, body, digest }) => {
    const direct = home === 0;
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    const own = { ...given, stream: direct ? 0 : now, ...(direct ? { topic: '', moves: [] } : {}) };
    return {
      digest,
      stored: {
        id: 0,
        sender,
        originStream: home,
        participants: direct ? participants.toSorted((a, b) => a - b) : [],
        body: own as unknown as MessageBody,
      } satisfies StoredMessage,
    };
  });
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 6 });
const world = fc.record({
  messages: fc.array(message, { minLength: 1, maxLength: 30 }),
  stays: fc.array(
    fc.record({ from: fc.integer({ min: 1, max: 4 }), after: fc.nat({ max: 20 }), ended: fc.boolean() }),
    { minLength: 4, maxLength: 4 },
  ),
  starred: ids,
  read: ids,
  historical: ids,
  mark: fc.nat({ max: 20 }),
});

const NARROWS = [
  [],
  [{ operator: 'stream', operand: 1 }],
  [
    { operator: 'stream', operand: 1 },
    { operator: 'topic', operand: 'lunch' },
  ],
  [{ operator: 'topic', operand: 'ärger "x"' }],
  [{ operator: 'dm', operand: [8] }],
  [{ operator: 'is', operand: 'dm' }],
  [{ operator: 'is', operand: 'mentioned' }],
  [{ operator: 'is', operand: 'alerted' }],
  [{ operator: 'is', operand: 'unread' }],
  [{ operator: 'is', operand: 'resolved' }],
  [{ operator: 'is', operand: 'starred' }],
  [{ operator: 'sender', operand: 8 }],
  [{ operator: 'sender', operand: 8, negated: true }],
  [{ operator: 'streams', operand: 'public' }],
  [{ operator: 'in', operand: 'home' }],
  [{ operator: 'has', operand: 'link' }],
  [{ operator: 'has', operand: 'reaction' }],
  [{ operator: 'is', operand: 'followed' }],
];

type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

/** Stores of the same data: one that writes digests, and one that doesn't. */
async function openStores(directory: string, { messages, stays }: World) {
  const environment = await openLmdbEnvironment(directory);
  const withDigests = new LmdbStore(environment, new FakeClock(), makeMessageDigestIfPossible);
  const without = new LmdbStore(environment, new FakeClock());
  const writes = messages.map(({ stored, digest }, i) => {
    const record = toMessageRecord({ ...stored, id: i + 1 }, `d${stored.participants.join()}`);
    return { digest, write: { type: 'message', realm: REALM, id: i + 1, rev: 1, value: record } as StoreRecordWrite };
  });
  await withDigests.applyRecords(writes.filter(({ digest }) => digest).map(({ write }) => write));
  await without.applyRecords(writes.filter(({ digest }) => !digest).map(({ write }) => write));
  await without.applyRecords(
    stays.map(({ from, after, ended }, i): StoreRecordWrite => {
      const stay = { from, after, ...(ended ? { to: from + 2, until: after + 6 } : { to: 0, until: 0 }) };
      return { type: 'part', ...streamMemberPartAddress(REALM, STREAMS[i]!, ME), rev: 1, value: { stays: [stay] } };
    }),
  );
  const close = async (): Promise<void> => {
    await withDigests.close();
    await without.close();
    await environment.close();
  };
  return { withDigests, without, close };
}

const partsOf = ({ starred, read, historical, mark }: World): Map<string, Json> =>
  new Map(
    [
      encodeMarkedMessageIdsPart('starred', IdSet.fromIds(starred)),
      encodeMarkedMessageIdsPart('historical', IdSet.fromIds(historical)),
      ...[0, ...STREAMS].map((home) =>
        encodeOriginReadStatePart(home, { mark, read: IdSet.fromIds(read), unread: IdSet.fromIds(starred) }),
      ),
    ].flatMap((part) => Object.entries(part)),
  );

const viewerOf = (directory: DirectoryView, parts: Map<string, Json>): MessageViewerContext => ({
  realm: REALM,
  user: directory.user(toUserId(ME))!,
  directory,
  flags: new UserMessageFlagsView(ME, parts),
  // Memberships of other streams are loaded only when a message of the stream comes up.
  streams: [1, 3],
  subscribed: (id) => id === 1,
  mutedStreams: new Set([2]),
  mutesTopic: (_stream, topic) => topic === 'Lunch',
  followsTopic: (_stream, topic) => topic === '✔ done',
});

t.test('messages from digests equal decoded ones', async (t) => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const { withDigests, without, close } = await openStores(t.testdir(), given);
      const parts = partsOf(given);
      for (const [version, name, streamName] of [
        [1, 'Before', 'before'],
        [2, 'After "him"', 'after'],
      ] as const) {
        const directory = directoryOf(version, name, streamName);
        const viewer = viewerOf(directory, parts);
        for (const narrow of NARROWS) {
          const parsed = parseDistinctNarrowTerms(JSON.stringify(narrow), 'current');
          const terms = resolveNarrowTerms(parsed, directory, ME, { dialect: 'current' });
          const plan = makeNarrowQueryPlan(terms, viewer);
          for (const [direction, from, limit] of [
            ['older', 1_000, 5],
            ['newer', 3, 40],
          ] as const) {
            const options = { applyMarkdown: version === 1, clientGravatar: limit === 5 };
            const shown = new MessageResponseEncoder(viewer.flags, directory, options);
            const rows = await new UserMessageReader(withDigests, viewer).scanNarrowPacked(
              plan,
              from,
              direction,
              limit,
              // Towards older messages they are written from right to left, as GET /messages does.
              direction === 'older' ? shown.prependMessageJson : shown.appendMessageJson,
            );
            if (direction === 'older') rows.reverse();
            const encoded = JSON.parse(Buffer.from(shown.finishJsonList(rows)).toString()) as unknown[];
            if (direction === 'older') encoded.reverse();
            const expected = await new UserMessageReader(without, viewer).scanNarrow(plan, from, direction, limit);
            t.same(
              encoded,
              expected.map((own) =>
                JSON.parse(
                  JSON.stringify({
                    ...formatMessageForClientVariant(makeClientNeutralMessage(own.message, directory), options),
                    flags: viewer.flags.flagsOf(own),
                  }),
                ),
              ),
              JSON.stringify({ narrow, direction }),
            );
          }
        }
      }
      await close();
    }),
    { numRuns: rounds(10, 25) },
  );
});

const SEARCHES = ['waves', '"/me waves"', '"e WAVES" lunch', '"no such" waves', 'done waves', 'the'];

t.test('searches, topics and reads without text find the same messages as tests of decoded messages', async (t) => {
  const directory = directoryOf(1, 'Somebody', 'somewhere');
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const { withDigests, without, close } = await openStores(t.testdir(), given);
      const viewer = viewerOf(directory, partsOf(given));
      const [packed, decoded] = [withDigests, without].map((store) => new UserMessageReader(store, viewer)) as [
        UserMessageReader,
        UserMessageReader,
      ];
      const all = await decoded.scanNarrow(makeNarrowQueryPlan([], viewer), 1_000, 'older', 1_000);
      for (const operand of SEARCHES) {
        for (const negated of [false, true]) {
          const parsed = parseDistinctNarrowTerms(JSON.stringify([{ operator: 'search', operand, negated }]));
          const plan = makeNarrowQueryPlan(resolveNarrowTerms(parsed, directory, ME), viewer);
          const found = await packed.scanNarrow(plan, 1_000, 'older', 1_000);
          t.same(found, all.filter(plan.matches), JSON.stringify({ operand, negated }));
        }
      }

      const records = (
        await without.getMessages(
          REALM,
          [...given.messages.keys()].map((i) => i + 1),
        )
      ).map((one) => one!);
      for (const stream of STREAMS.map(toStreamId)) {
        const inStream = records.map(toStoredMessage).filter(({ body }) => body.stream === stream);
        const newest = new Map(inStream.map(({ id, body }) => [body.topic, { name: body.topic, max_id: id }]));
        const one = async (name: string) => {
          const topic = { is: 'topic', topic: toComparableTopicKey(name), negated: false } as const;
          const terms = [{ is: 'stream', stream, negated: false } as const, topic];
          const [own] = await decoded.scanNarrow(
            makeNarrowQueryPlan(terms, viewer, { copies: true }),
            1_000,
            'older',
            1,
          );
          return own ? [{ name: own.message.body.topic, max_id: own.message.id }] : [];
        };
        const expected = (await Promise.all([...newest.keys()].map(one))).flat();
        t.same(
          await listReceivedTopics([...newest.values()], stream, packed),
          expected.sort((a, b) => b.max_id - a.max_id),
        );
      }

      const textless = await getMessagesWithoutText(withDigests, REALM, [...records.map(({ id }) => id), 99]);
      const withListedFlags = (record: MessageRecord): MessageRecord => {
        const { stream, topic, sent, flags, wildcard, moves = [] } = record.body as MessageBody;
        const listed = Object.entries(flags).map(([user, of]) => [user, ...[...of].sort()]);
        return { ...record, tags: [], body: { stream, topic, sent, flags: listed, wildcard, moves } };
      };
      t.same(textless.map(withListedFlags), records.map(withListedFlags));
      await close();
    }),
    { numRuns: rounds(10, 40) },
  );
});

/** Reads 500 messages of one stream, all with the text "tea with milk". @returns how many messages were decoded */
async function countDecodedMessages(t: Test, read: (store: LmdbStore, ids: readonly number[]) => Promise<void>) {
  const environment = await openLmdbEnvironment(t.testdir());
  const store = new LmdbStore(environment, new FakeClock(), makeMessageDigestIfPossible);
  const ids = Array.from({ length: 500 }, (_, i) => i + 1);
  const body = {
    ...{ stream: 1, topic: 'Lunch', content: 'tea with milk', html: '<p>tea with milk</p>', sent: 1, client: 'test' },
    ...{ recipient: 1, rev: 1, flags: { [ME]: ['mentioned'] }, wildcard: false, topicLinks: [] },
    has: { link: false, image: false },
  };
  await store.applyRecords(
    ids.map((id) => {
      const value = toMessageRecord({ id, sender: 8, participants: [], originStream: 1, body });
      return { type: 'message', realm: REALM, id, rev: 1, value };
    }),
  );
  const value = { stays: [{ from: 1, after: 0, to: 0, until: 0 }] };
  await store.applyRecords([{ type: 'part', ...streamMemberPartAddress(REALM, 1, ME), rev: 1, value }]);
  let decoded = 0;
  const { prototype } = PackedMessageCursor;
  const property = Object.getOwnPropertyDescriptor(prototype, 'decodedRecord')!;
  Object.defineProperty(prototype, 'decodedRecord', {
    ...property,
    get(this: PackedMessageCursor) {
      decoded++;
      return property.get!.call(this);
    },
  });
  t.teardown(() => Object.defineProperty(prototype, 'decodedRecord', property));
  await read(store, ids);
  await store.close();
  await environment.close();
  return decoded;
}

t.test('a registration decodes none of the messages that it counts as unread', async (t) => {
  const decoded = await countDecodedMessages(t, async (store, ids) => {
    t.equal((await getMessagesWithoutText(store, REALM, ids)).length, ids.length);
  });
  t.equal(decoded, 0);
});

t.test('a search for a phrase decodes no message that has only the single words', async (t) => {
  const viewer = viewerOf(directoryOf(1, 'Somebody', 'somewhere'), new Map());
  const search = async (store: LmdbStore, operand: string) => {
    const narrow = JSON.stringify([{ operator: 'search', operand }]);
    const plan = makeNarrowQueryPlan(
      resolveNarrowTerms(parseDistinctNarrowTerms(narrow), viewer.directory, ME),
      viewer,
    );
    return new UserMessageReader(store, viewer).scanNarrow(plan, 1_000, 'older', 5_000);
  };
  const decoded = await countDecodedMessages(t, async (store, ids) => {
    t.equal((await search(store, '"tea with milk"')).length, ids.length);
  });
  t.equal(decoded, 500, 'those found');
  t.equal(
    await countDecodedMessages(t, async (store) => {
      t.same(await search(store, '"milk with" tea'), []);
    }),
    0,
  );
});

const shortMessage = (id: number, content: string) => ({
  message: toStoredMessage({
    id,
    conversation: 's1',
    topicKey: 'x',
    sender: 8,
    participants: [],
    movedFrom: '',
    tags: [],
    body: { content, html: '', topic: 'x', stream: 1, flags: {}, topicLinks: [], wildcard: false },
  }),
  copy: true,
  gained: false,
});

t.test('rows may be written in both directions, left out and in any order', async (t) => {
  const directory = directoryOf(1, 'Somebody', 'somewhere');
  const flags = new UserMessageFlagsView(ME, new Map());
  const options = { applyMarkdown: false, clientGravatar: false };
  const idsOf = (list: Uint8Array) =>
    (JSON.parse(Buffer.from(list).toString()) as { id: number; content: string }[]).map(({ id, content }) => {
      t.equal(content, `text ${id} ${'ä'.repeat(id * 3_000)}`);
      return id;
    });
  for (const count of [2, 9]) {
    for (const wanted of [(id: number) => id !== 0, (id: number) => id !== 1 && id !== -1]) {
      const answer = new MessageResponseEncoder(flags, directory, options);
      const rows = new Map<number, ReturnType<typeof answer.appendMessageJson>>();
      const of = (id: number) => ({ ...shortMessage(id + 10, `text ${id + 10} ${'ä'.repeat((id + 10) * 3_000)}`) });
      for (let i = 1; i <= count; i++) {
        rows.set(i, answer.appendMessageJson(of(i)));
        rows.set(-i, answer.prependMessageJson(of(-i)));
      }
      const ascending = [...rows.keys()].sort((a, b) => a - b).filter(wanted);
      t.same(
        idsOf(answer.finishJsonList(ascending.map((id) => rows.get(id)!))),
        ascending.map((id) => id + 10),
      );
    }
  }
});

/** Encodes the list of one message with this text. */
function encodeListOfOne(text: string): Uint8Array {
  const options = { applyMarkdown: false, clientGravatar: false };
  const flags = new UserMessageFlagsView(ME, new Map());
  const answer = new MessageResponseEncoder(flags, directoryOf(1, 'Somebody', 'somewhere'), options);
  return answer.finishJsonList([answer.appendMessageJson(shortMessage(1, text))]);
}

t.test('the memory of an answer serves the next one once its lease has ended', async (t) => {
  const encode = (word: string): Uint8Array => encodeListOfOne(word.repeat(1_000));
  const first = encode('first');
  const copy = Buffer.from(first);
  const second = encode('second');
  t.not(second.buffer, first.buffer, 'two answers at a time');
  t.same(Buffer.from(first), copy);
  endLeaseOfBytes(first);
  endLeaseOfBytes(first);
  const third = encode('third');
  t.equal(third.buffer, first.buffer);
  t.not(encode('fourth').buffer, third.buffer, 'a lease ends once');
  keepLeasedBytes(second);
  endLeaseOfBytes(second);
  t.not(encode('fifth').buffer, second.buffer, 'bytes with several readers are not used again');
  t.match(Buffer.from(second).toString(), /secondsecond/);
});

t.test('a short answer leaves its memory to the next one at once', async (t) => {
  const long = encodeListOfOne('long '.repeat(1_000));
  endLeaseOfBytes(long);
  const short = encodeListOfOne('short');
  t.ok(short.byteLength < MIN_LEASED_BYTES);
  t.match(Buffer.from(short).toString(), /"content":"short"/);
  const copy = Buffer.from(short);
  const next = encodeListOfOne('next '.repeat(1_000));
  t.equal(next.buffer, long.buffer);
  t.same(Buffer.from(short), copy);
});

t.test('responses encoded at the same time do not share a buffer', async (t) => {
  const directory = directoryOf(1, 'Somebody', 'somewhere');
  const flags = new UserMessageFlagsView(ME, new Map());
  const options = { applyMarkdown: false, clientGravatar: false };
  const answers = Array.from({ length: 3 }, () => new MessageResponseEncoder(flags, directory, options));
  const rows = [1, 2, 3].map((id) =>
    answers.map((answer, i) => answer.appendMessageJson(shortMessage(id, `${i} `.repeat(60_000)))),
  );
  for (const [i, answer] of answers.entries()) {
    const list = answer.finishJsonList(rows.map((row) => row[i]!).reverse());
    const given = JSON.parse(Buffer.from(list).toString()) as { id: number; content: string }[];
    t.same(
      given.map(({ id }) => id),
      [3, 2, 1],
    );
    t.ok(given.every(({ content }) => content === `${i} `.repeat(60_000)));
  }
  t.equal(Buffer.from(new MessageResponseEncoder(flags, directory, options).finishJsonList([])).toString(), '[]');
});
