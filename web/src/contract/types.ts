/**
 * Requests, answers and events of the HTTP API as types. Made by `npm run docs` from the declared operations and
 * test/fixtures/api/wire.json; not edited by hand.
 */

export type EmojiReaction = {
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: string;
  readonly user_id: number;
  readonly user: {
    readonly id: number;
    readonly email: string;
    readonly full_name: string;
    readonly is_mirror_dummy: boolean;
  };
};

export type RealmDomain = {
  readonly domain: string;
  readonly allow_subdomains: boolean;
};

export type BasicStream = {
  readonly stream_id: number;
  readonly name: string;
  readonly description: string;
  readonly date_created: number;
  readonly invite_only: boolean;
  readonly rendered_description: string;
  readonly is_web_public: boolean;
  readonly stream_post_policy: number;
  readonly message_retention_days: number | null;
  readonly history_public_to_subscribers: boolean;
  readonly first_message_id: number | null;
  readonly is_announcement_only: boolean;
  readonly can_remove_subscribers_group_id: number;
};

export type IgnoredParametersSuccess = {
  readonly result: 'success';
  readonly msg: string;
  readonly ignored_parameters_unsupported?: readonly string[];
};

export type BasicBot = {
  readonly user_id: number;
  readonly full_name: string;
  readonly api_key: string;
  readonly default_sending_stream: string | null;
  readonly default_events_register_stream: string | null;
  readonly default_all_public_streams: boolean;
  readonly avatar_url: string;
  readonly owner_id: number | null;
  readonly services: readonly ({
    readonly base_url: string;
    readonly token: string;
    readonly interface: number;
  } | {
    readonly service_name: string;
    readonly config_data: Config;
  })[];
};

export type Subscriptions = {
  readonly stream_id: number;
  readonly name: string;
  readonly description: string;
  readonly rendered_description: string;
  readonly date_created: number;
  readonly invite_only: boolean;
  readonly subscribers?: readonly number[];
  readonly desktop_notifications: boolean | null;
  readonly email_notifications: boolean | null;
  readonly wildcard_mentions_notify: boolean | null;
  readonly push_notifications: boolean | null;
  readonly audible_notifications: boolean | null;
  readonly pin_to_top: boolean;
  readonly email_address: string;
  readonly is_muted: boolean;
  readonly in_home_view: boolean;
  readonly is_announcement_only: boolean;
  readonly is_web_public: boolean;
  readonly color: string;
  readonly stream_post_policy: number;
  readonly message_retention_days: number | null;
  readonly history_public_to_subscribers: boolean;
  readonly first_message_id: number | null;
  readonly stream_weekly_traffic: number | null;
  readonly can_remove_subscribers_group_id: number;
};

export type DefaultStreamGroup = {
  readonly name: string;
  readonly description: string;
  readonly id: number;
  readonly streams: readonly BasicStream[];
};

export type Hotspot = {
  readonly delay: number;
  readonly name: string;
  readonly title: string;
  readonly description: string;
};

export type MessagesEvent = {
  readonly avatar_url: string | null;
  readonly client: string;
  readonly content: string;
  readonly content_type: string;
  readonly display_recipient: string | readonly {
    readonly id: number;
    readonly email: string;
    readonly full_name: string;
    readonly is_mirror_dummy: boolean;
  }[];
  readonly edit_history?: readonly ({
    readonly prev_content?: string;
    readonly prev_rendered_content?: string;
    readonly prev_rendered_content_version?: number;
    readonly prev_stream?: number;
    readonly prev_topic?: string;
    readonly stream?: number;
    readonly timestamp: number;
    readonly topic?: string;
    readonly user_id: number | null;
  })[];
  readonly id: number;
  readonly is_me_message: boolean;
  readonly last_edit_timestamp?: number;
  readonly reactions: readonly EmojiReaction[];
  readonly recipient_id: number;
  readonly sender_email: string;
  readonly sender_full_name: string;
  readonly sender_id: number;
  readonly sender_realm_str: string;
  readonly stream_id?: number;
  readonly subject: string;
  readonly submessages: readonly (string | Readonly<Record<string, unknown>>)[];
  readonly timestamp: number;
  readonly topic_links: readonly {
    readonly text: string;
    readonly url: string;
  }[];
  readonly type: string;
};

export type RealmExport = {
  readonly id: number;
  readonly acting_user_id: number;
  readonly export_time: number;
  readonly deleted_timestamp: number | null;
  readonly failed_timestamp: number | null;
  readonly export_url: string | null;
  readonly pending: boolean;
};

export type Attachments = {
  readonly id: number;
  readonly name: string;
  readonly path_id: string;
  readonly size: number;
  readonly create_time: number;
  readonly messages: readonly {
    readonly date_sent: number;
    readonly id: number;
  }[];
};

export type CustomProfileField = {
  readonly id: number;
  readonly type: number;
  readonly order: number;
  readonly name: string;
  readonly hint: string;
  readonly field_data: string;
  readonly display_in_profile_summary?: boolean;
};

export type RealmEmoji = {
  readonly id: string;
  readonly name: string;
  readonly source_url: string;
  readonly still_url: string | null;
  readonly deactivated: boolean;
  readonly author_id: number | null;
};

export type User = {
  readonly user_id: number;
  readonly delivery_email: string | null;
  readonly email: string;
  readonly full_name: string;
  readonly date_joined: string;
  readonly is_active: boolean;
  readonly is_owner: boolean;
  readonly is_admin: boolean;
  readonly is_guest: boolean;
  readonly is_billing_admin?: boolean;
  readonly is_bot: boolean;
  readonly bot_type?: number | null;
  readonly bot_owner_id?: number | null;
  readonly role: 100 | 200 | 300 | 400 | 600;
  readonly timezone?: string;
  readonly avatar_url?: string | null;
  readonly avatar_version: number;
  readonly profile_data?: ProfileData;
};

export type Presence = {
  readonly client: string;
  readonly status: 'idle' | 'active';
  readonly timestamp: number;
  readonly pushable?: boolean;
};

export type RealmPlayground = {
  readonly id: number;
  readonly name: string;
  readonly highlighter_language: string;
  readonly url_prefix: string;
  readonly pygments_language?: string;
};

export type Config = Readonly<Record<string, string>>;

export type Bot = {
  readonly user_id: number;
  readonly full_name: string;
  readonly api_key: string;
  readonly default_sending_stream: string | null;
  readonly default_events_register_stream: string | null;
  readonly default_all_public_streams: boolean;
  readonly avatar_url: string;
  readonly owner_id: number | null;
  readonly services: readonly ({
    readonly base_url: string;
    readonly token: string;
    readonly interface: number;
  } | {
    readonly service_name: string;
    readonly config_data: Config;
  })[];
  readonly email: string;
  readonly bot_type: number | null;
  readonly is_active: boolean;
};

export type UserGroup = {
  readonly name: string;
  readonly description: string;
  readonly members: readonly number[];
  readonly direct_subgroup_ids: readonly number[];
  readonly id: number;
  readonly is_system_group: boolean;
};

export type PartiallyCompleted = {
  readonly result: 'partially_completed';
  readonly code: string;
  readonly msg: string;
};

export type ProfileData = Readonly<Record<string, {
  readonly value: string;
  readonly rendered_value?: string;
}>>;

export type Draft = {
  readonly id?: number;
  readonly type: '' | 'stream' | 'private';
  readonly to: readonly number[];
  readonly topic: string;
  readonly content: string;
  readonly timestamp?: number;
};

export type ScheduledMessage = {
  readonly scheduled_message_id: number;
  readonly type: 'stream' | 'private';
  readonly to: number | readonly number[];
  readonly topic?: string;
  readonly content: string;
  readonly rendered_content: string;
  readonly scheduled_delivery_timestamp: number;
  readonly failed: boolean;
};

/** Answer of an operation whose fields no schema describes. */
export type Answer = { readonly result: string; readonly msg: string } & Readonly<Record<string, unknown>>;

