/**
 * Deactivation and reactivation of the account, decided by the realm actor. The account's streams drop its
 * subscriptions and get them back; the user's actor keeps them until then.
 */

import { makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import type { Subscription } from '#domain/streams';
import { parseActorKey, type StreamId, streamActorKey, toStreamId, userActorKey } from '#model';
import {
  type ActorCommandName,
  makeOutboxCommand,
  type OutboxCommand,
  streamActorCommands,
  userActorCommands,
} from '#model/commands';
import type { ActorView, CommandContext } from '#runtime';
import {
  listPresentAndFormerSubscriptions,
  SUBSCRIPTION_PART_PREFIX,
  type UserActorState,
  type UserCommandHandler,
  userIdOfUserActorKey,
} from '../../state.js';

/** Streams to which the account is subscribed, in two lists: live ones, and those that were archived. */
function listSubscribedStreamsLiveAndArchived({ parts }: ActorView<UserActorState>, { directory }: CommandContext) {
  const own = listPresentAndFormerSubscriptions(parts).filter(({ active }) => active);
  const isLive = ({ stream }: Subscription): boolean => directory.stream(toStreamId(stream))?.archived === false;
  return { live: own.filter(isLive).map(({ stream }) => toStreamId(stream)), ended: own.filter((one) => !isLive(one)) };
}

const makeCommandsToStreams = (
  streams: readonly StreamId[],
  name: ActorCommandName<'stream', { readonly users: readonly number[] }>,
  { key }: CommandContext,
): OutboxCommand[] =>
  streams.map((stream) => {
    const args = { users: [userIdOfUserActorKey(key)] };
    return makeOutboxCommand({ to: streamActorKey(parseActorKey(key).realm, stream), name, args, caller: 0 });
  });

/** Leaves the account's streams after its deactivation. The command is never refused, and a repeat changes nothing. */
export const leaveStreamsOnDeactivationHandler: UserCommandHandler<typeof userActorCommands.deactivated> = {
  handle(view, _args, _inputs, context) {
    const commands = makeCommandsToStreams(
      listSubscribedStreamsLiveAndArchived(view, context).live,
      streamActorCommands.suspend,
      context,
    );
    return { reply: makeValueReply(null), commands: [commands], replyAfterCommands: true };
  },
};

/**
 * Rejoins the account's streams after its reactivation. The command is never refused, and a repeat changes nothing.
 * Subscriptions end here if their streams were archived in between, and the messages there become read, because
 * deactivated accounts get no command of that.
 */
export const rejoinStreamsOnReactivationHandler: UserCommandHandler<typeof userActorCommands.reactivated> = {
  handle(view, _args, _inputs, context) {
    const { live, ended } = listSubscribedStreamsLiveAndArchived(view, context);
    const { version: after } = context.directory;
    const commands = makeCommandsToStreams(live, streamActorCommands.join, context).map((command) => ({
      ...command,
      after,
    }));
    const to = userActorKey(context.realm, userIdOfUserActorKey(context.key));
    const reads = ended.map(({ stream }) => {
      const args = { stream, archived: true };
      return makeOutboxCommand({ to, name: userActorCommands.readStream, args, caller: 0, after });
    });
    const left = ended.map((own) => [
      `${SUBSCRIPTION_PART_PREFIX}${own.stream}`,
      { ...own, active: false } as unknown as Json,
    ]);
    return {
      reply: makeValueReply(null),
      parts: Object.fromEntries(left),
      commands: [[...commands, ...reads]],
      replyAfterCommands: true,
    };
  },
};
