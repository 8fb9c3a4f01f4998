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
export { type DisposableDomainPredicate, parseDisposableDomains } from './addresses/disposable.js';
export {
  checkEmailDomainName,
  domainOfEmailAddress,
  type EmailAddressProblem,
  findEmailAddressProblem,
} from './addresses/domains.js';
export { checkFullName, FAKE_EMAIL_DOMAIN, isEmail, mailDomainOfOrigin } from './addresses/names.js';
export { findSubdomainProblem } from './addresses/subdomains.js';
export {
  BOT_STORAGE_PART_PREFIX,
  countBotStorageCharacters,
  countBotStorageEntriesWith,
  MAX_BOT_STORAGE_CHARACTERS,
  MAX_BOT_STORAGE_ENTRIES,
  MAX_BOT_STORAGE_ENTRIES_PER_REQUEST,
  makeBotStorageWrites,
  readBotStorageEntries,
} from './bot-storage.js';
export { NEW_ACCOUNT_DEFAULT_FIELDS } from './fresh-account.js';
export {
  encodeUserGroupList,
  FIRST_CUSTOM_GROUP_ID,
  formatUserGroupForApi,
  isInSystemGroup,
  RealmUserGroups,
  SYSTEM_GROUP_IDS,
  SYSTEM_GROUP_NAMES,
  systemGroupIdsOfUser,
  systemGroupIdsShownToClients,
  userGroupsOfDirectory,
} from './groups.js';
export { isHotspotName, nextHotspots, type TutorialState } from './hotspots.js';
export { encodeUserList } from './presenting/encoded-users.js';
export {
  BOT_TYPE,
  formatBotForApi,
  formatBotServicesForApi,
  formatBotStreamsForApi,
  isBotCalledByServer,
  type StreamNameLookup,
  type TextUnsealer,
  unsealBotSecrets,
} from './presenting/present-bot.js';
export { formatEmailDomainForApi, formatLinkifierForApi, formatPlaygroundForApi } from './presenting/present-realm.js';
export {
  avatarUrlOfUser,
  formatAvatarForApi,
  formatUserForApi,
  gravatarUrlOfAddress,
  NO_PROFILE_VALUES,
} from './presenting/present-user.js';
export {
  API_PROFILE_FIELD_TYPES,
  type CheckedProfileField,
  checkProfileField,
  checkRoomInProfileSummary,
  computeAddedProfileFieldOptions,
  EXTERNAL_ACCOUNT_TYPES,
  formatProfileFieldForApi,
  isDefaultExternalAccountField,
  MARKDOWN_PROFILE_FIELD_TYPES,
  PROFILE_FIELD_TYPE,
  type ProfileFieldData,
  reorderProfileFields,
  showPronounsAsShortText,
} from './profile/profile-fields.js';
export {
  checkProfileFieldValue,
  filterLiveProfileValues,
  formatProfileForApi,
  formatProfileValueForApi,
  type ProfileValueInput,
} from './profile/profile-values.js';
export {
  isAdmin,
  isAllowedByPolicy,
  isFullMember,
  isGuest,
  isModerator,
  isOwner,
  isWildcardMentionAllowed,
  maySeeRealEmail,
  USER_ROLE,
  weakestRoleSeeingEmail,
} from './roles.js';
export {
  findSystemBot,
  isSystemBot,
  LAST_RESERVED_USER_ID,
  makeSystemBotRecords,
  NOTIFICATION_BOT_ID,
  SYSTEM_BOT_IDS_BY_EMAIL,
  WELCOME_BOT_ID,
} from './system-bots.js';
export {
  checkDraftsEnabled,
  computeUserSetting,
  defaultSettingsOfNewAccounts,
  readStreamNotificationSettings,
  readUserSetting,
  readUserSettingByUserId,
  readUserSettings,
} from './user-settings.js';
