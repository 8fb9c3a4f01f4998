/** The presence actor of an organization holds the times at which users were active. Reports need no other actor. */

import { presenceCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import { flush, presenceChanges, presences, report, switched } from './commands.js';
import { Presences } from './presences.js';
import { PresenceSidecar } from './sidecar.js';
import { type PresenceState, SEEN_PART } from './state.js';

export const presenceKind: ActorKind<PresenceState, Presences, ActorServices> = {
  name: 'presence',
  summary: 'Who of an organization is online, and since when.',
  directory: true,
  loadedParts: [SEEN_PART],
  commands: mapHandlersByName(presenceCommands, { report, presences, presenceChanges, switched, flush }),
  initial: () => ({ made: false }),
  volatile: (_key, _state, parts) => new Presences(parts),
  missing: () => ({ error: apiError('SERVICE_UNAVAILABLE').toReply() }),
  sidecar: (handle, sources) => new PresenceSidecar(handle, sources),
};
