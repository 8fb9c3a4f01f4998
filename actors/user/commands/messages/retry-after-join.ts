/**
 * Second attempt of a message that its stream would refuse for lack of a right. A new subscriber gets the event of the
 * subscription before the stream's actor knows of it, and a client may send at once. So the stream redirects the
 * message to the user's actor before it refuses.
 */

import { readUserOwnState } from '#actors/shared';
import { streamActorKey, toStreamId, toUserId } from '#model';
import { makeRedirectCommand, streamActorCommands, type userActorCommands } from '#model/commands';
import { CommandTooEarlyError } from '#runtime';
import { isSubscribedToStream, type UserCommandHandler } from '../../state.js';

/**
 * Redirects the message back to the stream, which then accepts or refuses it. If the user is subscribed, the command is
 * repeated (`CommandTooEarlyError`) until the stream's actor knows of the subscription.
 */
export const retrySendAfterSubscribingHandler: UserCommandHandler<typeof userActorCommands.retryAfterJoin> = {
  lane: 'send-again',
  read: true,
  async inputs({ stream }, { realm, caller, view }, sources) {
    const knows = (user: number): Promise<unknown> =>
      sources.askActor(streamActorKey(realm, toStreamId(stream)), streamActorCommands.isMember, { user });
    const directory = await sources.loadDirectory(realm);
    // Streams have no members whose accounts are deactivated, though these accounts keep their subscriptions.
    const isActive = (user: number): boolean => directory.user(toUserId(user))?.isActive === true;
    if (!isActive(caller)) return;
    if (isSubscribedToStream(view.parts, stream)) {
      if (!(await knows(caller))) throw new CommandTooEarlyError();
      return;
    }
    // For bots, the owner's subscription counts, too.
    const owner = directory.user(toUserId(caller))?.botOwner;
    if (!owner || !isActive(owner)) return;
    const { subscriptions } = await readUserOwnState(realm, owner, ['subscriptions'], sources);
    if (!subscriptions.some((own) => own.active && own.stream === stream)) return;
    if (!(await knows(owner))) throw new CommandTooEarlyError();
  },
  handle: (_view, { stream, message }, _inputs, { realm }) => ({
    reply: {
      forward: makeRedirectCommand({
        to: streamActorKey(realm, toStreamId(stream)),
        command: streamActorCommands.send,
        args: { ...message, again: true },
      }),
    },
  }),
};
