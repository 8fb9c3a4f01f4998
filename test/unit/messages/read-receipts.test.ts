import t from 'tap';
import { IdSet, type Json } from '#base';
import {
  encodeMarkedMessageIdsPart,
  encodeOriginReadStatePart,
  findVisibleMessageReaderIds,
  type MessageBody,
  type StoredMessage,
} from '#domain/messages';
import { type ActorKey, streamActorKey, toRealmId, toStreamId, toUserId, userActorKey } from '#model';
import { directoryWith } from '../../support/directory.js';
import { MemoryStore } from '../../support/memory-store.js';
import { person } from '../../support/person.js';

const realm = toRealmId(1);
const HOME = 4;

const message = (over: Partial<MessageBody> = {}, participants: readonly number[] = []): StoredMessage => ({
  id: 100,
  sender: 10,
  participants,
  originStream: participants.length > 0 ? 0 : HOME,
  body: {
    content: 'x',
    html: '<p>x</p>',
    topic: 'x',
    sent: 1,
    client: 'test',
    recipient: 1,
    stream: participants.length > 0 ? 0 : HOME,
    rev: 1,
    flags: {},
    wildcard: false,
    topicLinks: [],
    has: { link: false, image: false },
    ...over,
  },
});

interface World {
  /** A mark up to which all is read, or the ids read one by one. */
  readonly read?: Readonly<Record<number, number | readonly number[]>>;
  readonly members?: readonly number[];
  readonly left?: readonly number[];
  readonly copies?: readonly number[];
  readonly personals?: Parameters<typeof directoryWith>[0]['personals'];
  readonly inactive?: readonly number[];
}

async function readers(of: StoredMessage, { read = {}, members = [], ...world }: World, caller = 20) {
  const store = new MemoryStore({ atomicRecords: true });
  const put = (key: ActorKey, parts: Record<string, Json>) =>
    store.applyRecords(Object.entries(parts).map(([part, value]) => ({ type: 'part', key, part, rev: 1, value })));
  const stay = (after: number, to = 0, until = 0) => ({ stays: [{ from: 1, to, after, until }] });
  for (const user of members) await put(streamActorKey(realm, toStreamId(HOME)), { [`member/${user}`]: stay(50) });
  for (const user of world.left ?? [])
    await put(streamActorKey(realm, toStreamId(HOME)), { [`member/${user}`]: stay(50, 2, 99) });
  for (const [user, what] of Object.entries(read)) {
    const reading =
      typeof what === 'number' ? { mark: what, read: IdSet.EMPTY } : { mark: 0, read: IdSet.fromIds(what) };
    await put(
      userActorKey(realm, toUserId(Number(user))),
      encodeOriginReadStatePart(of.originStream, { ...reading, unread: IdSet.EMPTY }),
    );
  }
  for (const user of world.copies ?? []) {
    await put(userActorKey(realm, toUserId(user)), encodeMarkedMessageIdsPart('historical', IdSet.fromIds([of.id])));
  }
  const directory = directoryWith({
    users: Array.from({ length: 20 }, (_, i) => person(10 + i, { isActive: !world.inactive?.includes(10 + i) })),
    personals: world.personals ?? [],
  });
  return findVisibleMessageReaderIds(of, caller, { store, realm, directory });
}

const personal = (user: number, over: object) => ({
  user: toUserId(user),
  settings: {},
  alertWords: [],
  muted: [],
  ...over,
});

t.test('readers have a copy that is read: by a mark, one by one, or at creation', async (t) => {
  const read = { 11: 100, 12: 99, 13: [100], 14: [99, 101], 16: 200 };
  const found = await readers(message({ flags: { 15: ['read'] } }), { read, members: [11, 12, 13, 14, 15, 17] });
  t.same(found, [11, 13, 15], '16 was never in the stream, 17 read nothing');
});

t.test('a user who left before has no copy; a user who reacted has one', async (t) => {
  const found = await readers(message({ copies: [13, 14] }), {
    members: [11],
    left: [12],
    read: { 11: 100, 12: 100 },
    copies: [13],
  });
  t.same(found, [11, 13]);
});

t.test('the readers of a direct message are among its participants', async (t) => {
  t.same(await readers(message({}, [10, 11, 12]), { read: { 10: 100, 11: 100, 13: 100 } }), [11]);
});

t.test('the sender, deactivated users and users without receipts are left out; the caller counts', async (t) => {
  const members = [10, 11, 12, 13, 20];
  const read = Object.fromEntries(members.map((user) => [user, 100]));
  const found = await readers(message(), {
    members,
    read,
    inactive: [11],
    personals: [
      personal(12, { settings: { send_read_receipts: false } }),
      personal(13, { settings: { send_read_receipts: true } }),
    ],
  });
  t.same(found, [13, 20]);
});

t.test('users muted by the caller, and users who muted the caller, are left out', async (t) => {
  const members = [11, 12, 13];
  const read = Object.fromEntries(members.map((user) => [user, 100]));
  const personals = [
    personal(20, { muted: [{ id: 11, timestamp: 1 }] }),
    personal(12, { muted: [{ id: 20, timestamp: 1 }] }),
    personal(13, { muted: [{ id: 12, timestamp: 1 }] }),
  ];
  t.same(await readers(message(), { members, read, personals }), [13]);
  t.same(await readers(message(), { members, read, personals }, 11), [11, 12, 13], 'for another caller');
});
