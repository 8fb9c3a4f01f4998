/**
 * The push actor of an account stores pushes until its browsers and the push gateway have taken them. It is an actor of
 * its own, so that a push service that is slow or away delays no other command.
 */

import { makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import { type ActorParts, realmActorKey, userActorKey } from '#model';
import {
  type ActorCommandName,
  type ArgsOfCommand,
  makeOutboxCommand,
  type OutboxCommand,
  pushActorCommands,
  realmActorCommands,
  userActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import {
  type ActorKindDefinition,
  type CommandContext,
  type CommandDefinition,
  type CommandOutcome,
  mapHandlersByName,
} from '#runtime';
import type { ActorServices } from '../services.js';
import {
  type PushResultAtAllReceivers,
  type PushSendingRoundResults,
  sendDuePushes,
  userIdOfPushActorKey,
} from './rounds.js';
import {
  earliestDueTimeOfPushes,
  listWaitingPushes,
  MAX_PUSH_RETRY_PAUSE_MS,
  type PushActorState,
  WAITING_PUSH_TABLE,
  type WaitingPush,
  withUpdatedShownMessages,
} from './state.js';

type PushCommandHandler<C extends ActorCommandName<'push'>, I = undefined> = CommandDefinition<
  PushActorState,
  ArgsOfCommand<C>,
  I,
  undefined,
  ActorServices
>;

/** Maximum number of pushes that wait; the oldest makes room for a further one. */
const MAX_WAITING_PUSHES_PER_ACCOUNT = 200;
/** Pause before the second attempt, ms; it doubles with each further attempt. */
const FIRST_PUSH_RETRY_PAUSE_MS = 1_000;
/** Age at which a push that could not be sent is dropped, ms: a day later it is news no more. */
const MAX_PUSH_AGE_MS = 24 * 3_600_000;

function makeQueuedPushOutcome(
  { state, parts }: { readonly state: PushActorState; readonly parts: ReadonlyMap<string, Json> },
  { event, messages, trigger }: Pick<WaitingPush, 'event' | 'messages' | 'trigger'>,
  now: number,
): CommandOutcome<PushActorState> {
  const number = state.last + 1;
  const push: WaitingPush = { number, event, messages, trigger, left: null, since: now, tries: 0, next: now };
  const surplus = listWaitingPushes(parts, now).slice(0, Math.max(0, parts.size - MAX_WAITING_PUSHES_PER_ACCOUNT + 1));
  return {
    reply: makeValueReply(null),
    state: { ...state, last: number },
    parts: Object.assign(
      WAITING_PUSH_TABLE.makePartChange(number, push),
      ...surplus.map((old): Record<string, Json> => WAITING_PUSH_TABLE.makePartChange(old.number, null)),
    ),
    // A push with an earlier time would be due now, too.
    due: now,
  };
}

const queueMessagePushHandler: PushCommandHandler<typeof pushActorCommands.notify> = {
  creates: true,
  handle: (view, { message, trigger }, _inputs, { now }) =>
    makeQueuedPushOutcome(view, { event: 'message', messages: [message], trigger }, now),
};

const queuePushRemovalHandler: PushCommandHandler<typeof pushActorCommands.remove> = {
  creates: true,
  handle: (view, { messages }, _inputs, { now }) =>
    makeQueuedPushOutcome(view, { event: 'remove', messages, trigger: '' }, now),
};

/**
 * Sends the pushes that are due. The lane is separate, because push services take their time, and exclusive, because a
 * round must not find the pushes of the round before. After a crash between sending and commit a push is sent again,
 * under the same id and tag.
 */
const sendDuePushesHandler: PushCommandHandler<typeof pushActorCommands.due, PushSendingRoundResults> = {
  lane: 'sending',
  exclusive: true,
  inputs: (_args, { key, realm, view }, sources) => sendDuePushes(key, realm, view, sources),
  handle({ state, parts }, _args, round, context) {
    const written: Record<string, Json> = {};
    const times = new PushReceiverRetryTimes(parts, round, context.now);
    let after = state;
    for (const result of round.results) {
      const { push, wasDelivered } = result;
      const next = makePushForNextAttempt(result, times, context.now);
      // The push may have made room for a later one meanwhile.
      if (WAITING_PUSH_TABLE.findPartValue(parts, push.number))
        Object.assign(written, WAITING_PUSH_TABLE.makePartChange(push.number, next));
      if (push.event === 'remove') {
        if (next === null) after = withUpdatedShownMessages(after, [], push.messages);
      } else if (wasDelivered) after = withUpdatedShownMessages(after, push.messages, []);
    }
    const left = listWaitingPushes(parts, context.now).flatMap((push) => {
      const name = WAITING_PUSH_TABLE.partNameOf(push.number);
      const next = name in written ? (written[name] as WaitingPush | null) : push;
      return next === null ? [] : [next];
    });
    return {
      reply: makeValueReply(null),
      state: after,
      parts: written,
      commands: [makeDropEndedReceiversCommands(round, context)],
      due: earliestDueTimeOfPushes(left),
    };
  },
};

/** When receivers that did not take a push are tried again. */
class PushReceiverRetryTimes {
  readonly #nextTryAtByReceiver = new Map<string, number>();

  constructor(parts: ActorParts, { results }: PushSendingRoundResults, now: number) {
    const tried = new Set(results.map(({ push }) => push.number));
    for (const { number, left, next } of listWaitingPushes(parts, now))
      if (!tried.has(number)) this.recordNextTryOfReceivers(left ?? [], next);
  }

  recordNextTryOfReceivers(receivers: readonly string[], next: number): void {
    for (const name of receivers)
      this.#nextTryAtByReceiver.set(name, Math.max(next, this.#nextTryAtByReceiver.get(name) ?? 0));
  }

  latestNextTryTimeOf(receivers: readonly string[]): number {
    return Math.max(...receivers.map((name) => this.#nextTryAtByReceiver.get(name) ?? 0));
  }
}

/** The push as it waits for its next attempt; null: it was sent, or is given up. */
function makePushForNextAttempt(
  { push, receiversLeft, hasFailedAttempt, requestedPauseMs }: PushResultAtAllReceivers,
  times: PushReceiverRetryTimes,
  now: number,
): WaitingPush | null {
  // A push from far ahead is as old as the clock's correction at least, so its age counts in both directions.
  if (receiversLeft.length === 0 || Math.abs(now - push.since) >= MAX_PUSH_AGE_MS) return null;
  const pause = Math.max(
    requestedPauseMs,
    Math.min(FIRST_PUSH_RETRY_PAUSE_MS * 2 ** push.tries, MAX_PUSH_RETRY_PAUSE_MS),
  );
  const next = hasFailedAttempt ? now + pause : times.latestNextTryTimeOf(receiversLeft);
  times.recordNextTryOfReceivers(receiversLeft, next);
  return { ...push, left: receiversLeft, tries: push.tries + (hasFailedAttempt ? 1 : 0), next };
}

/** Tells the keepers of subscriptions and tokens which of them have ended. */
function makeDropEndedReceiversCommands(
  { endedEndpointHashes, endedDeviceTokens }: PushSendingRoundResults,
  { key, realm }: Pick<CommandContext, 'key' | 'realm'>,
): OutboxCommand[] {
  const user = userIdOfPushActorKey(key);
  const ended = endedEndpointHashes.map((endpointHash) =>
    makeOutboxCommand({
      to: realmActorKey(realm),
      name: realmActorCommands.dropSessionPush,
      args: { user, endpointHash },
      caller: 0,
    }),
  );
  if (endedDeviceTokens.length === 0) return ended;
  const args = { tokens: [...new Set(endedDeviceTokens)] };
  return [
    ...ended,
    makeOutboxCommand({ to: userActorKey(realm, user), name: userActorCommands.dropPushTokens, args, caller: 0 }),
  ];
}

export const pushNotificationActorKind: ActorKindDefinition<PushActorState, undefined, ActorServices> = {
  name: 'push',
  summary: 'The push notifications of an account, until its browsers and the push gateway have taken them.',
  usesDirectory: false,
  loadedParts: [WAITING_PUSH_TABLE.prefix],
  partsAreDeliveries: true,
  dueReachesOutside: true,
  maxDueDelayMs: MAX_PUSH_RETRY_PAUSE_MS,
  commands: mapHandlersByName(pushActorCommands, {
    notify: queueMessagePushHandler,
    remove: queuePushRemovalHandler,
    due: sendDuePushesHandler,
  }),
  makeInitialState: () => ({ last: 0, shown: [] }),
  makeVolatile: () => undefined,
  makeMissingActorReply: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
};
