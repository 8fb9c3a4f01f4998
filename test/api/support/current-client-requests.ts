/** Headers and parameters of the official mobile client of today. */
import type { Params } from './client.js';

export const CURRENT_CLIENT_LEVEL = 371;
export const CURRENT_CLIENT_HEADERS = { 'user-agent': 'ZulipFlutter/30.0.274+274 (Android 14)' };

/** Parameters of its POST /register. */
export const CURRENT_CLIENT_REGISTRATION: Params = {
  apply_markdown: true,
  client_gravatar: false,
  slim_presence: true,
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_avatar_url_field_optional: true,
    stream_typing_notifications: true,
    user_settings_object: true,
    include_deactivated_groups: true,
    empty_topic_name: true,
    individual_emoji_changes: true,
  },
  idle_queue_timeout: '"mobile"',
};

/** True for a caller whose headers ask for a newer level than the base level. */
export const isCurrentClient = (headers: Readonly<Record<string, string>>): boolean =>
  headers['user-agent']?.startsWith('ZulipFlutter/') === true ||
  Number(headers['x-conclave-api-level'] ?? 0) >= CURRENT_CLIENT_LEVEL;
