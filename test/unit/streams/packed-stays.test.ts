/** Users who join and leave a stream often: their older stays are packed, and decide as the plain ones did. */
import fc from 'fast-check';
import t from 'tap';
import { findNewestMessageIdOfUser, type StoredMessage, toMessageRecord } from '#domain/messages';
import {
  countStays,
  didMemberReceiveAnyMessageId,
  findReceivingStayOfMessageId,
  listStays,
  messageIdBeforeFirstStay,
  type StreamMembershipRecord,
  type StreamMembershipStay,
  streamMemberPartAddress,
  wasReceivingMessagesAtVersion,
  wasReceivingOrSuspendedAtVersion,
  wasStreamMemberAtVersion,
  withStayBegun,
  withStayEnded,
} from '#domain/streams';
import { toRealmId, toStreamId } from '#model';
import { MemoryStore } from '../../support/memory-store.js';

/** One join or leave of a user, with the messages sent after it. */
interface Turn {
  readonly messages: number;
  readonly silent: boolean;
  readonly suspended: boolean;
  /** Changes of other users' memberships meanwhile. */
  readonly others: number;
}

const turns = fc.array(
  fc.record({
    messages: fc.constantFrom(0, 0, 1, 2, 200),
    silent: fc.boolean(),
    suspended: fc.boolean(),
    others: fc.constantFrom(0, 0, 3, 300),
  }),
  { minLength: 410, maxLength: 900, size: 'max' },
);

/** Carries out the turns: the user joins and leaves in turn. */
function carryOut(all: readonly Turn[]) {
  let member: StreamMembershipRecord | undefined;
  let plain: readonly StreamMembershipStay[] = [];
  let mv = 0;
  let last = 0;
  for (const [i, { messages, silent, suspended, others }] of all.entries()) {
    mv += others + 1;
    if (i % 2 === 0) {
      const stay = { from: mv, to: 0, after: last, until: 0, ...(silent ? { silent: true as const } : {}) };
      member = withStayBegun(member, stay);
      plain = [...plain, stay];
    } else {
      const end = { to: mv, until: last, ...(suspended ? { suspended: true as const } : {}) };
      member = withStayEnded(member, end);
      plain = plain.with(-1, { ...plain.at(-1)!, ...end });
    }
    last += messages;
  }
  return { member: member!, plain, mv, last };
}

const isDuring = ({ from, to }: StreamMembershipStay, mv: number) => from <= mv && (to === 0 || mv < to);

t.test('packed stays decide who received a message, and who was subscribed, as plain ones', (t) => {
  fc.assert(
    fc.property(turns, (all) => {
      const { member, plain, mv, last } = carryOut(all);
      t.ok(member.stays[0]!.earlier, 'stays were packed');
      t.ok(member.stays.length <= 200);
      t.strictSame(
        listStays(member).map(({ earlier: _, ...stay }) => stay),
        plain,
      );
      t.equal(countStays(member), plain.length);
      t.equal(messageIdBeforeFirstStay(member), plain[0]!.after);
      for (let id = 0; id <= last + 1; id += id % 7 === 0 ? 1 : 3) {
        const { earlier: _, ...received } = findReceivingStayOfMessageId(member, id) ?? {};
        const expected = plain.find((one) => !one.silent && one.after < id && (one.to === 0 || id <= one.until));
        if (JSON.stringify(received) !== JSON.stringify(expected ?? {})) t.same(received, expected ?? {}, `${id}`);
        if (didMemberReceiveAnyMessageId(member, [id]) !== (expected !== undefined)) t.fail(`any of ${id}`);
      }
      for (let at = 0; at <= mv + 1; at += at % 5 === 0 ? 1 : 2) {
        const during = plain.find((stay) => isDuring(stay, at));
        const begun = plain.findLast(({ from }) => from <= at);
        const suspended = begun !== undefined && !begun.silent && (begun.suspended === true || isDuring(begun, at));
        if (wasStreamMemberAtVersion(member, at) !== (during !== undefined)) t.fail(`member at ${at}`);
        if (wasReceivingMessagesAtVersion(member, at) !== (during !== undefined && !during.silent))
          t.fail(`receiving at ${at}`);
        if (wasReceivingOrSuspendedAtVersion(member, at) !== suspended) t.fail(`suspended at ${at}`);
      }
    }),
    { numRuns: 15 },
  );
  t.end();
});

t.test('stays that overlap are not packed', (t) => {
  const twice = Array.from({ length: 300 }, (_, i) => ({ from: 2 * i + 1, to: 2 * i + 2, after: 0, until: i }));
  const { stays } = withStayBegun({ stays: twice }, { from: 700, to: 0, after: 300, until: 0 });
  t.equal(stays.length, 301);
  t.equal(stays[0]!.earlier, undefined);
  t.end();
});

t.test('the newest message of a user is found in a packed stay', async (t) => {
  const [realm, stream, me] = [toRealmId(1), toStreamId(5), 9];
  const store = new MemoryStore({ atomicRecords: true });
  let member: StreamMembershipRecord | undefined;
  const ids = new Set<number>();
  for (let i = 0; i < 2_600; i++) {
    // The user is subscribed for the first two of each five ids.
    member = withStayBegun(member, { from: 2 * i + 1, to: 0, after: 5 * i, until: 0 });
    member = withStayEnded(member, { to: 2 * i + 2, until: 5 * i + 2 });
  }
  const say = async (id: number) => {
    ids.add(id);
    const has = { link: false, image: false };
    const text = { content: '', html: '', sent: id, rev: 1, flags: {}, wildcard: false, has };
    const body = { stream, topic: 'a', ...text };
    const message = { id, originStream: stream, sender: 8, participants: [], body } as unknown as StoredMessage;
    await store.applyRecords([{ type: 'message', realm, id, rev: 1, value: toMessageRecord(message) }]);
  };
  const newest = () => findNewestMessageIdOfUser(store, realm, me, [stream]);
  await store.applyRecords([
    { type: 'part', ...streamMemberPartAddress(realm, stream, me), rev: 1, value: member as never },
  ]);
  await say(5 * 2_599 + 4);
  t.equal(await newest(), -1, 'the user was away');
  await say(5 * 20 + 1);
  t.equal(await newest(), 101);
  await say(5 * 400 + 2);
  t.equal(await newest(), 2_002);
  await say(5 * 2_598 + 1);
  t.equal(await newest(), 12_991);
});
