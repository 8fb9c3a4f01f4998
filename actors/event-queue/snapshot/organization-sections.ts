/** Sections about the organization (register.md § fetch_event_types). */
import { type JsonObject, PROCESS_START_SECONDS, type ResponseFields } from '#base';
import { MAX_MESSAGE_CHARACTERS } from '#domain/messages';
import {
  API_PROFILE_FIELD_TYPES,
  DEFAULT_EXTERNAL_ACCOUNT_TYPES,
  emailDomainOfOrigin,
  formatEmailDomainForApi,
  formatLinkifierForApi,
  formatPlaygroundForApi,
  formatProfileFieldForApi,
  getEncodedUserGroupList,
  initialSettingsOfNewAccounts,
  withPronounsAsShortText,
} from '#domain/people';
import { formatAllRealmPictureFieldsForApi, MAX_UPLOADED_PICTURE_MIB } from '#domain/pictures';
import { PRESENCE_OFFLINE_AFTER_SECONDS } from '#domain/presence';
import { MAX_STREAM_DESCRIPTION_CHARACTERS, MAX_STREAM_NAME_CHARACTERS, MAX_TOPIC_CHARACTERS } from '#domain/streams';
import {
  EMOJISET_CHOICES,
  formatLoginMethodsForClients,
  isLoginMethodOn,
  NOTIFICATION_SOUNDS,
  PASSWORD_LOGIN_METHOD,
  REALM_SETTING_NAMES,
} from '#model';
import type { RegistrationSnapshotInputs } from './inputs.js';

const GIPHY_RATING_OPTIONS = {
  disabled: { name: 'GIPHY integration disabled', id: 0 },
  y: { name: 'Allow GIFs rated Y (Very young audience)', id: 1 },
  g: { name: 'Allow GIFs rated G (General audience)', id: 2 },
  pg: { name: 'Allow GIFs rated PG (Parental guidance)', id: 3 },
  'pg-13': { name: 'Allow GIFs rated PG-13 (Parental guidance - under 13)', id: 4 },
  r: { name: 'Allow GIFs rated R (Restricted)', id: 5 },
};

/** Section `realm`: the organization's settings and facts about the server (register.md § Realm section). */
export function makeRealmSnapshotSection({
  directory,
  args,
  fileUploadLimits,
  pushesToDevices,
}: RegistrationSnapshotInputs): JsonObject {
  const settings = REALM_SETTING_NAMES.map((name) => [`realm_${name}`, directory.settings[name]]);
  const { origin, site } = args;
  const passwords = isLoginMethodOn(directory.settings.authentication_methods, PASSWORD_LOGIN_METHOD);
  const pictures = Object.entries(formatAllRealmPictureFieldsForApi(directory)).map(([name, value]) => [
    `realm_${name}`,
    value,
  ]);
  return {
    ...Object.fromEntries(settings),
    realm_authentication_methods: formatLoginMethodsForClients(
      directory.settings.authentication_methods,
      args.hasSingleSignOn,
    ),
    realm_email_auth_enabled: passwords,
    realm_password_auth_enabled: passwords,
    realm_presence_disabled: false,
    realm_uri: origin,
    realm_bot_domain: emailDomainOfOrigin(site),
    ...Object.fromEntries(pictures),
    realm_available_video_chat_providers: {
      disabled: { name: 'None', id: 0 },
      jitsi_meet: { name: 'Jitsi Meet', id: 1 },
    },
    realm_default_external_accounts: DEFAULT_EXTERNAL_ACCOUNT_TYPES,
    realm_push_notifications_enabled: pushesToDevices,
    // The value is in bytes, although the field's name says MiB (register.md); newer levels get MiB.
    realm_upload_quota_mib: fileUploadLimits.uploadQuotaMib === 0 ? null : fileUploadLimits.uploadQuotaMib * 1_048_576,
    realm_plan_type: 1,
    service_plan_is_not_limited: true,
    zulip_plan_is_not_limited: true,
    upgrade_text_for_wide_organization_logo: '',
    realm_is_zephyr_mirror_realm: false,
    giphy_rating_options: GIPHY_RATING_OPTIONS,
    max_avatar_file_size_mib: MAX_UPLOADED_PICTURE_MIB,
    max_file_upload_size_mib: fileUploadLimits.maxFileMib,
    max_icon_file_size_mib: MAX_UPLOADED_PICTURE_MIB,
    max_logo_file_size_mib: MAX_UPLOADED_PICTURE_MIB,
    max_stream_name_length: MAX_STREAM_NAME_CHARACTERS,
    max_stream_description_length: MAX_STREAM_DESCRIPTION_CHARACTERS,
    max_topic_length: MAX_TOPIC_CHARACTERS,
    max_message_length: MAX_MESSAGE_CHARACTERS,
    event_queue_longpoll_timeout_seconds: 90,
    server_presence_ping_interval_seconds: 60,
    server_presence_offline_threshold_seconds: PRESENCE_OFFLINE_AFTER_SECONDS,
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

export const makeUserGroupsSnapshotSection = ({ directory }: RegistrationSnapshotInputs): ResponseFields => ({
  realm_user_groups: getEncodedUserGroupList(directory),
});

/** Clients that do not know URL templates get no linkifiers. */
export const makeLinkifiersSnapshotSection = ({ directory, args }: RegistrationSnapshotInputs): JsonObject => ({
  realm_linkifiers: args.options.capabilities.linkifier_url_template
    ? directory.linkifiers().map(formatLinkifierForApi)
    : [],
});

export const makePlaygroundsSnapshotSection = ({ directory }: RegistrationSnapshotInputs): JsonObject => ({
  realm_playgrounds: directory.playgrounds().map(formatPlaygroundForApi),
});

export const makeEmailDomainsSnapshotSection = ({ directory }: RegistrationSnapshotInputs): JsonObject => ({
  realm_domains: directory.emailDomains().map(formatEmailDomainForApi),
});

/** Clients that do not know the pronouns type get no fields of it. */
export function makeProfileFieldsSnapshotSection({ directory, args }: RegistrationSnapshotInputs): JsonObject {
  const fields = directory.profileFields().map(formatProfileFieldForApi);
  if (args.options.pronouns)
    return { custom_profile_fields: fields, custom_profile_field_types: API_PROFILE_FIELD_TYPES };
  const { PRONOUNS: _, ...types } = API_PROFILE_FIELD_TYPES;
  return { custom_profile_fields: withPronounsAsShortText(fields), custom_profile_field_types: types };
}

export const makeUserSettingDefaultsSnapshotSection = ({
  directory,
  args,
}: RegistrationSnapshotInputs): JsonObject => ({
  realm_user_settings_defaults: {
    ...initialSettingsOfNewAccounts(directory, args.options.apiLevel),
    emojiset_choices: EMOJISET_CHOICES,
    available_notification_sounds: NOTIFICATION_SOUNDS,
  },
});
