/** The presence actor of an organization: who was here when. Its reports wait for nobody, and nobody waits for them. */

import { presenceCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, handlersOf } from '#runtime';
import { flush, presenceChanges, presences, report, switched } from './commands.js';
import { LivePresence } from './live.js';
import { presenceMachine } from './machine.js';
import { Presences } from './presences.js';
import { type PresenceState, SEEN_PART } from './state.js';

export const presenceKind: ActorKind<PresenceState, Presences> = {
  name: 'presence',
  machine: presenceMachine,
  directory: true,
  loads: [SEEN_PART],
  commands: handlersOf(presenceCommands, { report, presences, presenceChanges, switched, flush }),
  initial: () => ({ phase: 'open', made: false }),
  volatile: (_key, _state, parts) => new Presences(parts),
  missing: () => ({ error: apiError('SERVICE_UNAVAILABLE').toReply() }),
  refuse: () => ({ error: apiError('SERVICE_UNAVAILABLE').toReply() }),
  live: (handle, suppliers) => new LivePresence(handle, suppliers),
};
