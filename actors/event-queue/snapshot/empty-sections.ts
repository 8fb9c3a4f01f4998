/** Sections of features of which there is nothing yet, in any organization: there are no operations that make any. */
import type { JsonObject } from '#base';

export const EMPTY_SECTIONS: Readonly<Record<string, JsonObject>> = {
  realm_filters: { realm_filters: [] },
  realm_embedded_bots: { realm_embedded_bots: [] },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: [] },
  video_calls: { has_zoom_token: false },
  giphy: { giphy_api_key: '' },
};
