/** How the settings of a user are read: the account, the preferences and the defaults together give a value. */
import {
  USER_SETTING_DECLARATIONS,
  type UserId,
  type UserSettingDeclaration,
  type UserSettingGroup,
  type UserSettingName,
  type UserSettings,
  userSettingNamesOfLevel,
} from '#model';
import { apiError } from '#model/errors';
import type { DirectoryUser, DirectoryUserPreferences, DirectoryView } from '#model/records';

/**
 * Maximum number of alert words of a user: each event has all words, and each message is searched for them; 1,000 words
 * of 100 characters fit an event.
 */
export const MAX_ALERT_WORDS_PER_USER = 1_000;
export const MAX_ALERT_WORD_CHARACTERS = 100;
/** Maximum number of users that a user mutes: each event has all of them, and each message is checked against them. */
export const MAX_MUTED_USERS_PER_USER = 1_000;

/** Computes a user setting from the account, the preferences and the defaults. @param chosen what the user changed */
export function computeUserSetting<N extends UserSettingName>(
  user: DirectoryUser,
  chosen: DirectoryUserPreferences['settings'],
  name: N,
): UserSettings[N] {
  const { accountField }: UserSettingDeclaration = USER_SETTING_DECLARATIONS[name];
  const value = accountField ? user[accountField] : (chosen[name] ?? USER_SETTING_DECLARATIONS[name].default);
  return value as UserSettings[N];
}

export const readUserSetting = <N extends UserSettingName>(
  directory: DirectoryView,
  user: DirectoryUser,
  name: N,
): UserSettings[N] => computeUserSetting(user, directory.preferencesOf(user.id).settings, name);

/** Reads a setting that is not a field of the account, for code that has only the id of the user. */
export const readUserSettingByUserId = <N extends Exclude<UserSettingName, 'timezone' | 'email_address_visibility'>>(
  directory: DirectoryView,
  user: UserId,
  name: N,
): UserSettings[N] =>
  (directory.preferencesOf(user).settings[name] ?? USER_SETTING_DECLARATIONS[name].default) as UserSettings[N];

/** Checks that the user's setting for drafts is on. @throws ApiError */
export function requireDraftsEnabled(directory: DirectoryView, user: UserId): void {
  if (!readUserSettingByUserId(directory, user, 'enable_drafts_synchronization')) throw apiError('DRAFTS_OFF');
}

/**
 * All settings of a user with their values, or those of one group.
 * @param level API level of the client; undefined: the base level
 */
export function readAllOrGroupUserSettings(
  directory: DirectoryView,
  user: DirectoryUser,
  level: number | undefined,
  only?: UserSettingGroup,
): Partial<UserSettings> {
  const { settings } = directory.preferencesOf(user.id);
  const names = userSettingNamesOfLevel(level).filter(
    (name) => only === undefined || USER_SETTING_DECLARATIONS[name].group === only,
  );
  return Object.fromEntries(names.map((name) => [name, computeUserSetting(user, settings, name)]));
}

/** Settings that subscriptions without a value of their own follow, for clients that can't handle null. */
const STREAM_NOTIFICATION_SETTING_NAMES = [
  'enable_stream_desktop_notifications',
  'enable_stream_audible_notifications',
  'enable_stream_push_notifications',
  'enable_stream_email_notifications',
  'wildcard_mentions_notify',
] as const satisfies readonly UserSettingName[];

type StreamNotificationSettings = Pick<UserSettings, (typeof STREAM_NOTIFICATION_SETTING_NAMES)[number]>;

export const readStreamNotificationSettings = (
  directory: DirectoryView,
  user: DirectoryUser,
): StreamNotificationSettings =>
  Object.fromEntries(
    STREAM_NOTIFICATION_SETTING_NAMES.map((name) => [name, readUserSetting(directory, user, name)]),
  ) as StreamNotificationSettings;

/**
 * Settings that new accounts of the organization start with, as POST /register shows them.
 * @param level API level of the client; undefined: the base level
 */
export const initialSettingsOfNewAccounts = (
  { userDefaults }: DirectoryView,
  level: number | undefined,
): Partial<UserSettings> =>
  Object.fromEntries(
    userSettingNamesOfLevel(level)
      .filter((name) => name !== 'timezone')
      .map((name) => [name, userDefaults[name] ?? USER_SETTING_DECLARATIONS[name].default]),
  );
