/**
 * Sends the reply of an outgoing webhook. The command is never refused: if the reply may not be sent, the webhook's
 * actor gets the reason.
 */

import { makeValueReply } from '#actors/shared';
import { toUserId, webhookActorKey } from '#model';
import {
  type directMessageActorCommands,
  makeOutboxCommand,
  type SendBotReplyArgs,
  type SendMessageArgs,
  type streamActorCommands,
  webhookActorCommands,
} from '#model/commands';
import { ApiError } from '#model/errors';
import type { ConversationActorHandler, ConversationCommandHandler } from '../state.js';
import type { MessageComposeInputs } from './compose.js';
import { checkAndSendStreamMessageHandler, type DirectMessageComposeInputs, sendDirectMessageHandler } from './send.js';

/** Client name of the messages that outgoing webhooks send. */
const OUTGOING_WEBHOOK_CLIENT_NAME = 'OutgoingWebhookResponse';

function wrapToReportRefusalToWebhookActor<A extends SendMessageArgs, I>(
  plain: ConversationActorHandler<A, I>,
): ConversationActorHandler<A & SendBotReplyArgs, I> {
  return {
    ...plain,
    handle(view, args, inputs, context) {
      try {
        const { replyAfterCommands: _, ...outcome } = plain.handle(view, args, inputs, {
          ...context,
          client: OUTGOING_WEBHOOK_CLIENT_NAME,
        });
        return { ...outcome, reply: makeValueReply(null) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const to = webhookActorKey(context.realm, toUserId(context.caller));
        const refusal = { place: args.place, origin: args.origin, reason: error.message };
        return {
          reply: makeValueReply(null),
          commands: [[makeOutboxCommand({ to, name: webhookActorCommands.refused, args: refusal, caller: 0 })]],
        };
      }
    },
  };
}

export const sendBotReplyHandler: ConversationCommandHandler<
  typeof streamActorCommands.botReply,
  MessageComposeInputs
> = wrapToReportRefusalToWebhookActor(checkAndSendStreamMessageHandler);
export const sendDirectBotReplyHandler: ConversationCommandHandler<
  typeof directMessageActorCommands.directBotReply,
  DirectMessageComposeInputs
> = wrapToReportRefusalToWebhookActor(sendDirectMessageHandler);
