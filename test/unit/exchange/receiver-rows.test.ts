/** Rows of receivers in an export: a thread writes the same as the calling thread, and its failure is reported. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { AscendingIdSetEncoder, IdSet, type Json } from '#base';
import {
  computeMessageCopyState,
  DIRECT_MESSAGES_ORIGIN,
  encodeMarkedMessageIdsPart,
  encodeOriginReadStatePart,
  type MessageMarkName,
  makeMarkedMessageIdsPart,
  type StoredMessage,
  UserMessageFlagsView,
} from '#domain/messages';
import { toUserId } from '#model';
import {
  type MessagesForReceivers,
  MessagesForReceiversBuilder,
} from '../../../src/app/exchange/export/receiver-rows.js';
import { makeReceiverRows, type ReceiverRows } from '../../../src/app/exchange/export/receiver-threads.js';
import { EXPORTED_MESSAGE_FLAG_BITS } from '../../../src/app/exchange/format/flag-bits.js';
import { messageBody } from '../../support/message-body.js';
import { rounds } from '../../support/rounds.js';

const CORES = { thread: 2, none: 1 };
const STREAM = 4;
/** More users than those whose flags are sent to the thread in one job. */
const PEOPLE = 120;

function message(id: number, more: Partial<StoredMessage['body']> = {}, participants: number[] = []): StoredMessage {
  const body = messageBody({ stream: STREAM, ...more });
  return { id, sender: 1, participants, originStream: participants.length > 0 ? 0 : STREAM, body };
}

function forReceivers(...messages: StoredMessage[]): MessagesForReceivers {
  const builder = new MessagesForReceiversBuilder();
  for (const one of messages) builder.add(one);
  return builder.take();
}

async function addFacts(rows: ReceiverRows): Promise<void> {
  const stays = (from: number) => ({ stays: [{ from, to: 0, after: from, until: 0 }] });
  rows.addStream(STREAM, new Map(Array.from({ length: PEOPLE }, (_, i) => [i + 1, stays(i % 3)])));
  for (let user = 1; user <= PEOPLE; user++) {
    const starred = new AscendingIdSetEncoder();
    starred.addId(2);
    const parts = user === 7 ? makeMarkedMessageIdsPart('starred', starred.encode()) : {};
    await rows.addUser(toUserId(user), new Map<string, Json>(Object.entries({ ...parts, 'sub/4': { stream: 4 } })));
  }
}

t.test('a thread completes files as the calling thread does', async (test) => {
  const folder = test.testdir();
  const files: string[][] = [];
  for (const [name, cores] of Object.entries(CORES)) {
    const rows = makeReceiverRows(true, () => undefined, cores);
    await addFacts(rows);
    // While the thread loads its program, three jobs wait for it, and the calling thread completes the other files.
    const paths = [1, 2, 3, 4, 5, 6, 7, 8].map((file) => join(folder, `${name}-${file}.json`));
    for (const [i, path] of paths.entries()) {
      writeFileSync(path, '{\n');
      const id = 2 * i + 1;
      const first = message(id, { flags: { 3: ['mentioned'] } });
      const second = message(id + 1, { wildcard: i === 1 }, i === 2 ? [5, 9] : []);
      await rows.appendToFile(path, forReceivers(first, second));
    }
    await rows.finish();
    await rows.close();
    files.push(paths.map((path) => readFileSync(path, 'utf8')));
  }
  test.strictSame(files[0], files[1]);
  const tables = files[0]!.map((text) => JSON.parse(text) as { zerver_usermessage: Record<string, number>[] });
  const [first, , third] = tables.map((file) => file.zerver_usermessage);
  const rowOf = (user: number, id: number) => first!.find((row) => row.user_profile === user && row.message === id);
  test.strictSame([rowOf(2, 1), rowOf(2, 2)?.flags_mask], [undefined, 0], 'a stay decides about copies');
  test.equal(rowOf(1, 1)?.flags_mask, 0);
  test.equal(rowOf(7, 2)?.flags_mask, 2, 'starred');
  test.strictSame(
    third!.filter((row) => row.message === 6).map((row) => [row.user_profile, row.flags_mask]),
    [
      [5, 2048],
      [9, 2048],
    ],
    'a direct message has its participants',
  );
});

