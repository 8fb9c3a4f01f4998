/**
 * The webhook actor stores and makes the calls of one outgoing webhook bot. It is an actor of its own, so that a
 * server that is slow or away delays no other command: a message that mentions the bot is done when the call is
 * stored here.
 */

import { makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import { correctTimeFromAhead } from '#base/clock';
import { type ActorCommandName, type ArgsOfCommand, webhookActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKindDefinition, type CommandDefinition, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import { findNextAttempt, makeBotOwnerNoticeCommands, makeCommandsAfterLastAttempt } from './fates.js';
import { WebhookActorSidecar } from './sidecar.js';
import {
  listWaitingWebhookCalls,
  nextTimeOfWebhookCalls,
  WAITING_WEBHOOK_CALL_TABLE,
  type WaitingWebhookCall,
  type WebhookActorState,
  WebhookMemoryState,
} from './state.js';

type WebhookCommandHandler<C extends ActorCommandName<'webhook'>> = CommandDefinition<
  WebhookActorState,
  ArgsOfCommand<C>,
  undefined,
  WebhookMemoryState,
  ActorServices
>;

/** Maximum number of calls that run at a time; further ones wait. */
const MAX_RUNNING_CALLS_PER_WEBHOOK = 8;
/** Time by which the outcome of a call is known, ms: its own limit, and as long again for reading its message. */
const MAX_CALL_DURATION_MS = 20_000;
/** Delay after which a drain looks for due calls again, ms. A due time in the past would wake the actor in a loop. */
const DRAIN_RECHECK_DELAY_MS = 1_000;
/** Maximum number of calls that wait or run; further ones are dropped. */
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
    if (WAITING_WEBHOOK_CALL_TABLE.findPartValue(parts, message)) return { reply: makeValueReply(null) };
    if (parts.size >= MAX_WAITING_CALLS_PER_WEBHOOK) {
      if (Math.abs(now - state.warned) < MIN_DROP_NOTICE_INTERVAL_MS) return { reply: makeValueReply(null) };
      const notice = makeBotOwnerNoticeCommands(context, origin, (texts, bot) => texts.webhookCallsDropped(bot));
      return { reply: makeValueReply(null), state: { ...state, warned: now }, commands: [notice] };
    }
    const of = stream === undefined ? {} : { stream };
    const call: WaitingWebhookCall = { message, ...of, trigger, origin, tries: 0, next: now };
    // Only `due` starts calls: a host that holds outgoing work sends none.
    return {
      reply: makeValueReply(null),
      state,
      parts: WAITING_WEBHOOK_CALL_TABLE.makePartChange(message, call),
      due: now,
    };
  },
};

/**
 * Starts calls that are due while fewer run than may. The sidecar makes them once the change is committed; a call whose
 * outcome does not come in time, because its host died, is due again. During a drain no call starts, because it might
 * outlast the drain: the next owner starts the waiting calls.
 * @param stored all calls, in the order in which they are to start
 */
function startDueCalls(
  stored: readonly WaitingWebhookCall[],
  volatile: WebhookMemoryState,
  now: number,
): { readonly parts: Readonly<Record<string, Json>>; readonly due: number | null } {
  const calls = stored.map((call) => ({ ...call, next: correctTimeFromAhead(call.next, MAX_CALL_DURATION_MS, now) }));
  if (volatile.isPartitionDraining) return { parts: {}, due: calls.length > 0 ? now + DRAIN_RECHECK_DELAY_MS : null };
  const parts: Record<string, Json> = {};
  let free = MAX_RUNNING_CALLS_PER_WEBHOOK - calls.filter(({ running, next }) => running && next > now).length;
  const all = calls.map((call): WaitingWebhookCall => {
    if (call.next > now || free <= 0) return call;
    free--;
    const started: WaitingWebhookCall = { ...call, running: true, next: now + MAX_CALL_DURATION_MS };
    volatile.startedCalls.push(started);
    Object.assign(parts, WAITING_WEBHOOK_CALL_TABLE.makePartChange(call.message, started));
    return started;
  });
  // Calls that are due and find no place start when a running one has ended.
  return { parts, due: nextTimeOfWebhookCalls(all, now) };
}

const startDueCallsHandler: WebhookCommandHandler<typeof webhookActorCommands.due> = {
  handle({ parts, volatile }, _args, _inputs, { now }) {
    return { reply: makeValueReply(null), ...startDueCalls(listWaitingWebhookCalls(parts), volatile, now) };
  },
};

/** Records the outcome of an attempt to make a call. The outcome of an attempt before the present one is ignored. */
const recordCallOutcomeHandler: WebhookCommandHandler<typeof webhookActorCommands.called> = {
  handle({ parts, volatile }, { message, tries, outcome }, _inputs, context) {
    const { now } = context;
    const call = WAITING_WEBHOOK_CALL_TABLE.findPartValue(parts, message);
    if (call?.tries !== tries) return { reply: makeValueReply(null) };
    const again = findNextAttempt(call, outcome, now);
    const others = listWaitingWebhookCalls(parts).filter((one) => one.message !== message);
    const started = startDueCalls(again ? [...others, again] : others, volatile, now);
    return {
      reply: makeValueReply(null),
      parts: { ...WAITING_WEBHOOK_CALL_TABLE.makePartChange(message, again ?? null), ...started.parts },
      commands: [again ? [] : makeCommandsAfterLastAttempt(outcome, call.origin, context)],
      due: started.due,
    };
  },
};

/** Warns the owner that the bot's reply was refused. The conversation's actor sends this command. */
const warnOwnerOfRefusedReplyHandler: WebhookCommandHandler<typeof webhookActorCommands.refused> = {
  creates: true,
  handle: (_view, { place, origin, reason }, _inputs, context) => ({
    reply: makeValueReply(null),
    commands: [
      makeBotOwnerNoticeCommands(context, origin, (texts, bot) => texts.webhookReplyRefused(bot, place, reason)),
    ],
  }),
};

export const webhookActorKind: ActorKindDefinition<WebhookActorState, WebhookMemoryState, ActorServices> = {
  name: 'webhook',
  summary: 'The calls that wait for the server of one outgoing webhook bot.',
  usesDirectory: true,
  loadedParts: [WAITING_WEBHOOK_CALL_TABLE.prefix],
  partsAreDeliveries: true,
  dueReachesOutside: true,
  maxDueDelayMs: MAX_CALL_DURATION_MS,
  commands: mapHandlersByName(webhookActorCommands, {
    triggered: storeTriggeredCallHandler,
    due: startDueCallsHandler,
    called: recordCallOutcomeHandler,
    refused: warnOwnerOfRefusedReplyHandler,
  }),
  makeInitialState: () => ({ warned: 0 }),
  makeVolatile: () => new WebhookMemoryState(),
  sidecar: (handle, sources) => new WebhookActorSidecar(handle, sources),
  makeMissingActorReply: () => ({ error: apiError('NO_SUCH_BOT').toReply() }),
};
