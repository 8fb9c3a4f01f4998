/** The event-queue actor. It lives on its user's partition; its key names realm, user and queue. */

import type { ActorKey } from '#model';
import { type EventQueueEndReason, eventQueueActorCommands, eventQueueSidecarCommands } from '#model/commands';
import { type ActorKindDefinition, MAX_ACTOR_SLEEP_MS, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import {
  deleteEventQueueHandler,
  endEventQueueHandler,
  endOrRescheduleIdleQueueHandler,
  readVisitorSnapshotHandler,
  registerEventQueueHandler,
  writeEventQueueCheckpointHandler,
} from './commands.js';
import { EVENT_QUEUE_END_REASONS } from './machine.js';
import { EventQueueActorSidecar, makeMissingEventQueueReply } from './sidecar.js';
import type { EventQueueActorState } from './state.js';
import { EventQueueMemoryState } from './volatile.js';

/**
 * Time without a waiting poll after which a queue leaves memory, ms: clients that are present nearly always have one
 * waiting. The end of an idle queue is another time, the lifespan: the command `due` in `commands.ts`.
 */
const NO_POLL_PASSIVATION_DELAY_MS = 30_000;

/** Key of the account whose queue this is: `queue/<realm>/<user>` of `queue/<realm>/<user>/<id>`. */
export const accountPrefixOfEventQueueKey = (key: ActorKey): string => key.slice(0, key.lastIndexOf('/'));

export const eventQueueActorKind: ActorKindDefinition<EventQueueActorState, EventQueueMemoryState, ActorServices> = {
  name: 'queue',
  summary: 'An event queue: the events that one client has not acknowledged yet.',
  usesDirectory: true,
  loadedParts: [],
  maxDueDelayMs: MAX_ACTOR_SLEEP_MS,
  commands: mapHandlersByName(eventQueueActorCommands, {
    register: registerEventQueueHandler,
    visit: readVisitorSnapshotHandler,
    flush: writeEventQueueCheckpointHandler,
    remove: deleteEventQueueHandler,
    end: endEventQueueHandler,
    due: endOrRescheduleIdleQueueHandler,
  }),
  sidecarCommands: Object.values(eventQueueSidecarCommands),
  idleTimeoutMs: NO_POLL_PASSIVATION_DELAY_MS,
  quota: {
    limit: ({ maxQueues }) => maxQueues,
    ownerOf: accountPrefixOfEventQueueKey,
    busyPhase: 'polling',
    endCommand: { command: eventQueueActorCommands.end, args: { reason: 'crowded' satisfies EventQueueEndReason } },
  },
  sidecarMetrics: {
    phases: { gauge: 'conclave_queues', names: ['idle', 'polling'], passivated: 'hibernated' },
    ends: { counter: 'conclave_queue_ends_total', reasons: EVENT_QUEUE_END_REASONS },
  },
  makeInitialState: () => ({
    phase: 'registered',
    user: 0,
    options: {
      applyMarkdown: false,
      clientGravatar: false,
      slimPresence: false,
      includeSubscribers: false,
      allPublicStreams: false,
      pronouns: true,
      eventTypes: null,
      narrow: [],
      capabilities: {
        notification_settings_null: false,
        bulk_message_deletion: false,
        user_avatar_url_field_optional: false,
        stream_typing_notifications: false,
        user_settings_object: false,
        linkifier_url_template: false,
      },
    },
    start: 0,
    acked: -1,
    position: 0,
    lifespanMs: 0,
    covers: {},
    shows: null,
    incarnation: '',
    active: 0,
  }),
  makeVolatile: (_key, state, _parts, since) => new EventQueueMemoryState(state, since),
  makeMissingActorReply: makeMissingEventQueueReply,
  sidecar: (handle, sources) => new EventQueueActorSidecar(handle, sources),
};
