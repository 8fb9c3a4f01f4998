/** Phases of an organization: an event is the name of a command; a command without a transition is refused. */
import { setup } from 'xstate';
import { type ActorPhaseEvent, STAY_IN_PHASE_TRANSITION } from '#runtime';

export const realmStateMachine = setup({
  types: { events: {} as ActorPhaseEvent },
  actions: { take: () => {} },
  guards: { bySystem: ({ event }) => event.bySystem },
}).createMachine({
  id: 'realm',
  initial: 'active',
  states: {
    active: { on: { deactivate: 'deactivated', '*': STAY_IN_PHASE_TRANSITION } },
    /** Commands of users are refused. Commands of the system still run: other actors need message ids, for example. */
    deactivated: { on: { reactivate: 'active', '*': { ...STAY_IN_PHASE_TRANSITION, guard: 'bySystem' } } },
  },
});
