/**
 * Rules and API objects for people: accounts, roles, groups, profiles and their settings.
 *
 * - `roles.ts`: roles and policies, on which most other rules rest.
 * - `user-settings.ts`: reading of settings. The rows are in src/model/settings/user-settings.ts.
 * - `groups.ts`: user groups, and system groups, which follow from roles.
 * - `profile/`: custom profile fields, first their definitions, then their values.
 * - `addresses/`: e-mail addresses, names and domains that are admitted.
 * - `presenting/`: objects of users, bots and the organization as the API shows them.
 * - `system-bots.ts`, `fresh-account.ts`: accounts of the server itself, and fields of a new account.
 * - `bot-storage.ts`, `hotspots.ts`: stored texts of bots, and hints for new users.
 *
 * Functions are pure: they read a `DirectoryView` and values, and throw an `ApiError` for a refusal. Results that are
 * expensive to encode are memoized per directory and version of its users.
 *
 * Actors, frontend, delivery, the directory and higher domain folders may import this folder.
 */
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
} from './bot-storage.js';
export { FRESH_ACCOUNT } from './fresh-account.js';
export {
  encodedGroups,
  FIRST_CUSTOM_GROUP,
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
export { encodedUsers } from './presenting/encoded-users.js';
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
export { avatarUrl, gravatarUrl, NO_PROFILE, presentAvatar, presentUser } from './presenting/present-user.js';
export {
  type CheckedField,
  checkField,
  checkSummary,
  EXTERNAL_ACCOUNTS,
  FIELD_TYPE,
  FIELD_TYPES,
  type FieldData,
  isDefaultAccount,
  optionsAdded,
  presentField,
  RENDERED_TYPES,
  reordered,
  withoutPronouns,
} from './profile/profile-fields.js';
export {
  checkProfileValue,
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
export {
  isSystemBot,
  LAST_RESERVED_USER,
  makeSystemBots,
  NOTIFICATION_BOT,
  SYSTEM_BOT_EMAILS,
  systemBot,
  WELCOME_BOT,
} from './system-bots.js';
export {
  checkDraftsOn,
  newAccountSettings,
  preference,
  streamNotifications,
  userSetting,
  userSettingFrom,
  userSettings,
} from './user-settings.js';
