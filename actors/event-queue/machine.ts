/**
 * Life of an event queue (events.md § Queue lifecycle): every state that a queue can be in, and every way to end.
 *
 * There are tens of thousands of queues, so none runs an XState actor of its own: `EventQueueMemoryState` keeps the
 * name of the state, and the session carries out the steps. The only timer is the heartbeat of a waiting poll. The
 * collection of an idle queue is no timer of this machine, because an idle queue soon leaves memory: it is the due time
 * of the stored root, at which the `due` command sends `END.idle`.
 */

import { setup } from 'xstate';
import type { EventQueueEndReason } from '#model/commands';
import { StateMachineStepTable } from '#runtime';

/** Reasons for which queues end. They are labels of a metric. */
export const EVENT_QUEUE_END_REASONS = [
  /** End reason: the client deleted the queue. */
  'deleted',
  /** End reason: the client gave no sign of life for the lifespan of the queue. */
  'idle',
  /** End reason: more events waited than a queue may hold. */
  'overflow',
  /** End reason: the log no longer has entries that the queue still needs. */
  'trimmed',
  /** End reason: the organization's log was recreated after the queue was registered. */
  'incarnation',
  /** End reason: the account of the queue was deactivated. */
  'deactivated',
  /** End reason: the account has too many queues, and this one has been idle for the longest time. */
  'crowded',
] as const;

export type EventQueueMachineEvent =
  /** Machine event: a command needs the session, which starts to follow the realm's feed. */
  | { readonly type: 'OPEN' }
  /** Machine event: a poll begins to wait. If no event comes, the queue answers it with a heartbeat. */
  | { readonly type: 'POLL' }
  /** Machine event: a poll that the frontend has parked begins to wait. The frontend sends the heartbeats. */
  | { readonly type: 'PARK' }
  /** Machine event: the waiting poll was answered. */
  | { readonly type: 'ANSWER' }
  /** Machine event: the client of the waiting poll went away. */
  | { readonly type: 'RELEASE' }
  /** Machine event: a poll was answered at once, which is a sign of life of the client. */
  | { readonly type: 'TOUCH' }
  /** Machine event: the session leaves memory. */
  | { readonly type: 'REST' }
  | { readonly type: `END.${EventQueueEndReason}` };

/** Transitions to the ends that a queue can meet in every state, also while a poll waits. */
const END_TRANSITIONS_OF_EVERY_PHASE = {
  'END.deleted': 'deleted',
  'END.overflow': 'overflowed',
  'END.trimmed': 'trimmed',
  'END.incarnation': 'orphaned',
  'END.deactivated': 'deactivated',
  'END.crowded': 'displaced',
} as const;

export const eventQueueStateMachine = setup({
  types: {
    context: {} as {
      /** Time after which a waiting poll is answered with a heartbeat, ms. */
      readonly heartbeatMs: number;
    },
    input: {} as { readonly heartbeatMs: number },
    events: {} as EventQueueMachineEvent,
    tags: {} as EventQueueEndReason,
  },
  delays: {
    heartbeat: ({ context }) => context.heartbeatMs,
  },
  actions: {
    heartbeat: () => {},
  },
}).createMachine({
  id: 'event-queue',
  context: ({ input }) => input,
  initial: 'resting',
  states: {
    /**
     * State without a session: only the stored root exists, or a command that needs no session has brought it into
     * memory.
     */
    resting: { on: { OPEN: 'idle', 'END.idle': 'expired', ...END_TRANSITIONS_OF_EVERY_PHASE } },
    /** State with a session that follows the feed, while no poll waits. */
    idle: {
      on: {
        POLL: 'polling',
        PARK: 'parked',
        TOUCH: 'idle',
        REST: 'resting',
        'END.idle': 'expired',
        ...END_TRANSITIONS_OF_EVERY_PHASE,
      },
    },
    polling: {
      after: { heartbeat: { target: 'idle', actions: 'heartbeat' } },
      // POLL: the frontend sends the waiting poll once more, and the wait starts again.
      on: {
        POLL: { target: 'polling', reenter: true },
        ANSWER: 'idle',
        RELEASE: 'idle',
        REST: 'resting',
        ...END_TRANSITIONS_OF_EVERY_PHASE,
      },
    },
    parked: {
      on: { PARK: 'parked', ANSWER: 'idle', RELEASE: 'idle', REST: 'resting', ...END_TRANSITIONS_OF_EVERY_PHASE },
    },
    deleted: { type: 'final', tags: 'deleted' },
    expired: { type: 'final', tags: 'idle' },
    overflowed: { type: 'final', tags: 'overflow' },
    trimmed: { type: 'final', tags: 'trimmed' },
    orphaned: { type: 'final', tags: 'incarnation' },
    deactivated: { type: 'final', tags: 'deactivated' },
    displaced: { type: 'final', tags: 'crowded' },
  },
});

/**
 * Steps of the event queue's state machine. The delay given to the steps is a placeholder: the session starts the
 * heartbeat's timer with the configured delay.
 */
export const eventQueueMachineSteps = new StateMachineStepTable(eventQueueStateMachine, { heartbeatMs: 0 });

const endReasonByPhase = new Map(
  Object.values(eventQueueStateMachine.states).flatMap(({ key, tags }) =>
    tags.map((tag) => [key, tag as EventQueueEndReason] as const),
  ),
);

/** Finds the reason for which a queue in this state has ended. @returns undefined: the queue has not ended */
export const eventQueueEndReasonOfPhase = (phase: string): EventQueueEndReason | undefined =>
  endReasonByPhase.get(phase);
