import type { ApiChange } from '../change.js';
import { inEveryChannelObject } from '../channel-objects.js';

export const STATE_OF_CHANNELS: ApiChange = {
  since: 315,
  summary: 'Streams and subscriptions have `is_archived`: false, since archived streams are left out.',
  ...inEveryChannelObject((channel) => ({ ...channel, is_archived: false })),
};