/** Parameters by operation, those of the path included. */
export interface Requests {
  'GET /drafts': Record<never, never>;
  'POST /drafts': {
    readonly drafts: readonly ({
      readonly type: '' | 'private' | 'stream';
      readonly to: readonly number[];
      readonly topic: string;
      readonly content: string;
      readonly timestamp?: number;
    })[];
  };
  'DELETE /drafts/{draft_id}': {
    readonly draft_id: number;
  };
  'PATCH /drafts/{draft_id}': {
    readonly draft_id: number;
    readonly draft: {
      readonly type: '' | 'private' | 'stream';
      readonly to: readonly number[];
      readonly topic: string;
      readonly content: string;
      readonly timestamp?: number;
    };
  };
  'DELETE /events': {
    readonly queue_id: string;
  };
  'GET /events': {
    readonly queue_id?: string | undefined;
    readonly last_event_id?: number | undefined;
    readonly dont_block?: boolean | undefined;
    readonly user_client?: string | undefined;
    readonly apply_markdown?: boolean | undefined;
    readonly client_gravatar?: boolean | undefined;
    readonly include_subscribers?: boolean | undefined;
    readonly slim_presence?: boolean | undefined;
    readonly event_types?: readonly string[] | undefined;
    readonly all_public_streams?: boolean | undefined;
    readonly client_capabilities?: {
      readonly notification_settings_null?: boolean;
      readonly bulk_message_deletion?: boolean;
      readonly user_avatar_url_field_optional?: boolean;
      readonly stream_typing_notifications?: boolean;
      readonly user_settings_object?: boolean;
      readonly linkifier_url_template?: boolean;
    } | undefined;
    readonly fetch_event_types?: readonly string[] | undefined;
    readonly narrow?: readonly (readonly string[])[] | undefined;
    readonly queue_lifespan_secs?: number | undefined;
    readonly lifespan_secs?: number | undefined;
    readonly bulk_message_deletion?: boolean | undefined;
    readonly stream_typing_notifications?: boolean | undefined;
    readonly user_settings_object?: boolean | undefined;
    readonly linkifier_url_template?: boolean | undefined;
    readonly pronouns_field_type_supported?: boolean | undefined;
  };
  'POST /fetch_api_key': {
    readonly username: string;
    readonly password: string;
  };
  'GET /get_stream_id': {
    readonly stream: string;
  };
  'POST /mark_all_as_read': Record<never, never>;
  'POST /mark_stream_as_read': {
    readonly stream_id: number;
  };
  'POST /mark_topic_as_read': {
    readonly stream_id: number;
    readonly topic_name: string;
  };
  'GET /messages': {
    readonly anchor?: string | number | undefined;
    readonly include_anchor?: boolean | undefined;
    readonly num_before: number;
    readonly num_after: number;
    readonly narrow?: readonly ({
      readonly operator: string;
      readonly operand: string | number | readonly number[];
      readonly negated?: boolean;
    } | readonly string[])[] | undefined;
    readonly client_gravatar?: boolean | undefined;
    readonly apply_markdown?: boolean | undefined;
    readonly use_first_unread_anchor?: boolean | undefined;
  };
  'POST /messages': {
    readonly type: 'direct' | 'private' | 'stream';
    readonly to?: string | number | readonly string[] | readonly number[] | undefined;
    readonly content: string;
    readonly topic?: string | undefined;
    readonly queue_id?: string | undefined;
    readonly local_id?: string | undefined;
    readonly sender?: string | undefined;
    readonly forged?: string | undefined;
    readonly widget_content?: string | undefined;
    readonly time?: number | undefined;
  };
  'POST /messages/flags': {
    readonly messages: readonly number[];
    readonly op: string;
    readonly flag: string;
  };
  'POST /messages/flags/narrow': {
    readonly anchor: string | number;
    readonly include_anchor?: boolean | undefined;
    readonly num_before: number;
    readonly num_after: number;
    readonly narrow: readonly ({
      readonly operator: string;
      readonly operand: string | number | readonly number[];
      readonly negated?: boolean;
    } | readonly string[])[];
    readonly op: string;
    readonly flag: string;
  };
  'POST /messages/render': {
    readonly content: string;
  };
  'GET /messages/{message_id}': {
    readonly message_id: number;
    readonly apply_markdown?: boolean | undefined;
  };
  'PATCH /messages/{message_id}': {
    readonly message_id: number;
    readonly content?: string | undefined;
    readonly topic?: string | undefined;
    readonly stream_id?: number | undefined;
    readonly propagate_mode?: 'change_later' | 'change_one' | 'change_all' | undefined;
    readonly send_notification_to_old_thread?: boolean | undefined;
    readonly send_notification_to_new_thread?: boolean | undefined;
  };
  'DELETE /messages/{message_id}': {
    readonly message_id: number;
  };
  'GET /messages/{message_id}/history': {
    readonly message_id: number;
  };
  'POST /register': {
    readonly apply_markdown?: boolean | undefined;
    readonly client_gravatar?: boolean | undefined;
    readonly include_subscribers?: boolean | undefined;
    readonly slim_presence?: boolean | undefined;
    readonly event_types?: readonly string[] | undefined;
    readonly all_public_streams?: boolean | undefined;
    readonly client_capabilities?: {
      readonly notification_settings_null?: boolean;
      readonly bulk_message_deletion?: boolean;
      readonly user_avatar_url_field_optional?: boolean;
      readonly stream_typing_notifications?: boolean;
      readonly user_settings_object?: boolean;
      readonly linkifier_url_template?: boolean;
    } | undefined;
    readonly fetch_event_types?: readonly string[] | undefined;
    readonly narrow?: readonly (readonly string[])[] | undefined;
    readonly queue_lifespan_secs?: number | undefined;
  };
  'GET /server_settings': Record<never, never>;
  'GET /streams': {
    readonly include_public?: boolean | undefined;
    readonly include_web_public?: boolean | undefined;
    readonly include_subscribed?: boolean | undefined;
    readonly include_all_active?: boolean | undefined;
    readonly include_default?: boolean | undefined;
    readonly include_owner_subscribed?: boolean | undefined;
  };
  'POST /streams/{stream_id}/delete_topic': {
    readonly stream_id: number;
    readonly topic_name: string;
  };
  'GET /users/me/{stream_id}/topics': {
    readonly stream_id: number;
  };
  'GET /users': {
    readonly client_gravatar?: boolean | undefined;
    readonly include_custom_profile_fields?: boolean | undefined;
  };
  'POST /users': {
    readonly email: string;
    readonly password: string;
    readonly full_name: string;
  };
  'GET /users/me': Record<never, never>;
  'GET /users/me/subscriptions': {
    readonly include_subscribers?: boolean | undefined;
  };
  'POST /users/me/subscriptions': {
    readonly subscriptions: readonly {
      readonly name: string;
      readonly color?: string;
      readonly description?: string;
    }[];
    readonly principals?: readonly string[] | readonly number[] | undefined;
    readonly authorization_errors_fatal?: boolean | undefined;
    readonly announce?: boolean | undefined;
    readonly invite_only?: boolean | undefined;
    readonly is_web_public?: boolean | undefined;
    readonly history_public_to_subscribers?: boolean | undefined;
    readonly stream_post_policy?: 1 | 2 | 3 | 4 | undefined;
    readonly message_retention_days?: string | number | undefined;
    readonly can_remove_subscribers_group_id?: number | undefined;
  };
  'PATCH /users/me/subscriptions/muted_topics': {
    readonly stream_id?: number | undefined;
    readonly stream?: string | undefined;
    readonly topic: string;
    readonly op: 'add' | 'remove';
  };
  'POST /user_topics': {
    readonly stream_id: number;
    readonly topic: string;
    readonly visibility_policy: 0 | 1 | 2 | 3;
  };
  'GET /users/{user_id}': {
    readonly user_id: number;
    readonly client_gravatar?: boolean | undefined;
    readonly include_custom_profile_fields?: boolean | undefined;
  };
  'GET /users/{email}': {
    readonly email: string;
    readonly client_gravatar?: boolean | undefined;
    readonly include_custom_profile_fields?: boolean | undefined;
  };
  'PATCH /settings': {
    readonly full_name?: string | undefined;
    readonly email?: string | undefined;
    readonly old_password?: string | undefined;
    readonly new_password?: string | undefined;
    readonly twenty_four_hour_time?: boolean | undefined;
    readonly dense_mode?: boolean | undefined;
    readonly web_mark_read_on_scroll_policy?: 1 | 2 | 3 | undefined;
    readonly starred_message_counts?: boolean | undefined;
    readonly fluid_layout_width?: boolean | undefined;
    readonly high_contrast_mode?: boolean | undefined;
    readonly color_scheme?: 1 | 2 | 3 | undefined;
    readonly translate_emoticons?: boolean | undefined;
    readonly display_emoji_reaction_users?: boolean | undefined;
    readonly default_language?: string | undefined;
    readonly default_view?: 'recent_topics' | 'all_messages' | undefined;
    readonly escape_navigates_to_default_view?: boolean | undefined;
    readonly left_side_userlist?: boolean | undefined;
    readonly emojiset?: 'google' | 'google-blob' | 'text' | 'twitter' | undefined;
    readonly demote_inactive_streams?: 1 | 2 | 3 | undefined;
    readonly email_notifications_batching_period_seconds?: number | undefined;
    readonly enable_drafts_synchronization?: boolean | undefined;
    readonly enable_stream_desktop_notifications?: boolean | undefined;
    readonly enable_stream_email_notifications?: boolean | undefined;
    readonly enable_stream_push_notifications?: boolean | undefined;
    readonly enable_stream_audible_notifications?: boolean | undefined;
    readonly wildcard_mentions_notify?: boolean | undefined;
    readonly notification_sound?: string | undefined;
    readonly enable_desktop_notifications?: boolean | undefined;
    readonly enable_sounds?: boolean | undefined;
    readonly enable_offline_email_notifications?: boolean | undefined;
    readonly enable_offline_push_notifications?: boolean | undefined;
    readonly enable_online_push_notifications?: boolean | undefined;
    readonly enable_digest_emails?: boolean | undefined;
    readonly enable_login_emails?: boolean | undefined;
    readonly enable_marketing_emails?: boolean | undefined;
    readonly message_content_in_email_notifications?: boolean | undefined;
    readonly pm_content_in_desktop_notifications?: boolean | undefined;
    readonly desktop_icon_count_display?: 1 | 2 | 3 | undefined;
    readonly realm_name_in_email_notifications_policy?: 1 | 2 | 3 | undefined;
    readonly presence_enabled?: boolean | undefined;
    readonly enter_sends?: boolean | undefined;
    readonly send_private_typing_notifications?: boolean | undefined;
    readonly send_stream_typing_notifications?: boolean | undefined;
    readonly send_read_receipts?: boolean | undefined;
    readonly user_list_style?: 1 | 2 | 3 | undefined;
    readonly email_address_visibility?: 1 | 2 | 3 | 4 | 5 | undefined;
    readonly timezone?: string | undefined;
  };
  'PATCH /settings/display': {
    readonly full_name?: string | undefined;
    readonly email?: string | undefined;
    readonly old_password?: string | undefined;
    readonly new_password?: string | undefined;
    readonly twenty_four_hour_time?: boolean | undefined;
    readonly dense_mode?: boolean | undefined;
    readonly web_mark_read_on_scroll_policy?: 1 | 2 | 3 | undefined;
    readonly starred_message_counts?: boolean | undefined;
    readonly fluid_layout_width?: boolean | undefined;
    readonly high_contrast_mode?: boolean | undefined;
    readonly color_scheme?: 1 | 2 | 3 | undefined;
    readonly translate_emoticons?: boolean | undefined;
    readonly display_emoji_reaction_users?: boolean | undefined;
    readonly default_language?: string | undefined;
    readonly default_view?: 'recent_topics' | 'all_messages' | undefined;
    readonly escape_navigates_to_default_view?: boolean | undefined;
    readonly left_side_userlist?: boolean | undefined;
    readonly emojiset?: 'google' | 'google-blob' | 'text' | 'twitter' | undefined;
    readonly demote_inactive_streams?: 1 | 2 | 3 | undefined;
    readonly email_notifications_batching_period_seconds?: number | undefined;
    readonly enable_drafts_synchronization?: boolean | undefined;
    readonly enable_stream_desktop_notifications?: boolean | undefined;
    readonly enable_stream_email_notifications?: boolean | undefined;
    readonly enable_stream_push_notifications?: boolean | undefined;
    readonly enable_stream_audible_notifications?: boolean | undefined;
    readonly wildcard_mentions_notify?: boolean | undefined;
    readonly notification_sound?: string | undefined;
    readonly enable_desktop_notifications?: boolean | undefined;
    readonly enable_sounds?: boolean | undefined;
    readonly enable_offline_email_notifications?: boolean | undefined;
    readonly enable_offline_push_notifications?: boolean | undefined;
    readonly enable_online_push_notifications?: boolean | undefined;
    readonly enable_digest_emails?: boolean | undefined;
    readonly enable_login_emails?: boolean | undefined;
    readonly enable_marketing_emails?: boolean | undefined;
    readonly message_content_in_email_notifications?: boolean | undefined;
    readonly pm_content_in_desktop_notifications?: boolean | undefined;
    readonly desktop_icon_count_display?: 1 | 2 | 3 | undefined;
    readonly realm_name_in_email_notifications_policy?: 1 | 2 | 3 | undefined;
    readonly presence_enabled?: boolean | undefined;
    readonly enter_sends?: boolean | undefined;
    readonly send_private_typing_notifications?: boolean | undefined;
    readonly send_stream_typing_notifications?: boolean | undefined;
    readonly send_read_receipts?: boolean | undefined;
    readonly user_list_style?: 1 | 2 | 3 | undefined;
    readonly email_address_visibility?: 1 | 2 | 3 | 4 | 5 | undefined;
    readonly timezone?: string | undefined;
  };
  'PATCH /settings/notifications': {
    readonly full_name?: string | undefined;
    readonly email?: string | undefined;
    readonly old_password?: string | undefined;
    readonly new_password?: string | undefined;
    readonly twenty_four_hour_time?: boolean | undefined;
    readonly dense_mode?: boolean | undefined;
    readonly web_mark_read_on_scroll_policy?: 1 | 2 | 3 | undefined;
    readonly starred_message_counts?: boolean | undefined;
    readonly fluid_layout_width?: boolean | undefined;
    readonly high_contrast_mode?: boolean | undefined;
    readonly color_scheme?: 1 | 2 | 3 | undefined;
    readonly translate_emoticons?: boolean | undefined;
    readonly display_emoji_reaction_users?: boolean | undefined;
    readonly default_language?: string | undefined;
    readonly default_view?: 'recent_topics' | 'all_messages' | undefined;
    readonly escape_navigates_to_default_view?: boolean | undefined;
    readonly left_side_userlist?: boolean | undefined;
    readonly emojiset?: 'google' | 'google-blob' | 'text' | 'twitter' | undefined;
    readonly demote_inactive_streams?: 1 | 2 | 3 | undefined;
    readonly email_notifications_batching_period_seconds?: number | undefined;
    readonly enable_drafts_synchronization?: boolean | undefined;
    readonly enable_stream_desktop_notifications?: boolean | undefined;
    readonly enable_stream_email_notifications?: boolean | undefined;
    readonly enable_stream_push_notifications?: boolean | undefined;
    readonly enable_stream_audible_notifications?: boolean | undefined;
    readonly wildcard_mentions_notify?: boolean | undefined;
    readonly notification_sound?: string | undefined;
    readonly enable_desktop_notifications?: boolean | undefined;
    readonly enable_sounds?: boolean | undefined;
    readonly enable_offline_email_notifications?: boolean | undefined;
    readonly enable_offline_push_notifications?: boolean | undefined;
    readonly enable_online_push_notifications?: boolean | undefined;
    readonly enable_digest_emails?: boolean | undefined;
    readonly enable_login_emails?: boolean | undefined;
    readonly enable_marketing_emails?: boolean | undefined;
    readonly message_content_in_email_notifications?: boolean | undefined;
    readonly pm_content_in_desktop_notifications?: boolean | undefined;
    readonly desktop_icon_count_display?: 1 | 2 | 3 | undefined;
    readonly realm_name_in_email_notifications_policy?: 1 | 2 | 3 | undefined;
    readonly presence_enabled?: boolean | undefined;
    readonly enter_sends?: boolean | undefined;
    readonly send_private_typing_notifications?: boolean | undefined;
    readonly send_stream_typing_notifications?: boolean | undefined;
    readonly send_read_receipts?: boolean | undefined;
    readonly user_list_style?: 1 | 2 | 3 | undefined;
    readonly email_address_visibility?: 1 | 2 | 3 | 4 | 5 | undefined;
    readonly timezone?: string | undefined;
  };
  'GET /users/me/alert_words': Record<never, never>;
  'POST /users/me/alert_words': {
    readonly alert_words: readonly string[];
  };
  'DELETE /users/me/alert_words': {
    readonly alert_words: readonly string[];
  };
  'POST /users/me/muted_users/{muted_user_id}': {
    readonly muted_user_id: number;
  };
  'DELETE /users/me/muted_users/{muted_user_id}': {
    readonly muted_user_id: number;
  };
  'PATCH /realm': {
    readonly name?: string | undefined;
    readonly description?: string | undefined;
    readonly emails_restricted_to_domains?: boolean | undefined;
    readonly disallow_disposable_email_addresses?: boolean | undefined;
    readonly invite_required?: boolean | undefined;
    readonly invite_to_realm_policy?: 1 | 2 | 3 | 4 | 6 | undefined;
    readonly name_changes_disabled?: boolean | undefined;
    readonly email_changes_disabled?: boolean | undefined;
    readonly avatar_changes_disabled?: boolean | undefined;
    readonly inline_image_preview?: boolean | undefined;
    readonly inline_url_embed_preview?: boolean | undefined;
    readonly add_custom_emoji_policy?: 1 | 2 | 3 | 4 | undefined;
    readonly delete_own_message_policy?: 1 | 2 | 3 | 4 | 5 | undefined;
    readonly message_content_delete_limit_seconds?: string | number | undefined;
    readonly allow_message_editing?: boolean | undefined;
    readonly edit_topic_policy?: 1 | 2 | 3 | 4 | 5 | 6 | undefined;
    readonly mandatory_topics?: boolean | undefined;
    readonly message_content_edit_limit_seconds?: string | number | undefined;
    readonly allow_edit_history?: boolean | undefined;
    readonly default_language?: string | undefined;
    readonly waiting_period_threshold?: number | undefined;
    readonly authentication_methods?: Readonly<Record<string, unknown>> | undefined;
    readonly notifications_stream_id?: number | undefined;
    readonly signup_notifications_stream_id?: number | undefined;
    readonly message_retention_days?: string | number | undefined;
    readonly send_welcome_emails?: boolean | undefined;
    readonly digest_emails_enabled?: boolean | undefined;
    readonly message_content_allowed_in_email_notifications?: boolean | undefined;
    readonly bot_creation_policy?: 1 | 2 | 3 | undefined;
    readonly create_public_stream_policy?: 1 | 2 | 3 | 4 | undefined;
    readonly create_private_stream_policy?: 1 | 2 | 3 | 4 | undefined;
    readonly create_web_public_stream_policy?: 2 | 4 | 6 | 7 | undefined;
    readonly invite_to_stream_policy?: 1 | 2 | 3 | 4 | undefined;
    readonly move_messages_between_streams_policy?: 1 | 2 | 3 | 4 | 6 | undefined;
    readonly user_group_edit_policy?: 1 | 2 | 3 | 4 | undefined;
    readonly private_message_policy?: 1 | 2 | undefined;
    readonly wildcard_mention_policy?: 1 | 2 | 3 | 5 | 6 | 7 | undefined;
    readonly video_chat_provider?: number | undefined;
    readonly giphy_rating?: number | undefined;
    readonly default_code_block_language?: string | undefined;
    readonly digest_weekday?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | undefined;
    readonly string_id?: string | undefined;
    readonly org_type?: 0 | 10 | 20 | 30 | 35 | 40 | 50 | 60 | 70 | 80 | 90 | 100 | 1000 | undefined;
    readonly enable_spectator_access?: boolean | undefined;
    readonly want_advertise_in_communities_directory?: boolean | undefined;
    readonly enable_read_receipts?: boolean | undefined;
    readonly move_messages_within_stream_limit_seconds?: string | number | undefined;
    readonly move_messages_between_streams_limit_seconds?: string | number | undefined;
  };
  'GET /realm/linkifiers': Record<never, never>;
  'POST /realm/filters': {
    readonly pattern: string;
    readonly url_template: string;
  };
  'PATCH /realm/filters/{filter_id}': {
    readonly filter_id: number;
    readonly pattern: string;
    readonly url_template: string;
  };
  'DELETE /realm/filters/{filter_id}': {
    readonly filter_id: number;
  };
  'POST /realm/playgrounds': {
    readonly url_prefix: string;
    readonly highlighter_language: string;
    readonly name: string;
  };
  'DELETE /realm/playgrounds/{playground_id}': {
    readonly playground_id: number;
  };
  'GET /user_groups': Record<never, never>;
  'POST /user_groups/create': {
    readonly name: string;
    readonly description: string;
    readonly members?: readonly number[] | undefined;
  };
  'PATCH /user_groups/{user_group_id}': {
    readonly user_group_id: number;
    readonly name?: string | undefined;
    readonly description?: string | undefined;
  };
  'DELETE /user_groups/{user_group_id}': {
    readonly user_group_id: number;
  };
  'POST /user_groups/{user_group_id}/members': {
    readonly user_group_id: number;
    readonly delete?: readonly number[] | undefined;
    readonly add?: readonly number[] | undefined;
  };
  'POST /user_groups/{user_group_id}/subgroups': {
    readonly user_group_id: number;
    readonly delete?: readonly number[] | undefined;
    readonly add?: readonly number[] | undefined;
  };
  'GET /user_groups/{user_group_id}/members': {
    readonly user_group_id: number;
    readonly direct_member_only?: boolean | undefined;
  };
  'GET /user_groups/{user_group_id}/subgroups': {
    readonly user_group_id: number;
    readonly direct_subgroup_only?: boolean | undefined;
  };
  'GET /user_groups/{user_group_id}/members/{user_id}': {
    readonly user_group_id: number;
    readonly user_id: number;
    readonly direct_member_only?: boolean | undefined;
  };
  'GET /scheduled_messages': Record<never, never>;
  'POST /scheduled_messages': {
    readonly type: 'direct' | 'private' | 'stream';
    readonly to: number | readonly number[];
    readonly content: string;
    readonly topic?: string | undefined;
    readonly scheduled_delivery_timestamp: number;
  };
  'DELETE /scheduled_messages/{scheduled_message_id}': {
    readonly scheduled_message_id: number;
  };
  'PATCH /scheduled_messages/{scheduled_message_id}': {
    readonly scheduled_message_id: number;
    readonly type?: 'direct' | 'private' | 'stream' | undefined;
    readonly to?: number | readonly number[] | undefined;
    readonly content?: string | undefined;
    readonly topic?: string | undefined;
    readonly scheduled_delivery_timestamp?: number | undefined;
  };
  'POST /typing': {
    readonly type?: 'direct' | 'private' | 'stream' | undefined;
    readonly op: 'start' | 'stop';
    readonly to: readonly number[];
    readonly topic?: string | undefined;
  };
  'POST /messages/{message_id}/reactions': {
    readonly message_id: number;
    readonly emoji_name: string;
    readonly emoji_code?: string | undefined;
    readonly reaction_type?: string | undefined;
  };
  'DELETE /messages/{message_id}/reactions': {
    readonly message_id: number;
    readonly emoji_name?: string | undefined;
    readonly emoji_code?: string | undefined;
    readonly reaction_type?: string | undefined;
  };
  'POST /submessage': {
    readonly message_id: number;
    readonly msg_type: string;
    readonly content: string;
  };
  'GET /messages/{message_id}/read_receipts': {
    readonly message_id: number;
  };
  'POST /default_streams': {
    readonly stream_id: number;
  };
  'DELETE /default_streams': {
    readonly stream_id: number;
  };
  'GET /streams/{stream_id}': {
    readonly stream_id: number;
  };
  'PATCH /streams/{stream_id}': {
    readonly stream_id: number;
    readonly description?: string | undefined;
    readonly is_private?: boolean | undefined;
    readonly is_announcement_only?: boolean | undefined;
    readonly stream_post_policy?: 1 | 2 | 3 | 4 | undefined;
    readonly history_public_to_subscribers?: boolean | undefined;
    readonly is_web_public?: boolean | undefined;
    readonly new_name?: string | undefined;
    readonly message_retention_days?: string | number | undefined;
    readonly can_remove_subscribers_group_id?: number | undefined;
  };
  'DELETE /streams/{stream_id}': {
    readonly stream_id: number;
  };
  'GET /streams/{stream_id}/members': {
    readonly stream_id: number;
  };
  'DELETE /users/me/subscriptions': {
    readonly subscriptions: readonly string[];
    readonly principals?: readonly string[] | readonly number[] | undefined;
  };
  'PATCH /users/me/subscriptions': {
    readonly add?: readonly {
      readonly name: string;
      readonly color?: string;
      readonly description?: string;
    }[] | undefined;
    readonly delete?: readonly string[] | undefined;
  };
  'POST /users/me/subscriptions/properties': {
    readonly subscription_data: readonly ({
      readonly stream_id: number;
      readonly property: string;
      readonly value: boolean | string;
    })[];
  };
  'PATCH /users/me/subscriptions/{stream_id}': {
    readonly stream_id: number;
    readonly property: string;
    readonly value: string;
  };
  'GET /users/{user_id}/subscriptions/{stream_id}': {
    readonly user_id: number;
    readonly stream_id: number;
  };
  'GET /messages/matches_narrow': {
    readonly msg_ids: readonly number[];
    readonly narrow: readonly Readonly<Record<string, unknown>>[];
  };
  'GET /attachments': Record<never, never>;
  'DELETE /attachments/{attachment_id}': {
    readonly attachment_id: string;
  };
  'POST /user_uploads': Record<never, never>;
  'GET /user_uploads/{realm_id_str}/{filename}': {
    readonly realm_id_str: number;
    readonly filename: string;
  };
  'GET /realm/emoji': Record<never, never>;
  'POST /realm/emoji/{emoji_name}': {
    readonly emoji_name: string;
  };
  'DELETE /realm/emoji/{emoji_name}': {
    readonly emoji_name: string;
  };
  'GET /realm/domains': Record<never, never>;
  'POST /realm/domains': {
    readonly domain: string;
    readonly allow_subdomains: boolean;
  };
  'PATCH /realm/domains/{domain}': {
    readonly domain: string;
    readonly allow_subdomains: boolean;
  };
  'DELETE /realm/domains/{domain}': {
    readonly domain: string;
  };
  'GET /invites': Record<never, never>;
  'POST /invites': {
    readonly invitee_emails: string;
    readonly invite_expires_in_minutes?: number | null | undefined;
    readonly invite_as?: 100 | 200 | 300 | 400 | 600 | undefined;
    readonly stream_ids: readonly number[];
  };
  'POST /invites/multiuse': {
    readonly invite_expires_in_minutes?: number | null | undefined;
    readonly invite_as?: 100 | 200 | 300 | 400 | 600 | undefined;
    readonly stream_ids?: readonly number[] | undefined;
  };
  'DELETE /invites/{prereg_id}': {
    readonly prereg_id: number;
  };
  'DELETE /invites/multiuse/{invite_id}': {
    readonly invite_id: number;
  };
  'POST /invites/{prereg_id}/resend': {
    readonly prereg_id: number;
  };
  'GET /realm/profile_fields': Record<never, never>;
  'POST /realm/profile_fields': {
    readonly name?: string | undefined;
    readonly hint?: string | undefined;
    readonly field_type: number;
    readonly field_data?: Readonly<Record<string, unknown>> | undefined;
    readonly display_in_profile_summary?: boolean | undefined;
  };
  'PATCH /realm/profile_fields/{field_id}': {
    readonly field_id: number;
    readonly name?: string | undefined;
    readonly hint?: string | undefined;
    readonly field_data?: Readonly<Record<string, unknown>> | undefined;
    readonly display_in_profile_summary?: boolean | undefined;
  };
  'PATCH /realm/profile_fields': {
    readonly order: readonly number[];
  };
  'DELETE /realm/profile_fields/{field_id}': {
    readonly field_id: number;
  };
  'PATCH /users/me/profile_data': {
    readonly data: readonly ({
      readonly id: number;
      readonly value: string | readonly number[];
    })[];
  };
  'DELETE /users/me/profile_data': {
    readonly data: readonly number[];
  };
  'PATCH /users/{user_id}': {
    readonly user_id: number;
    readonly full_name?: string | undefined;
    readonly role?: 100 | 200 | 300 | 400 | 600 | undefined;
    readonly profile_data?: readonly ({
      readonly id: number;
      readonly value: string | readonly number[] | null;
    })[] | undefined;
  };
  'DELETE /users/{user_id}': {
    readonly user_id: number;
    readonly deactivation_notification_comment?: string | undefined;
  };
  'POST /users/{user_id}/reactivate': {
    readonly user_id: number;
  };
  'DELETE /users/me': Record<never, never>;
  'GET /bots': Record<never, never>;
  'POST /bots': {
    readonly full_name: string;
    readonly short_name: string;
    readonly bot_type?: number | undefined;
    readonly payload_url?: string | undefined;
    readonly service_name?: string | undefined;
    readonly config_data?: Readonly<Record<string, unknown>> | undefined;
    readonly interface_type?: number | undefined;
    readonly default_sending_stream?: string | undefined;
    readonly default_events_register_stream?: string | undefined;
    readonly default_all_public_streams?: boolean | undefined;
  };
  'PATCH /bots/{bot_id}': {
    readonly bot_id: number;
    readonly full_name?: string | undefined;
    readonly role?: 100 | 200 | 300 | 400 | 600 | undefined;
    readonly bot_owner_id?: number | undefined;
    readonly config_data?: Readonly<Record<string, unknown>> | undefined;
    readonly service_payload_url?: string | undefined;
    readonly service_interface?: number | undefined;
    readonly default_sending_stream?: string | undefined;
    readonly default_events_register_stream?: string | undefined;
    readonly default_all_public_streams?: boolean | undefined;
  };
  'POST /bots/{bot_id}/api_key/regenerate': {
    readonly bot_id: number;
  };
  'DELETE /bots/{bot_id}': {
    readonly bot_id: number;
  };
  'GET /bot_storage': {
    readonly keys?: readonly string[] | undefined;
  };
  'PUT /bot_storage': {
    readonly storage: Readonly<Record<string, unknown>>;
  };
  'DELETE /bot_storage': {
    readonly keys?: readonly string[] | undefined;
  };
  'POST /external/{integration}': {
    readonly integration: 'alertmanager' | 'grafana' | 'json' | 'slack_incoming';
    readonly api_key?: string | undefined;
    readonly stream?: string | undefined;
    readonly topic?: string | undefined;
    readonly only_events?: readonly string[] | undefined;
    readonly exclude_events?: readonly string[] | undefined;
  };
  'POST /users/me/avatar': Record<never, never>;
  'DELETE /users/me/avatar': Record<never, never>;
  'GET /avatar/{user_id}': {
    readonly user_id: number;
  };
  'POST /realm/icon': Record<never, never>;
  'DELETE /realm/icon': Record<never, never>;
  'GET /realm/icon': Record<never, never>;
  'POST /realm/logo': {
    readonly night: boolean;
  };
  'DELETE /realm/logo': {
    readonly night: boolean;
  };
  'GET /realm/logo': {
    readonly night: boolean;
  };
  'POST /users/me/presence': {
    readonly status: string;
    readonly ping_only?: boolean | undefined;
    readonly new_user_input?: boolean | undefined;
    readonly slim_presence?: boolean | undefined;
  };
  'GET /realm/presence': Record<never, never>;
  'GET /users/{user_id_or_email}/presence': {
    readonly user_id_or_email: string;
  };
  'POST /users/me/status': {
    readonly status_text?: string | undefined;
    readonly away?: boolean | undefined;
    readonly emoji_name?: string | undefined;
    readonly emoji_code?: string | undefined;
    readonly reaction_type?: string | undefined;
  };
  'POST /users/me/hotspots': {
    readonly hotspot: string;
  };
  'POST /users/me/tutorial_status': {
    readonly status: string;
  };
  'GET /compatibility': Record<never, never>;
  'GET /realm/subdomain/{subdomain}': {
    readonly subdomain: string;
  };
  'PATCH /realm/user_settings_defaults': {
    readonly twenty_four_hour_time?: boolean | undefined;
    readonly dense_mode?: boolean | undefined;
    readonly web_mark_read_on_scroll_policy?: 1 | 2 | 3 | undefined;
    readonly starred_message_counts?: boolean | undefined;
    readonly fluid_layout_width?: boolean | undefined;
    readonly high_contrast_mode?: boolean | undefined;
    readonly color_scheme?: 1 | 2 | 3 | undefined;
    readonly translate_emoticons?: boolean | undefined;
    readonly display_emoji_reaction_users?: boolean | undefined;
    readonly default_view?: 'recent_topics' | 'all_messages' | undefined;
    readonly escape_navigates_to_default_view?: boolean | undefined;
    readonly left_side_userlist?: boolean | undefined;
    readonly emojiset?: 'google' | 'google-blob' | 'text' | 'twitter' | undefined;
    readonly demote_inactive_streams?: 1 | 2 | 3 | undefined;
    readonly email_notifications_batching_period_seconds?: number | undefined;
    readonly enable_drafts_synchronization?: boolean | undefined;
    readonly enable_stream_desktop_notifications?: boolean | undefined;
    readonly enable_stream_email_notifications?: boolean | undefined;
    readonly enable_stream_push_notifications?: boolean | undefined;
    readonly enable_stream_audible_notifications?: boolean | undefined;
    readonly wildcard_mentions_notify?: boolean | undefined;
    readonly notification_sound?: string | undefined;
    readonly enable_desktop_notifications?: boolean | undefined;
    readonly enable_sounds?: boolean | undefined;
    readonly enable_offline_email_notifications?: boolean | undefined;
    readonly enable_offline_push_notifications?: boolean | undefined;
    readonly enable_online_push_notifications?: boolean | undefined;
    readonly enable_digest_emails?: boolean | undefined;
    readonly message_content_in_email_notifications?: boolean | undefined;
    readonly pm_content_in_desktop_notifications?: boolean | undefined;
    readonly desktop_icon_count_display?: 1 | 2 | 3 | undefined;
    readonly realm_name_in_email_notifications_policy?: 1 | 2 | 3 | undefined;
    readonly presence_enabled?: boolean | undefined;
    readonly enter_sends?: boolean | undefined;
    readonly send_private_typing_notifications?: boolean | undefined;
    readonly send_stream_typing_notifications?: boolean | undefined;
    readonly send_read_receipts?: boolean | undefined;
    readonly user_list_style?: 1 | 2 | 3 | undefined;
    readonly email_address_visibility?: 1 | 2 | 3 | 4 | 5 | undefined;
  };
  'POST /users/me/api_key/regenerate': Record<never, never>;
  'POST /users/me/apns_device_token': {
    readonly token: string;
    readonly appid?: string | undefined;
  };
  'DELETE /users/me/apns_device_token': {
    readonly token: string;
  };
  'POST /users/me/android_gcm_reg_id': {
    readonly token: string;
  };
  'DELETE /users/me/android_gcm_reg_id': {
    readonly token: string;
  };
  'POST /zcommand': {
    readonly command: string;
  };
  'POST /realm/deactivate': Record<never, never>;
  'GET /calls/bigbluebutton/create': {
    readonly meeting_name: string;
  };
  'POST /calls/zoom/create': Record<never, never>;
  'GET /export/realm': Record<never, never>;
  'POST /export/realm': Record<never, never>;
  'DELETE /export/realm/{export_id}': {
    readonly export_id: number;
  };
  'POST /jwt/fetch_api_key': {
    readonly token?: string | undefined;
    readonly include_profile?: boolean | undefined;
  };
  'POST /default_stream_groups/create': {
    readonly group_name: string;
    readonly description: string;
    readonly stream_names: readonly string[];
  };
  'PATCH /default_stream_groups/{group_id}': {
    readonly group_id: number;
    readonly new_group_name?: string | undefined;
    readonly new_description?: string | undefined;
  };
  'PATCH /default_stream_groups/{group_id}/streams': {
    readonly group_id: number;
    readonly op: string;
    readonly stream_names: readonly string[];
  };
  'DELETE /default_stream_groups/{group_id}': {
    readonly group_id: number;
  };
}

