/** A user who has left a stream too often is not subscribed again: each stay adds to the user's record. */
import t from 'tap';
import { computeStreamMessageCopyState } from '#domain/messages';
import {
  countStays,
  isCurrentStreamMember,
  MAX_STAYS_PER_STREAM_AND_USER,
  STREAM_MEMBER_PART_PREFIX,
  toStreamMembershipRecord,
  withStayBegun,
} from '#domain/streams';
import { streamActorKey, toRealmId, toUserId, userActorKey } from '#model';
import { decideSubscribeRequest } from '../../../actors/realm/commands/subscriptions/subscribe.js';
import {
  addStreamSubscribersHandler,
  readStreamSubscribersHandler,
  removeStreamSubscribersHandler,
} from '../../../actors/stream/commands/members.js';
import { rejoinStreamsOnReactivationHandler } from '../../../actors/user/commands/account/activity.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

/** Makes a membership with `stays` stays. @param isSubscribed true: the last stay goes on */
function memberWith(stays: number, isSubscribed: boolean) {
  const ended = Array.from({ length: stays - 1 }, (_, i) => ({ from: 2 * i + 1, to: 2 * i + 2, after: 0, until: 0 }));
  const last = { from: 2 * stays, to: isSubscribed ? 0 : 2 * stays + 1, after: 0, until: 0 };
  return withStayBegun({ stays: ended }, last);
}

t.test('the list of subscribers names the former ones who have all stays', async (t) => {
  const parts = new Map([
    [`${STREAM_MEMBER_PART_PREFIX}7`, memberWith(MAX_STAYS_PER_STREAM_AND_USER, false)],
    [`${STREAM_MEMBER_PART_PREFIX}8`, memberWith(MAX_STAYS_PER_STREAM_AND_USER - 1, false)],
    [`${STREAM_MEMBER_PART_PREFIX}9`, memberWith(MAX_STAYS_PER_STREAM_AND_USER, true)],
  ]);
  const view = { state: { mv: 1, last: 0 }, parts } as never;
  const { reply } = readStreamSubscribersHandler.handle(view, {}, undefined, {
    version: 1,
    directory: { version: 1 },
  } as never);
  t.match(reply, { value: { members: [9], full: [7] } });
});

t.test('a user with thousands of stays joins and leaves again', async (t) => {
  let member: unknown = memberWith(2_000, false);
  const run = (handler: typeof addStreamSubscribersHandler | typeof removeStreamSubscribersHandler, mv: number) => {
    const parts = new Map([[`${STREAM_MEMBER_PART_PREFIX}7`, member]]);
    const view = { state: { mv, last: 5 }, parts } as never;
    const directory = { silentBotIds: () => new Set(), stream: () => undefined, version: 1 };
    const context = { key: streamActorKey(toRealmId(1), 5 as never), directory } as never;
    member = handler.handle(view, { users: [7] } as never, undefined as never, context).parts![
      `${STREAM_MEMBER_PART_PREFIX}7`
    ];
    return toStreamMembershipRecord(member as never)!;
  };
  const joined = run(addStreamSubscribersHandler, 5_000);
  t.ok(isCurrentStreamMember(joined));
  t.ok(joined.stays.length < 200, 'the part stays small');
  t.equal(countStays(joined), 2_001);
  const left = run(removeStreamSubscribersHandler, 5_001);
  t.notOk(isCurrentStreamMember(left));
  t.equal(countStays(left), 2_001);
});

t.test('an account deactivated before stays had marks loses what was moved meanwhile, once it is back', async (t) => {
  const [realm, user] = [toRealmId(1), toUserId(7)];
  const directory = { stream: () => ({ archived: false }), silentBotIds: () => new Set(), version: 3 };
  const subscription = { stream: 5, active: true };
  const { commands } = rejoinStreamsOnReactivationHandler.handle(
    { parts: new Map([['sub/5', subscription]]) } as never,
    {} as never,
    undefined as never,
    { key: userActorKey(realm, user), realm, directory } as never,
  );
  const [[join]] = commands as unknown as [[{ name: string; args: { users: number[] } }]];
  t.equal(join?.name, 'join');
  const hasCopyAfter = (args: { users: number[] }) => {
    const parts = new Map([[`${STREAM_MEMBER_PART_PREFIX}7`, { stays: [{ from: 1, to: 2, after: 0, until: 9 }] }]]);
    const view = { state: { mv: 5, last: 9 }, parts } as never;
    const context = { key: streamActorKey(realm, 5 as never), directory } as never;
    const written = addStreamSubscribersHandler.handle(view, args, undefined as never, context).parts!;
    const member = toStreamMembershipRecord(written[`${STREAM_MEMBER_PART_PREFIX}7`] as never);
    const moved = { id: 8, home: 5, moves: [{ from: 5, fromMv: 4, to: 6, toMv: 1 }] } as never;
    return computeStreamMessageCopyState(moved, (stream) => (stream === 5 ? member : undefined)).has;
  };
  t.equal(hasCopyAfter(join!.args), false, 'as from a subscriber');
  t.equal(hasCopyAfter({ users: [7] }), true, 'a user who had left keeps the copy');
});

t.test('a user who has all stays is not subscribed again', async (t) => {
  const acting = person(7);
  const stream = {
    ...{ id: 5, name: 'full', description: '', renderedDescription: '' },
    ...{ inviteOnly: false, historyPublic: true, archived: false },
  };
  const parts = new Map<string, unknown>([
    ['user/7', acting],
    ['stream/5', stream],
  ]);
  const { settings } = directoryWith({ users: [acting] });
  const view = { state: { settings }, parts, volatile: { findStreamIdByName: () => 5 } } as never;
  const args = {
    subscriptions: [{ name: 'full' }],
    principals: [],
    can_remove_subscribers_group_id: null,
    message_retention_days: 'realm_default',
    authorization_errors_fatal: true,
  } as never;
  const context = { caller: 7, now: 0, realm: toRealmId(1), version: 1 } as never;
  const decide = (full: readonly number[]) =>
    decideSubscribeRequest(
      view,
      args,
      {
        subscribersByStream: new Map([[5, []]]),
        fullUserIdsByStream: new Map([[5, full]]),
        htmlByDescription: new Map(),
      },
      context,
    );
  t.ok(decide([8]).plan.isJoining(5, 7));
  t.throws(() => decide([7]), { message: 'A user has left and joined this stream too often to join it again.' });
});
