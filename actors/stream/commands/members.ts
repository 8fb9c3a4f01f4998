/** Subscribers: reads, joining, leaving, and the end of all subscriptions by archiving. */

import { valueReply } from '#actors/shared';
import type { Json } from '#base';
import {
  isCurrentMember,
  MEMBER_PART_PREFIX,
  type StreamMember,
  toStreamMember,
  weakestRoleSeeingStream,
} from '#domain/streams';
import { type ActorKey, type ActorParts, type LogItem, parseActorKey, streamId, userId, userKey } from '#model';
import { type OutboxCommand, outboxCommand, type streamCommands, userCommands } from '#model/commands';
import type { ActorView, CommandContext } from '#runtime';
import type { StreamCommand, StreamState } from '../state.js';

export const storedMember = (parts: ActorParts, user: number): StreamMember | undefined =>
  toStreamMember(parts.get(`${MEMBER_PART_PREFIX}${user}`));

const asPart = (member: StreamMember): Json => member as unknown as Json;

export const listMemberIds = (parts: ActorParts): number[] => {
  const ids: number[] = [];
  for (const [name, member] of parts) {
    if (name.startsWith(MEMBER_PART_PREFIX) && isCurrentMember(toStreamMember(member)))
      ids.push(Number(name.slice(MEMBER_PART_PREFIX.length)));
  }
  return ids.sort((a, b) => a - b);
};

export function hasMembers(parts: ActorParts): boolean {
  for (const [name, member] of parts)
    if (name.startsWith(MEMBER_PART_PREFIX) && isCurrentMember(toStreamMember(member))) return true;
  return false;
}

/** Replies with the subscribers and their version, for the realm actor and for snapshots. */
export const readMembersHandler: StreamCommand<typeof streamCommands.members> = {
  lane: 'members',
  read: true,
  creates: true,
  handle: ({ parts, state }, _args, _inputs, { version, directory }) => ({
    reply: valueReply({
      members: listMemberIds(parts),
      mv: state.mv,
      version,
      last: state.last,
      realm: directory.version,
    }),
  }),
};

const ownStream = (key: ActorKey): number => Number(parseActorKey(key).rest);

/**
 * Event of users who joined or left, for users who may see subscribers at membership version `mv`, except for `users`
 * themselves.
 */
function peers(op: 'peer_add' | 'peer_remove', users: readonly number[], mv: number, context: MembersContext): LogItem {
  const id = ownStream(context.key);
  const { directory } = context;
  const stream = directory.stream(streamId(id));
  return {
    t: 'event',
    to: { stream: id, mv, role: weakestRoleSeeingStream(stream), rv: directory.version, except: users },
    event: { type: 'subscription', op, stream_ids: [id], user_ids: users },
  };
}

/** Replies whether the stream knows of this user's subscription. */
export const isStreamMemberHandler: StreamCommand<typeof streamCommands.isMember> = {
  lane: 'members',
  read: true,
  creates: true,
  handle: ({ parts }, { user }) => ({ reply: valueReply(isCurrentMember(storedMember(parts, user))) }),
};

type MembersContext = Pick<CommandContext, 'key' | 'directory'>;

/**
 * Subscribes users. The realm actor has decided and sends this command, so the stream never refuses it. A repeat
 * changes nothing.
 */
export const joinMembersHandler: StreamCommand<typeof streamCommands.join> = {
  creates: true,
  handle({ state, parts }, { users, after: given = state.last }, _inputs, context) {
    const joining = users.filter((user) => !isCurrentMember(storedMember(parts, user)));
    if (joining.length === 0) return { reply: valueReply(null) };
    const mv = state.mv + 1;
    const after = Math.min(given, state.last);
    const stay = { from: mv, to: 0, after, until: 0 };
    const silent = joining.filter((user) => context.directory.silentBots().has(userId(user)));
    const changed = joining.map((user) => {
      const own = silent.includes(user) ? { ...stay, silent: true as const } : stay;
      const stays = [...(storedMember(parts, user)?.stays ?? []), own];
      return [`${MEMBER_PART_PREFIX}${user}`, asPart({ stays })] as const;
    });
    return {
      reply: valueReply(null),
      state: { ...state, mv },
      parts: Object.fromEntries(changed),
      events: [
        {
          t: 'members',
          stream: ownStream(context.key),
          mv,
          last: state.last,
          ...(after < state.last ? { after } : {}),
          join: joining,
          leave: [],
          ...(silent.length > 0 ? { silent } : {}),
        },
        peers('peer_add', joining, mv, context),
      ],
    };
  },
};

