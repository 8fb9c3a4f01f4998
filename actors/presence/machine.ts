/** States of an organization's presence: there is only one. */
import { createMachine } from 'xstate';

export const presenceMachine = createMachine({ id: 'presence', initial: 'open', states: { open: {} } });