const PEOPLE_OF_ANY = [1, 2, 30];
const STREAMS_OF_ANY = [4, 5];
const MAX_ID_OF_ANY = 12;
const anyIds = fc.uniqueArray(fc.integer({ min: 1, max: MAX_ID_OF_ANY }), { maxLength: 8 }).map(IdSet.fromIds);
const anyParts = fc
  .record({
    readStates: fc.array(fc.record({ mark: fc.nat({ max: MAX_ID_OF_ANY + 2 }), read: anyIds, unread: anyIds }), {
      minLength: 3,
      maxLength: 3,
    }),
    marks: fc.record({ starred: anyIds, collapsed: anyIds }),
    copies: fc.option(fc.record({ historical: anyIds, copied: anyIds }), { freq: 3 }),
  })
  .map(({ readStates, marks, copies }) => {
    const states = [DIRECT_MESSAGES_ORIGIN, ...STREAMS_OF_ANY].map((origin, i) =>
      encodeOriginReadStatePart(origin, readStates[i]!),
    );
    const sets = Object.entries({ ...marks, ...copies }).map(([name, ids]) =>
      encodeMarkedMessageIdsPart(name as MessageMarkName, ids),
    );
    const parts = Object.entries(Object.assign({}, ...states, ...sets) as Record<string, Json>);
    return new Map(parts.filter(([, value]) => value !== null));
  });
/** Stays one after another: each begins at the end of the one before, or later. */
const anyStays = fc
  .array(fc.record({ pause: fc.nat({ max: 3 }), length: fc.nat({ max: 5 }), silent: fc.boolean() }), { maxLength: 3 })
  .chain((stays) => fc.record({ stays: fc.constant(stays), lasts: fc.boolean() }))
  .map(({ stays, lasts }) => {
    let at = 0;
    return {
      stays: stays.map(({ pause, length, silent }, i) => {
        const after = at + pause;
        at = after + length;
        const ends = i < stays.length - 1 || !lasts;
        const more = silent && i === 0 ? { silent: true as const } : {};
        return { from: after, to: ends ? at + 1 : 0, after, until: ends ? at : 0, ...more };
      }),
    };
  });
const anyMove = fc.record({
  from: fc.constantFrom(...STREAMS_OF_ANY),
  fromMv: fc.nat({ max: 6 }),
  to: fc.constantFrom(...STREAMS_OF_ANY),
  toMv: fc.nat({ max: 6 }),
  gained: fc.boolean(),
});
const anyFlags = fc.dictionary(
  fc.constantFrom(...PEOPLE_OF_ANY.map(String)),
  fc.subarray(['read', 'mentioned', 'wildcard_mentioned', 'has_alert_word']),
);
const anyMessage = fc.record({
  origin: fc.constantFrom(DIRECT_MESSAGES_ORIGIN, ...STREAMS_OF_ANY),
  participants: fc.subarray(PEOPLE_OF_ANY, { minLength: 1 }),
  flags: anyFlags,
  wildcard: fc.boolean(),
  moves: fc.option(fc.array(anyMove, { maxLength: 2 }), { freq: 3, nil: undefined }),
});

