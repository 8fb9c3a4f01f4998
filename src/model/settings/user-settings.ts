/**
 * The settings of a user, one row each (users.md § Settings). The parameters of PATCH /settings and of PATCH
 * /realm/user_settings_defaults, the default of a new account, the events, and the fields of POST /register follow from
 * the row. A new setting needs a row in this table and the code that reads it with `readUserSetting`.
 */
import { type TSchema, Type } from 'typebox';
import { apiError } from '#model/errors';
import { INTERFACE_LANGUAGE_CODES } from './languages.js';
import { isEducationOrganizationType } from './realm-settings.js';
import { canonicalizeTimeZone } from './time-zones.js';

/**
 * Group of a setting, which decides the events that report a change besides `user_settings`, for clients without
 * `user_settings_object` (events.md): display: `update_display_settings`, notification: `update_global_notifications`,
 * other: none.
 */
export type UserSettingGroup = 'display' | 'notification' | 'other';
export type UserSettingValue = boolean | number | string;

export interface UserSettingDeclaration<V extends UserSettingValue = UserSettingValue> {
  readonly group: UserSettingGroup;
  readonly default: V;
  readonly schema: TSchema;
  /** First API level with the setting; clients of lower levels neither see nor set it. Absent: all levels have it. */
  readonly since?: number;
  /** Name of the field in `DirectoryUser` that has the value. Absent: the value is one of the preferences. */
  readonly accountField?: 'timezone' | 'emailVisibility';
  /** Default of the setting for accounts of a new school or university, where it differs. */
  readonly educationDefault?: V;
  /** True if every new account has the program's default: an organization has no default of its own. */
  readonly noRealmDefault?: true;
  /** Refuses a value of the setting that satisfies the schema. @throws ApiError */
  check?(value: UserSettingValue): void;
  /** Converts a value of the request into its stored form. */
  convert?(value: UserSettingValue): V;
}

type UserSettingOverrides<V extends UserSettingValue> = Partial<Omit<UserSettingDeclaration<V>, 'group' | 'default'>>;

interface UserSettingBuilder {
  (value: boolean, more?: UserSettingOverrides<boolean>): UserSettingDeclaration<boolean>;
  (value: number, more?: UserSettingOverrides<number>): UserSettingDeclaration<number>;
  (value: string, more?: UserSettingOverrides<string>): UserSettingDeclaration<string>;
}

const SETTING_SCHEMA_BY_VALUE_TYPE = { boolean: Type.Boolean(), number: Type.Integer(), string: Type.String() };

const makeUserSettingBuilder = (group: UserSettingGroup): UserSettingBuilder => {
  function row(value: boolean, more?: UserSettingOverrides<boolean>): UserSettingDeclaration<boolean>;
  function row(value: number, more?: UserSettingOverrides<number>): UserSettingDeclaration<number>;
  function row(value: string, more?: UserSettingOverrides<string>): UserSettingDeclaration<string>;
  function row(value: UserSettingValue, more: object = {}): UserSettingDeclaration {
    return {
      group,
      default: value,
      schema: SETTING_SCHEMA_BY_VALUE_TYPE[typeof value as keyof typeof SETTING_SCHEMA_BY_VALUE_TYPE],
      ...more,
    };
  }
  return row;
};

const declareDisplaySetting = makeUserSettingBuilder('display');
const declareNotificationSetting = makeUserSettingBuilder('notification');
const declareOtherSetting = makeUserSettingBuilder('other');

const makeEnumSchemaOverride = (...values: readonly (number | string)[]) => ({ schema: Type.Enum(values as string[]) });

/** Maximum delay of e-mail notifications, seconds: one week. */
const MAX_EMAIL_BATCHING_PERIOD_SECONDS = 604_800;

/** Names of notification sounds, which are file names. */
export const NOTIFICATION_SOUNDS: readonly string[] = [
  ...['ascend', 'beep_boop', 'bink', 'bright', 'brlip', 'chime', 'deep tom', 'ding', 'double tap', 'down'],
  ...['dry bongos', 'dutdut', 'fast ascend', 'flute', 'friendly', 'kick roll', 'loud tintong', 'metallic snare'],
  ...['pan', 'shaker', 'simple', 'stairs', 'subtle', 'swish', 'tintong', 'up', 'wood block', 'zaping', 'zing', 'zulip'],
];

