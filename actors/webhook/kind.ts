/**
 * The calls of one outgoing webhook bot. An actor of its own, so that a server that is slow or away keeps nobody waiting:
 * whoever mentions the bot is through when the call is stored here.
 */

import { value } from '#actors/shared';
import { type ArgsOf, type Command, webhookCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, type CommandDefinition, handlersOf } from '#runtime';
import { type Fate, makeCalls } from './calls.js';
import { outcomeOf, toOwner } from './fates.js';
import { webhookMachine } from './machine.js';
import { CALL_PART, callPart, callsIn, nextCall, type Waiting, type WebhookState } from './state.js';

type WebhookCommand<C extends Command<'webhook'>, I = undefined> = CommandDefinition<
  WebhookState,
  ArgsOf<C>,
  I,
  undefined
>;

/** Made at a time; the others follow at once. */
const BATCH = 8;
/** More than so many calls do not wait. */
const MOST_WAITING = 1_000;
/** Of lost calls the owner hears this often. */
const WARN_MS = 60_000;

/** From the conversation's actor: never refuses, and a repeat changes nothing. */
const triggered: WebhookCommand<typeof webhookCommands.triggered> = {
  creates: true,
  handle({ state, parts }, { message, trigger, origin }, _inputs, context) {
    const { now } = context;
    if (parts.size >= MOST_WAITING) {
      if (now < state.warned + WARN_MS) return { reply: value(null) };
      const notice = toOwner(
        context,
        origin,
        'Messages to {bot} were not passed on: too many of them wait for its server.',
      );
      return { reply: value(null), state: { ...state, warned: now }, commands: [notice] };
    }
    const call: Waiting = { message, trigger, origin, tries: 0, next: now };
    // None can be earlier and not be due with it.
    return { reply: value(null), state, parts: { [callPart(message)]: call }, due: now };
  },
};

/**
 * In a lane of its own, since servers take their time. Exclusive: what one run has called, the next must not find. After a
 * crash between the call and the commit the call is made again.
 */
const due: WebhookCommand<typeof webhookCommands.due, readonly Fate[]> = {
  lane: 'calling',
  exclusive: true,
  needs: (_args, { key, realm, view }, suppliers) => {
    const now = suppliers.services.clock.now();
    const batch = callsIn(view.parts).filter(({ next }) => next <= now);
    return makeCalls(key, realm, batch.slice(0, BATCH), suppliers);
  },
  handle({ parts }, _args, fates, context) {
    const { written, commands } = outcomeOf(fates, context);
    const left = callsIn(parts).map((call) => {
      const part = callPart(call.message);
      return part in written ? written[part] : call;
    });
    return {
      reply: value(null),
      parts: written,
      commands: [commands],
      due: nextCall(left.filter((call): call is Waiting => call !== null && call !== undefined)),
    };
  },
};

/** From the conversation's actor: what the bot wanted to say was refused. */
const refused: WebhookCommand<typeof webhookCommands.refused> = {
  creates: true,
  handle: (_view, { place, origin, reason }, _inputs, context) => ({
    reply: value(null),
    commands: [toOwner(context, origin, `{bot} could not answer ${place}: ${reason}`)],
  }),
};

export const webhookKind: ActorKind<WebhookState> = {
  name: 'webhook',
  machine: webhookMachine,
  directory: true,
  loads: [CALL_PART],
  partsWait: true,
  commands: handlersOf(webhookCommands, { triggered, due, refused }),
  initial: () => ({ phase: 'active', warned: 0 }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('NO_SUCH_BOT').toReply() }),
  refuse: () => ({ error: apiError('NO_SUCH_BOT').toReply() }),
};
