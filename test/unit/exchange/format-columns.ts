/** Columns of the export format at level 184, by table. A new setting of this server must not appear here. */
const USER_SETTINGS = `
  translate_emoticons display_emoji_reaction_users twenty_four_hour_time starred_message_counts color_scheme
  default_language default_view escape_navigates_to_default_view dense_mode fluid_layout_width high_contrast_mode
  left_side_userlist enter_sends user_list_style web_mark_read_on_scroll_policy emojiset demote_inactive_streams
  enable_stream_desktop_notifications enable_stream_email_notifications enable_stream_push_notifications
  enable_stream_audible_notifications wildcard_mentions_notify notification_sound enable_desktop_notifications
  pm_content_in_desktop_notifications enable_sounds enable_offline_email_notifications
  message_content_in_email_notifications enable_offline_push_notifications enable_online_push_notifications
  desktop_icon_count_display enable_digest_emails enable_login_emails enable_marketing_emails presence_enabled
  realm_name_in_email_notifications_policy email_notifications_batching_period_seconds enable_drafts_synchronization
  send_stream_typing_notifications send_private_typing_notifications send_read_receipts email_address_visibility`;

const COLUMNS: Readonly<Record<string, string>> = {
  zerver_realm: `
    name string_id description date_created deactivated deactivated_redirect org_type plan_type notifications_stream
    signup_notifications_stream icon_source icon_version logo_source logo_version night_logo_source night_logo_version
    message_retention_days _max_invites upload_quota_gb message_visibility_limit first_visible_message_id
    video_chat_provider demo_organization_scheduled_deletion_date emails_restricted_to_domains
    disallow_disposable_email_addresses invite_required invite_to_realm_policy name_changes_disabled
    email_changes_disabled avatar_changes_disabled inline_image_preview inline_url_embed_preview
    add_custom_emoji_policy delete_own_message_policy message_content_delete_limit_seconds allow_message_editing
    edit_topic_policy mandatory_topics message_content_edit_limit_seconds allow_edit_history default_language
    waiting_period_threshold send_welcome_emails digest_emails_enabled digest_weekday bot_creation_policy
    message_content_allowed_in_email_notifications create_public_stream_policy create_private_stream_policy
    create_web_public_stream_policy invite_to_stream_policy move_messages_between_streams_policy
    user_group_edit_policy private_message_policy wildcard_mention_policy giphy_rating default_code_block_language
    enable_spectator_access want_advertise_in_communities_directory enable_read_receipts
    move_messages_within_stream_limit_seconds move_messages_between_streams_limit_seconds`,
  zerver_userprofile: `${USER_SETTINGS}
    delivery_email email realm recipient full_name date_joined last_login timezone tos_version role is_active
    is_mirror_dummy long_term_idle last_active_message_id is_bot bot_type bot_owner default_sending_stream
    default_events_register_stream default_all_public_streams avatar_source avatar_version avatar_hash is_staff
    is_superuser is_billing_admin can_forge_sender can_create_users rate_limits onboarding_steps tutorial_status
    zoom_token last_reminder groups user_permissions`,
  zerver_realmuserdefault: `${USER_SETTINGS} realm`,
  zerver_userprofile_crossrealm: 'email recipient_id',
  zerver_client: 'name',
  zerver_stream: `
    name description rendered_description date_created deactivated invite_only history_public_to_subscribers
    is_web_public is_in_zephyr_realm stream_post_policy message_retention_days can_remove_subscribers_group
    first_message_id recipient realm`,
  zerver_recipient: 'type type_id',
  zerver_huddle: 'huddle_hash recipient',
  zerver_subscription: `
    user_profile recipient active is_user_active is_muted color pin_to_top desktop_notifications audible_notifications
    push_notifications email_notifications wildcard_mentions_notify`,
  zerver_defaultstream: 'realm stream',
  zerver_realmemoji: 'name file_name author is_animated deactivated realm',
  zerver_realmfilter: 'pattern url_template realm',
  zerver_realmplayground: 'name pygments_language url_prefix realm',
  zerver_realmdomain: 'domain allow_subdomains realm',
  zerver_realmauthenticationmethod: 'name realm',
  zerver_usergroup: 'name description is_system_group realm',
  zerver_usergroupmembership: 'user_group user_profile',
  zerver_groupgroupmembership: 'supergroup subgroup',
  zerver_customprofilefield: 'name hint order field_type field_data display_in_profile_summary realm',
  zerver_customprofilefieldvalue: 'user_profile field value rendered_value',
  zerver_alertword: 'user_profile word realm',
  zerver_muteduser: 'user_profile muted_user date_muted',
  zerver_usertopic: 'user_profile stream recipient topic_name last_updated visibility_policy',
  zerver_userstatus: 'user_profile timestamp client status_text emoji_name emoji_code reaction_type',
  zerver_service: 'name user_profile base_url interface token',
  zerver_botstoragedata: 'bot_profile key value',
  zerver_botconfigdata: 'bot_profile key value',
  zerver_reaction: 'user_profile message emoji_name emoji_code reaction_type',
  zerver_scheduledmessage: `
    sender recipient stream subject content rendered_content sending_client realm scheduled_timestamp delivered
    delivered_message has_attachment failed failure_message delivery_type`,
  zerver_message: `
    sender recipient realm subject content rendered_content rendered_content_version date_sent sending_client
    last_edit_time edit_history has_attachment has_image has_link search_tsvector`,
  zerver_usermessage: 'user_profile message flags_mask',
  zerver_attachment: `
    file_name path_id owner realm create_time size is_realm_public is_web_public messages scheduled_messages`,
};

/** Columns by table, in alphabetical order; each table has an id besides. */
export const FORMAT_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(COLUMNS).map(([table, names]) => [table, ['id', ...names.trim().split(/\s+/)].sort()]),
);