/** Ends the memberships of users who leave. */
function endStays({ state, parts }: ActorView<StreamState>, leaving: readonly number[], { key }: MembersContext) {
  const mv = state.mv + 1;
  const changed = leaving.map((user) => {
    const stays = storedMember(parts, user)?.stays ?? [];
    const ended = stays.map((stay) => (stay.to === 0 ? { ...stay, to: mv, until: state.last } : stay));
    return [`${MEMBER_PART_PREFIX}${user}`, asPart({ stays: ended })] as const;
  });
  const item: LogItem = { t: 'members', stream: ownStream(key), mv, last: state.last, join: [], leave: leaving };
  return { mv, state: { ...state, mv }, parts: Object.fromEntries(changed), item };
}

/** Event for users who leave together and may still see the stream: each user gets the departure of the others. */
function peersAmongLeavers(leaving: readonly number[], { key, directory }: MembersContext): LogItem[] {
  if (leaving.length < 2) return [];
  const stream = directory.stream(streamId(ownStream(key)));
  const role = weakestRoleSeeingStream(stream);
  const seeing = leaving.filter((id) => (directory.user(userId(id))?.role ?? Number.POSITIVE_INFINITY) <= role);
  if (seeing.length === 0) return [];
  const event = { type: 'subscription', op: 'peer_remove', stream_ids: [ownStream(key)], user_ids: leaving };
  return [{ t: 'event', to: { users: seeing }, event }];
}

/** Commands that mark the stream's messages as read for users who have left it. */
function readStreamCommands(
  { state }: ActorView<StreamState>,
  users: readonly number[],
  context: MembersContext,
  archived = false,
) {
  const { key, directory } = context;
  const args = { stream: ownStream(key), until: state.last, ...(archived ? { archived } : {}) };
  return users.map((user): OutboxCommand => {
    const to = userKey(parseActorKey(key).realm, userId(user));
    return outboxCommand({ to, name: userCommands.readStream, args, caller: 0, after: directory.version });
  });
}

/**
 * Unsubscribes users. The realm actor has decided and sends this command, so the stream never refuses it. A repeat
 * changes nothing.
 */
export const removeMembersHandler: StreamCommand<typeof streamCommands.leave> = {
  creates: true,
  handle(view, { users }, _inputs, context) {
    const leaving = users.filter((user) => isCurrentMember(storedMember(view.parts, user)));
    if (leaving.length === 0) return { reply: valueReply(null) };
    const { mv, item, ...outcome } = endStays(view, leaving, context);
    const events = [item, peers('peer_remove', leaving, mv, context), ...peersAmongLeavers(leaving, context)];
    return { ...outcome, reply: valueReply(null), events, commands: [readStreamCommands(view, leaving, context)] };
  },
};

/**
 * Suspends deactivated accounts, whose deactivation has an event of its own. The stream counts them as unsubscribed,
 * and they get no copies. Their user actors keep the subscription, and join again when the account is reactivated.
 */
export const suspendMembersHandler: StreamCommand<typeof streamCommands.suspend> = {
  creates: true,
  handle(view, { users }, _inputs, context) {
    const leaving = users.filter((user) => isCurrentMember(storedMember(view.parts, user)));
    if (leaving.length === 0) return { reply: valueReply(null) };
    const { mv: _, item, ...outcome } = endStays(view, leaving, context);
    return { ...outcome, reply: valueReply(null), events: [item] };
  },
};

/** Publishes all subscribers to a user who may see the stream from now on without being subscribed. */
export const publishSubscribersHandler: StreamCommand<typeof streamCommands.showSubscribers> = {
  creates: true,
  handle({ parts }, { user }, _inputs, { key }) {
    const users = listMemberIds(parts);
    if (users.length === 0) return { reply: valueReply(null) };
    const event = { type: 'subscription', op: 'peer_add', stream_ids: [ownStream(key)], user_ids: users };
    return { reply: valueReply(null), events: [{ t: 'event', to: { users: [user] }, event }] };
  },
};

/**
 * Archives the stream; the realm actor has decided and published that. All subscriptions end, without peer_remove
 * events.
 */
export const archiveConversationHandler: StreamCommand<typeof streamCommands.archive> = {
  creates: true,
  handle(view, _args, _inputs, context) {
    const leaving = listMemberIds(view.parts);
    const { mv: _, item, ...outcome } = endStays(view, leaving, context);
    return {
      ...outcome,
      reply: valueReply(null),
      events: leaving.length > 0 ? [item] : [],
      commands: [readStreamCommands(view, leaving, context, true)],
    };
  },
};
