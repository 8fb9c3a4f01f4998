/**
 * The webhook actor stores and makes the calls of one outgoing webhook bot. It is an actor of its own, so that a
 * server that is slow or away delays no other command: a message that mentions the bot is done when the call is
 * stored here.
 */

import { valueReply } from '#actors/shared';
import { type ArgsOf, type Command, webhookCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, type CommandDefinition, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import { type CallOutcome, makeDueCalls } from './calls.js';
import { commandsOfOutcome, ownerNoticeCommand } from './fates.js';
import { CALL_PARTS, nextCallTime, type WaitingCall, type WebhookState, waitingCalls } from './state.js';

type WebhookCommand<C extends Command<'webhook'>, I = undefined> = CommandDefinition<
  WebhookState,
  ArgsOf<C>,
  I,
  undefined,
  ActorServices
>;

/** Number of calls per run; further ones follow at once. */
const BATCH = 8;
/** Maximum number of calls that wait; further ones are dropped. */
const MAX_WAITING = 1_000;
/** Minimum time between two notices of dropped calls to the owner, ms. */
const WARN_MS = 60_000;

/**
 * Stores a call of the webhook. The conversation's actor sends this command, which is never refused. A repeat changes
 * nothing.
 */
const triggered: WebhookCommand<typeof webhookCommands.triggered> = {
  creates: true,
  handle({ state, parts }, { message, trigger, origin }, _inputs, context) {
    const { now } = context;
    if (parts.size >= MAX_WAITING) {
      if (now < state.warned + WARN_MS) return { reply: valueReply(null) };
      const notice = ownerNoticeCommand(
        context,
        origin,
        'Messages to {bot} were not passed on: too many of them wait for its server.',
      );
      return { reply: valueReply(null), state: { ...state, warned: now }, commands: [notice] };
    }
    const call: WaitingCall = { message, trigger, origin, tries: 0, next: now };
    // The call is due at once. The run also makes earlier calls that are due.
    return { reply: valueReply(null), state, parts: CALL_PARTS.write(message, call), due: now };
  },
};

/**
 * Makes the calls that are due. The lane is separate, because servers take their time, and exclusive, because a run
 * must not find the calls of the run before. After a crash between call and commit the call is made again.
 */
const due: WebhookCommand<typeof webhookCommands.due, readonly CallOutcome[]> = {
  lane: 'calling',
  exclusive: true,
  inputs: (_args, { key, realm, view }, sources) => {
    const now = sources.services.clock.now();
    const batch = waitingCalls(view.parts).filter(({ next }) => next <= now);
    return makeDueCalls(key, realm, batch.slice(0, BATCH), sources);
  },
  handle({ parts }, _args, fates, context) {
    const { written, commands } = commandsOfOutcome(fates, context);
    const left = waitingCalls(parts).map((call) => {
      const part = CALL_PARTS.nameOf(call.message);
      return part in written ? written[part] : call;
    });
    return {
      reply: valueReply(null),
      parts: written,
      commands: [commands],
      due: nextCallTime(left.filter((call): call is WaitingCall => call !== null && call !== undefined)),
    };
  },
};

/** Warns the owner that the bot's reply was refused. The conversation's actor sends this command. */
const refused: WebhookCommand<typeof webhookCommands.refused> = {
  creates: true,
  handle: (_view, { place, origin, reason }, _inputs, context) => ({
    reply: valueReply(null),
    commands: [ownerNoticeCommand(context, origin, `{bot} could not answer ${place}: ${reason}`)],
  }),
};

export const webhookKind: ActorKind<WebhookState, undefined, ActorServices> = {
  name: 'webhook',
  summary: 'The calls that wait for the server of one outgoing webhook bot.',
  directory: true,
  loadedParts: [CALL_PARTS.prefix],
  partsAreDeliveries: true,
  commands: mapHandlersByName(webhookCommands, { triggered, due, refused }),
  initial: () => ({ warned: 0 }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('NO_SUCH_BOT').toReply() }),
};