export const EMOJISET_CHOICES = [
  { key: 'google', text: 'Google' },
  { key: 'twitter', text: 'Twitter' },
  { key: 'text', text: 'Plain text' },
  { key: 'google-blob', text: 'Google blobs' },
] as const;

/** The settings, one row each, in the order in which a request's values are checked and its changes are published. */
export const USER_SETTING_DECLARATIONS = {
  twenty_four_hour_time: declareDisplaySetting(false),
  dense_mode: declareDisplaySetting(true),
  web_mark_read_on_scroll_policy: declareOtherSetting(1, makeEnumSchemaOverride(1, 2, 3)),
  starred_message_counts: declareDisplaySetting(true),
  fluid_layout_width: declareDisplaySetting(false),
  high_contrast_mode: declareDisplaySetting(false),
  color_scheme: declareDisplaySetting(1, makeEnumSchemaOverride(1, 2, 3)),
  translate_emoticons: declareDisplaySetting(false),
  display_emoji_reaction_users: declareOtherSetting(true),
  default_language: declareDisplaySetting('en', {
    noRealmDefault: true,
    check(value) {
      if (!INTERFACE_LANGUAGE_CODES.has(String(value))) throw apiError('INVALID_DEFAULT_LANGUAGE');
    },
  }),
  default_view: declareDisplaySetting('recent_topics', makeEnumSchemaOverride('recent_topics', 'all_messages')),
  escape_navigates_to_default_view: declareOtherSetting(true),
  left_side_userlist: declareDisplaySetting(false),
  emojiset: declareDisplaySetting('google', makeEnumSchemaOverride('google', 'google-blob', 'text', 'twitter')),
  demote_inactive_streams: declareDisplaySetting(1, makeEnumSchemaOverride(1, 2, 3)),
  email_notifications_batching_period_seconds: declareNotificationSetting(120, {
    check(seconds) {
      if (Number(seconds) > 0 && Number(seconds) <= MAX_EMAIL_BATCHING_PERIOD_SECONDS) return;
      throw apiError('INVALID_BATCHING_PERIOD', { seconds: Number(seconds) });
    },
  }),
  enable_drafts_synchronization: declareDisplaySetting(true),
  enable_stream_desktop_notifications: declareNotificationSetting(false),
  enable_stream_email_notifications: declareNotificationSetting(false),
  enable_stream_push_notifications: declareNotificationSetting(false),
  enable_stream_audible_notifications: declareNotificationSetting(false),
  wildcard_mentions_notify: declareNotificationSetting(true),
  notification_sound: declareNotificationSetting('zulip', {
    check(sound) {
      if (sound === 'none' || NOTIFICATION_SOUNDS.includes(String(sound))) return;
      throw apiError('INVALID_SOUND', { sound: String(sound) });
    },
  }),
  // Clients of the levels with these settings learn of changes by `user_settings` alone.
  enable_followed_topic_desktop_notifications: declareOtherSetting(true, { since: 189 }),
  enable_followed_topic_email_notifications: declareOtherSetting(true, { since: 189 }),
  enable_followed_topic_push_notifications: declareOtherSetting(true, { since: 189 }),
  enable_followed_topic_audible_notifications: declareOtherSetting(true, { since: 189 }),
  enable_followed_topic_wildcard_mentions_notify: declareOtherSetting(true, { since: 189 }),
  automatically_follow_topics_policy: declareOtherSetting(4, { ...makeEnumSchemaOverride(1, 2, 3, 4), since: 214 }),
  automatically_unmute_topics_in_muted_streams_policy: declareOtherSetting(4, {
    ...makeEnumSchemaOverride(1, 2, 3, 4),
    since: 214,
  }),
  automatically_follow_topics_where_mentioned: declareOtherSetting(false, { since: 235 }),
  enable_desktop_notifications: declareNotificationSetting(true),
  enable_sounds: declareNotificationSetting(true),
  enable_offline_email_notifications: declareNotificationSetting(true),
  enable_offline_push_notifications: declareNotificationSetting(true),
  enable_online_push_notifications: declareNotificationSetting(true),
  enable_digest_emails: declareNotificationSetting(true),
  enable_login_emails: declareNotificationSetting(true, { noRealmDefault: true }),
  enable_marketing_emails: declareNotificationSetting(true, { noRealmDefault: true }),
  message_content_in_email_notifications: declareNotificationSetting(true),
  pm_content_in_desktop_notifications: declareNotificationSetting(true),
  desktop_icon_count_display: declareNotificationSetting(1, makeEnumSchemaOverride(1, 2, 3)),
  realm_name_in_email_notifications_policy: declareNotificationSetting(1, makeEnumSchemaOverride(1, 2, 3)),
  presence_enabled: declareNotificationSetting(true),
  enter_sends: declareDisplaySetting(false),
  send_private_typing_notifications: declareOtherSetting(true),
  send_stream_typing_notifications: declareOtherSetting(true),
  send_read_receipts: declareOtherSetting(true),
  user_list_style: declareOtherSetting(2, makeEnumSchemaOverride(1, 2, 3)),
  email_address_visibility: declareOtherSetting(1, {
    ...makeEnumSchemaOverride(1, 2, 3, 4, 5),
    accountField: 'emailVisibility',
    educationDefault: 3,
  }),
  // Events of PATCH /settings have the order of the rows. The time zone comes last: its second event, for all users,
  // follows the events of all other settings.
  timezone: declareDisplaySetting('', {
    schema: Type.String({ check: 'timezone' }),
    accountField: 'timezone',
    noRealmDefault: true,
    convert: (zone) => canonicalizeTimeZone(String(zone)),
  }),
};

