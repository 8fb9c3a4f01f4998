/** The presence actor of an organization holds the times at which users were active. Reports need no other actor. */

import { presenceActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKindDefinition, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import {
  applyPresenceSettingHandler,
  flushPresencesHandler,
  readPresenceChangesForActorsHandler,
  readPresenceChangesForApiHandler,
  reportPresenceHandler,
} from './commands.js';
import { PresenceMemory } from './presences.js';
import { PresenceActorSidecar } from './sidecar.js';
import { PRESENCE_PART_PREFIX, type PresenceActorState } from './state.js';

export const presenceActorKind: ActorKindDefinition<PresenceActorState, PresenceMemory, ActorServices> = {
  name: 'presence',
  summary: 'Who of an organization is online, and since when.',
  usesDirectory: true,
  loadedParts: [PRESENCE_PART_PREFIX],
  commands: mapHandlersByName(presenceActorCommands, {
    report: reportPresenceHandler,
    presences: readPresenceChangesForApiHandler,
    presenceChanges: readPresenceChangesForActorsHandler,
    switched: applyPresenceSettingHandler,
    flush: flushPresencesHandler,
  }),
  makeInitialState: () => ({ made: false }),
  makeVolatile: (_key, _state, parts) => new PresenceMemory(parts),
  makeMissingActorReply: () => ({ error: apiError('SERVICE_UNAVAILABLE').toReply() }),
  sidecar: (handle, sources) => new PresenceActorSidecar(handle, sources),
};
