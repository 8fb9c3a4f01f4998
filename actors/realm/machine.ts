/** Phases of an organization. Events are the names of commands. */
import { setup } from 'xstate';
import { type PhaseEvent, TAKE } from '#runtime';

export const realmMachine = setup({
  types: { events: {} as PhaseEvent },
  actions: { take: () => {} },
  guards: { bySystem: ({ event }) => event.bySystem },
}).createMachine({
  id: 'realm',
  initial: 'active',
  states: {
    active: { on: { deactivate: 'deactivated', '*': TAKE } },
    /** Users may call nothing. Other actors finish what is under way: message ids are still handed out. */
    deactivated: { on: { reactivate: 'active', '*': { ...TAKE, guard: 'bySystem' } } },
  },
});
