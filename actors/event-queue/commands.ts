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

type EventQueueCommandHandler<C extends ActorCommandName<'queue'>, I = undefined> = CommandDefinition<
  EventQueueActorState,
  ArgsOfCommand<C>,
  I,
  EventQueueMemoryState,
  ActorServices
>;

/** Time after a takeover for which a queue waits for its client, ms: the crash of a host must not cost a queue. */
const CLIENT_RETURN_GRACE_AFTER_TAKEOVER_MS = 60_000;

export const registerEventQueueHandler: EventQueueCommandHandler<
  typeof eventQueueActorCommands.register,
  RegistrationSnapshot
> = {
  creates: true,
  mintsKey: true,
  inputs: takeRegistrationSnapshot,
  handle({ state, volatile }, args, snapshot, { caller, now }) {
    volatile.recordClientActivity(now);
    const last = lastEventIdOfLogPosition(snapshot.startLogPosition);
    const next: EventQueueActorState = {
      phase: state.phase,
      user: caller,
      options: args.options,
      start: snapshot.startLogPosition,
      listed: snapshot.subscribersLogPosition,
      acked: -1,
      position: snapshot.startLogPosition,
      lifespanMs: args.lifespanMs,
      covers: snapshot.commitVersionByActor,
      shows: snapshot.countedMessages,
      incarnation: snapshot.logIncarnation,
      active: now,
    };
    return {
      reply: { ok: [encodeResponseFields({ queue_id: args.queue_id, last_event_id: last }), ...snapshot.encodedParts] },
      state: next,
      due: now + args.lifespanMs,
    };
  },
};

/** POST /register without an account: replies with the public state, and makes no queue. */
export const readVisitorSnapshotHandler: EventQueueCommandHandler<
  typeof eventQueueActorCommands.visit,
  RegistrationSnapshot
> = {
  creates: true,
  read: true,
  inputs: takeRegistrationSnapshot,
  handle: (_view, _args, { encodedParts }) => ({
    reply: { ok: [encodeResponseFields({ queue_id: null }), ...encodedParts] },
  }),
};

/** Writes a checkpoint. The queue's own timer sends this command. */
export const writeEventQueueCheckpointHandler: EventQueueCommandHandler<typeof eventQueueActorCommands.flush> = {
  handle({ state, volatile }, _args, _inputs, { now }) {
    const { ackedEventId, nextCheckpointLogPosition, hasWaitingPoll } = volatile;
    const active = Math.min(volatile.clientLastActiveAt, now);
    return {
      reply: makeValueReply(null),
      state: { ...state, acked: ackedEventId, active, position: nextCheckpointLogPosition, held: hasWaitingPoll },
      due: active + (hasWaitingPoll ? MAX_EVENT_QUEUE_ACTIVITY_LAG_MS : 0) + state.lifespanMs,
    };
  },
};

/** Ends the queue. Polls are refused from now on, though the stored root exists until the end is written. */
function enterEndPhaseAndMakeOutcome(
  volatile: EventQueueMemoryState,
  reason: EventQueueEndReason,
  reply: CommandOutcome<EventQueueActorState>['reply'],
): CommandOutcome<EventQueueActorState> {
  volatile.enterEndPhase(reason);
  return { reply, end: true };
}

/** DELETE /events: deletes the queue. */
export const deleteEventQueueHandler: EventQueueCommandHandler<typeof eventQueueActorCommands.remove> = {
  handle: ({ volatile }) => enterEndPhaseAndMakeOutcome(volatile, 'deleted', makeSuccessReply()),
};

/** Ends the queue: its session can't go on (the log was trimmed, say), or the account has too many queues. */
export const endEventQueueHandler: EventQueueCommandHandler<typeof eventQueueActorCommands.end> = {
  handle: ({ volatile }, { reason }) => enterEndPhaseAndMakeOutcome(volatile, reason, makeValueReply(null)),
};

/**
 * Ends an idle queue at its due time. If its client gave a sign of life after the due time was set, the due time moves
 * on instead. A sign of life, or a takeover, from a clock that was ahead counts as one of now, or as an old one.
 */
export const endOrRescheduleIdleQueueHandler: EventQueueCommandHandler<typeof eventQueueActorCommands.due> = {
  handle({ state, volatile }, _args, _inputs, { now }) {
    if (volatile.clientLastActiveAt > now) volatile.recordClientActivity(now);
    const active = volatile.hasWaitingPoll ? now : volatile.clientLastActiveAt;
    const takenOver = volatile.since > now ? 0 : volatile.since;
    const wake = Math.max(active + state.lifespanMs, takenOver + CLIENT_RETURN_GRACE_AFTER_TAKEOVER_MS);
    return wake <= now
      ? enterEndPhaseAndMakeOutcome(volatile, 'idle', makeValueReply(null))
      : { reply: makeValueReply(null), due: wake };
  },
};
