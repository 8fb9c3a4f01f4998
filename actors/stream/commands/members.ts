/** Subscribers: reads, joining, leaving, and the end of all subscriptions by archiving. */

import { makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import {
  countStays,
  isCurrentStreamMember,
  MAX_STAYS_PER_STREAM_AND_USER,
  STREAM_MEMBER_PART_PREFIX,
  type StreamMembershipRecord,
  toStreamMembershipRecord,
  weakestRoleSeeingUnsubscribed,
  withStayBegun,
  withStayEnded,
} from '#domain/streams';
import {
  type ActorKey,
  type ActorParts,
  type LogItem,
  parseActorKey,
  toStreamId,
  toUserId,
  userActorKey,
} from '#model';
import { makeOutboxCommand, type OutboxCommand, type streamActorCommands, userActorCommands } from '#model/commands';
import type { ActorView, CommandContext } from '#runtime';
import type { ConversationActorState, ConversationCommandHandler } from '../state.js';
import { makeStreamShownOrHiddenCommands } from '../topics.js';

export const findStreamMembershipRecord = (parts: ActorParts, user: number): StreamMembershipRecord | undefined =>
  toStreamMembershipRecord(parts.get(`${STREAM_MEMBER_PART_PREFIX}${user}`));

const encodeMembershipPart = (member: StreamMembershipRecord): Json => member as unknown as Json;

export const listStreamSubscriberIds = (parts: ActorParts): number[] => {
  const ids: number[] = [];
  for (const [name, member] of parts) {
    if (name.startsWith(STREAM_MEMBER_PART_PREFIX) && isCurrentStreamMember(toStreamMembershipRecord(member)))
      ids.push(Number(name.slice(STREAM_MEMBER_PART_PREFIX.length)));
  }
  return ids.sort((a, b) => a - b);
};

/** Present and former subscribers, by user id. */
export function readStreamMemberships(parts: ActorParts): Map<number, StreamMembershipRecord> {
  const memberships = new Map<number, StreamMembershipRecord>();
  for (const [name, value] of parts) {
    const member = name.startsWith(STREAM_MEMBER_PART_PREFIX) ? toStreamMembershipRecord(value) : undefined;
    if (member) memberships.set(Number(name.slice(STREAM_MEMBER_PART_PREFIX.length)), member);
  }
  return memberships;
}

export function hasStreamSubscribers(parts: ActorParts): boolean {
  for (const [name, member] of parts)
    if (name.startsWith(STREAM_MEMBER_PART_PREFIX) && isCurrentStreamMember(toStreamMembershipRecord(member)))
      return true;
  return false;
}

/** Replies with the subscribers and their version, for the realm actor and for snapshots. */
export const readStreamSubscribersHandler: ConversationCommandHandler<typeof streamActorCommands.members> = {
  lane: 'members',
  read: true,
  creates: true,
  handle({ parts, state }, _args, _inputs, { version, directory }) {
    const members: number[] = [];
    const full: number[] = [];
    for (const [user, member] of readStreamMemberships(parts)) {
      if (isCurrentStreamMember(member)) members.push(user);
      else if (countStays(member) >= MAX_STAYS_PER_STREAM_AND_USER) full.push(user);
    }
    return {
      reply: makeValueReply({
        members: members.sort((a, b) => a - b),
        mv: state.mv,
        version,
        last: state.last,
        realm: directory.version,
        ...(full.length > 0 ? { full } : {}),
      }),
    };
  },
};

const streamIdOfActorKey = (key: ActorKey): number => Number(parseActorKey(key).idWithinRealm);

/**
 * Event of users who joined or left, for users who may see subscribers at membership version `mv`, except for `users`
 * themselves.
 */
function makePeerChangeEvent(
  op: 'peer_add' | 'peer_remove',
  users: readonly number[],
  mv: number,
  context: MembersContext,
): LogItem {
  const id = streamIdOfActorKey(context.key);
  const { directory } = context;
  const stream = directory.stream(toStreamId(id));
  return {
    t: 'event',
    to: { stream: id, mv, role: weakestRoleSeeingUnsubscribed(stream), rv: directory.version, except: users },
    event: { type: 'subscription', op, stream_ids: [id], user_ids: users },
  };
}

/** Replies whether the stream knows of this user's subscription. */
export const isStreamSubscriberHandler: ConversationCommandHandler<typeof streamActorCommands.isMember> = {
  lane: 'members',
  read: true,
  creates: true,
  handle: ({ parts }, { user }) => ({
    reply: makeValueReply(isCurrentStreamMember(findStreamMembershipRecord(parts, user))),
  }),
};

type MembersContext = Pick<CommandContext, 'key' | 'directory'>;

/**
 * Subscribes users. The realm actor has decided and sends this command, so the stream never refuses it. A repeat
 * changes nothing.
 */
export const addStreamSubscribersHandler: ConversationCommandHandler<typeof streamActorCommands.join> = {
  creates: true,
  handle({ state, parts }, { users, after: given = state.last, resumed }, _inputs, context) {
    const joining = users.filter((user) => !isCurrentStreamMember(findStreamMembershipRecord(parts, user)));
    if (joining.length === 0) return { reply: makeValueReply(null) };
    const mv = state.mv + 1;
    const after = Math.min(given, state.last);
    const stay = { from: mv, to: 0, after, until: 0 };
    const silent = joining.filter((user) => context.directory.silentBotIds().has(toUserId(user)));
    const changed = joining.map((user) => {
      const own = silent.includes(user) ? { ...stay, silent: true as const } : stay;
      const member = withStayBegun(findStreamMembershipRecord(parts, user), own, resumed);
      return [`${STREAM_MEMBER_PART_PREFIX}${user}`, encodeMembershipPart(member)] as const;
    });
    return {
      reply: makeValueReply(null),
      state: { ...state, mv },
      parts: Object.fromEntries(changed),
      events: [
        {
          t: 'members',
          stream: streamIdOfActorKey(context.key),
          mv,
          last: state.last,
          ...(after < state.last ? { after } : {}),
          join: joining,
          leave: [],
          ...(silent.length > 0 ? { silent } : {}),
          ...(resumed ? { resumed } : {}),
        },
        makePeerChangeEvent('peer_add', joining, mv, context),
      ],
    };
  },
};

/** Ends the memberships of users who leave. @param suspended true: their accounts were deactivated */
function makeStayEndsOfLeavers(
  { state, parts }: ActorView<ConversationActorState>,
  leaving: readonly number[],
  { key }: MembersContext,
  suspended = false,
) {
  const mv = state.mv + 1;
  const reason = suspended ? { suspended: true as const } : {};
  const changed = leaving.map((user) => {
    const member = withStayEnded(findStreamMembershipRecord(parts, user), { to: mv, until: state.last, ...reason });
    return [`${STREAM_MEMBER_PART_PREFIX}${user}`, encodeMembershipPart(member)] as const;
  });
  const item: LogItem = {
    t: 'members',
    stream: streamIdOfActorKey(key),
    mv,
    last: state.last,
    join: [],
    leave: leaving,
    ...reason,
  };
  return { mv, state: { ...state, mv }, parts: Object.fromEntries(changed), item };
}

/** Event for users who leave together and may still see the stream: each user gets the departure of the others. */
function makePeerRemoveEventsAmongLeavers(leaving: readonly number[], { key, directory }: MembersContext): LogItem[] {
  if (leaving.length < 2) return [];
  const stream = directory.stream(toStreamId(streamIdOfActorKey(key)));
  const role = weakestRoleSeeingUnsubscribed(stream);
  const seeing = leaving.filter((id) => (directory.user(toUserId(id))?.role ?? Number.POSITIVE_INFINITY) <= role);
  if (seeing.length === 0) return [];
  const event = { type: 'subscription', op: 'peer_remove', stream_ids: [streamIdOfActorKey(key)], user_ids: leaving };
  return [{ t: 'event', to: { users: seeing }, event }];
}

/** Commands that mark the stream's messages as read for users who have left it. */
function makeMarkLeftStreamReadCommands(
  { state }: ActorView<ConversationActorState>,
  users: readonly number[],
  context: MembersContext,
  archived = false,
) {
  const { key, directory } = context;
  const args = { stream: streamIdOfActorKey(key), until: state.last, ...(archived ? { archived } : {}) };
  return users.map((user): OutboxCommand => {
    const to = userActorKey(parseActorKey(key).realm, toUserId(user));
    return makeOutboxCommand({ to, name: userActorCommands.readStream, args, caller: 0, after: directory.version });
  });
}

/**
 * Unsubscribes users. The realm actor has decided and sends this command, so the stream never refuses it. A repeat
 * changes nothing.
 */
export const removeStreamSubscribersHandler: ConversationCommandHandler<typeof streamActorCommands.leave> = {
  creates: true,
  handle(view, { users }, _inputs, context) {
    const leaving = users.filter((user) => isCurrentStreamMember(findStreamMembershipRecord(view.parts, user)));
    if (leaving.length === 0) return { reply: makeValueReply(null) };
    const { mv, item, ...outcome } = makeStayEndsOfLeavers(view, leaving, context);
    const events = [
      item,
      makePeerChangeEvent('peer_remove', leaving, mv, context),
      ...makePeerRemoveEventsAmongLeavers(leaving, context),
    ];
    return {
      ...outcome,
      reply: makeValueReply(null),
      events,
      commands: [makeMarkLeftStreamReadCommands(view, leaving, context)],
    };
  },
};

/**
 * Suspends deactivated accounts, whose deactivation has an event of its own. The stream counts them as unsubscribed,
 * and they get no copies. Their user actors keep the subscription, and join again when the account is reactivated.
 */
export const suspendStreamSubscribersHandler: ConversationCommandHandler<typeof streamActorCommands.suspend> = {
  creates: true,
  handle(view, { users }, _inputs, context) {
    const leaving = users.filter((user) => isCurrentStreamMember(findStreamMembershipRecord(view.parts, user)));
    if (leaving.length === 0) return { reply: makeValueReply(null) };
    const { mv: _, item, ...outcome } = makeStayEndsOfLeavers(view, leaving, context, true);
    return { ...outcome, reply: makeValueReply(null), events: [item] };
  },
};

/** Publishes all subscribers to a user who may see the stream from now on without being subscribed. */
export const publishSubscribersToUserHandler: ConversationCommandHandler<typeof streamActorCommands.showSubscribers> = {
  creates: true,
  handle({ parts }, { user }, _inputs, { key }) {
    const users = listStreamSubscriberIds(parts);
    if (users.length === 0) return { reply: makeValueReply(null) };
    const event = { type: 'subscription', op: 'peer_add', stream_ids: [streamIdOfActorKey(key)], user_ids: users };
    return { reply: makeValueReply(null), events: [{ t: 'event', to: { users: [user] }, event }] };
  },
};

/**
 * Archives the stream; the realm actor has decided and published that. All subscriptions end, without peer_remove
 * events.
 */
export const endSubscriptionsOnArchiveHandler: ConversationCommandHandler<typeof streamActorCommands.archive> = {
  creates: true,
  handle(view, _args, _inputs, context) {
    const leaving = listStreamSubscriberIds(view.parts);
    const { mv: _, item, ...outcome } = makeStayEndsOfLeavers(view, leaving, context);
    return {
      ...outcome,
      reply: makeValueReply(null),
      events: leaving.length > 0 ? [item] : [],
      commands: [
        [
          ...makeMarkLeftStreamReadCommands(view, leaving, context, true),
          ...makeStreamShownOrHiddenCommands(view.parts, context),
        ],
      ],
    };
  },
};
