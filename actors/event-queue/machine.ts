/**
 * Life of an event queue (events.md § Queue lifecycle). The model of the actor kinds: every timer and every way to end
 * is here; what the transitions cause is done by the live side, which takes the machine's steps (no XState actor of its own:
 * there are tens of thousands of queues). A queue that is idle for a while leaves memory and comes back as idle; its
 * collection is therefore the due time of its root.
 */
import { setup } from 'xstate';
import { MachineSteps } from '#runtime';

export interface QueueTimes {
  /** A waiting poll gets a heartbeat after this long. Milliseconds. */
  readonly heartbeatMs: number;
  /** Without client activity for this long, the queue is collected. Milliseconds. */
  readonly lifespanMs: number;
}

export type QueueEvent =
  /** A poll waits; without another event it gets a heartbeat. */
  | { readonly type: 'POLL' }
  /** A poll waits, and its frontend has heartbeats of its own to give. */
  | { readonly type: 'KEEP' }
  /** The waiting poll was answered. */
  | { readonly type: 'ANSWER' }
  /** The waiting poll's client is gone. */
  | { readonly type: 'RELEASE' }
  /** A sign of life without a wait: a poll that was answered at once. */
  | { readonly type: 'TOUCH' }
  | { readonly type: 'DELETE' };

export const queueMachine = setup({
  types: {
    context: {} as QueueTimes,
    input: {} as QueueTimes,
    events: {} as QueueEvent,
  },
  delays: {
    heartbeat: ({ context }) => context.heartbeatMs,
    collection: ({ context }) => context.lifespanMs,
  },
  actions: {
    heartbeat: () => {},
    collect: () => {},
  },
}).createMachine({
  id: 'event-queue',
  context: ({ input }) => input,
  initial: 'idle',
  states: {
    idle: {
      after: { collection: 'expired' },
      on: { POLL: 'polling', KEEP: 'kept', TOUCH: { target: 'idle', reenter: true }, DELETE: 'deleted' },
    },
    polling: {
      after: { heartbeat: { target: 'idle', actions: 'heartbeat' } },
      on: {
        POLL: { target: 'polling', reenter: true },
        KEEP: 'kept',
        ANSWER: 'idle',
        RELEASE: 'idle',
        DELETE: 'deleted',
      },
    },
    kept: {
      on: { POLL: 'polling', KEEP: 'kept', ANSWER: 'idle', RELEASE: 'idle', DELETE: 'deleted' },
    },
    expired: { type: 'final', entry: 'collect' },
    deleted: { type: 'final' },
  },
});

/** Times are each queue's own: its live side and its root know them. */
export const queueSteps = new MachineSteps(queueMachine, { heartbeatMs: 0, lifespanMs: 0 });
