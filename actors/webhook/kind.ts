/**
 * The webhook actor stores and makes the calls of one outgoing webhook bot. It is an actor of its own, so that a
 * server that is slow or away delays no other command: a message that mentions the bot is done when the call is
 * stored here.
 */

import { makeValueReply } from '#actors/shared';
import { type ActorCommandName, type ArgsOfCommand, webhookActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKindDefinition, type CommandDefinition, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import { performWebhookCalls, type WebhookCallOutcome } from './calls.js';
import { makeBotOwnerNoticeCommands, makeWebhookOutcomesCommit } from './fates.js';
import {
  earliestDueTimeOfWebhookCalls,
  listWaitingWebhookCalls,
  WAITING_WEBHOOK_CALL_TABLE,
  type WaitingWebhookCall,
  type WebhookActorState,
} from './state.js';

type WebhookCommandHandler<C extends ActorCommandName<'webhook'>, I = undefined> = CommandDefinition<
  WebhookActorState,
  ArgsOfCommand<C>,
  I,
  undefined,
  ActorServices
>;

/** Number of calls per run; further ones follow at once. */
const MAX_WEBHOOK_CALLS_PER_RUN = 8;
/** Maximum number of calls that wait; further ones are dropped. */
const MAX_WAITING_CALLS_PER_WEBHOOK = 1_000;
/** Minimum time between two notices of dropped calls to the owner, ms. */
const MIN_DROP_NOTICE_INTERVAL_MS = 60_000;

/**
 * Stores a call of the webhook. The conversation's actor sends this command, which is never refused. A repeat changes
 * nothing.
 */
const storeTriggeredCallHandler: WebhookCommandHandler<typeof webhookActorCommands.triggered> = {
  creates: true,
  handle({ state, parts }, { message, stream, trigger, origin }, _inputs, context) {
    const { now } = context;
    if (parts.size >= MAX_WAITING_CALLS_PER_WEBHOOK) {
      if (now < state.warned + MIN_DROP_NOTICE_INTERVAL_MS) return { reply: makeValueReply(null) };
      const notice = makeBotOwnerNoticeCommands(
        context,
        origin,
        'Messages to {bot} were not passed on: too many of them wait for its server.',
      );
      return { reply: makeValueReply(null), state: { ...state, warned: now }, commands: [notice] };
    }
    const of = stream === undefined ? {} : { stream };
    const call: WaitingWebhookCall = { message, ...of, trigger, origin, tries: 0, next: now };
    // The call is due at once. The run also makes earlier calls that are due.
    return {
      reply: makeValueReply(null),
      state,
      parts: WAITING_WEBHOOK_CALL_TABLE.makePartChange(message, call),
      due: now,
    };
  },
};

/**
 * Makes the calls that are due. The lane is separate, because servers take their time, and exclusive, because a run
 * must not find the calls of the run before. After a crash between call and commit the call is made again.
 */
const performDueCallsHandler: WebhookCommandHandler<typeof webhookActorCommands.due, readonly WebhookCallOutcome[]> = {
  lane: 'calling',
  exclusive: true,
  inputs: (_args, { key, realm, view }, sources) => {
    const now = sources.services.clock.now();
    const batch = listWaitingWebhookCalls(view.parts).filter(({ next }) => next <= now);
    return performWebhookCalls(key, realm, batch.slice(0, MAX_WEBHOOK_CALLS_PER_RUN), sources);
  },
  handle({ parts }, _args, fates, context) {
    const { written, commands } = makeWebhookOutcomesCommit(fates, context);
    const left = listWaitingWebhookCalls(parts).map((call) => {
      const part = WAITING_WEBHOOK_CALL_TABLE.partNameOf(call.message);
      return part in written ? written[part] : call;
    });
    return {
      reply: makeValueReply(null),
      parts: written,
      commands: [commands],
      due: earliestDueTimeOfWebhookCalls(
        left.filter((call): call is WaitingWebhookCall => call !== null && call !== undefined),
      ),
    };
  },
};

/** Warns the owner that the bot's reply was refused. The conversation's actor sends this command. */
const warnOwnerOfRefusedReplyHandler: WebhookCommandHandler<typeof webhookActorCommands.refused> = {
  creates: true,
  handle: (_view, { place, origin, reason }, _inputs, context) => ({
    reply: makeValueReply(null),
    commands: [makeBotOwnerNoticeCommands(context, origin, `{bot} could not answer ${place}: ${reason}`)],
  }),
};

export const webhookActorKind: ActorKindDefinition<WebhookActorState, undefined, ActorServices> = {
  name: 'webhook',
  summary: 'The calls that wait for the server of one outgoing webhook bot.',
  usesDirectory: true,
  loadedParts: [WAITING_WEBHOOK_CALL_TABLE.prefix],
  partsAreDeliveries: true,
  commands: mapHandlersByName(webhookActorCommands, {
    triggered: storeTriggeredCallHandler,
    due: performDueCallsHandler,
    refused: warnOwnerOfRefusedReplyHandler,
  }),
  makeInitialState: () => ({ warned: 0 }),
  makeVolatile: () => undefined,
  makeMissingActorReply: () => ({ error: apiError('NO_SUCH_BOT').toReply() }),
};
