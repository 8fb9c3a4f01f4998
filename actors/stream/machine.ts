/** Phases of a stream; the events are names of commands. Direct messages have no phases: they are never archived. */
import { setup } from 'xstate';
import { type PhaseEvent, STAY_IN_PHASE } from '#runtime';

export const streamMachine = setup({
  types: { events: {} as PhaseEvent },
  actions: { take: () => {} },
}).createMachine({
  id: 'stream',
  initial: 'active',
  states: {
    active: { on: { archive: 'archived', '*': STAY_IN_PHASE } },
    /** State of an archived stream: no subscribers and no sending; the messages stay. */
    archived: { on: { send: {}, '*': STAY_IN_PHASE } },
  },
});
