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
export { type IsDisposableDomain, parseDisposableDomains } from './addresses/disposable.js';
export { type AddressProblem, domainOfAddress, findAddressProblem, parseEmailDomain } from './addresses/domains.js';
export { checkFullName, FAKE_EMAIL_DOMAIN, isEmail, mailDomainOfOrigin } from './addresses/names.js';
export { findSubdomainProblem } from './addresses/subdomains.js';
export {
  countEntriesWith,
  countStorageCharacters,
  MAX_STORAGE_CHARACTERS,
  MAX_STORAGE_ENTRIES,
  MAX_STORAGE_ENTRIES_AT_ONCE,
  putStorageEntries,
  readStorageEntries,
  STORAGE_PART_PREFIX,
} from './bot-storage.js';
export { NEW_ACCOUNT_FIELDS } from './fresh-account.js';
export {
  encodedGroups,
  FIRST_CUSTOM_GROUP_ID,
  isInSystemGroup,
  presentGroup,
  SYSTEM_GROUP_IDS,
  SYSTEM_GROUP_NAMES,
  systemGroupsOf,
  systemGroupsShownToClients,
  UserGroups,
  userGroupsOf,
} from './groups.js';
export { isHotspot, nextHotspots, type TutorialState } from './hotspots.js';
export { encodeUserList } from './presenting/encoded-users.js';
export {
  BOT_TYPE,
  isCalledBot,
  presentBot,
  presentBotServices,
  presentBotStreams,
  type StreamNameLookup,
  type UnsealText,
  unsealBotSecrets,
} from './presenting/present-bot.js';
export { presentDomain, presentLinkifier, presentPlayground } from './presenting/present-realm.js';
export { avatarUrl, gravatarUrl, NO_PROFILE, presentAvatar, presentUser } from './presenting/present-user.js';
export {
  addedOptionsAfter,
  type CheckedProfileField,
  checkProfileField,
  checkSummaryFieldCount,
  EXTERNAL_ACCOUNTS,
  isDefaultExternalAccount,
  PRESENTED_FIELD_TYPES,
  PROFILE_FIELD_TYPE,
  type ProfileFieldData,
  presentProfileField,
  pronounsAsShortText,
  RENDERED_FIELD_TYPES,
  reorderProfileFields,
} from './profile/profile-fields.js';
export {
  checkProfileValue,
  keepLiveProfileValues,
  type ProfileValueInput,
  presentProfile,
  presentProfileValue,
} from './profile/profile-values.js';
export {
  isAdmin,
  isAllowedByPolicy,
  isFullMember,
  isGuest,
  isModerator,
  isOwner,
  isWildcardMentionAllowed,
  maySeeAddress,
  ROLE,
  weakestRoleSeeingAddress,
} from './roles.js';
export {
  findSystemBot,
  isSystemBot,
  LAST_RESERVED_USER_ID,
  NOTIFICATION_BOT_ID,
  SYSTEM_BOT_EMAILS,
  systemBotRecords,
  WELCOME_BOT_ID,
} from './system-bots.js';
export {
  checkDraftsEnabled,
  computeUserSetting,
  defaultSettingsOfNewAccounts,
  readPreference,
  readStreamNotifications,
  readUserSetting,
  readUserSettings,
} from './user-settings.js';
