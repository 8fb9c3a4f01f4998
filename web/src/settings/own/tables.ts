/** One's own settings as tables; a row's label is `settings.own.<name>`. */
import { core } from '../../client/index.js';
import type { Requests } from '../../contract/index.js';
import { t } from '../../text/index.js';
import type { Control, Option } from '../parts/rows.js';

type Parameter = keyof Requests['PATCH /settings'];

export interface OwnRow {
  readonly name: OwnSetting;
  readonly control: Control;
}

const flag: Control = { kind: 'flag' };

const choice = (...options: Option[]): Control => ({ kind: 'choice', options });

const scheme = (value: number, key: 'auto' | 'light' | 'dark'): Option => ({
  value,
  label: () => t(`shell.theme-${key}`),
});

const zones = (): readonly Option[] => [
  { value: '', label: () => t('settings.zone-of-browser') },
  ...Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: () => zone.replaceAll('_', ' ') })),
];

const sounds = (): readonly Option[] => [
  { value: 'none', label: () => t('settings.none') },
  ...(core.state.me.settings.value.available_notification_sounds ?? []).map((name) => ({
    value: name,
    label: () => name.replaceAll('_', ' '),
  })),
];

const BATCHING = [120, 300, 600, 900, 1_800, 3_600, 21_600, 86_400] as const;

const spans: Control = {
  kind: 'choice',
  options: BATCHING.map((seconds) => ({
    value: seconds,
    label: () => t('settings.minutes', { n: seconds / 60 }),
  })),
};

const DISPLAY = {
  color_scheme: choice(scheme(1, 'auto'), scheme(3, 'light'), scheme(2, 'dark')),
  default_language: { kind: 'language' },
  timezone: { kind: 'choice', options: zones },
  twenty_four_hour_time: flag,
  default_view: choice(
    { value: 'recent_topics', label: () => t('sidebar.recent') },
    { value: 'all_messages', label: () => t('sidebar.all') },
  ),
  escape_navigates_to_default_view: flag,
  demote_inactive_streams: choice(
    { value: 1, label: () => t('settings.automatic') },
    { value: 2, label: () => t('settings.always') },
    { value: 3, label: () => t('settings.never') },
  ),
  starred_message_counts: flag,
  display_emoji_reaction_users: flag,
} as const satisfies Partial<Record<Parameter, Control>>;

const WRITING = {
  enter_sends: flag,
  translate_emoticons: flag,
  enable_drafts_synchronization: flag,
  web_mark_read_on_scroll_policy: choice(
    { value: 1, label: () => t('settings.always') },
    { value: 2, label: () => t('settings.in-conversations') },
    { value: 3, label: () => t('settings.never') },
  ),
} as const satisfies Partial<Record<Parameter, Control>>;

const PRIVACY = {
  presence_enabled: flag,
  send_private_typing_notifications: flag,
  send_stream_typing_notifications: flag,
  send_read_receipts: flag,
  email_address_visibility: choice(
    { value: 1, label: () => t('settings.by.everyone') },
    { value: 2, label: () => t('settings.by.members') },
    { value: 5, label: () => t('settings.by.moderators') },
    { value: 3, label: () => t('settings.by.admins') },
    { value: 4, label: () => t('settings.by.nobody') },
  ),
} as const satisfies Partial<Record<Parameter, Control>>;

const CONVERSATIONS = {
  enable_desktop_notifications: flag,
  enable_sounds: flag,
  notification_sound: { kind: 'choice', options: sounds },
  pm_content_in_desktop_notifications: flag,
  wildcard_mentions_notify: flag,
  enable_offline_push_notifications: flag,
  enable_online_push_notifications: flag,
  desktop_icon_count_display: choice(
    { value: 1, label: () => t('settings.count-all') },
    { value: 2, label: () => t('settings.count-mentions') },
    { value: 3, label: () => t('settings.count-none') },
  ),
} as const satisfies Partial<Record<Parameter, Control>>;

const STREAMS = {
  enable_stream_desktop_notifications: flag,
  enable_stream_audible_notifications: flag,
  enable_stream_push_notifications: flag,
  enable_stream_email_notifications: flag,
} as const satisfies Partial<Record<Parameter, Control>>;

const EMAIL = {
  enable_offline_email_notifications: flag,
  email_notifications_batching_period_seconds: spans,
  message_content_in_email_notifications: flag,
  realm_name_in_email_notifications_policy: choice(
    { value: 1, label: () => t('settings.automatic') },
    { value: 2, label: () => t('settings.always') },
    { value: 3, label: () => t('settings.never') },
  ),
  enable_digest_emails: flag,
  enable_login_emails: flag,
} as const satisfies Partial<Record<Parameter, Control>>;

const ALL = { ...DISPLAY, ...WRITING, ...PRIVACY, ...CONVERSATIONS, ...STREAMS, ...EMAIL };

export type OwnSetting = keyof typeof ALL;

const rowsOf = (table: Partial<Record<OwnSetting, Control>>): readonly OwnRow[] =>
  Object.entries(table).map(([name, control]) => ({ name: name as OwnSetting, control }));

/** Groups of a page, with the keys of their titles. */
export const DISPLAY_GROUPS = [
  { title: 'settings.group.display', rows: rowsOf(DISPLAY) },
  { title: 'settings.group.writing', rows: rowsOf(WRITING) },
] as const;

export const PRIVACY_GROUPS = [{ title: 'settings.group.privacy', rows: rowsOf(PRIVACY) }] as const;

export const NOTIFICATION_GROUPS = [
  { title: 'settings.group.conversations', rows: rowsOf(CONVERSATIONS) },
  { title: 'settings.group.streams', rows: rowsOf(STREAMS) },
  { title: 'settings.group.email', rows: rowsOf(EMAIL) },
] as const;

const NOT_OF_THE_REALM: readonly OwnSetting[] = ['default_language', 'timezone', 'enable_login_emails'];

/** Settings for which an organization chooses the value that new accounts start with. */
export const DEFAULT_GROUPS = [...DISPLAY_GROUPS, ...PRIVACY_GROUPS, ...NOTIFICATION_GROUPS].map(({ title, rows }) => ({
  title,
  rows: rows.filter(({ name }) => !NOT_OF_THE_REALM.includes(name)),
}));
