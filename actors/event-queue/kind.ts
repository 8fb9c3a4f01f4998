/** The event-queue actor. It lives on its user's partition; its key names realm, user and queue. */
import { liveQueueCommands, queueCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { ActorKind } from '#runtime';
import { handlersOf } from '#runtime';
import { due, end, flush, register, remove, visit } from './commands.js';
import { queueMachine } from './machine.js';
import { missingQueue, QueueSidecar } from './sidecar.js';
import type { QueueState } from './state.js';
import { QueueVolatile } from './volatile.js';

/**
 * A queue without a waiting poll for this long leaves memory: clients that are there nearly always have one waiting.
 */
const REST_MS = 30_000;

export const queueKind: ActorKind<QueueState, QueueVolatile> = {
  name: 'queue',
  machine: queueMachine,
  directory: true,
  loads: [],
  commands: handlersOf(queueCommands, { register, visit, flush, remove, end, due }),
  liveCommands: Object.values(liveQueueCommands),
  restMs: REST_MS,
  initial: () => ({
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
  volatile: (_key, state, _parts, since) => new QueueVolatile(state, since),
  missing: missingQueue,
  refuse: (_phase, _name) => ({ error: apiError('SERVICE_UNAVAILABLE').toReply() }),
  live: (handle, suppliers) => new QueueSidecar(handle, suppliers),
};
