/** Commands of an event queue that change what is stored: register, flush, delete, end, due. */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import { encodeResponseFields } from '#base';
import { lastEventIdOfLogPosition } from '#model';
import type { ActorCommandName, ArgsOfCommand, EventQueueEndReason, eventQueueActorCommands } from '#model/commands';
import type { CommandDefinition, CommandOutcome } from '#runtime';
import type { ActorServices } from '../services.js';
import { type RegistrationSnapshot, takeRegistrationSnapshot } from './snapshot/take.js';
import { type EventQueueActorState, MAX_EVENT_QUEUE_ACTIVITY_LAG_MS } from './state.js';
import type { EventQueueMemoryState } from './volatile.js';

type QueueCommand<C extends ActorCommandName<'queue'>, I = undefined> = CommandDefinition<
  EventQueueActorState,
  ArgsOfCommand<C>,
  I,
  EventQueueMemoryState,
  ActorServices
>;

/** Time after a takeover for which a queue waits for its client, ms: the crash of a host must not cost a queue. */
const GRACE_MS = 60_000;

export const registerEventQueueHandler: QueueCommand<typeof eventQueueActorCommands.register, RegistrationSnapshot> = {
  creates: true,
  mintsKey: true,
  inputs: takeRegistrationSnapshot,
  handle({ state, volatile }, args, snapshot, { caller, now }) {
    volatile.touch(now);
    const last = lastEventIdOfLogPosition(snapshot.start);
    const next: EventQueueActorState = {
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
      reply: { ok: [encodeResponseFields({ queue_id: args.queue_id, last_event_id: last }), ...snapshot.parts] },
      state: next,
      due: now + args.lifespanMs,
    };
  },
};

/** POST /register without an account: replies with the public state, and makes no queue. */
export const readVisitorSnapshotHandler: QueueCommand<typeof eventQueueActorCommands.visit, RegistrationSnapshot> = {
  creates: true,
  read: true,
  inputs: takeRegistrationSnapshot,
  handle: (_view, _args, { parts }) => ({ reply: { ok: [encodeResponseFields({ queue_id: null }), ...parts] } }),
};

/** Writes a checkpoint. The queue's own timer sends this command. */
export const writeEventQueueCheckpointHandler: QueueCommand<typeof eventQueueActorCommands.flush> = {
  handle: ({ state, volatile: { acked, active, position, isPolling } }) => ({
    reply: makeValueReply(null),
    state: { ...state, acked, active, position, held: isPolling },
    due: active + (isPolling ? MAX_EVENT_QUEUE_ACTIVITY_LAG_MS : 0) + state.lifespanMs,
  }),
};

/** Ends the queue. Polls are refused from now on, though the stored root exists until the end is written. */
function endWith(
  volatile: EventQueueMemoryState,
  reason: EventQueueEndReason,
  reply: CommandOutcome<EventQueueActorState>['reply'],
): CommandOutcome<EventQueueActorState> {
  volatile.end(reason);
  return { reply, end: true };
}

/** DELETE /events: deletes the queue. */
export const deleteEventQueueHandler: QueueCommand<typeof eventQueueActorCommands.remove> = {
  handle: ({ volatile }) => endWith(volatile, 'deleted', makeSuccessReply()),
};

/** Ends the queue: its session can't go on (the log was trimmed, say), or the account has too many queues. */
export const endEventQueueHandler: QueueCommand<typeof eventQueueActorCommands.end> = {
  handle: ({ volatile }, { reason }) => endWith(volatile, reason, makeValueReply(null)),
};

/**
 * Ends an idle queue at its due time. If its client gave a sign of life after the due time was set, the due time moves
 * on instead.
 */
export const endIdleEventQueueHandler: QueueCommand<typeof eventQueueActorCommands.due> = {
  handle({ state, volatile }, _args, _inputs, { now }) {
    const active = volatile.isPolling ? now : volatile.active;
    const wake = Math.max(active + state.lifespanMs, volatile.since + GRACE_MS);
    return wake <= now ? endWith(volatile, 'idle', makeValueReply(null)) : { reply: makeValueReply(null), due: wake };
  },
};
