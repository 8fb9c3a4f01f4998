import type { ApiChange } from '../change.js';
import { toStreamIds } from '../channel-objects.js';

export const IDS_OF_DELETED_CHANNELS: ApiChange = {
  since: 343,
  summary: '`stream/delete` has `stream_ids`, beside `streams`.',
  events: {
    stream: (event) => (event.op === 'delete' ? { ...event, stream_ids: toStreamIds(event.streams) } : event),
  },
};
