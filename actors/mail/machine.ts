/** An organization's outgoing mail is always open. */
import { createMachine } from 'xstate';

export const mailMachine = createMachine({ id: 'mail', initial: 'active', states: { active: {} } });
