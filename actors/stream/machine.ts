/** Phases of a stream. Events are the names of commands. Direct messages have none: they are never archived. */
import { setup } from 'xstate';
import type { PhaseEvent } from '#runtime';
import { TAKE } from '#runtime';

export const streamMachine = setup({
  types: { events: {} as PhaseEvent },
  actions: { take: () => {} },
}).createMachine({
  id: 'stream',
  initial: 'active',
  states: {
    active: { on: { archive: 'archived', '*': TAKE } },
    /** Nobody is subscribed and nobody may send; the messages stay. */
    archived: { on: { send: {}, '*': TAKE } },
  },
});
