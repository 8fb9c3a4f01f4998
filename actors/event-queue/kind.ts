/** The event-queue actor. Lives on its user's partition; its key names realm, user and queue. */

import { parseKey } from '#model';
import { liveQueueCommands, queueCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, handlersOf } from '#runtime';
import { due, end, flush, register, remove, visit } from './commands.js';
import { LiveQueue } from './live.js';
import { queueMachine } from './machine.js';
import { activeUntil, type QueueState, type QueueVolatile } from './state.js';

/** Clients nearly always have a poll waiting: one that has none for this long is away. */
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
  volatile: (_key, state, _parts, since) => ({
    acked: state.acked,
    position: state.position,
    active: activeUntil(state, since),
    since,
    polling: false,
    ended: false,
  }),
  missing: (key) => {
    const { rest } = parseKey(key);
    return { error: apiError('BAD_EVENT_QUEUE_ID', { queue_id: rest.slice(rest.indexOf('/') + 1) }).toReply() };
  },
  refuse: (_phase, _name) => ({ error: apiError('SERVICE_UNAVAILABLE').toReply() }),
  live: (handle, suppliers) => new LiveQueue(handle, suppliers),
};
