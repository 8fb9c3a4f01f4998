/** Phases of an organization: an event is the name of a command; a command without a transition is refused. */
import { setup } from 'xstate';
import { type PhaseEvent, STAY_IN_PHASE } from '#runtime';

export const realmMachine = setup({
  types: { events: {} as PhaseEvent },
  actions: { take: () => {} },
  guards: { bySystem: ({ event }) => event.bySystem },
}).createMachine({
  id: 'realm',
  initial: 'active',
  states: {
    active: { on: { deactivate: 'deactivated', '*': STAY_IN_PHASE } },
    /** Commands of users are refused. Commands of the system still run: other actors need message ids, for example. */
    deactivated: { on: { reactivate: 'active', '*': { ...STAY_IN_PHASE, guard: 'bySystem' } } },
  },
});
