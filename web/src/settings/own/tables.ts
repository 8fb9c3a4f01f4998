/** One's own settings as tables; a row's label is `settings.own.<name>`. */
import { core } from '../../client/index.js';
import type { Requests } from '../../contract/index.js';
import { t } from '../../text/index.js';
import type { SettingControl, SettingOption } from '../parts/rows.js';

type SettingsPatchParameter = keyof Requests['PATCH /settings'];

export interface OwnSettingRow {
  readonly name: OwnSettingName;
  readonly control: SettingControl;
}

const flagControl: SettingControl = { kind: 'flag' };

const makeChoiceControl = (...options: SettingOption[]): SettingControl => ({ kind: 'choice', options });

const makeColorSchemeOption = (value: number, key: 'auto' | 'light' | 'dark'): SettingOption => ({
  value,
  label: () => t(`shell.theme-${key}`),
});

const listTimeZoneOptions = (): readonly SettingOption[] => [
  { value: '', label: () => t('settings.zone-of-browser') },
  ...Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: () => zone.replaceAll('_', ' ') })),
];

/** The tune that accounts begin with; the API names it after a product. */
const STANDARD_SOUND = 'zulip';

const formatSoundName = (name: string): string =>
  name === STANDARD_SOUND
    ? t('settings.sound-standard')
    : `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;

const listNotificationSoundOptions = (): readonly SettingOption[] => [
  { value: 'none', label: () => t('settings.none') },
  ...(core.state.me.settings.value.available_notification_sounds ?? []).map((name) => ({
    value: name,
    label: () => formatSoundName(name),
  })),
];

const EMAIL_BATCHING_CHOICES_SECONDS = [120, 300, 600, 900, 1_800, 3_600, 21_600, 86_400] as const;

const emailBatchingControl: SettingControl = {
  kind: 'choice',
  options: EMAIL_BATCHING_CHOICES_SECONDS.map((seconds) => ({
    value: seconds,
    label: () => t('settings.minutes', { n: seconds / 60 }),
  })),
};

const DISPLAY_SETTINGS = {
  color_scheme: makeChoiceControl(
    makeColorSchemeOption(1, 'auto'),
    makeColorSchemeOption(3, 'light'),
    makeColorSchemeOption(2, 'dark'),
  ),
  default_language: { kind: 'language' },
  timezone: { kind: 'choice', options: listTimeZoneOptions },
  twenty_four_hour_time: flagControl,
  default_view: makeChoiceControl(
    { value: 'recent_topics', label: () => t('sidebar.recent') },
    { value: 'all_messages', label: () => t('sidebar.all') },
  ),
  escape_navigates_to_default_view: flagControl,
  demote_inactive_streams: makeChoiceControl(
    { value: 1, label: () => t('settings.automatic') },
    { value: 2, label: () => t('settings.always') },
    { value: 3, label: () => t('settings.never') },
  ),
  starred_message_counts: flagControl,
  display_emoji_reaction_users: flagControl,
} as const satisfies Partial<Record<SettingsPatchParameter, SettingControl>>;

const WRITING_SETTINGS = {
  enter_sends: flagControl,
  translate_emoticons: flagControl,
  enable_drafts_synchronization: flagControl,
  web_mark_read_on_scroll_policy: makeChoiceControl(
    { value: 1, label: () => t('settings.always') },
    { value: 2, label: () => t('settings.in-conversations') },
    { value: 3, label: () => t('settings.never') },
  ),
} as const satisfies Partial<Record<SettingsPatchParameter, SettingControl>>;

const PRIVACY_SETTINGS = {
  presence_enabled: flagControl,
  send_private_typing_notifications: flagControl,
  send_stream_typing_notifications: flagControl,
  send_read_receipts: flagControl,
  email_address_visibility: makeChoiceControl(
    { value: 1, label: () => t('settings.by.everyone') },
    { value: 2, label: () => t('settings.by.members') },
    { value: 5, label: () => t('settings.by.moderators') },
    { value: 3, label: () => t('settings.by.admins') },
    { value: 4, label: () => t('settings.by.nobody') },
  ),
} as const satisfies Partial<Record<SettingsPatchParameter, SettingControl>>;

const GENERAL_NOTIFICATION_SETTINGS = {
  enable_desktop_notifications: flagControl,
  enable_sounds: flagControl,
  notification_sound: { kind: 'choice', options: listNotificationSoundOptions },
  pm_content_in_desktop_notifications: flagControl,
  wildcard_mentions_notify: flagControl,
  enable_offline_push_notifications: flagControl,
  enable_online_push_notifications: flagControl,
  desktop_icon_count_display: makeChoiceControl(
    { value: 1, label: () => t('settings.count-all') },
    { value: 2, label: () => t('settings.count-mentions') },
    { value: 3, label: () => t('settings.count-none') },
  ),
} as const satisfies Partial<Record<SettingsPatchParameter, SettingControl>>;

const STREAM_NOTIFICATION_SETTINGS = {
  enable_stream_desktop_notifications: flagControl,
  enable_stream_audible_notifications: flagControl,
  enable_stream_push_notifications: flagControl,
  enable_stream_email_notifications: flagControl,
} as const satisfies Partial<Record<SettingsPatchParameter, SettingControl>>;

const EMAIL_NOTIFICATION_SETTINGS = {
  enable_offline_email_notifications: flagControl,
  email_notifications_batching_period_seconds: emailBatchingControl,
  message_content_in_email_notifications: flagControl,
  realm_name_in_email_notifications_policy: makeChoiceControl(
    { value: 1, label: () => t('settings.automatic') },
    { value: 2, label: () => t('settings.always') },
    { value: 3, label: () => t('settings.never') },
  ),
  enable_digest_emails: flagControl,
  enable_login_emails: flagControl,
} as const satisfies Partial<Record<SettingsPatchParameter, SettingControl>>;

const OWN_SETTINGS = {
  ...DISPLAY_SETTINGS,
  ...WRITING_SETTINGS,
  ...PRIVACY_SETTINGS,
  ...GENERAL_NOTIFICATION_SETTINGS,
  ...STREAM_NOTIFICATION_SETTINGS,
  ...EMAIL_NOTIFICATION_SETTINGS,
};

export type OwnSettingName = keyof typeof OWN_SETTINGS;

const makeOwnSettingRows = (table: Partial<Record<OwnSettingName, SettingControl>>): readonly OwnSettingRow[] =>
  Object.entries(table).map(([name, control]) => ({ name: name as OwnSettingName, control }));

/** Groups of a page, with the keys of their titles. */
export const DISPLAY_SETTING_GROUPS = [
  { title: 'settings.group.display', rows: makeOwnSettingRows(DISPLAY_SETTINGS) },
  { title: 'settings.group.writing', rows: makeOwnSettingRows(WRITING_SETTINGS) },
] as const;

export const PRIVACY_SETTING_GROUPS = [
  { title: 'settings.group.privacy', rows: makeOwnSettingRows(PRIVACY_SETTINGS) },
] as const;

export const NOTIFICATION_SETTING_GROUPS = [
  { title: 'settings.group.conversations', rows: makeOwnSettingRows(GENERAL_NOTIFICATION_SETTINGS) },
  { title: 'settings.group.streams', rows: makeOwnSettingRows(STREAM_NOTIFICATION_SETTINGS) },
  { title: 'settings.group.email', rows: makeOwnSettingRows(EMAIL_NOTIFICATION_SETTINGS) },
] as const;

const SETTINGS_WITHOUT_REALM_DEFAULT: readonly OwnSettingName[] = [
  'default_language',
  'timezone',
  'enable_login_emails',
];

/** Settings for which an organization chooses the value that new accounts start with. */
export const REALM_DEFAULT_SETTING_GROUPS = [
  ...DISPLAY_SETTING_GROUPS,
  ...PRIVACY_SETTING_GROUPS,
  ...NOTIFICATION_SETTING_GROUPS,
].map(({ title, rows }) => ({
  title,
  rows: rows.filter(({ name }) => !SETTINGS_WITHOUT_REALM_DEFAULT.includes(name)),
}));
