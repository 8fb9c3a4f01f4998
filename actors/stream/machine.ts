/** Phases of a stream; the events are names of commands. Direct messages have no phases: they are never archived. */
import { setup } from 'xstate';
import { type ActorPhaseEvent, STAY_IN_PHASE_TRANSITION } from '#runtime';

export const streamStateMachine = setup({
  types: { events: {} as ActorPhaseEvent },
  actions: { take: () => {} },
}).createMachine({
  id: 'stream',
  initial: 'active',
  states: {
    active: { on: { archive: 'archived', '*': STAY_IN_PHASE_TRANSITION } },
    /** State of an archived stream: no subscribers and no sending; the messages stay. */
    archived: { on: { send: {}, '*': STAY_IN_PHASE_TRANSITION } },
  },
});