type UserSettingDeclarations = typeof USER_SETTING_DECLARATIONS;
export type UserSettingName = keyof UserSettingDeclarations;
export type UserSettings = { readonly [N in UserSettingName]: UserSettingDeclarations[N]['default'] };

export const USER_SETTING_NAMES = Object.keys(USER_SETTING_DECLARATIONS) as readonly UserSettingName[];

const findUserSettingDeclaration = (name: UserSettingName): UserSettingDeclaration => USER_SETTING_DECLARATIONS[name];

/** First API level with the setting; undefined: all levels have it. */
export const firstLevelOfUserSetting = (name: UserSettingName): number | undefined =>
  findUserSettingDeclaration(name).since;

/** The settings that clients of this level have. @param level API level; undefined: the base level */
export const userSettingNamesOfLevel = (level: number | undefined): readonly UserSettingName[] =>
  USER_SETTING_NAMES.filter((name) => (firstLevelOfUserSetting(name) ?? 0) <= (level ?? 0));

export const isAccountFieldSetting = (name: UserSettingName): boolean =>
  findUserSettingDeclaration(name).accountField !== undefined;

/** Names of the settings for which an organization may choose the value that its new accounts start with. */
export const USER_SETTING_NAMES_WITH_REALM_DEFAULT = USER_SETTING_NAMES.filter(
  (name) => !findUserSettingDeclaration(name).noRealmDefault,
);

/** Returns the defaults of settings for accounts of a new organization, where they differ from the program's. */
export const makeInitialRealmUserSettingDefaults = (orgType: number): Partial<UserSettings> =>
  Object.fromEntries(
    USER_SETTING_NAMES.flatMap((name) => {
      const { educationDefault } = findUserSettingDeclaration(name);
      return isEducationOrganizationType(orgType) && educationDefault !== undefined ? [[name, educationDefault]] : [];
    }),
  );

/** Checks the values of a request and returns them in their stored form. @throws ApiError */
export function checkAndConvertUserSettings(given: Readonly<Record<string, unknown>>): Partial<UserSettings> {
  const values = given as Partial<UserSettings>;
  const names = USER_SETTING_NAMES.filter((name) => values[name] !== undefined);
  for (const name of names) findUserSettingDeclaration(name).check?.(values[name]!);
  return Object.fromEntries(
    names.map((name) => [name, findUserSettingDeclaration(name).convert?.(values[name]!) ?? values[name]!]),
  );
}
