/**
 * Sends a scheduled message. The command is never refused: the sender's actor gets the result, or the reason why the
 * message can't be sent.
 */

import { valueReply } from '#actors/shared';
import { userId, userKey } from '#model';
import {
  type directCommands,
  outboxCommand,
  type SendArgs,
  type SendScheduledArgs,
  type streamCommands,
  userCommands,
} from '#model/commands';
import { ApiError } from '#model/errors';
import type { StreamCommand, StreamHandler } from '../state.js';
import type { ComposeInputs } from './compose.js';
import { checkAndSendToStream, type DirectComposeInputs, sendDirectMessageHandler } from './send.js';

function reportingToSender<A extends SendArgs, I>(plain: StreamHandler<A, I>): StreamHandler<A & SendScheduledArgs, I> {
  return {
    ...plain,
    handle(view, args, inputs, context) {
      const to = userKey(context.realm, userId(context.caller));
      const id = args.scheduled;
      try {
        const outcome = plain.handle(view, args, inputs, { ...context, client: args.client });
        const others = (outcome.commands ?? []).flat();
        const sent = outboxCommand({ to, name: userCommands.scheduledSent, args: { id }, caller: 0 });
        return { ...outcome, reply: valueReply(null), commands: [[...others, sent]] };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const failure = { id, reason: error.message, outside: error.reason === 'NOT_AUTHORIZED_TO_SEND' };
        const failed = outboxCommand({ to, name: userCommands.scheduledFailed, args: failure, caller: 0 });
        return { reply: valueReply(null), commands: [[failed]] };
      }
    },
  };
}

export const sendScheduledToStreamHandler: StreamCommand<typeof streamCommands.sendScheduled, ComposeInputs> =
  reportingToSender(checkAndSendToStream);
export const sendScheduledDirectHandler: StreamCommand<typeof directCommands.sendDirectScheduled, DirectComposeInputs> =
  reportingToSender(sendDirectMessageHandler);
