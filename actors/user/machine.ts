/** Phases of an account; the events are names of commands. */
import { setup } from 'xstate';
import { type PhaseEvent, STAY_IN_PHASE } from '#runtime';

export const userMachine = setup({
  types: { events: {} as PhaseEvent },
  actions: { take: () => {} },
}).createMachine({
  id: 'user',
  initial: 'active',
  states: {
    active: { on: { deactivated: 'deactivated', '*': STAY_IN_PHASE } },
    /**
     * State of a deactivated account: frontends refuse the user's own calls. Other actors still read the account and
     * store their decisions.
     */
    deactivated: { on: { reactivated: 'active', '*': STAY_IN_PHASE } },
  },
});
