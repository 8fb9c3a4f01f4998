/**
 * Deactivation and reactivation of the account, decided by the realm actor. The account's streams drop its
 * subscriptions and get them back; the user's actor keeps them until then.
 */

import { makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import type { Subscription } from '#domain/streams';
import { streamActorKey, toStreamId, userActorKey } from '#model';
import { makeOutboxCommand, streamActorCommands, userActorCommands } from '#model/commands';
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

/** Leaves the account's streams after its deactivation. The command is never refused, and a repeat changes nothing. */
export const leaveStreamsOnDeactivationHandler: UserCommandHandler<typeof userActorCommands.deactivated> = {
  handle(view, _args, _inputs, context) {
    const args = { users: [userIdOfUserActorKey(context.key)] };
    const commands = listSubscribedStreamsLiveAndArchived(view, context).live.map((stream) =>
      makeOutboxCommand({
        to: streamActorKey(context.realm, stream),
        name: streamActorCommands.suspend,
        args,
        caller: 0,
      }),
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
    const user = userIdOfUserActorKey(context.key);
    const commands = live.map((stream) => {
      const args = { users: [user], resumed: true } as const;
      const to = streamActorKey(context.realm, stream);
      return makeOutboxCommand({ to, name: streamActorCommands.join, args, caller: 0, after });
    });
    const to = userActorKey(context.realm, user);
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
