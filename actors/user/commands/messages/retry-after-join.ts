/**
 * Second try of a message that its stream would refuse for lack of a right. A new subscriber gets the event of the
 * subscription before the stream's actor knows of it, and a client may send at once. So the stream redirects the
 * message here before it refuses.
 */

import { readOwnState } from '#actors/shared';
import { streamId, streamKey, userId } from '#model';
import { redirectCommand, streamCommands, type userCommands } from '#model/commands';
import { CommandTooEarly } from '#runtime';
import { isSubscribed, type UserCommand } from '../../state.js';

/**
 * Redirects the message back to the stream, which then accepts or refuses it. If the user is subscribed, the command is
 * repeated (`CommandTooEarly`) until the stream's actor knows of the subscription.
 */
export const retryAfterJoinHandler: UserCommand<typeof userCommands.retryAfterJoin> = {
  lane: 'send-again',
  read: true,
  async inputs({ stream }, { realm, caller, view }, sources) {
    const knows = (user: number): Promise<unknown> =>
      sources.ask(streamKey(realm, streamId(stream)), streamCommands.isMember, { user });
    if (isSubscribed(view.parts, stream)) {
      if (!(await knows(caller))) throw new CommandTooEarly();
      return;
    }
    // For bots, the owner's subscription counts, too.
    const owner = (await sources.directory(realm)).user(userId(caller))?.botOwner;
    if (!owner) return;
    const { subscriptions } = await readOwnState(realm, owner, ['subscriptions'], sources);
    if (!subscriptions.some((own) => own.active && own.stream === stream)) return;
    if (!(await knows(owner))) throw new CommandTooEarly();
  },
  handle: (_view, { stream, message }, _inputs, { realm }) => ({
    reply: {
      forward: redirectCommand({
        to: streamKey(realm, streamId(stream)),
        command: streamCommands.send,
        args: { ...message, again: true },
      }),
    },
  }),
};
