/** Commands of an event queue that change what is stored: register, flush, delete, end, due. */

import { successReply, valueReply } from '#actors/shared';
import { encodeFields } from '#base';
import { lastIdOfPosition } from '#model';
import type { ArgsOf, Command, QueueEndReason, queueCommands } from '#model/commands';
import type { CommandDefinition, Outcome } from '#runtime';
import type { ActorServices } from '../services.js';
import { type RegistrationSnapshot, takeRegistrationSnapshot } from './snapshot/take.js';
import { MAX_ACTIVE_LAG_MS, type QueueState } from './state.js';
import type { QueueVolatile } from './volatile.js';

type QueueCommand<C extends Command<'queue'>, I = undefined> = CommandDefinition<
  QueueState,
  ArgsOf<C>,
  I,
  QueueVolatile,
  ActorServices
>;

/** Time after a takeover for which a queue waits for its client, ms: the crash of a host must not cost a queue. */
const GRACE_MS = 60_000;

export const registerQueueHandler: QueueCommand<typeof queueCommands.register, RegistrationSnapshot> = {
  creates: true,
  mintsKey: true,
  inputs: takeRegistrationSnapshot,
  handle({ state, volatile }, args, snapshot, { caller, now }) {
    volatile.touch(now);
    const last = lastIdOfPosition(snapshot.start);
    const next: QueueState = {
      ...state,
      user: caller,
      options: args.options,
      start: snapshot.start,
      listed: snapshot.subscribersAsOf,
      acked: -1,
      position: snapshot.start,
      lifespanMs: args.lifespanMs,
      covers: snapshot.versions,
      shows: snapshot.countedMessages,
      incarnation: snapshot.incarnation,
      active: now,
    };
    return {
      reply: { ok: [encodeFields({ queue_id: args.queue_id, last_event_id: last }), ...snapshot.parts] },
      state: next,
      due: now + args.lifespanMs,
    };
  },
};

/** POST /register without an account: replies with the public state, and makes no queue. */
export const answerVisitorHandler: QueueCommand<typeof queueCommands.visit, RegistrationSnapshot> = {
  creates: true,
  read: true,
  inputs: takeRegistrationSnapshot,
  handle: (_view, _args, { parts }) => ({ reply: { ok: [encodeFields({ queue_id: null }), ...parts] } }),
};

/** Writes a checkpoint. The queue's own timer sends this command. */
export const writeCheckpointHandler: QueueCommand<typeof queueCommands.flush> = {
  handle: ({ state, volatile: { acked, active, position, isPolling } }) => ({
    reply: valueReply(null),
    state: { ...state, acked, active, position, held: isPolling },
    due: active + (isPolling ? MAX_ACTIVE_LAG_MS : 0) + state.lifespanMs,
  }),
};

/** Ends the queue. Polls are refused from now on, though the stored root exists until the end is written. */
function endWith(
  volatile: QueueVolatile,
  reason: QueueEndReason,
  reply: Outcome<QueueState>['reply'],
): Outcome<QueueState> {
  volatile.end(reason);
  return { reply, end: true };
}

/** DELETE /events: deletes the queue. */
export const deleteQueueHandler: QueueCommand<typeof queueCommands.remove> = {
  handle: ({ volatile }) => endWith(volatile, 'deleted', successReply()),
};

/** Ends the queue: its session can't go on (the log was trimmed, say), or the account has too many queues. */
export const endQueueHandler: QueueCommand<typeof queueCommands.end> = {
  handle: ({ volatile }, { reason }) => endWith(volatile, reason, valueReply(null)),
};

/**
 * Ends an idle queue at its due time. If its client gave a sign of life after the due time was set, the due time moves
 * on instead.
 */
export const endIdleQueueHandler: QueueCommand<typeof queueCommands.due> = {
  handle({ state, volatile }, _args, _inputs, { now }) {
    const active = volatile.isPolling ? now : volatile.active;
    const wake = Math.max(active + state.lifespanMs, volatile.since + GRACE_MS);
    return wake <= now ? endWith(volatile, 'idle', valueReply(null)) : { reply: valueReply(null), due: wake };
  },
};
