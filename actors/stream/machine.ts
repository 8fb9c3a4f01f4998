/** States of a conversation: a stream, or the direct messages of a set of users (which is never archived). */
import { createMachine } from 'xstate';

export const streamMachine = createMachine({
  id: 'stream',
  initial: 'active',
  states: {
    active: { on: { archive: 'archived' } },
    /** Nobody is subscribed and nobody may send; what was said stays. */
    archived: { on: { unarchive: 'active' } },
  },
});
