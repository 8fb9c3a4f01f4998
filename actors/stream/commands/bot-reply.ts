/**
 * Sends the reply of an outgoing webhook. The command is never refused: if the reply may not be sent, the webhook's
 * actor gets the reason.
 */

import { valueReply } from '#actors/shared';
import { userId, webhookKey } from '#model';
import {
  type BotReplyArgs,
  type directCommands,
  outboxCommand,
  type SendArgs,
  type streamCommands,
  webhookCommands,
} from '#model/commands';
import { ApiError } from '#model/errors';
import type { StreamCommand, StreamHandler } from '../state.js';
import type { ComposeInputs } from './compose.js';
import { checkAndSendToStream, type DirectComposeInputs, sendDirectMessageHandler } from './send.js';

/** Client name of the messages that outgoing webhooks send. */
const CLIENT = 'OutgoingWebhookResponse';

function reportingToBot<A extends SendArgs, I>(plain: StreamHandler<A, I>): StreamHandler<A & BotReplyArgs, I> {
  return {
    ...plain,
    handle(view, args, inputs, context) {
      try {
        const { replyAfterCommands: _, ...outcome } = plain.handle(view, args, inputs, { ...context, client: CLIENT });
        return { ...outcome, reply: valueReply(null) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const to = webhookKey(context.realm, userId(context.caller));
        const refusal = { place: args.place, origin: args.origin, reason: error.message };
        return {
          reply: valueReply(null),
          commands: [[outboxCommand({ to, name: webhookCommands.refused, args: refusal, caller: 0 })]],
        };
      }
    },
  };
}

export const sendBotReplyHandler: StreamCommand<typeof streamCommands.botReply, ComposeInputs> =
  reportingToBot(checkAndSendToStream);
export const sendDirectBotReplyHandler: StreamCommand<typeof directCommands.directBotReply, DirectComposeInputs> =
  reportingToBot(sendDirectMessageHandler);
