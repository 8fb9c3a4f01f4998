/** Phases of an account; the events are names of commands. */
import { setup } from 'xstate';
import { type ActorPhaseEvent, STAY_IN_PHASE_TRANSITION } from '#runtime';

export const userStateMachine = setup({
  types: { events: {} as ActorPhaseEvent },
  actions: { take: () => {} },
}).createMachine({
  id: 'user',
  initial: 'active',
  states: {
    active: { on: { deactivated: 'deactivated', '*': STAY_IN_PHASE_TRANSITION } },
    /**
     * State of a deactivated account: frontends refuse the user's own calls. Other actors still read the account and
     * store their decisions.
     */
    deactivated: { on: { reactivated: 'active', '*': STAY_IN_PHASE_TRANSITION } },
  },
});
