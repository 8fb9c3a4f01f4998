/** Settings of a person (users.md § Settings). Time zone and address visibility are facts of the account itself. */

import type { DirectoryUser, DirectoryView } from '#model/records';

/** Which events tell of a change besides `user_settings`: D display, N notifications, M none (events.md). */
export type SettingClass = 'D' | 'N' | 'M';
export type SettingValue = boolean | number | string;

interface Setting {
  readonly is: SettingClass;
  readonly default: SettingValue;
  /** The values there are; absent: any of the default's type, or a rule of its own. */
  readonly values?: readonly (number | string)[];
}

const D = <const V extends SettingValue>(value: V, values?: readonly (number | string)[]) =>
  ({ is: 'D', default: value as SettingValue, ...(values ? { values } : {}) }) as const;
const N = <const V extends SettingValue>(value: V, values?: readonly (number | string)[]) =>
  ({ is: 'N', default: value as SettingValue, ...(values ? { values } : {}) }) as const;
const M = <const V extends SettingValue>(value: V, values?: readonly (number | string)[]) =>
  ({ is: 'M', default: value as SettingValue, ...(values ? { values } : {}) }) as const;

const THREE = [1, 2, 3] as const;

/** In the order in which a request's values are checked and its changes are told. */
export const USER_SETTINGS = {
  twenty_four_hour_time: D(false),
  dense_mode: D(true),
  web_mark_read_on_scroll_policy: M(1, THREE),
  starred_message_counts: D(true),
  fluid_layout_width: D(false),
  high_contrast_mode: D(false),
  color_scheme: D(1, THREE),
  translate_emoticons: D(false),
  display_emoji_reaction_users: M(true),
  default_language: D('en'),
  default_view: D('recent_topics', ['recent_topics', 'all_messages']),
  escape_navigates_to_default_view: M(true),
  left_side_userlist: D(false),
  emojiset: D('google', ['google', 'google-blob', 'text', 'twitter']),
  demote_inactive_streams: D(1, THREE),
  email_notifications_batching_period_seconds: N(120),
  enable_drafts_synchronization: D(true),
  enable_stream_desktop_notifications: N(false),
  enable_stream_email_notifications: N(false),
  enable_stream_push_notifications: N(false),
  enable_stream_audible_notifications: N(false),
  wildcard_mentions_notify: N(true),
  notification_sound: N('zulip'),
  enable_desktop_notifications: N(true),
  enable_sounds: N(true),
  enable_offline_email_notifications: N(true),
  enable_offline_push_notifications: N(true),
  enable_online_push_notifications: N(true),
  enable_digest_emails: N(true),
  enable_login_emails: N(true),
  enable_marketing_emails: N(true),
  message_content_in_email_notifications: N(true),
  pm_content_in_desktop_notifications: N(true),
  desktop_icon_count_display: N(1, THREE),
  realm_name_in_email_notifications_policy: N(1, THREE),
  presence_enabled: N(true),
  enter_sends: D(false),
  send_private_typing_notifications: M(true),
  send_stream_typing_notifications: M(true),
  send_read_receipts: M(true),
  user_list_style: M(2, THREE),
  email_address_visibility: M(1, [1, 2, 3, 4, 5]),
  // The last to be told, because it has an event for everybody.
  timezone: D(''),
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof USER_SETTINGS;
export const SETTING_NAMES = Object.keys(USER_SETTINGS) as readonly SettingName[];

type Chosen = Readonly<Record<string, SettingValue | null>>;

/** Value of a setting, from the account and from what its owner chose. */
export function settingFrom(user: DirectoryUser, chosen: Chosen, name: SettingName): SettingValue {
  if (name === 'timezone') return user.timezone;
  if (name === 'email_address_visibility') return user.emailVisibility;
  return chosen[name] ?? USER_SETTINGS[name].default;
}

export const settingOf = (directory: DirectoryView, user: DirectoryUser, name: SettingName): SettingValue =>
  settingFrom(user, directory.personal(user.id).settings, name);

/** All settings of a person, or those of one class. */
export function settingsOf(
  directory: DirectoryView,
  user: DirectoryUser,
  only?: SettingClass,
): Record<string, SettingValue> {
  const { settings } = directory.personal(user.id);
  const names = SETTING_NAMES.filter((name) => only === undefined || USER_SETTINGS[name].is === only);
  return Object.fromEntries(names.map((name) => [name, settingFrom(user, settings, name)]));
}

/** What subscriptions without a choice of their own follow, for clients that can't handle null. */
export const STREAM_NOTIFICATIONS = [
  'enable_stream_desktop_notifications',
  'enable_stream_audible_notifications',
  'enable_stream_push_notifications',
  'enable_stream_email_notifications',
] as const satisfies readonly SettingName[];

export type StreamNotificationSettings = Readonly<Record<(typeof STREAM_NOTIFICATIONS)[number], boolean>>;

export const streamNotifications = (directory: DirectoryView, user: DirectoryUser): StreamNotificationSettings =>
  Object.fromEntries(
    STREAM_NOTIFICATIONS.map((name) => [name, settingOf(directory, user, name)]),
  ) as unknown as StreamNotificationSettings;

/** Settings that new accounts start with. */
export const defaultSettings = ({ userDefaults }: DirectoryView): Record<string, SettingValue> =>
  Object.fromEntries(
    SETTING_NAMES.filter((name) => name !== 'timezone').map((name) => [
      name,
      userDefaults[name] ?? USER_SETTINGS[name].default,
    ]),
  );

export const EMOJISET_CHOICES = [
  { key: 'google', text: 'Google' },
  { key: 'twitter', text: 'Twitter' },
  { key: 'text', text: 'Plain text' },
  { key: 'google-blob', text: 'Google blobs' },
] as const;

/** File names of sounds. */
export const NOTIFICATION_SOUNDS = [
  ...['ascend', 'beep_boop', 'bink', 'bright', 'brlip', 'chime', 'deep tom', 'ding', 'double tap', 'down'],
  ...['dry bongos', 'dutdut', 'fast ascend', 'flute', 'friendly', 'kick roll', 'loud tintong', 'metallic snare'],
  ...['pan', 'shaker', 'simple', 'stairs', 'subtle', 'swish', 'tintong', 'up', 'wood block', 'zaping', 'zing', 'zulip'],
] as const;
