import type { Json, JsonObject } from '#base';
import type { ApiChange } from '../change.js';
import { toStreamIds } from '../channel-objects.js';
import { mapObjects } from '../json.js';

const withStreamIdsInGroups = (groups: Json | undefined): JsonObject[] =>
  mapObjects(groups, (group) => ({ ...group, streams: toStreamIds(group.streams) }));

export const IDS_OF_DEFAULT_STREAMS: ApiChange = {
  since: 330,
  summary: 'Default streams, and the streams of default stream groups, are lists of ids in the state and in events.',
  state: { realm_default_streams: toStreamIds, realm_default_stream_groups: withStreamIdsInGroups },
  events: {
    default_streams: (event) => ({ ...event, default_streams: toStreamIds(event.default_streams) }),
    default_stream_groups: (event) => ({
      ...event,
      default_stream_groups: withStreamIdsInGroups(event.default_stream_groups),
    }),
  },
};