t.test('rows agree with the rules of copies and flags', async (test) => {
  const path = join(test.testdir(), 'file.json');
  const organization = fc.record({
    parts: fc.array(anyParts, { minLength: PEOPLE_OF_ANY.length, maxLength: PEOPLE_OF_ANY.length }),
    members: fc.array(anyStays, { minLength: 6, maxLength: 6 }),
    messages: fc.array(anyMessage, { minLength: MAX_ID_OF_ANY, maxLength: MAX_ID_OF_ANY }),
  });
  await fc.assert(
    fc.asyncProperty(organization, async ({ parts, members, messages }) => {
      const rows = makeReceiverRows(false, () => undefined);
      const memberships = new Map(
        STREAMS_OF_ANY.map((stream, s) => [
          stream,
          new Map(PEOPLE_OF_ANY.map((user, i) => [user, members[s * PEOPLE_OF_ANY.length + i]!])),
        ]),
      );
      for (const [stream, of] of memberships) rows.addStream(stream, of);
      for (const [i, user] of PEOPLE_OF_ANY.entries()) await rows.addUser(toUserId(user), parts[i]!);
      const stored = messages.map(({ origin, participants, moves, ...more }, i): StoredMessage => {
        const isDirect = origin === DIRECT_MESSAGES_ORIGIN;
        const own = { ...more, ...(moves && !isDirect ? { moves } : {}) };
        return { ...message(i + 1, own, isDirect ? participants : []), originStream: origin };
      });
      writeFileSync(path, '{\n');
      await rows.appendToFile(path, forReceivers(...stored));
      await rows.finish();
      const written = (JSON.parse(readFileSync(path, 'utf8')) as { zerver_usermessage: Record<string, number>[] })
        .zerver_usermessage;
      const expected = stored.flatMap((one) =>
        PEOPLE_OF_ANY.flatMap((user, i) => {
          const flags = new UserMessageFlagsView(user, parts[i]!);
          const { has, gained } = computeMessageCopyState(
            one,
            user,
            (stream) => memberships.get(stream)?.get(user),
            flags.movesBeforePersonalCopy(one.id),
          );
          if (!has) return [];
          const mask = expectedMask(one, flags.flagsOf({ message: one, copy: true, gained }));
          return [{ user_profile: user, message: one.id, flags_mask: mask }];
        }),
      );
      const inOrder = written
        .map(({ id, ...row }) => row)
        .sort((a, b) => a.message! - b.message! || a.user_profile! - b.user_profile!);
      test.strictSame(inOrder, expected);
      test.strictSame(
        written.map(({ id }) => id),
        written.map((_, i) => i + 1),
      );
    }),
    { numRuns: rounds(150, 1_500) },
  );
});

/** The flag mask of a receiver, from the flags of the API. */
function expectedMask({ originStream, body }: StoredMessage, flags: readonly string[]): number {
  const { topic_wildcard_mentioned, is_private } = EXPORTED_MESSAGE_FLAG_BITS;
  const isDirect = originStream === DIRECT_MESSAGES_ORIGIN;
  let mask = isDirect ? is_private : 0;
  for (const flag of flags) {
    const isTopicMention = flag === 'wildcard_mentioned' && !body.wildcard && !isDirect;
    mask |= isTopicMention
      ? topic_wildcard_mentioned
      : EXPORTED_MESSAGE_FLAG_BITS[flag as keyof typeof EXPORTED_MESSAGE_FLAG_BITS];
  }
  return mask;
}

t.test('messages that come in another order are refused', async (test) => {
  const rows = makeReceiverRows(false, () => undefined);
  await addFacts(rows);
  const path = join(test.testdir(), 'file.json');
  await test.rejects(rows.appendToFile(path, forReceivers(message(2), message(1))), { message: /after message 2/ });
});

t.test('a file that cannot be completed fails the export', async (test) => {
  for (const cores of Object.values(CORES)) {
    const rows = makeReceiverRows(true, () => undefined, cores);
    await addFacts(rows);
    const writing = async (): Promise<void> => {
      await rows.appendToFile(join(test.testdir(), 'missing', 'file.json'), forReceivers(message(1)));
      await rows.finish();
    };
    await test.rejects(writing(), { message: /ENOENT/ });
    await rows.close();
  }
});
