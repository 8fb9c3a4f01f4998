/**
 * Sending what was scheduled: as anything else is sent, but for its sender's actor, which is told how it went. Never
 * refused.
 */

import { value } from '#actors/shared';
import type { JsonObject } from '#base';
import { userId, userKey } from '#model';
import { ApiError } from '#model/errors';
import type { OutboxCommand } from '#runtime';
import type { StreamCommand } from '../command.js';
import { judgedOnce, sendDirect } from './send.js';

interface Handed extends JsonObject {
  /** Id of the scheduled message. */
  readonly scheduled: number;
  /** Name of the client with which it was written. */
  readonly client: string;
}

function scheduled<A extends JsonObject, I>(plain: StreamCommand<A, I>): StreamCommand<A & Handed, I> {
  return {
    ...plain,
    handle(view, args, inputs, context) {
      const tell = (name: string, of: JsonObject): OutboxCommand => ({
        to: userKey(context.realm, userId(context.caller)),
        name,
        args: { id: args.scheduled, ...of },
        caller: 0,
      });
      try {
        const outcome = plain.handle(view, args, inputs, { ...context, client: args.client });
        const others = (outcome.commands ?? []).flat();
        return { ...outcome, reply: value(null), commands: [[...others, tell('scheduled-sent', {})]] };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const outside = error.reason === 'NOT_AUTHORIZED_TO_SEND';
        return { reply: value(null), commands: [[tell('scheduled-failed', { reason: error.message, outside })]] };
      }
    },
  };
}

export const sendScheduled = scheduled(judgedOnce);
export const sendDirectScheduled = scheduled(sendDirect);
