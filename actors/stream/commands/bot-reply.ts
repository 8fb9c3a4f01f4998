/** What an outgoing webhook answers: sent as anything else is sent, but its bot's actor hears of a refusal. Never refused. */

import { value } from '#actors/shared';
import type { JsonObject } from '#base';
import { userId, webhookKey } from '#model';
import { ApiError } from '#model/errors';
import type { StreamCommand } from '../command.js';
import { judgedOnce, sendDirect } from './send.js';

interface Answered extends JsonObject {
  /** What it answers, as part of a sentence. */
  readonly place: string;
  readonly origin: string;
}

/** Client name of what they say. */
const CLIENT = 'OutgoingWebhookResponse';

function replying<A extends JsonObject, I>(plain: StreamCommand<A, I>): StreamCommand<A & Answered, I> {
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
        return { reply: value(null), commands: [[{ to, name: 'refused', args: refusal, caller: 0 }]] };
      }
    },
  };
}

export const botReply = replying(judgedOnce);
export const directBotReply = replying(sendDirect);
