/** Sections of features of which there is nothing yet, in any organization: there are no operations that make any. */
import type { JsonObject } from '../../../src/core/index.js';

const LIST_OF_OPTIONS = { id: 3, name: 'List of options' };

const FIELD_TYPES = {
  SHORT_TEXT: { id: 1, name: 'Short text' },
  LONG_TEXT: { id: 2, name: 'Long text' },
  DATE: { id: 4, name: 'Date picker' },
  URL: { id: 5, name: 'Link' },
  EXTERNAL_ACCOUNT: { id: 7, name: 'External account' },
  PRONOUNS: { id: 8, name: 'Pronouns' },
  SELECT: LIST_OF_OPTIONS,
  CHOICE: LIST_OF_OPTIONS,
  USER: { id: 6, name: 'Person picker' },
};

export const profileFieldsSection = (): JsonObject => ({
  custom_profile_fields: [],
  custom_profile_field_types: FIELD_TYPES,
});

export const EMPTY_SECTIONS: Readonly<Record<string, JsonObject>> = {
  realm_domains: { realm_domains: [] },
  realm_filters: { realm_filters: [] },
  realm_embedded_bots: { realm_embedded_bots: [] },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: [] },
  realm_bot: { realm_bots: [] },
  default_stream_groups: { realm_default_stream_groups: [] },
  video_calls: { has_zoom_token: false },
  giphy: { giphy_api_key: '' },
};
