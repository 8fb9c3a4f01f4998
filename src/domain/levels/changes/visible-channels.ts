import type { ApiChange } from '../change.js';

/** First level whose clients have a stream exactly while their user may see it. */
export const FIRST_LEVEL_WITH_VISIBLE_CHANNELS_ONLY = 205;

/**
 * The events are made by the actors (`sinceLevel`) and chosen by audience (`EventFeedSubscriber.keepsFormerStreams`),
 * because a translation makes one event of one event.
 */
export const VISIBLE_CHANNELS_ONLY: ApiChange = {
  since: FIRST_LEVEL_WITH_VISIBLE_CHANNELS_ONLY,
  summary:
    'A stream comes by `stream` `create` whenever the user gains sight of it, also a guest by a subscription, and goes ' +
    'by `stream` `delete` when a user who left it loses sight of it; `unsubscribed` has visible streams only.',
};