/** Answers by operation. */
export interface Answers {
  'GET /drafts': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly count: number;
    readonly drafts: readonly Draft[];
  };
  'POST /drafts': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly ids: readonly number[];
  };
  'DELETE /drafts/{draft_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'PATCH /drafts/{draft_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /events': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'GET /events': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly events: readonly Readonly<Record<string, unknown>>[];
    readonly queue_id: string;
  };
  'POST /fetch_api_key': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly api_key: string;
    readonly email: string;
    readonly user_id: number;
  };
  'GET /get_stream_id': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly stream_id: number;
  };
  'POST /mark_all_as_read': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  } | PartiallyCompleted;
  'POST /mark_stream_as_read': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'POST /mark_topic_as_read': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'GET /messages': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly anchor: number;
    readonly found_newest: boolean;
    readonly found_oldest: boolean;
    readonly found_anchor: boolean;
    readonly history_limited: boolean;
    readonly messages: readonly ({
      readonly avatar_url: string | null;
      readonly client: string;
      readonly content: string;
      readonly content_type: string;
      readonly display_recipient: string | readonly {
        readonly id: number;
        readonly email: string;
        readonly full_name: string;
        readonly is_mirror_dummy: boolean;
      }[];
      readonly edit_history?: readonly ({
        readonly prev_content?: string;
        readonly prev_rendered_content?: string;
        readonly prev_rendered_content_version?: number;
        readonly prev_stream?: number;
        readonly prev_topic?: string;
        readonly stream?: number;
        readonly timestamp: number;
        readonly topic?: string;
        readonly user_id: number | null;
      })[];
      readonly id: number;
      readonly is_me_message: boolean;
      readonly last_edit_timestamp?: number;
      readonly reactions: readonly EmojiReaction[];
      readonly recipient_id: number;
      readonly sender_email: string;
      readonly sender_full_name: string;
      readonly sender_id: number;
      readonly sender_realm_str: string;
      readonly stream_id?: number;
      readonly subject: string;
      readonly submessages: readonly (string | Readonly<Record<string, unknown>>)[];
      readonly timestamp: number;
      readonly topic_links: readonly {
        readonly text: string;
        readonly url: string;
      }[];
      readonly type: string;
      readonly flags: readonly string[];
      readonly match_content?: string;
      readonly match_subject?: string;
    })[];
  };
  'POST /messages': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly id: number;
  };
  'POST /messages/flags': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly messages: readonly number[];
  };
  'POST /messages/flags/narrow': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly processed_count: number;
    readonly updated_count: number;
    readonly first_processed_id: number | null;
    readonly last_processed_id: number | null;
    readonly found_oldest: boolean;
    readonly found_newest: boolean;
  };
  'POST /messages/render': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly rendered: string;
  };
  'GET /messages/{message_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly raw_content: string;
    readonly message: {
      readonly avatar_url: string | null;
      readonly client: string;
      readonly content: string;
      readonly content_type: string;
      readonly display_recipient: string | readonly {
        readonly id: number;
        readonly email: string;
        readonly full_name: string;
        readonly is_mirror_dummy: boolean;
      }[];
      readonly edit_history?: readonly ({
        readonly prev_content?: string;
        readonly prev_rendered_content?: string;
        readonly prev_rendered_content_version?: number;
        readonly prev_stream?: number;
        readonly prev_topic?: string;
        readonly stream?: number;
        readonly timestamp: number;
        readonly topic?: string;
        readonly user_id: number | null;
      })[];
      readonly id: number;
      readonly is_me_message: boolean;
      readonly last_edit_timestamp?: number;
      readonly reactions: readonly EmojiReaction[];
      readonly recipient_id: number;
      readonly sender_email: string;
      readonly sender_full_name: string;
      readonly sender_id: number;
      readonly sender_realm_str: string;
      readonly stream_id?: number;
      readonly subject: string;
      readonly submessages: readonly (string | Readonly<Record<string, unknown>>)[];
      readonly timestamp: number;
      readonly topic_links: readonly {
        readonly text: string;
        readonly url: string;
      }[];
      readonly type: string;
      readonly flags: readonly string[];
    };
  };
  'PATCH /messages/{message_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /messages/{message_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'GET /messages/{message_id}/history': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly message_history: readonly ({
      readonly topic: string;
      readonly prev_topic?: string;
      readonly stream?: number;
      readonly prev_stream?: number;
      readonly content: string;
      readonly rendered_content: string;
      readonly prev_content?: string;
      readonly prev_rendered_content?: string;
      readonly user_id: number | null;
      readonly content_html_diff?: string;
      readonly timestamp: number;
    })[];
  };
  'POST /register': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly queue_id: string | null;
    readonly last_event_id?: number;
    readonly service_feature_level: number;
    readonly service_version: string;
    readonly service_merge_base: string;
    readonly alert_words?: readonly string[];
    readonly custom_profile_fields?: readonly CustomProfileField[];
    readonly custom_profile_field_types?: Readonly<Record<string, {
      readonly id: number;
      readonly name: string;
    }>>;
    readonly demo_organization_scheduled_deletion_date?: number;
    readonly drafts?: readonly Draft[];
    readonly hotspots?: readonly Hotspot[];
    readonly max_message_id?: number;
    readonly max_stream_name_length?: number;
    readonly max_stream_description_length?: number;
    readonly max_topic_length?: number;
    readonly max_message_length?: number;
    readonly server_presence_ping_interval_seconds?: number;
    readonly server_presence_offline_threshold_seconds?: number;
    readonly scheduled_messages?: readonly ScheduledMessage[];
    readonly muted_topics?: readonly (readonly (string | number)[])[];
    readonly muted_users?: readonly {
      readonly id: number;
      readonly timestamp: number;
    }[];
    readonly presences?: Readonly<Record<string, {
      readonly active_timestamp?: number;
      readonly idle_timestamp?: number;
    }>> | Readonly<Record<string, Readonly<Record<string, Presence>>>>;
    readonly server_timestamp?: number;
    readonly realm_domains?: readonly RealmDomain[];
    readonly realm_emoji?: Readonly<Record<string, RealmEmoji>> | readonly number[];
    readonly realm_linkifiers?: readonly {
      readonly pattern: string;
      readonly url_template: string;
      readonly id: number;
    }[];
    readonly realm_filters?: readonly (readonly (number | string)[])[];
    readonly realm_playgrounds?: readonly RealmPlayground[];
    readonly realm_user_groups?: readonly UserGroup[];
    readonly realm_bots?: readonly Bot[];
    readonly realm_embedded_bots?: readonly {
      readonly name: string;
      readonly config: Config;
    }[];
    readonly realm_incoming_webhook_bots?: readonly {
      readonly name: string;
      readonly config: Config;
    }[];
    readonly recent_private_conversations?: readonly {
      readonly max_message_id: number;
      readonly user_ids: readonly number[];
    }[];
    readonly subscriptions?: readonly Subscriptions[];
    readonly unsubscribed?: readonly Subscriptions[];
    readonly never_subscribed?: readonly ({
      readonly stream_id: number;
      readonly name: string;
      readonly description: string;
      readonly date_created: number;
      readonly invite_only: boolean;
      readonly rendered_description: string;
      readonly is_web_public: boolean;
      readonly stream_post_policy: number;
      readonly message_retention_days: number | null;
      readonly history_public_to_subscribers: boolean;
      readonly first_message_id: number | null;
      readonly is_announcement_only: boolean;
      readonly can_remove_subscribers_group_id: number;
      readonly stream_weekly_traffic: number | null;
      readonly subscribers?: readonly number[];
    })[];
    readonly unread_msgs?: {
      readonly count: number;
      readonly pms: readonly {
        readonly other_user_id: number;
        readonly sender_id: number;
        readonly unread_message_ids: readonly number[];
      }[];
      readonly streams: readonly {
        readonly topic: string;
        readonly stream_id: number;
        readonly unread_message_ids: readonly number[];
      }[];
      readonly huddles: readonly {
        readonly user_ids_string: string;
        readonly unread_message_ids: readonly number[];
      }[];
      readonly mentions: readonly number[];
      readonly old_unreads_missing: boolean;
    };
    readonly starred_messages?: readonly number[];
    readonly streams?: readonly BasicStream[];
    readonly realm_default_streams?: readonly BasicStream[];
    readonly realm_default_stream_groups?: readonly DefaultStreamGroup[];
    readonly stop_words?: readonly string[];
    readonly user_status?: Readonly<Record<string, {
      readonly away: boolean;
      readonly status_text: string;
      readonly emoji_name: string;
      readonly emoji_code?: string;
      readonly reaction_type: string;
    }>>;
    readonly user_settings?: {
      readonly twenty_four_hour_time: boolean;
      readonly dense_mode: boolean;
      readonly web_mark_read_on_scroll_policy: number;
      readonly starred_message_counts: boolean;
      readonly fluid_layout_width: boolean;
      readonly high_contrast_mode: boolean;
      readonly color_scheme: number;
      readonly translate_emoticons: boolean;
      readonly display_emoji_reaction_users: boolean;
      readonly default_language: string;
      readonly default_view: string;
      readonly escape_navigates_to_default_view: boolean;
      readonly left_side_userlist: boolean;
      readonly emojiset: string;
      readonly demote_inactive_streams: number;
      readonly user_list_style: number;
      readonly timezone: string;
      readonly enter_sends: boolean;
      readonly enable_drafts_synchronization: boolean;
      readonly enable_stream_desktop_notifications: boolean;
      readonly enable_stream_email_notifications: boolean;
      readonly enable_stream_push_notifications: boolean;
      readonly enable_stream_audible_notifications: boolean;
      readonly notification_sound: string;
      readonly enable_desktop_notifications: boolean;
      readonly enable_sounds: boolean;
      readonly email_notifications_batching_period_seconds: number;
      readonly enable_offline_email_notifications: boolean;
      readonly enable_offline_push_notifications: boolean;
      readonly enable_online_push_notifications: boolean;
      readonly enable_digest_emails: boolean;
      readonly enable_marketing_emails: boolean;
      readonly enable_login_emails: boolean;
      readonly message_content_in_email_notifications: boolean;
      readonly pm_content_in_desktop_notifications: boolean;
      readonly wildcard_mentions_notify: boolean;
      readonly desktop_icon_count_display: number;
      readonly realm_name_in_email_notifications_policy: number;
      readonly presence_enabled: boolean;
      readonly available_notification_sounds: readonly string[];
      readonly emojiset_choices: readonly {
        readonly key: string;
        readonly text: string;
      }[];
      readonly send_private_typing_notifications?: boolean;
      readonly send_stream_typing_notifications?: boolean;
      readonly send_read_receipts: boolean;
      readonly email_address_visibility: number;
    };
    readonly user_topics?: readonly {
      readonly stream_id: number;
      readonly topic_name: string;
      readonly last_updated: number;
      readonly visibility_policy: number;
    }[];
    readonly has_zoom_token?: boolean;
    readonly giphy_api_key?: string;
    readonly enable_desktop_notifications?: boolean;
    readonly enable_digest_emails?: boolean;
    readonly enable_login_emails?: boolean;
    readonly enable_marketing_emails?: boolean;
    readonly email_notifications_batching_period_seconds?: number;
    readonly enable_offline_email_notifications?: boolean;
    readonly enable_offline_push_notifications?: boolean;
    readonly enable_online_push_notifications?: boolean;
    readonly enable_sounds?: boolean;
    readonly enable_stream_desktop_notifications?: boolean;
    readonly enable_stream_email_notifications?: boolean;
    readonly enable_stream_push_notifications?: boolean;
    readonly enable_stream_audible_notifications?: boolean;
    readonly wildcard_mentions_notify?: boolean;
    readonly message_content_in_email_notifications?: boolean;
    readonly notification_sound?: string;
    readonly pm_content_in_desktop_notifications?: boolean;
    readonly desktop_icon_count_display?: number;
    readonly realm_name_in_email_notifications_policy?: number;
    readonly presence_enabled?: boolean;
    readonly available_notification_sounds?: readonly string[];
    readonly color_scheme?: number;
    readonly default_language?: string;
    readonly demote_inactive_streams?: number;
    readonly dense_mode?: boolean;
    readonly emojiset?: string;
    readonly enable_drafts_synchronization?: boolean;
    readonly fluid_layout_width?: boolean;
    readonly default_view?: string;
    readonly high_contrast_mode?: boolean;
    readonly left_side_userlist?: boolean;
    readonly starred_message_counts?: boolean;
    readonly timezone?: string;
    readonly translate_emoticons?: boolean;
    readonly twenty_four_hour_time?: boolean;
    readonly enter_sends?: boolean;
    readonly emojiset_choices?: readonly {
      readonly key: string;
      readonly text: string;
    }[];
    readonly realm_add_custom_emoji_policy?: number;
    readonly realm_allow_edit_history?: boolean;
    readonly realm_delete_own_message_policy?: number;
    readonly realm_bot_creation_policy?: number;
    readonly realm_create_public_stream_policy?: number;
    readonly realm_create_private_stream_policy?: number;
    readonly realm_create_web_public_stream_policy?: number;
    readonly realm_invite_to_stream_policy?: number;
    readonly realm_wildcard_mention_policy?: number;
    readonly realm_default_language?: string;
    readonly realm_description?: string;
    readonly realm_digest_emails_enabled?: boolean;
    readonly realm_disallow_disposable_email_addresses?: boolean;
    readonly realm_email_changes_disabled?: boolean;
    readonly realm_invite_required?: boolean;
    readonly realm_invite_to_realm_policy?: number;
    readonly realm_move_messages_between_streams_policy?: number;
    readonly realm_inline_image_preview?: boolean;
    readonly realm_inline_url_embed_preview?: boolean;
    readonly realm_mandatory_topics?: boolean;
    readonly realm_message_retention_days?: number;
    readonly realm_name?: string;
    readonly realm_name_changes_disabled?: boolean;
    readonly realm_avatar_changes_disabled?: boolean;
    readonly realm_emails_restricted_to_domains?: boolean;
    readonly realm_send_welcome_emails?: boolean;
    readonly realm_message_content_allowed_in_email_notifications?: boolean;
    readonly realm_enable_spectator_access?: boolean;
    readonly realm_want_advertise_in_communities_directory?: boolean;
    readonly realm_video_chat_provider?: number;
    readonly realm_giphy_rating?: number;
    readonly realm_waiting_period_threshold?: number;
    readonly realm_digest_weekday?: number;
    readonly realm_private_message_policy?: number;
    readonly realm_user_group_edit_policy?: number;
    readonly realm_default_code_block_language?: string | null;
    readonly realm_message_content_delete_limit_seconds?: number | null;
    readonly realm_authentication_methods?: Readonly<Record<string, boolean>>;
    readonly realm_allow_message_editing?: boolean;
    readonly realm_edit_topic_policy?: number;
    readonly realm_message_content_edit_limit_seconds?: number | null;
    readonly realm_move_messages_within_stream_limit_seconds?: number | null;
    readonly realm_move_messages_between_streams_limit_seconds?: number | null;
    readonly realm_enable_read_receipts?: boolean;
    readonly realm_icon_url?: string;
    readonly realm_icon_source?: string;
    readonly max_icon_file_size_mib?: number;
    readonly realm_logo_url?: string;
    readonly realm_logo_source?: string;
    readonly realm_night_logo_url?: string;
    readonly realm_night_logo_source?: string;
    readonly max_logo_file_size_mib?: number;
    readonly realm_bot_domain?: string;
    readonly realm_uri?: string;
    readonly realm_available_video_chat_providers?: Readonly<Record<string, {
      readonly name: string;
      readonly id: number;
    }>>;
    readonly realm_presence_disabled?: boolean;
    readonly settings_send_digest_emails?: boolean;
    readonly realm_is_zephyr_mirror_realm?: boolean;
    readonly realm_email_auth_enabled?: boolean;
    readonly realm_password_auth_enabled?: boolean;
    readonly realm_push_notifications_enabled?: boolean;
    readonly realm_upload_quota_mib?: number | null;
    readonly realm_org_type?: number;
    readonly realm_plan_type?: number;
    readonly service_plan_is_not_limited?: boolean;
    readonly upgrade_text_for_wide_organization_logo?: string;
    readonly realm_default_external_accounts?: Readonly<Record<string, {
      readonly name: string;
      readonly text: string;
      readonly hint: string;
      readonly url_pattern: string;
    }>>;
    readonly jitsi_server_url?: string;
    readonly development_environment?: boolean;
    readonly server_generation?: number;
    readonly password_min_length?: number;
    readonly password_min_guesses?: number;
    readonly giphy_rating_options?: Readonly<Record<string, {
      readonly name: string;
      readonly id: number;
    }>>;
    readonly max_file_upload_size_mib?: number;
    readonly max_avatar_file_size_mib?: number;
    readonly server_inline_image_preview?: boolean;
    readonly server_inline_url_embed_preview?: boolean;
    readonly server_avatar_changes_disabled?: boolean;
    readonly server_name_changes_disabled?: boolean;
    readonly server_needs_upgrade?: boolean;
    readonly server_web_public_streams_enabled?: boolean;
    readonly server_emoji_data_url?: string;
    readonly event_queue_longpoll_timeout_seconds?: number;
    readonly realm_notifications_stream_id?: number;
    readonly realm_signup_notifications_stream_id?: number;
    readonly realm_user_settings_defaults?: {
      readonly twenty_four_hour_time: boolean;
      readonly dense_mode: boolean;
      readonly web_mark_read_on_scroll_policy: number;
      readonly starred_message_counts: boolean;
      readonly fluid_layout_width: boolean;
      readonly high_contrast_mode: boolean;
      readonly color_scheme: number;
      readonly translate_emoticons: boolean;
      readonly display_emoji_reaction_users: boolean;
      readonly default_language: string;
      readonly default_view: string;
      readonly escape_navigates_to_default_view: boolean;
      readonly left_side_userlist: boolean;
      readonly emojiset: string;
      readonly demote_inactive_streams: number;
      readonly user_list_style: number;
      readonly enable_stream_desktop_notifications: boolean;
      readonly enable_stream_email_notifications: boolean;
      readonly enable_stream_push_notifications: boolean;
      readonly enable_stream_audible_notifications: boolean;
      readonly notification_sound: string;
      readonly enable_desktop_notifications: boolean;
      readonly enable_sounds: boolean;
      readonly enable_offline_email_notifications: boolean;
      readonly enable_offline_push_notifications: boolean;
      readonly enable_online_push_notifications: boolean;
      readonly enable_digest_emails: boolean;
      readonly enable_marketing_emails: boolean;
      readonly enable_login_emails: boolean;
      readonly message_content_in_email_notifications: boolean;
      readonly pm_content_in_desktop_notifications: boolean;
      readonly wildcard_mentions_notify: boolean;
      readonly desktop_icon_count_display: number;
      readonly realm_name_in_email_notifications_policy: number;
      readonly presence_enabled: boolean;
      readonly enter_sends: boolean;
      readonly enable_drafts_synchronization: boolean;
      readonly email_notifications_batching_period_seconds: number;
      readonly available_notification_sounds: readonly string[];
      readonly emojiset_choices: readonly {
        readonly key: string;
        readonly text: string;
      }[];
      readonly send_private_typing_notifications: boolean;
      readonly send_stream_typing_notifications: boolean;
      readonly send_read_receipts: boolean;
      readonly email_address_visibility: number;
    };
    readonly realm_users?: readonly User[];
    readonly realm_non_active_users?: readonly User[];
    readonly avatar_source?: string;
    readonly avatar_url_medium?: string;
    readonly avatar_url?: string;
    readonly can_create_streams?: boolean;
    readonly can_create_public_streams?: boolean;
    readonly can_create_private_streams?: boolean;
    readonly can_create_web_public_streams?: boolean;
    readonly can_subscribe_other_users?: boolean;
    readonly can_invite_others_to_realm?: boolean;
    readonly is_admin?: boolean;
    readonly is_owner?: boolean;
    readonly is_billing_admin?: boolean;
    readonly is_moderator?: boolean;
    readonly is_guest?: boolean;
    readonly user_id?: number;
    readonly email?: string;
    readonly delivery_email?: string;
    readonly full_name?: string;
    readonly cross_realm_bots?: readonly ({
      readonly user_id: number;
      readonly delivery_email: string | null;
      readonly email?: string;
      readonly full_name: string;
      readonly date_joined: string;
      readonly is_active: boolean;
      readonly is_owner: boolean;
      readonly is_admin: boolean;
      readonly is_guest: boolean;
      readonly is_billing_admin: boolean;
      readonly is_bot: boolean;
      readonly bot_type: number | null;
      readonly bot_owner_id?: number | null;
      readonly role: 100 | 200 | 300 | 400 | 600;
      readonly timezone: string;
      readonly avatar_url: string | null;
      readonly avatar_version: number;
      readonly profile_data?: ProfileData;
      readonly is_system_bot: boolean;
    })[];
    readonly zulip_version?: unknown;
    readonly zulip_feature_level?: unknown;
    readonly zulip_merge_base?: unknown;
    readonly zulip_plan_is_not_limited?: unknown;
  };
  'GET /server_settings': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly authentication_methods: {
      readonly password: boolean;
      readonly dev?: boolean;
      readonly email: boolean;
      readonly ldap?: boolean;
      readonly remoteuser?: boolean;
      readonly github?: boolean;
      readonly azuread?: boolean;
      readonly gitlab?: boolean;
      readonly apple?: boolean;
      readonly google?: boolean;
      readonly saml?: boolean;
      readonly 'openid connect'?: boolean;
    };
    readonly external_authentication_methods?: readonly ({
      readonly name: string;
      readonly display_name: string;
      readonly display_icon: string | null;
      readonly login_url: string;
      readonly signup_url: string;
    })[];
    readonly service_feature_level: number;
    readonly service_version: string;
    readonly service_merge_base: string;
    readonly push_notifications_enabled: boolean;
    readonly is_incompatible: boolean;
    readonly email_auth_enabled: boolean;
    readonly require_email_format_usernames?: boolean;
    readonly realm_uri?: string;
    readonly realm_name?: string;
    readonly realm_icon?: string;
    readonly realm_description?: string;
    readonly realm_web_public_access_enabled?: boolean;
    readonly zulip_version?: unknown;
    readonly zulip_feature_level?: unknown;
    readonly zulip_merge_base?: unknown;
  };
  'GET /streams': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly streams: readonly ({
      readonly stream_id: number;
      readonly name: string;
      readonly description: string;
      readonly date_created: number;
      readonly invite_only: boolean;
      readonly rendered_description: string;
      readonly is_web_public: boolean;
      readonly stream_post_policy: number;
      readonly message_retention_days: number | null;
      readonly history_public_to_subscribers: boolean;
      readonly first_message_id: number | null;
      readonly is_announcement_only: boolean;
      readonly can_remove_subscribers_group_id: number;
      readonly is_default?: boolean;
    })[];
  };
  'POST /streams/{stream_id}/delete_topic': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  } | PartiallyCompleted;
  'GET /users/me/{stream_id}/topics': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly topics: readonly {
      readonly max_id: number;
      readonly name: string;
    }[];
  };
  'GET /users': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly members: readonly User[];
  };
  'POST /users': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly user_id: number;
  };
  'GET /users/me': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly avatar_url: string;
    readonly avatar_version: number;
    readonly email: string;
    readonly full_name: string;
    readonly is_admin: boolean;
    readonly is_owner: boolean;
    readonly is_billing_admin: boolean;
    readonly role: 100 | 200 | 300 | 400 | 600;
    readonly is_guest: boolean;
    readonly is_bot: boolean;
    readonly is_active: boolean;
    readonly timezone: string;
    readonly date_joined: string;
    readonly max_message_id: number;
    readonly user_id: number;
    readonly delivery_email: string;
    readonly profile_data?: ProfileData;
  };
  'GET /users/me/subscriptions': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly subscriptions: readonly Subscriptions[];
  };
  'POST /users/me/subscriptions': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly subscribed: Readonly<Record<string, readonly string[]>>;
    readonly already_subscribed: Readonly<Record<string, readonly string[]>>;
    readonly unauthorized?: readonly string[];
  };
  'PATCH /users/me/subscriptions/muted_topics': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'POST /user_topics': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'GET /users/{user_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly user: User;
  };
  'GET /users/{email}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly user: User;
  };
  'PATCH /settings': IgnoredParametersSuccess;
  'PATCH /settings/display': Answer;
  'PATCH /settings/notifications': Answer;
  'GET /users/me/alert_words': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly alert_words: readonly string[];
  };
  'POST /users/me/alert_words': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly alert_words: readonly string[];
  };
  'DELETE /users/me/alert_words': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly alert_words: readonly string[];
  };
  'POST /users/me/muted_users/{muted_user_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /users/me/muted_users/{muted_user_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'PATCH /realm': Answer;
  'GET /realm/linkifiers': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly linkifiers: readonly {
      readonly pattern: string;
      readonly url_template: string;
      readonly id: number;
    }[];
  };
  'POST /realm/filters': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly id: number;
  };
  'PATCH /realm/filters/{filter_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /realm/filters/{filter_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'POST /realm/playgrounds': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly id: number;
  };
  'DELETE /realm/playgrounds/{playground_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'GET /user_groups': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly user_groups: readonly {
      readonly description: string;
      readonly id: number;
      readonly members: readonly number[];
      readonly direct_subgroup_ids: readonly number[];
      readonly name: string;
      readonly is_system_group: boolean;
    }[];
  };
  'POST /user_groups/create': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'PATCH /user_groups/{user_group_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /user_groups/{user_group_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'POST /user_groups/{user_group_id}/members': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'POST /user_groups/{user_group_id}/subgroups': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'GET /user_groups/{user_group_id}/members': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly members: readonly number[];
  };
  'GET /user_groups/{user_group_id}/subgroups': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly subgroups: readonly number[];
  };
  'GET /user_groups/{user_group_id}/members/{user_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly is_user_group_member: boolean;
  };
  'GET /scheduled_messages': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly scheduled_messages: readonly ScheduledMessage[];
  };
  'POST /scheduled_messages': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly scheduled_message_id: number;
  };
  'DELETE /scheduled_messages/{scheduled_message_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'PATCH /scheduled_messages/{scheduled_message_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'POST /typing': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'POST /messages/{message_id}/reactions': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /messages/{message_id}/reactions': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'POST /submessage': Answer;
  'GET /messages/{message_id}/read_receipts': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly user_ids: readonly number[];
  };
  'POST /default_streams': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /default_streams': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'GET /streams/{stream_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly stream: BasicStream;
  };
  'PATCH /streams/{stream_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /streams/{stream_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'GET /streams/{stream_id}/members': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly subscribers: readonly number[];
  };
  'DELETE /users/me/subscriptions': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly not_removed: readonly string[];
    readonly removed: readonly string[];
  };
  'PATCH /users/me/subscriptions': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly subscribed: Readonly<Record<string, readonly string[]>>;
    readonly already_subscribed: Readonly<Record<string, readonly string[]>>;
    readonly not_removed: readonly string[];
    readonly removed: readonly string[];
  };
  'POST /users/me/subscriptions/properties': IgnoredParametersSuccess;
  'PATCH /users/me/subscriptions/{stream_id}': Answer;
  'GET /users/{user_id}/subscriptions/{stream_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly is_subscribed: boolean;
  };
  'GET /messages/matches_narrow': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly messages: Readonly<Record<string, {
      readonly match_content: string;
      readonly match_subject: string;
    }>>;
  };
  'GET /attachments': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly attachments: readonly Attachments[];
    readonly upload_space_used: number;
  };
  'DELETE /attachments/{attachment_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'POST /user_uploads': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly uri: string;
  };
  'GET /user_uploads/{realm_id_str}/{filename}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly url: string;
  };
  'GET /realm/emoji': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly emoji: Readonly<Record<string, RealmEmoji>>;
  };
  'POST /realm/emoji/{emoji_name}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /realm/emoji/{emoji_name}': Answer;
  'GET /realm/domains': Answer;
  'POST /realm/domains': Answer;
  'PATCH /realm/domains/{domain}': Answer;
  'DELETE /realm/domains/{domain}': Answer;
  'GET /invites': Answer;
  'POST /invites': Answer;
  'POST /invites/multiuse': Answer;
  'DELETE /invites/{prereg_id}': Answer;
  'DELETE /invites/multiuse/{invite_id}': Answer;
  'POST /invites/{prereg_id}/resend': Answer;
  'GET /realm/profile_fields': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly custom_fields: readonly CustomProfileField[];
  };
  'POST /realm/profile_fields': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly id: number;
  };
  'PATCH /realm/profile_fields/{field_id}': Answer;
  'PATCH /realm/profile_fields': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /realm/profile_fields/{field_id}': Answer;
  'PATCH /users/me/profile_data': Answer;
  'DELETE /users/me/profile_data': Answer;
  'PATCH /users/{user_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /users/{user_id}': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'POST /users/{user_id}/reactivate': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'DELETE /users/me': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'GET /bots': Answer;
  'POST /bots': Answer;
  'PATCH /bots/{bot_id}': Answer;
  'POST /bots/{bot_id}/api_key/regenerate': Answer;
  'DELETE /bots/{bot_id}': Answer;
  'GET /bot_storage': Answer;
  'PUT /bot_storage': Answer;
  'DELETE /bot_storage': Answer;
  'POST /external/{integration}': Answer;
  'POST /users/me/avatar': Answer;
  'DELETE /users/me/avatar': Answer;
  'GET /avatar/{user_id}': Answer;
  'POST /realm/icon': Answer;
  'DELETE /realm/icon': Answer;
  'GET /realm/icon': Answer;
  'POST /realm/logo': Answer;
  'DELETE /realm/logo': Answer;
  'GET /realm/logo': Answer;
  'POST /users/me/presence': Answer;
  'GET /realm/presence': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly server_timestamp: number;
    readonly presences: Readonly<Record<string, {
      readonly active_timestamp?: number;
      readonly idle_timestamp?: number;
    }>> | Readonly<Record<string, Readonly<Record<string, Presence>>>>;
  };
  'GET /users/{user_id_or_email}/presence': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly presence: Readonly<Record<string, {
      readonly timestamp: number;
      readonly status: string;
    }>>;
  };
  'POST /users/me/status': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
  };
  'POST /users/me/hotspots': Answer;
  'POST /users/me/tutorial_status': Answer;
  'GET /compatibility': Answer;
  'GET /realm/subdomain/{subdomain}': Answer;
  'PATCH /realm/user_settings_defaults': IgnoredParametersSuccess;
  'POST /users/me/api_key/regenerate': Answer;
  'POST /users/me/apns_device_token': Answer;
  'DELETE /users/me/apns_device_token': Answer;
  'POST /users/me/android_gcm_reg_id': Answer;
  'DELETE /users/me/android_gcm_reg_id': Answer;
  'POST /zcommand': Answer;
  'POST /realm/deactivate': Answer;
  'GET /calls/bigbluebutton/create': {
    readonly result: 'success';
    readonly msg: string;
    readonly ignored_parameters_unsupported?: readonly string[];
    readonly url: string;
  };
  'POST /calls/zoom/create': Answer;
  'GET /export/realm': Answer;
  'POST /export/realm': Answer;
  'DELETE /export/realm/{export_id}': Answer;
  'POST /jwt/fetch_api_key': Answer;
  'POST /default_stream_groups/create': Answer;
  'PATCH /default_stream_groups/{group_id}': Answer;
  'PATCH /default_stream_groups/{group_id}/streams': Answer;
  'DELETE /default_stream_groups/{group_id}': Answer;
}

