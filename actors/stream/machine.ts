/** Phases of a stream; the events are names of commands. Direct messages have no phases: they are never archived. */
import { setup } from 'xstate';
import { type PhaseEvent, TAKE } from '#runtime';

export const streamMachine = setup({
  types: { events: {} as PhaseEvent },
  actions: { take: () => {} },
}).createMachine({
  id: 'stream',
  initial: 'active',
  states: {
    active: { on: { archive: 'archived', '*': TAKE } },
    /** State of an archived stream: no subscribers and no sending; the messages stay. */
    archived: { on: { send: {}, '*': TAKE } },
  },
});
