/** Sections of features of which there is nothing yet, in any organization: there are no operations that make any. */
import type { JsonObject } from '../../../src/core/index.js';
import type { SnapshotInputs } from './take.js';

/** Who was here lately is not kept yet; the time lets clients tell how old the list is. */
export const presenceSection = ({ now }: SnapshotInputs): JsonObject => ({
  presences: {},
  server_timestamp: now / 1000,
});

export const EMPTY_SECTIONS: Readonly<Record<string, JsonObject>> = {
  hotspots: { hotspots: [] },
  realm_filters: { realm_filters: [] },
  realm_embedded_bots: { realm_embedded_bots: [] },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: [] },
  default_stream_groups: { realm_default_stream_groups: [] },
  user_status: { user_status: {} },
  video_calls: { has_zoom_token: false },
  giphy: { giphy_api_key: '' },
};
