/**
 * Life of an event queue (events.md § Queue lifecycle). The model of the actor kinds: every timer and every way to end
 * is here; what the transitions cause is done by the live side, through the actions that it provides.
 */
import { type Actor, createActor, setup } from 'xstate';
import type { Clock } from '../../src/clock/index.js';

export interface QueueTimes {
  /** Without client activity for this long, the queue is collected. Milliseconds. */
  readonly lifespanMs: number;
}

export type QueueEvent =
  /** A poll waits; without another event it gets a heartbeat after `heartbeatMs`. */
  | { readonly type: 'POLL'; readonly heartbeatMs: number }
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
    heartbeat: ({ event }) => (event.type === 'POLL' ? event.heartbeatMs : 0),
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
      on: { POLL: 'polling', TOUCH: { target: 'idle', reenter: true }, DELETE: 'deleted' },
    },
    polling: {
      after: { heartbeat: { target: 'idle', actions: 'heartbeat' } },
      on: { POLL: { target: 'polling', reenter: true }, ANSWER: 'idle', RELEASE: 'idle', DELETE: 'deleted' },
    },
    expired: { type: 'final', entry: 'collect' },
    deleted: { type: 'final' },
  },
});

export type RunningMachine = Actor<typeof queueMachine>;

export function startMachine(
  clock: Clock,
  lifespanMs: number,
  actions: { readonly heartbeat: () => void; readonly collect: () => void },
): RunningMachine {
  const machine = createActor(queueMachine.provide({ actions }), {
    input: { lifespanMs },
    clock: { setTimeout: (fn, ms) => clock.setTimeout(fn, ms), clearTimeout: (id) => clock.clearTimeout(id) },
  });
  machine.start();
  return machine;
}
