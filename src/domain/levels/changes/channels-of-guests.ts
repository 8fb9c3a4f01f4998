import type { ApiChange } from '../change.js';

/** First level whose clients get `stream/create` before a guest's subscription to a public stream. */
export const FIRST_LEVEL_CREATING_CHANNELS_OF_GUESTS = 205;

/**
 * This change has no translation, because a translation returns one event for each event. The user's actor commits the
 * further event with `sinceLevel`.
 */
export const CHANNELS_OF_GUESTS: ApiChange = {
  since: FIRST_LEVEL_CREATING_CHANNELS_OF_GUESTS,
  summary:
    'A guest who is subscribed to a public stream gets `stream/create` before `subscription/add`, as every user does ' +
    'for a private stream.',
};
