/**
 * Deactivation and reactivation of the account, decided by the realm actor. The account's streams drop its
 * subscriptions and get them back; this actor keeps them meanwhile.
 */

import { valueReply } from '#actors/shared';
import type { Json } from '#base';
import type { Subscription } from '#domain/streams';
import { parseActorKey, type StreamId, streamId, streamKey } from '#model';
import { type Command, type OutboxCommand, outboxCommand, streamCommands, type userCommands } from '#model/commands';
import type { ActorView, CommandContext } from '#runtime';
import {
  SUBSCRIPTION_PART_PREFIX,
  subscriptionsOf,
  type UserCommand,
  type UserState,
  userIdOfKey,
} from '../../state.js';

/** Streams to which the account is subscribed, in two lists: live ones, and those that were archived. */
function subscribedTo({ parts }: ActorView<UserState>, { directory }: CommandContext) {
  const own = subscriptionsOf(parts).filter(({ active }) => active);
  const isLive = ({ stream }: Subscription): boolean => directory.stream(streamId(stream))?.archived === false;
  return { live: own.filter(isLive).map(({ stream }) => streamId(stream)), ended: own.filter((one) => !isLive(one)) };
}

const toStreams = (
  streams: readonly StreamId[],
  name: Command<'stream', { readonly users: readonly number[] }>,
  { key }: CommandContext,
): OutboxCommand[] =>
  streams.map((stream) => {
    const args = { users: [userIdOfKey(key)] };
    return outboxCommand({ to: streamKey(parseActorKey(key).realm, stream), name, args, caller: 0 });
  });

/** Leaves the account's streams after its deactivation. The command is never refused, and a repeat changes nothing. */
export const leaveStreamsOnDeactivationHandler: UserCommand<typeof userCommands.deactivated> = {
  handle(view, _args, _inputs, context) {
    const commands = toStreams(subscribedTo(view, context).live, streamCommands.suspend, context);
    return { reply: valueReply(null), commands: [commands], replyAfterCommands: true };
  },
};

/**
 * Rejoins the account's streams after its reactivation. The command is never refused, and a repeat changes nothing.
 * Subscriptions end here if their streams were archived in between, because deactivated accounts get no command of
 * that.
 */
export const rejoinStreamsOnReactivationHandler: UserCommand<typeof userCommands.reactivated> = {
  handle(view, _args, _inputs, context) {
    const { live, ended } = subscribedTo(view, context);
    const { version: after } = context.directory;
    const commands = toStreams(live, streamCommands.join, context).map((command) => ({ ...command, after }));
    const left = ended.map((own) => [
      `${SUBSCRIPTION_PART_PREFIX}${own.stream}`,
      { ...own, active: false } as unknown as Json,
    ]);
    return {
      reply: valueReply(null),
      parts: Object.fromEntries(left),
      commands: [commands],
      replyAfterCommands: true,
    };
  },
};
