/** Settings of the organization as tables; a row's label is `settings.realm.<name>`. */
import type { Requests } from '../../contract/index.js';
import { t } from '../../text/index.js';
import type { SettingControl, SettingOption } from '../parts/rows.js';

type RealmPatchParameter = keyof Requests['PATCH /realm'];

interface RealmSettingDefinition {
  readonly control: SettingControl;
  /** True if only owners may change it, as in the server's table of settings. */
  readonly ownerOnly?: true;
}

const flagSetting: RealmSettingDefinition = { control: { kind: 'flag' } };
const ownerOnlyFlagSetting: RealmSettingDefinition = { control: { kind: 'flag' }, ownerOnly: true };

/** Values of policies, in the order from many people to few. */
const POLICY_LABEL_KEY_BY_VALUE = {
  5: 'settings.by.everyone',
  1: 'settings.by.members',
  3: 'settings.by.full-members',
  4: 'settings.by.moderators',
  2: 'settings.by.admins',
  7: 'settings.by.owners',
  6: 'settings.by.nobody',
} as const;

type PolicyValue = keyof typeof POLICY_LABEL_KEY_BY_VALUE;

const makePolicySetting = (...values: readonly PolicyValue[]): RealmSettingDefinition => ({
  control: {
    kind: 'choice',
    options: values.map((value) => ({ value, label: () => t(POLICY_LABEL_KEY_BY_VALUE[value]) })),
  },
});

const makeChoiceSetting = (...options: readonly SettingOption[]): RealmSettingDefinition => ({
  control: { kind: 'choice', options },
});

const membersOrStricterPolicySetting = makePolicySetting(1, 3, 4, 2);

const TIME_LIMIT_CHOICES_SECONDS = [60, 300, 600, 3_600, 86_400, 604_800, 2_592_000] as const;
const timeLimitSetting: RealmSettingDefinition = {
  control: { kind: 'limit', unit: 'seconds', spans: TIME_LIMIT_CHOICES_SECONDS, none: null },
};

const ORGANIZATION_TYPE_LABEL_KEYS = {
  0: 'settings.type.unspecified',
  10: 'settings.type.business',
  20: 'settings.type.open-source',
  30: 'settings.type.school-nonprofit',
  35: 'settings.type.school',
  40: 'settings.type.research',
  50: 'settings.type.event',
  60: 'settings.type.nonprofit',
  70: 'settings.type.government',
  80: 'settings.type.political',
  90: 'settings.type.community',
  100: 'settings.type.personal',
  1000: 'settings.type.other',
} as const;

const organizationTypeOptions: readonly SettingOption[] = Object.entries(ORGANIZATION_TYPE_LABEL_KEYS).map(
  ([value, key]) => ({
    value: Number(value),
    label: () => t(key),
  }),
);

const WEEKDAY_OPTIONS = [0, 1, 2, 3, 4, 5, 6].map((value) => ({
  value,
  // 1 January 2024 was a Monday.
  label: () =>
    new Intl.DateTimeFormat(document.documentElement.lang, { weekday: 'long' }).format(new Date(2024, 0, 1 + value)),
}));

const REALM_PROFILE_SETTINGS = {
  name: { control: { kind: 'text', max: 40 } },
  description: { control: { kind: 'area', max: 1_000 } },
  org_type: makeChoiceSetting(...organizationTypeOptions),
  default_language: { control: { kind: 'language' } },
  want_advertise_in_communities_directory: flagSetting,
} as const satisfies Partial<Record<RealmPatchParameter, RealmSettingDefinition>>;

const JOINING_SETTINGS = {
  invite_required: ownerOnlyFlagSetting,
  invite_to_realm_policy: { ...makePolicySetting(1, 3, 4, 2, 6), ownerOnly: true },
  emails_restricted_to_domains: ownerOnlyFlagSetting,
  disallow_disposable_email_addresses: ownerOnlyFlagSetting,
  waiting_period_threshold: { control: { kind: 'number', min: 0 }, ownerOnly: true },
  send_welcome_emails: flagSetting,
} as const satisfies Partial<Record<RealmPatchParameter, RealmSettingDefinition>>;

const STREAM_SETTINGS = {
  create_public_stream_policy: membersOrStricterPolicySetting,
  create_private_stream_policy: membersOrStricterPolicySetting,
  create_web_public_stream_policy: makePolicySetting(4, 2, 7, 6),
  enable_spectator_access: flagSetting,
  invite_to_stream_policy: membersOrStricterPolicySetting,
  notifications_stream_id: { control: { kind: 'stream' } },
  signup_notifications_stream_id: { control: { kind: 'stream' } },
} as const satisfies Partial<Record<RealmPatchParameter, RealmSettingDefinition>>;

