import type { ApiChange } from '../change.js';
import { toStreamIds } from '../channel-objects.js';

/** First level whose clients have exactly the streams that their user may see. */
export const FIRST_LEVEL_WITH_VISIBLE_CHANNELS_ONLY = 205;

/**
 * This change has no translation, because a translation returns one event for each event. Actors commit the further
 * events with `sinceLevel`, and the audience leaves these clients out of events of former streams
 * (`EventFeedSubscriber.keepsFormerStreams`).
 */
export const VISIBLE_CHANNELS_ONLY: ApiChange = {
  since: FIRST_LEVEL_WITH_VISIBLE_CHANNELS_ONLY,
  summary:
    'Clients have exactly the streams that the user may see: `stream/create` when a stream becomes visible, also to a ' +
    'guest by a subscription; `stream/delete` when it stops being visible. `unsubscribed` has visible streams only.',
};

export const IDS_OF_DELETED_CHANNELS: ApiChange = {
  since: 343,
  summary: '`stream/delete` has `stream_ids`, beside `streams`.',
  events: {
    stream: (event) => (event.op === 'delete' ? { ...event, stream_ids: toStreamIds(event.streams) } : event),
  },
};
