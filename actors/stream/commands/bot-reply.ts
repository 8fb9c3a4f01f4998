/** Sends the reply of an outgoing webhook. Never refuses: the webhook's actor gets the reason of a refusal. */

import { value } from '#actors/shared';
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
import { type DirectInputs, sendChecked, sendDirect } from './send.js';

/** Client name of these messages. */
const CLIENT = 'OutgoingWebhookResponse';

function reportingToBot<A extends SendArgs, I>(plain: StreamHandler<A, I>): StreamHandler<A & BotReplyArgs, I> {
  return {
    ...plain,
    handle(view, args, inputs, context) {
      try {
        const { replyAfterCommands: _, ...outcome } = plain.handle(view, args, inputs, { ...context, client: CLIENT });
        return { ...outcome, reply: value(null) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const to = webhookKey(context.realm, userId(context.caller));
        const refusal = { place: args.place, origin: args.origin, reason: error.message };
        return {
          reply: value(null),
          commands: [[outboxCommand({ to, name: webhookCommands.refused, args: refusal, caller: 0 })]],
        };
      }
    },
  };
}

export const botReply: StreamCommand<typeof streamCommands.botReply, ComposeInputs> = reportingToBot(sendChecked);
export const directBotReply: StreamCommand<typeof directCommands.directBotReply, DirectInputs> =
  reportingToBot(sendDirect);
