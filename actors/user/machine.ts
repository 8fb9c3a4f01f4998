/** Phases of an account. Events are the names of commands. */
import { setup } from 'xstate';
import type { PhaseEvent } from '#runtime';
import { TAKE } from '#runtime';

export const userMachine = setup({
  types: { events: {} as PhaseEvent },
  actions: { take: () => {} },
}).createMachine({
  id: 'user',
  initial: 'active',
  states: {
    active: { on: { deactivated: 'deactivated', '*': TAKE } },
    /** Frontends refuse the user's own calls; other actors still read the account and write down what they decided. */
    deactivated: { on: { reactivated: 'active', '*': TAKE } },
  },
});
