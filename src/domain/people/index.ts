export { type DisposableDomains, disposableDomains } from './addresses/disposable.js';
export { type AddressProblem, addressProblem, checkDomain, domainOf } from './addresses/domains.js';
export { checkFullName, FAKE_EMAIL_DOMAIN, isEmail, mailDomain } from './addresses/names.js';
export { subdomainProblem } from './addresses/subdomains.js';
export {
  charactersOf,
  entriesOf,
  entriesWith,
  MAX_STORAGE,
  MOST_ENTRIES,
  MOST_ENTRIES_AT_ONCE,
  putEntries,
  STORAGE_PART,
  type StorageEntry,
} from './bot-storage.js';
export { FRESH_ACCOUNT } from './fresh-account.js';
export {
  encodedGroups,
  FIRST_GROUP,
  groupsIn,
  inSystemGroup,
  presentGroup,
  SYSTEM_GROUP,
  SYSTEM_GROUP_NAMES,
  shownGroupsOf,
  systemGroupsOf,
  UserGroups,
} from './groups.js';
export { isHotspot, nextHotspots, type Tutorial } from './hotspots.js';
export { encodedUsers, type ListOptions } from './presenting/encoded-users.js';
export {
  BOT_TYPE,
  isCalledBot,
  presentBot,
  presentDefaults,
  presentServices,
  type StreamName,
  type Unseal,
  unsealed,
} from './presenting/present-bot.js';
export { presentDomain, presentLinkifier, presentPlayground } from './presenting/present-realm.js';
export {
  avatarUrl,
  avatarUrlFor,
  gravatarUrl,
  isoTime,
  NO_PROFILE,
  presentAvatar,
  presentUser,
  type UserOptions,
} from './presenting/present-user.js';
export {
  type CheckedField,
  checkField,
  checkSummary,
  EXTERNAL_ACCOUNTS,
  FIELD_TYPE,
  FIELD_TYPES,
  type FieldContent,
  type FieldData,
  isDefaultAccount,
  optionsAdded,
  optionsOf,
  presentField,
  RENDERED_TYPES,
  reordered,
  withoutPronouns,
} from './profile/profile-fields.js';
export {
  checkValue,
  type FindUser,
  type GivenValue,
  liveValues,
  presentProfile,
  presentValue,
} from './profile/profile-values.js';
export {
  addressRole,
  isAdmin,
  isFullMember,
  isGuest,
  isModerator,
  isOwner,
  policyAllows,
  ROLE,
  seesAddress,
  wildcardAllowed,
} from './roles.js';
export { LANGUAGES } from './settings/languages.js';
export { checkDraftsOn, isOn } from './settings/own-settings.js';
export {
  DICT_SETTINGS,
  echoed,
  GIPHY_RATINGS,
  LOGIN_METHODS,
  OWNER_SETTINGS,
  STREAM_SETTINGS,
  TIME_LIMITS,
  VIDEO_PROVIDERS,
} from './settings/realm-setting-rules.js';
export { DEFAULT_REALM_SETTINGS, initialSettings, initialUserDefaults, ORG_TYPES } from './settings/realm-settings.js';
export { canonicalZone } from './settings/time-zones.js';
export {
  defaultSettings,
  EMOJISET_CHOICES,
  NOTIFICATION_SOUNDS,
  SETTING_NAMES,
  type SettingClass,
  type SettingName,
  type SettingValue,
  STREAM_NOTIFICATIONS,
  type StreamNotificationSettings,
  settingFrom,
  settingOf,
  settingsOf,
  streamNotifications,
  USER_SETTINGS,
} from './settings/user-settings.js';
export {
  EMAIL_GATEWAY,
  isSystemBot,
  LAST_RESERVED_USER,
  makeSystemBots,
  NOTIFICATION_BOT,
  SYSTEM_BOT_EMAILS,
  type SystemBot,
  systemBot,
  WELCOME_BOT,
} from './system-bots.js';
