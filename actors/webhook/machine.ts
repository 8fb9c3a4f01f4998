/** The calls of an outgoing webhook are always open. */
import { createMachine } from 'xstate';

export const webhookMachine = createMachine({ id: 'webhook', initial: 'active', states: { active: {} } });