/** Events by type, and by operation where a type has several. */
export interface Events {
  'alert_words': {
    readonly id: number;
    readonly type: 'alert_words';
    readonly alert_words: readonly string[];
  };
  'update_display_settings': {
    readonly id: number;
    readonly type: 'update_display_settings';
    readonly setting_name: string;
    readonly setting: boolean | number | string;
    readonly language_name?: string;
    readonly user?: string;
  };
  'update_global_notifications': {
    readonly id: number;
    readonly type: 'update_global_notifications';
    readonly notification_name: string;
    readonly setting: boolean | number | string;
    readonly user?: string;
  };
  'user_settings/update': {
    readonly id: number;
    readonly type: 'user_settings';
    readonly op: 'update';
    readonly property: string;
    readonly value: boolean | number | string;
    readonly language_name?: string;
  };
  'realm_user/update': {
    readonly id: number;
    readonly type: 'realm_user';
    readonly op: 'update';
    readonly person: {
      readonly user_id: number;
      readonly full_name: string;
    } | {
      readonly user_id: number;
      readonly avatar_url: string;
      readonly avatar_source: string;
      readonly avatar_url_medium: string;
      readonly avatar_version: number;
    } | {
      readonly user_id: number;
      readonly email: string;
      readonly timezone: string;
    } | {
      readonly user_id: number;
      readonly bot_owner_id: number;
    } | {
      readonly user_id: number;
      readonly role: 100 | 200 | 300 | 400 | 600;
    } | {
      readonly user_id: number;
      readonly is_billing_admin: boolean;
    } | {
      readonly user_id: number;
      readonly delivery_email: string | null;
    } | {
      readonly user_id: number;
      readonly custom_profile_field: {
        readonly id: number;
        readonly value: string | null;
        readonly rendered_value?: string;
      };
    } | {
      readonly user_id: number;
      readonly new_email: string;
    };
  };
  'subscription/add': {
    readonly id: number;
    readonly type: 'subscription';
    readonly op: 'add';
    readonly subscriptions: readonly Subscriptions[];
  };
  'subscription/remove': {
    readonly id: number;
    readonly type: 'subscription';
    readonly op: 'remove';
    readonly subscriptions: readonly {
      readonly stream_id: number;
      readonly name: string;
    }[];
  };
  'subscription/update': {
    readonly id: number;
    readonly type: 'subscription';
    readonly op: 'update';
    readonly stream_id: number;
    readonly property: string;
    readonly value: number | boolean | string;
  };
  'subscription/peer_add': {
    readonly id: number;
    readonly type: 'subscription';
    readonly op: 'peer_add';
    readonly stream_ids: readonly number[];
    readonly user_ids: readonly number[];
  };
  'subscription/peer_remove': {
    readonly id: number;
    readonly type: 'subscription';
    readonly op: 'peer_remove';
    readonly stream_ids: readonly number[];
    readonly user_ids: readonly number[];
  };
  'message': {
    readonly id: number;
    readonly type: 'message';
    readonly message: MessagesEvent;
    readonly flags: readonly string[];
    readonly local_message_id?: string;
  };
  'has_zoom_token': {
    readonly id: number;
    readonly type: 'has_zoom_token';
    readonly value: boolean;
  };
  'invites_changed': {
    readonly id: number;
    readonly type: 'invites_changed';
  };
  'realm_user/add': {
    readonly id: number;
    readonly type: 'realm_user';
    readonly op: 'add';
    readonly person: User;
  };
  'realm_user/remove': {
    readonly id: number;
    readonly type: 'realm_user';
    readonly op: 'remove';
    readonly person: {
      readonly user_id: number;
      readonly full_name: string;
    };
  };
  'presence': {
    readonly id: number;
    readonly type: 'presence';
    readonly user_id: number;
    readonly email?: string;
    readonly server_timestamp: number;
    readonly presence: Readonly<Record<string, {
      readonly client: string;
      readonly status: 'idle' | 'active';
      readonly timestamp: number;
      readonly pushable: boolean;
    }>>;
  };
  'stream/create': {
    readonly id: number;
    readonly type: 'stream';
    readonly op: 'create';
    readonly streams: readonly BasicStream[];
  };
  'stream/delete': {
    readonly id: number;
    readonly type: 'stream';
    readonly op: 'delete';
    readonly streams: readonly BasicStream[];
  };
  'stream/update': {
    readonly id: number;
    readonly type: 'stream';
    readonly op: 'update';
    readonly stream_id: number;
    readonly name: string;
    readonly property: string;
    readonly value: number | boolean | string | null;
    readonly rendered_description?: string;
    readonly history_public_to_subscribers?: boolean;
    readonly is_web_public?: boolean;
  };
  'reaction/add': {
    readonly emoji_name: string;
    readonly emoji_code: string;
    readonly reaction_type: string;
    readonly user_id: number;
    readonly user: {
      readonly id?: number;
      readonly email: string;
      readonly full_name: string;
      readonly is_mirror_dummy?: boolean;
      readonly user_id: number;
    };
    readonly id: number;
    readonly type: 'reaction';
    readonly op: 'add';
    readonly message_id: number;
  };
  'reaction/remove': {
    readonly emoji_name: string;
    readonly emoji_code: string;
    readonly reaction_type: string;
    readonly user_id: number;
    readonly user: {
      readonly id?: number;
      readonly email: string;
      readonly full_name: string;
      readonly is_mirror_dummy?: boolean;
      readonly user_id: number;
    };
    readonly id: number;
    readonly type: 'reaction';
    readonly op: 'remove';
    readonly message_id: number;
  };
  'attachment/add': {
    readonly id: number;
    readonly type: 'attachment';
    readonly op: 'add';
    readonly attachment: Attachments;
    readonly upload_space_used: number;
  };
  'attachment/update': {
    readonly id: number;
    readonly type: 'attachment';
    readonly op: 'update';
    readonly attachment: Attachments;
    readonly upload_space_used: number;
  };
  'attachment/remove': {
    readonly id: number;
    readonly type: 'attachment';
    readonly op: 'remove';
    readonly attachment: {
      readonly id: number;
    };
    readonly upload_space_used: number;
  };
  'submessage': {
    readonly id: number;
    readonly type: 'submessage';
    readonly msg_type: string;
    readonly content: string;
    readonly message_id: number;
    readonly sender_id: number;
    readonly submessage_id: number;
  };
  'user_status': {
    readonly id: number;
    readonly type: 'user_status';
    readonly away?: boolean;
    readonly status_text?: string;
    readonly emoji_name?: string;
    readonly emoji_code?: string;
    readonly reaction_type?: string;
    readonly user_id: number;
  };
  'custom_profile_fields': {
    readonly id: number;
    readonly type: 'custom_profile_fields';
    readonly fields: readonly CustomProfileField[];
  };
  'default_stream_groups': {
    readonly id: number;
    readonly type: 'default_stream_groups';
    readonly default_stream_groups: readonly DefaultStreamGroup[];
  };
  'default_streams': {
    readonly id: number;
    readonly type: 'default_streams';
    readonly default_streams: readonly BasicStream[];
  };
  'delete_message': {
    readonly id: number;
    readonly type: 'delete_message';
    readonly message_ids?: readonly number[];
    readonly message_id?: number;
    readonly message_type: 'private' | 'stream';
    readonly stream_id?: number;
    readonly topic?: string;
  };
  'muted_topics': {
    readonly id: number;
    readonly type: 'muted_topics';
    readonly muted_topics: readonly (readonly (string | number)[])[];
  };
  'user_topic': {
    readonly id: number;
    readonly type: 'user_topic';
    readonly stream_id: number;
    readonly topic_name: string;
    readonly last_updated: number;
    readonly visibility_policy: number;
  };
  'muted_users': {
    readonly id: number;
    readonly type: 'muted_users';
    readonly muted_users: readonly {
      readonly id: number;
      readonly timestamp: number;
    }[];
  };
  'heartbeat': {
    readonly id: number;
    readonly type: 'heartbeat';
  };
  'hotspots': {
    readonly id: number;
    readonly type: 'hotspots';
    readonly hotspots: readonly Hotspot[];
  };
  'update_message': {
    readonly id: number;
    readonly type: 'update_message';
    readonly user_id: number | null;
    readonly rendering_only: boolean;
    readonly message_id: number;
    readonly message_ids: readonly number[];
    readonly flags: readonly string[];
    readonly edit_timestamp: number;
    readonly stream_name?: string;
    readonly stream_id?: number;
    readonly new_stream_id?: number;
    readonly propagate_mode?: 'change_one' | 'change_later' | 'change_all';
    readonly orig_subject?: string;
    readonly subject?: string;
    readonly topic_links?: readonly {
      readonly text: string;
      readonly url: string;
    }[];
    readonly orig_content?: string;
    readonly orig_rendered_content?: string;
    readonly prev_rendered_content_version?: number;
    readonly content?: string;
    readonly rendered_content?: string;
    readonly is_me_message?: boolean;
  };
  'typing/start': {
    readonly id: number;
    readonly type: 'typing';
    readonly op: 'start';
    readonly message_type: 'private' | 'stream';
    readonly sender: {
      readonly user_id: number;
      readonly email: string;
    };
    readonly recipients?: readonly {
      readonly user_id: number;
      readonly email: string;
    }[];
    readonly stream_id?: number;
    readonly topic?: string;
  };
  'typing/stop': {
    readonly id: number;
    readonly type: 'typing';
    readonly op: 'stop';
    readonly message_type: 'private' | 'stream';
    readonly sender: {
      readonly user_id: number;
      readonly email: string;
    };
    readonly recipients?: readonly {
      readonly user_id: number;
      readonly email: string;
    }[];
    readonly stream_id?: number;
    readonly topic?: string;
  };
  'update_message_flags/add': {
    readonly id: number;
    readonly type: 'update_message_flags';
    readonly op: 'add';
    readonly operation: 'add';
    readonly flag: string;
    readonly messages: readonly number[];
    readonly all: boolean;
  };
  'update_message_flags/remove': {
    readonly id: number;
    readonly type: 'update_message_flags';
    readonly op: 'remove';
    readonly operation: 'remove';
    readonly flag: string;
    readonly messages: readonly number[];
    readonly all: boolean;
    readonly message_details?: Readonly<Record<string, {
      readonly type: 'private' | 'stream';
      readonly mentioned?: boolean;
      readonly user_ids?: readonly number[];
      readonly stream_id?: number;
      readonly topic?: string;
      readonly unmuted_stream_msg?: boolean;
    }>>;
  };
  'user_group/add': {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'add';
    readonly group: UserGroup;
  };
  'user_group/update': {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'update';
    readonly group_id: number;
    readonly data: {
      readonly name?: string;
      readonly description?: string;
    };
  };
  'user_group/add_members': {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'add_members';
    readonly group_id: number;
    readonly user_ids: readonly number[];
  };
  'user_group/remove_members': {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'remove_members';
    readonly group_id: number;
    readonly user_ids: readonly number[];
  };
  'user_group/add_subgroups': {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'add_subgroups';
    readonly group_id: number;
    readonly direct_subgroup_ids: readonly number[];
  };
  'user_group/remove_subgroups': {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'remove_subgroups';
    readonly group_id: number;
    readonly direct_subgroup_ids: readonly number[];
  };
  'user_group/remove': {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'remove';
    readonly group_id: number;
  };
  'realm_linkifiers': {
    readonly id: number;
    readonly type: 'realm_linkifiers';
    readonly realm_linkifiers: readonly {
      readonly pattern: string;
      readonly url_template: string;
      readonly id: number;
    }[];
  };
  'realm_filters': {
    readonly id: number;
    readonly type: 'realm_filters';
    readonly realm_filters: readonly (readonly (number | string)[])[];
  };
  'realm_playgrounds': {
    readonly id: number;
    readonly type: 'realm_playgrounds';
    readonly realm_playgrounds: readonly RealmPlayground[];
  };
  'realm_emoji/update': {
    readonly id: number;
    readonly type: 'realm_emoji';
    readonly op: 'update';
    readonly realm_emoji: Readonly<Record<string, RealmEmoji>>;
  };
  'realm_domains/add': {
    readonly id: number;
    readonly type: 'realm_domains';
    readonly op: 'add';
    readonly realm_domain: RealmDomain;
  };
  'realm_domains/change': {
    readonly id: number;
    readonly type: 'realm_domains';
    readonly op: 'change';
    readonly realm_domain: {
      readonly domain: string;
      readonly allow_subdomains: boolean;
    };
  };
  'realm_domains/remove': {
    readonly id: number;
    readonly type: 'realm_domains';
    readonly op: 'remove';
    readonly domain: string;
  };
  'realm_export': {
    readonly id: number;
    readonly type: 'realm_export';
    readonly exports: readonly RealmExport[];
  };
  'realm_bot/add': {
    readonly id: number;
    readonly type: 'realm_bot';
    readonly op: 'add';
    readonly bot: Bot;
  };
  'realm_bot/update': {
    readonly id: number;
    readonly type: 'realm_bot';
    readonly op: 'update';
    readonly bot: {
      readonly user_id: number;
      readonly api_key?: string;
      readonly avatar_url?: string;
      readonly default_all_public_streams?: boolean;
      readonly default_events_register_stream?: string | null;
      readonly default_sending_stream?: string | null;
      readonly full_name?: string;
      readonly owner_id?: number;
      readonly services?: readonly ({
        readonly base_url: string;
        readonly interface: number;
        readonly token: string;
      } | {
        readonly service_name: string;
        readonly config_data: Readonly<Record<string, string>>;
      })[];
    };
  };
  'realm_bot/remove': {
    readonly id: number;
    readonly type: 'realm_bot';
    readonly op: 'remove';
    readonly bot: {
      readonly user_id: number;
      readonly full_name: string;
    };
  };
  'realm_bot/delete': {
    readonly id: number;
    readonly type: 'realm_bot';
    readonly op: 'delete';
    readonly bot: {
      readonly user_id: number;
    };
  };
  'realm/update': {
    readonly id: number;
    readonly type: 'realm';
    readonly op: 'update';
    readonly property: string;
    readonly value: string | boolean | number | null;
    readonly extra_data?: {
      readonly upload_quota: number;
    };
  };
  'realm/deactivated': {
    readonly id: number;
    readonly type: 'realm';
    readonly op: 'deactivated';
    readonly realm_id: number;
  };
  'restart': {
    readonly id: number;
    readonly type: 'restart';
    readonly service_version: string;
    readonly service_merge_base: string;
    readonly service_feature_level: number;
    readonly immediate: boolean;
    readonly server_generation: number;
    readonly zulip_version?: unknown;
    readonly zulip_feature_level?: unknown;
    readonly zulip_merge_base?: unknown;
  };
  'realm/update_dict': {
    readonly id: number;
    readonly type: 'realm';
    readonly op: 'update_dict';
    readonly property: string;
    readonly data: {
      readonly add_custom_emoji_policy?: number;
      readonly allow_edit_history?: boolean;
      readonly allow_message_editing?: boolean;
      readonly authentication_methods?: Readonly<Record<string, boolean>>;
      readonly bot_creation_policy?: number;
      readonly create_public_stream_policy?: number;
      readonly create_private_stream_policy?: number;
      readonly create_web_public_stream_policy?: number;
      readonly default_code_block_language?: string | null;
      readonly default_language?: string;
      readonly description?: string;
      readonly digest_emails_enabled?: boolean;
      readonly digest_weekday?: number;
      readonly disallow_disposable_email_addresses?: boolean;
      readonly edit_topic_policy?: number;
      readonly email_changes_disabled?: boolean;
      readonly emails_restricted_to_domains?: boolean;
      readonly enable_spectator_access?: boolean;
      readonly giphy_rating?: number;
      readonly icon_source?: string;
      readonly icon_url?: string;
      readonly inline_image_preview?: boolean;
      readonly inline_url_embed_preview?: boolean;
      readonly invite_required?: boolean;
      readonly invite_to_realm_policy?: number;
      readonly invite_to_stream_policy?: number;
      readonly logo_source?: string;
      readonly logo_url?: string;
      readonly mandatory_topics?: boolean;
      readonly message_content_allowed_in_email_notifications?: boolean;
      readonly message_content_delete_limit_seconds?: number | null;
      readonly message_content_edit_limit_seconds?: number | null;
      readonly move_messages_within_stream_limit_seconds?: number | null;
      readonly move_messages_between_streams_limit_seconds?: number | null;
      readonly move_messages_between_streams_policy?: number;
      readonly name?: string;
      readonly name_changes_disabled?: boolean;
      readonly night_logo_source?: string;
      readonly night_logo_url?: string;
      readonly notifications_stream_id?: number;
      readonly org_type?: number;
      readonly plan_type?: number;
      readonly presence_disabled?: boolean;
      readonly private_message_policy?: number;
      readonly send_welcome_emails?: boolean;
      readonly signup_notifications_stream_id?: number;
      readonly user_group_edit_policy?: number;
      readonly video_chat_provider?: number;
      readonly waiting_period_threshold?: number;
      readonly want_advertise_in_communities_directory?: boolean;
      readonly wildcard_mention_policy?: number;
      readonly enable_read_receipts?: boolean;
    };
  };
  'realm_user_settings_defaults/update': {
    readonly id: number;
    readonly type: 'realm_user_settings_defaults';
    readonly op: 'update';
    readonly property: string;
    readonly value: boolean | number | string;
  };
  'drafts/add': {
    readonly id: number;
    readonly type: 'drafts';
    readonly op: 'add';
    readonly drafts: readonly Draft[];
  };
  'drafts/update': {
    readonly id: number;
    readonly type: 'drafts';
    readonly op: 'update';
    readonly draft: Draft;
  };
  'drafts/remove': {
    readonly id: number;
    readonly type: 'drafts';
    readonly op: 'remove';
    readonly draft_id: number;
  };
  'scheduled_messages/add': {
    readonly id: number;
    readonly type: 'scheduled_messages';
    readonly op: 'add';
    readonly scheduled_messages: readonly ScheduledMessage[];
  };
  'scheduled_messages/update': {
    readonly id: number;
    readonly type: 'scheduled_messages';
    readonly op: 'update';
    readonly scheduled_message: ScheduledMessage;
  };
  'scheduled_messages/remove': {
    readonly id: number;
    readonly type: 'scheduled_messages';
    readonly op: 'remove';
    readonly scheduled_message_id: number;
  };
}

/** Parameters that are quoted as JSON even when their value is a text. */
export const QUOTED: Readonly<Record<string, readonly string[]>> = {
  'POST /users/me/subscriptions': ['message_retention_days'],
  'PATCH /realm': ['message_content_delete_limit_seconds', 'message_content_edit_limit_seconds', 'message_retention_days', 'move_messages_within_stream_limit_seconds', 'move_messages_between_streams_limit_seconds'],
  'PATCH /streams/{stream_id}': ['message_retention_days'],
  'POST /bots': ['payload_url'],
  'PATCH /bots/{bot_id}': ['service_payload_url'],
};
