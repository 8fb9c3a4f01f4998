import type { ApiChange } from '../change.js';

/** The event is made by the user's actor (`sinceLevel`), because a translation makes one event of one event. */
export const CHANNELS_OF_GUESTS: ApiChange = {
  since: 205,
  summary: 'A guest who is subscribed to a public stream gets `stream` `create` before `subscription` `add`.',
};