const PEOPLE_EMOJI_AND_BOT_SETTINGS = {
  name_changes_disabled: flagSetting,
  email_changes_disabled: flagSetting,
  avatar_changes_disabled: flagSetting,
  user_group_edit_policy: membersOrStricterPolicySetting,
  add_custom_emoji_policy: membersOrStricterPolicySetting,
  bot_creation_policy: makeChoiceSetting(
    { value: 1, label: () => t('settings.by.members') },
    { value: 2, label: () => t('settings.bots-generic') },
    { value: 3, label: () => t('settings.by.admins') },
  ),
} as const satisfies Partial<Record<RealmPatchParameter, RealmSettingDefinition>>;

const MESSAGE_SETTINGS = {
  private_message_policy: makeChoiceSetting(
    { value: 1, label: () => t('settings.allowed') },
    { value: 2, label: () => t('settings.not-allowed') },
  ),
  // Its numbers differ from those of the other policies.
  wildcard_mention_policy: makeChoiceSetting(
    { value: 1, label: () => t('settings.by.everyone') },
    { value: 2, label: () => t('settings.by.members') },
    { value: 3, label: () => t('settings.by.full-members') },
    { value: 7, label: () => t('settings.by.moderators') },
    { value: 5, label: () => t('settings.by.admins') },
    { value: 6, label: () => t('settings.by.nobody') },
  ),
  mandatory_topics: flagSetting,
  enable_read_receipts: flagSetting,
  inline_image_preview: flagSetting,
  inline_url_embed_preview: flagSetting,
  default_code_block_language: { control: { kind: 'text', max: 40 } },
  video_chat_provider: makeChoiceSetting(
    { value: 0, label: () => t('settings.none') },
    { value: 1, label: () => 'Jitsi Meet' },
  ),
} as const satisfies Partial<Record<RealmPatchParameter, RealmSettingDefinition>>;

const EDITING_SETTINGS = {
  allow_message_editing: flagSetting,
  message_content_edit_limit_seconds: timeLimitSetting,
  allow_edit_history: flagSetting,
  edit_topic_policy: makePolicySetting(5, 1, 3, 4, 2, 6),
  move_messages_within_stream_limit_seconds: timeLimitSetting,
  move_messages_between_streams_policy: makePolicySetting(1, 3, 4, 2, 6),
  move_messages_between_streams_limit_seconds: timeLimitSetting,
  delete_own_message_policy: makePolicySetting(5, 1, 3, 4, 2),
  message_content_delete_limit_seconds: timeLimitSetting,
  message_retention_days: {
    control: { kind: 'limit', unit: 'days', spans: [7, 30, 90, 180, 365, 730], none: -1 },
    ownerOnly: true,
  },
} as const satisfies Partial<Record<RealmPatchParameter, RealmSettingDefinition>>;

const MAIL_SETTINGS = {
  message_content_allowed_in_email_notifications: flagSetting,
  digest_emails_enabled: flagSetting,
  digest_weekday: makeChoiceSetting(...WEEKDAY_OPTIONS),
} as const satisfies Partial<Record<RealmPatchParameter, RealmSettingDefinition>>;

const REALM_SETTINGS = {
  ...REALM_PROFILE_SETTINGS,
  ...JOINING_SETTINGS,
  ...STREAM_SETTINGS,
  ...PEOPLE_EMOJI_AND_BOT_SETTINGS,
  ...MESSAGE_SETTINGS,
  ...EDITING_SETTINGS,
  ...MAIL_SETTINGS,
};

export type RealmSettingName = keyof typeof REALM_SETTINGS;

export interface RealmSettingRow extends RealmSettingDefinition {
  readonly name: RealmSettingName;
}

const makeRealmSettingRows = (
  table: Partial<Record<RealmSettingName, RealmSettingDefinition>>,
): readonly RealmSettingRow[] =>
  Object.entries(table).map(([name, row]) => ({ name: name as RealmSettingName, ...row }));

export const REALM_PROFILE_SETTING_GROUPS = [
  { title: 'settings.group.profile', rows: makeRealmSettingRows(REALM_PROFILE_SETTINGS) },
] as const;

export const PERMISSION_SETTING_GROUPS = [
  { title: 'settings.group.joining', rows: makeRealmSettingRows(JOINING_SETTINGS) },
  { title: 'settings.group.streams', rows: makeRealmSettingRows(STREAM_SETTINGS) },
  { title: 'settings.group.people', rows: makeRealmSettingRows(PEOPLE_EMOJI_AND_BOT_SETTINGS) },
] as const;

export const MESSAGE_AND_MAIL_SETTING_GROUPS = [
  { title: 'settings.group.messages', rows: makeRealmSettingRows(MESSAGE_SETTINGS) },
  { title: 'settings.group.editing', rows: makeRealmSettingRows(EDITING_SETTINGS) },
  { title: 'settings.group.email', rows: makeRealmSettingRows(MAIL_SETTINGS) },
] as const;
