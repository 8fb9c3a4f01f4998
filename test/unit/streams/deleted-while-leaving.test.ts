/** A user leaves a stream, and messages there are deleted before the user's actor has looked up the unread ones. */
import t from 'tap';
import { makeSuccessReply } from '#actors/shared';
import type { Json } from '#base';
import type { StoredMessage } from '#domain/messages';
import { USER_ROLE } from '#domain/people';
import type { LogItem } from '#model';
import { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { deleteTopicBatchHandler } from '../../../actors/stream/commands/delete.js';
import { RecentlyChangedMessages } from '../../../actors/stream/recent.js';
import { makeMessageRemovalOutcome } from '../../../actors/stream/removing.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const MOVE = { from: 1, fromMv: 1, to: 2, toMv: 1, gained: false };
const BACK = { from: 2, fromMv: 1, to: 1, toMv: 1, gained: false };

const message = (id: number, moves?: readonly object[]): StoredMessage =>
  ({
    id,
    rev: 1,
    originStream: 1,
    sender: 8,
    participants: [],
    body: { topic: 'one', stream: 1, files: [], flags: {}, sent: 0, ...(moves ? { moves } : {}) },
  }) as unknown as StoredMessage;

const STAYS: Readonly<Record<string, Json>> = {
  'member/8': { stays: [{ from: 1, to: 0, after: 0, until: 0 }] },
  'member/9': { stays: [{ from: 1, to: 2, after: 0, until: 11 }] },
  'member/10': { stays: [{ from: 1, to: 2, after: 11, until: 20 }] },
};

function eventsOf(leaving: readonly number[], moves?: readonly object[]): LogItem[] {
  const context = {
    key: 'stream/1/1',
    realm: 1,
    caller: 0,
    now: 0,
    // No account has a device for push notifications.
    directory: { hasAnyPushDevice: () => false },
    findPendingCommands: (name: string) =>
      name === userActorCommands.readStream ? leaving.map((user) => ({ to: `user/1/${user}` })) : [],
  } as unknown as CommandContext;
  const view = {
    state: { mv: 2 },
    parts: new Map(Object.entries(STAYS)),
    volatile: { recentlyChangedMessages: new RecentlyChangedMessages() },
  };
  const messages = [message(11, moves), message(12, moves)];
  return [...(makeMessageRemovalOutcome(view as never, messages, [], context).events ?? [])];
}

const readBy = (events: readonly LogItem[]): unknown[] =>
  events.flatMap((item) =>
    item.t === 'event' && item.event.type === 'update_message_flags' ? [[item.to.users, item.event.messages]] : [],
  );

const deletedFor = (events: readonly LogItem[]): unknown[] =>
  events.flatMap((item) =>
    item.t === 'event' && item.event.message_ids !== undefined ? [[item.to, item.event.message_ids]] : [],
  );

t.test(
  'messages that had moved, deleted while users leave, become read for the leaving users with copies',
  async (t) => {
    t.same(readBy(eventsOf([9, 10], [MOVE, BACK])), [
      [[9], [11]],
      [[10], [12]],
    ]);
  },
);

t.test('messages deleted while users leave are deleted for the leaving users with copies', async (t) => {
  t.same(readBy(eventsOf([9, 10])), []);
  t.same(deletedFor(eventsOf([9, 10])), [
    [{ stream: 1, copyOf: 11, mv: 2 }, [11, 12]],
    [{ users: [10] }, [11, 12]],
  ]);
});

t.test('other users get no event of that', async (t) => {
  t.same(readBy(eventsOf([], [MOVE, BACK])), []);
  t.same(readBy(eventsOf([8], [MOVE, BACK])), [], 'who has come back hears of the deletion');
  t.ok(eventsOf([]).some((item) => item.t === 'event' && item.event.type === 'delete_message'));
});

t.test('a caller who was removed, demoted or deactivated deletes no further batch of a topic', async (t) => {
  const deleteBatch = (user: DirectoryUser): unknown => {
    const context = {
      key: 'stream/1/1',
      realm: 1,
      caller: user.id,
      now: 0,
      directory: directoryWith({
        users: [user],
        streams: [{ id: 1, name: 'den', inviteOnly: true, historyPublic: true }] as unknown as DirectoryStream[],
      }),
    };
    const view = {
      state: { mv: 2 },
      parts: new Map(Object.entries(STAYS)),
      volatile: { recentlyChangedMessages: new RecentlyChangedMessages() },
    };
    const inputs = { candidateRecords: [], candidateAndNextOlderRecords: [], deletableMessageIds: new Set() };
    const args = { topic: 'one', until: 1, before: 500 };
    return deleteTopicBatchHandler.handle(view as never, args as never, inputs as never, context as never);
  };
  t.match(deleteBatch(person(8, { role: USER_ROLE.owner })), { reply: makeSuccessReply() });
  for (const [user, reason] of [
    [person(10, { role: USER_ROLE.owner }), 'INVALID_STREAM_ID'],
    [person(8), 'ADMIN_REQUIRED'],
    [person(8, { role: USER_ROLE.owner, isActive: false }), 'ACCOUNT_DEACTIVATED'],
  ] as const)
    t.throws(() => deleteBatch(user), apiError(reason));
});
