/** States of an account. */
import { createMachine } from 'xstate';

export const userMachine = createMachine({
  id: 'user',
  initial: 'active',
  states: {
    active: { on: { deactivate: 'deactivated' } },
    deactivated: { on: { reactivate: 'active' } },
  },
});
