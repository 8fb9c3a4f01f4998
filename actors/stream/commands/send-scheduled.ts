/**
 * Sends a scheduled message. The command is never refused: the sender's actor gets the result, or the reason why the
 * message can't be sent.
 */

import { makeValueReply } from '#actors/shared';
import { toUserId, userActorKey } from '#model';
import {
  type directMessageActorCommands,
  makeOutboxCommand,
  type SendMessageArgs,
  type SendScheduledMessageArgs,
  type streamActorCommands,
  userActorCommands,
} from '#model/commands';
import { ApiError } from '#model/errors';
import type { ConversationActorHandler, ConversationCommandHandler } from '../state.js';
import type { MessageComposeInputs } from './compose.js';
import { checkAndSendStreamMessageHandler, type DirectMessageComposeInputs, sendDirectMessageHandler } from './send.js';

function wrapToReportResultToSender<A extends SendMessageArgs, I>(
  plain: ConversationActorHandler<A, I>,
): ConversationActorHandler<A & SendScheduledMessageArgs, I> {
  return {
    ...plain,
    handle(view, args, inputs, context) {
      const to = userActorKey(context.realm, toUserId(context.caller));
      const id = args.scheduled;
      try {
        const outcome = plain.handle(view, args, inputs, { ...context, client: args.client });
        const others = (outcome.commands ?? []).flat();
        const sent = makeOutboxCommand({ to, name: userActorCommands.scheduledSent, args: { id }, caller: 0 });
        return { ...outcome, reply: makeValueReply(null), commands: [[...others, sent]] };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const failure = { id, reason: error.message, outside: error.reason === 'NOT_AUTHORIZED_TO_SEND' };
        const failed = makeOutboxCommand({ to, name: userActorCommands.scheduledFailed, args: failure, caller: 0 });
        return { reply: makeValueReply(null), commands: [[failed]] };
      }
    },
  };
}

export const sendScheduledStreamMessageHandler: ConversationCommandHandler<
  typeof streamActorCommands.sendScheduled,
  MessageComposeInputs
> = wrapToReportResultToSender(checkAndSendStreamMessageHandler);
export const sendScheduledDirectMessageHandler: ConversationCommandHandler<
  typeof directMessageActorCommands.sendDirectScheduled,
  DirectMessageComposeInputs
> = wrapToReportResultToSender(sendDirectMessageHandler);
