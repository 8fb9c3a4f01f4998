/** Event queues (events.md, register.md). */
import { bad, type CatalogueEntry } from './entry.js';

export const queues = {
  BAD_EVENT_QUEUE_ID: {
    code: 'BAD_EVENT_QUEUE_ID',
    status: 400,
    msg: 'Bad event queue ID: {queue_id}',
    data: ['queue_id'],
  },
  EVENT_PRUNED: bad('An event newer than {last_event_id} has already been pruned!'),
  EVENT_NOT_IN_QUEUE: bad('Event {last_event_id} was not in this queue'),
  OPERATOR_NOT_SUPPORTED: bad('Operator {operator} not supported.'),
  ANONYMOUS_CLIENT_GRAVATAR: bad("Invalid 'client_gravatar' parameter for anonymous request"),
  ANONYMOUS_INCLUDE_SUBSCRIBERS: bad("Invalid 'include_subscribers' parameter for anonymous request"),
} as const satisfies Record<string, CatalogueEntry>;
