/** Sections about the organization (register.md § fetch_event_types). */
import { type JsonObject, PROCESS_START_SECONDS, type ResponseFields } from '#base';
import { MAX_MESSAGE_CHARACTERS } from '#domain/messages';
import {
  defaultSettingsOfNewAccounts,
  EXTERNAL_ACCOUNTS,
  encodedGroups,
  mailDomainOfOrigin,
  PRESENTED_FIELD_TYPES,
  presentDomain,
  presentLinkifier,
  presentPlayground,
  presentProfileField,
  pronounsAsShortText,
} from '#domain/people';
import { MAX_PICTURE_MIB, presentRealmPictures } from '#domain/pictures';
import { OFFLINE_AFTER_SECONDS } from '#domain/presence';
import { MAX_DESCRIPTION_CHARACTERS, MAX_STREAM_NAME_CHARACTERS, MAX_TOPIC_CHARACTERS } from '#domain/streams';
import {
  EMOJISET_CHOICES,
  isLoginMethodOn,
  NOTIFICATION_SOUNDS,
  PASSWORD_METHOD,
  presentLoginMethods,
  REALM_SETTING_NAMES,
} from '#model';
import type { SnapshotInputs } from './inputs.js';

const GIPHY_RATINGS = {
  disabled: { name: 'GIPHY integration disabled', id: 0 },
  y: { name: 'Allow GIFs rated Y (Very young audience)', id: 1 },
  g: { name: 'Allow GIFs rated G (General audience)', id: 2 },
  pg: { name: 'Allow GIFs rated PG (Parental guidance)', id: 3 },
  'pg-13': { name: 'Allow GIFs rated PG-13 (Parental guidance - under 13)', id: 4 },
  r: { name: 'Allow GIFs rated R (Restricted)', id: 5 },
};

/** Section `realm`: the organization's settings and facts about the server (register.md § Realm section). */
export function realmSection({ directory, args, limits }: SnapshotInputs): JsonObject {
  const settings = REALM_SETTING_NAMES.map((name) => [`realm_${name}`, directory.settings[name]]);
  const { origin, site } = args;
  const passwords = isLoginMethodOn(directory.settings.authentication_methods, PASSWORD_METHOD);
  const pictures = Object.entries(presentRealmPictures(directory)).map(([name, value]) => [`realm_${name}`, value]);
  return {
    ...Object.fromEntries(settings),
    realm_authentication_methods: presentLoginMethods(directory.settings.authentication_methods),
    realm_email_auth_enabled: passwords,
    realm_password_auth_enabled: passwords,
    realm_presence_disabled: false,
    realm_uri: origin,
    realm_bot_domain: mailDomainOfOrigin(site),
    ...Object.fromEntries(pictures),
    realm_available_video_chat_providers: {
      disabled: { name: 'None', id: 0 },
      jitsi_meet: { name: 'Jitsi Meet', id: 1 },
    },
    realm_default_external_accounts: EXTERNAL_ACCOUNTS,
    realm_push_notifications_enabled: false,
    // The value is in bytes, although the field's name says MiB (register.md).
    realm_upload_quota_mib: limits.uploadQuotaMib === 0 ? null : limits.uploadQuotaMib * 1_048_576,
    realm_plan_type: 1,
    service_plan_is_not_limited: true,
    zulip_plan_is_not_limited: true,
    upgrade_text_for_wide_organization_logo: '',
    realm_is_zephyr_mirror_realm: false,
    giphy_rating_options: GIPHY_RATINGS,
    max_avatar_file_size_mib: MAX_PICTURE_MIB,
    max_file_upload_size_mib: limits.maxFileMib,
    max_icon_file_size_mib: MAX_PICTURE_MIB,
    max_logo_file_size_mib: MAX_PICTURE_MIB,
    max_stream_name_length: MAX_STREAM_NAME_CHARACTERS,
    max_stream_description_length: MAX_DESCRIPTION_CHARACTERS,
    max_topic_length: MAX_TOPIC_CHARACTERS,
    max_message_length: MAX_MESSAGE_CHARACTERS,
    event_queue_longpoll_timeout_seconds: 90,
    server_presence_ping_interval_seconds: 60,
    server_presence_offline_threshold_seconds: OFFLINE_AFTER_SECONDS,
    password_min_length: 6,
    password_min_guesses: 10_000,
    server_generation: PROCESS_START_SECONDS,
    server_inline_image_preview: true,
    server_inline_url_embed_preview: true,
    server_avatar_changes_disabled: false,
    server_name_changes_disabled: false,
    server_web_public_streams_enabled: args.webPublicStreams,
    server_emoji_data_url: `${origin}/static/emoji/emoji_api.json`,
    server_needs_upgrade: false,
    settings_send_digest_emails: true,
    jitsi_server_url: 'https://meet.jit.si',
    development_environment: false,
  };
}

export const groupsSection = ({ directory }: SnapshotInputs): ResponseFields => ({
  realm_user_groups: encodedGroups(directory),
});

/** Clients that do not know URL templates get no linkifiers. */
export const linkifiersSection = ({ directory, args }: SnapshotInputs): JsonObject => ({
  realm_linkifiers: args.options.capabilities.linkifier_url_template
    ? directory.linkifiers().map(presentLinkifier)
    : [],
});

export const playgroundsSection = ({ directory }: SnapshotInputs): JsonObject => ({
  realm_playgrounds: directory.playgrounds().map(presentPlayground),
});

export const domainsSection = ({ directory }: SnapshotInputs): JsonObject => ({
  realm_domains: directory.domains().map(presentDomain),
});

/** Clients that do not know the pronouns type get no fields of it. */
export function profileFieldsSection({ directory, args }: SnapshotInputs): JsonObject {
  const fields = directory.profileFields().map(presentProfileField);
  if (args.options.pronouns)
    return { custom_profile_fields: fields, custom_profile_field_types: PRESENTED_FIELD_TYPES };
  const { PRONOUNS: _, ...types } = PRESENTED_FIELD_TYPES;
  return { custom_profile_fields: pronounsAsShortText(fields), custom_profile_field_types: types };
}

export const settingsDefaultsSection = ({ directory }: SnapshotInputs): JsonObject => ({
  realm_user_settings_defaults: {
    ...defaultSettingsOfNewAccounts(directory),
    emojiset_choices: EMOJISET_CHOICES,
    available_notification_sounds: NOTIFICATION_SOUNDS,
  },
});
