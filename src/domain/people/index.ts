export { type DisposableDomains, disposableDomains } from './addresses/disposable.js';
export { type AddressProblem, addressProblem, checkDomain, domainOf } from './addresses/domains.js';
export { checkFullName, FAKE_EMAIL_DOMAIN, isEmail, mailDomain } from './addresses/names.js';
export { subdomainProblem } from './addresses/subdomains.js';
export {
  charactersOf,
  entriesOf,
  entriesWith,
  MAX_ENTRIES,
  MAX_ENTRIES_AT_ONCE,
  MAX_STORAGE,
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
  checkProfileValue,
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
  type WaitingPeriod,
  wildcardAllowed,
} from './roles.js';
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
export {
  checkDraftsOn,
  newAccountSettings,
  preference,
  STREAM_NOTIFICATIONS,
  type StreamNotificationSettings,
  streamNotifications,
  userSetting,
  userSettingFrom,
  userSettings,
} from './user-settings.js';
