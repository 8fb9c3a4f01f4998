/** What may be written into an organization's settings, beyond the types (realm.md § Settings). */
import type { RealmSettings } from '#model/records';

type Value = RealmSettings[string];

/** Only an owner may change these. */
export const OWNER_SETTINGS: ReadonlySet<string> = new Set([
  'emails_restricted_to_domains',
  'disallow_disposable_email_addresses',
  'invite_required',
  'invite_to_realm_policy',
  'waiting_period_threshold',
  'message_retention_days',
  'authentication_methods',
  'string_id',
]);

/** Told in an `update_dict` event; all others in an `update` event. */
export const DICT_SETTINGS: ReadonlySet<string> = new Set([
  'allow_message_editing',
  'edit_topic_policy',
  'message_content_edit_limit_seconds',
]);

/** Seconds, or null = unlimited. */
export const TIME_LIMITS = [
  'message_content_delete_limit_seconds',
  'message_content_edit_limit_seconds',
  'move_messages_within_stream_limit_seconds',
  'move_messages_between_streams_limit_seconds',
] as const;

export const STREAM_SETTINGS = ['notifications_stream_id', 'signup_notifications_stream_id'] as const;

/** Ways to log in that this server has. */
export const LOGIN_METHODS: Readonly<Record<string, boolean>> = { Email: true };

/** 0 none, 1 Jitsi; others need credentials that no configuration gives yet. */
export const VIDEO_PROVIDERS: readonly number[] = [0, 1];
export const GIPHY_RATINGS: readonly number[] = [0, 1, 2, 3, 4, 5];

const TEXTS = new Set(['name', 'description', 'default_language']);

/** How the response shows a changed setting. */
export const echoed = (name: string, value: Value): Value => (TEXTS.has(name) ? 'updated' : value);
