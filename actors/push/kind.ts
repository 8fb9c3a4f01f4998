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
import { accountOfPushActorKey, type PushSendingRound, type SentPushResult, sendDuePushes } from './rounds.js';
import {
  findNextPushTime,
  listWaitingPushes,
  type PushActorState,
  updateShownNotifications,
  WAITING_PUSH_PARTS,
  type WaitingPush,
} from './state.js';

type PushCommand<C extends ActorCommandName<'push'>, I = undefined> = CommandDefinition<
  PushActorState,
  ArgsOfCommand<C>,
  I,
  undefined,
  ActorServices
>;

/** Maximum number of pushes that wait; the oldest makes room for a further one. */
const MAX_WAITING = 200;
/** Pause before the second attempt, ms; it doubles with each further attempt. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 3_600_000;
/** Age at which a push that could not be sent is dropped, ms: a day later it is news no more. */
const GIVE_UP_MS = 24 * 3_600_000;

function queue(
  { state, parts }: { readonly state: PushActorState; readonly parts: ReadonlyMap<string, Json> },
  { event, messages, trigger }: Pick<WaitingPush, 'event' | 'messages' | 'trigger'>,
  now: number,
): CommandOutcome<PushActorState> {
  const number = state.last + 1;
  const push: WaitingPush = { number, event, messages, trigger, left: null, since: now, tries: 0, next: now };
  const surplus = listWaitingPushes(parts).slice(0, Math.max(0, parts.size - MAX_WAITING + 1));
  return {
    reply: makeValueReply(null),
    state: { ...state, last: number },
    parts: Object.assign(
      WAITING_PUSH_PARTS.write(number, push),
      ...surplus.map((old): Record<string, Json> => WAITING_PUSH_PARTS.write(old.number, null)),
    ),
    // A push with an earlier time would be due now, too.
    due: now,
  };
}

const notify: PushCommand<typeof pushActorCommands.notify> = {
  creates: true,
  handle: (view, { message, trigger }, _inputs, { now }) =>
    queue(view, { event: 'message', messages: [message], trigger }, now),
};

const remove: PushCommand<typeof pushActorCommands.remove> = {
  creates: true,
  handle: (view, { messages }, _inputs, { now }) => queue(view, { event: 'remove', messages, trigger: '' }, now),
};

/**
 * Sends the pushes that are due. The lane is separate, because push services take their time, and exclusive, because a
 * round must not find the pushes of the round before. After a crash between sending and commit a push is sent again,
 * under the same id and tag.
 */
const due: PushCommand<typeof pushActorCommands.due, PushSendingRound> = {
  lane: 'sending',
  exclusive: true,
  inputs: (_args, { key, realm, view }, sources) => sendDuePushes(key, realm, view, sources),
  handle({ state, parts }, _args, round, context) {
    const written: Record<string, Json> = {};
    const times = new ReceiverTimes(parts, round);
    let after = state;
    for (const result of round.results) {
      const { push, delivered } = result;
      const next = again(result, times, context.now);
      // The push may have made room for a later one meanwhile.
      if (WAITING_PUSH_PARTS.get(parts, push.number))
        Object.assign(written, WAITING_PUSH_PARTS.write(push.number, next));
      if (push.event === 'remove') {
        if (next === null) after = updateShownNotifications(after, [], push.messages);
      } else if (delivered) after = updateShownNotifications(after, push.messages, []);
    }
    const left = listWaitingPushes(parts).flatMap((push) => {
      const name = WAITING_PUSH_PARTS.nameOf(push.number);
      const next = name in written ? (written[name] as WaitingPush | null) : push;
      return next === null ? [] : [next];
    });
    return {
      reply: makeValueReply(null),
      state: after,
      parts: written,
      commands: [endings(round, context)],
      due: findNextPushTime(left),
    };
  },
};

/** When receivers that did not take a push are tried again. */
class ReceiverTimes {
  readonly #next = new Map<string, number>();

  constructor(parts: ActorParts, { results }: PushSendingRound) {
    const tried = new Set(results.map(({ push }) => push.number));
    for (const { number, left, next } of listWaitingPushes(parts)) if (!tried.has(number)) this.note(left ?? [], next);
  }

  note(receivers: readonly string[], next: number): void {
    for (const name of receivers) this.#next.set(name, Math.max(next, this.#next.get(name) ?? 0));
  }

  of(receivers: readonly string[]): number {
    return Math.max(...receivers.map((name) => this.#next.get(name) ?? 0));
  }
}

/** The push as it waits for its next attempt; null: it was sent, or is given up. */
function again({ push, left, failed, afterMs }: SentPushResult, times: ReceiverTimes, now: number): WaitingPush | null {
  if (left.length === 0 || now - push.since >= GIVE_UP_MS) return null;
  const pause = Math.max(afterMs, Math.min(FIRST_PAUSE_MS * 2 ** push.tries, MAX_PAUSE_MS));
  const next = failed ? now + pause : times.of(left);
  times.note(left, next);
  return { ...push, left, tries: push.tries + (failed ? 1 : 0), next };
}

/** Tells the keepers of subscriptions and tokens which of them have ended. */
function endings(
  { endedEndpoints, goneTokens }: PushSendingRound,
  { key, realm }: Pick<CommandContext, 'key' | 'realm'>,
): OutboxCommand[] {
  const user = accountOfPushActorKey(key);
  const ended = endedEndpoints.map((endpointHash) =>
    makeOutboxCommand({
      to: realmActorKey(realm),
      name: realmActorCommands.dropSessionPush,
      args: { user, endpointHash },
      caller: 0,
    }),
  );
  if (goneTokens.length === 0) return ended;
  const args = { tokens: [...new Set(goneTokens)] };
  return [
    ...ended,
    makeOutboxCommand({ to: userActorKey(realm, user), name: userActorCommands.dropPushTokens, args, caller: 0 }),
  ];
}

export const pushNotificationActorKind: ActorKindDefinition<PushActorState, undefined, ActorServices> = {
  name: 'push',
  summary: 'The push notifications of an account, until its browsers and the push gateway have taken them.',
  directory: false,
  loadedParts: [WAITING_PUSH_PARTS.prefix],
  partsAreDeliveries: true,
  commands: mapHandlersByName(pushActorCommands, { notify, remove, due }),
  initial: () => ({ last: 0, shown: [] }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
};
