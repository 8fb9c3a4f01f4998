/** Settings of a new organization (realm.md § Settings), without the prefix that register gives them. */
import type { RealmSettings, UserDefaults } from '#model/records';

export const DEFAULT_REALM_SETTINGS: RealmSettings = {
  name: '',
  description: '',
  emails_restricted_to_domains: false,
  disallow_disposable_email_addresses: true,
  invite_required: true,
  invite_to_realm_policy: 1,
  waiting_period_threshold: 0,
  message_retention_days: -1,
  name_changes_disabled: false,
  email_changes_disabled: false,
  avatar_changes_disabled: false,
  inline_image_preview: true,
  inline_url_embed_preview: false,
  add_custom_emoji_policy: 1,
  create_public_stream_policy: 1,
  create_private_stream_policy: 1,
  create_web_public_stream_policy: 7,
  invite_to_stream_policy: 1,
  user_group_edit_policy: 1,
  delete_own_message_policy: 2,
  edit_topic_policy: 5,
  move_messages_between_streams_policy: 2,
  message_content_delete_limit_seconds: 600,
  message_content_edit_limit_seconds: 600,
  move_messages_within_stream_limit_seconds: 604_800,
  move_messages_between_streams_limit_seconds: 604_800,
  allow_message_editing: true,
  allow_edit_history: true,
  mandatory_topics: false,
  default_language: 'en',
  default_code_block_language: null,
  notifications_stream_id: -1,
  signup_notifications_stream_id: -1,
  send_welcome_emails: true,
  digest_emails_enabled: false,
  digest_weekday: 1,
  message_content_allowed_in_email_notifications: true,
  bot_creation_policy: 1,
  private_message_policy: 1,
  wildcard_mention_policy: 5,
  video_chat_provider: 1,
  giphy_rating: 2,
  enable_spectator_access: false,
  want_advertise_in_communities_directory: false,
  // A new organization that needs invitations starts with read receipts (realm.md).
  enable_read_receipts: true,
  org_type: 0,
};

/** What kinds of organization there are: words for the command line, numbers for the API. */
export const ORG_TYPES: Readonly<Record<string, number>> = {
  unspecified: 0,
  business: 10,
  opensource: 20,
  'school-nonprofit': 30,
  school: 35,
  research: 40,
  event: 50,
  nonprofit: 60,
  government: 70,
  'political-group': 80,
  community: 90,
  personal: 100,
  other: 1000,
};

/** Schools and universities: what pupils may do is decided by those who teach (realm.md § Settings). */
const EDUCATION_TYPES: readonly number[] = [30, 35];
const EDUCATION_SETTINGS: RealmSettings = {
  invite_to_realm_policy: 2,
  create_public_stream_policy: 2,
  user_group_edit_policy: 4,
  invite_to_stream_policy: 4,
  move_messages_between_streams_policy: 4,
};

/** Settings that accounts of a new organization start with, where they differ from those of the program. */
export const initialUserDefaults = (orgType: number): UserDefaults =>
  EDUCATION_TYPES.includes(orgType) ? { email_address_visibility: 3 } : {};

/** @param orgType realm.md § Settings */
export const initialSettings = (orgType: number): RealmSettings => ({
  ...DEFAULT_REALM_SETTINGS,
  ...(EDUCATION_TYPES.includes(orgType) ? EDUCATION_SETTINGS : {}),
  org_type: orgType,
});
