/** States of an organization. */
import { createMachine } from 'xstate';

export const realmMachine = createMachine({
  id: 'realm',
  initial: 'active',
  states: {
    active: { on: { deactivate: 'deactivated' } },
    /** Nobody may call anything; message ids are still given out, for what is already under way. */
    deactivated: { on: { reactivate: 'active' } },
  },
});
