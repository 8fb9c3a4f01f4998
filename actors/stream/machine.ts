/**
 * Phases of a conversation: a stream, or the direct messages of a set of users (which are never archived). Events are
 * the names of commands.
 */
import { setup } from 'xstate';
import { type PhaseEvent, TAKE } from '../../src/runtime/index.js';

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
