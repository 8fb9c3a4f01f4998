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
export { type IsDisposableDomain, makeDisposableDomainTest } from './addresses/disposable.js';
export {
  domainOfEmailAddress,
  type EmailAddressRefusalReason,
  findEmailDomainPolicyProblem,
  toCheckedEmailDomain,
} from './addresses/domains.js';
export {
  emailDomainOfOrigin,
  FAKE_EMAIL_DOMAIN,
  hasEmailAddressForm,
  isAsciiText,
  isReachableAddress,
  toAsciiDomain,
  toCheckedFullName,
  toEmailAddressWithAsciiDomain,
} from './addresses/names.js';
export { findSubdomainProblemText } from './addresses/subdomains.js';
export {
  BOT_STORAGE_PART_PREFIX,
  countBotStorageCharacters,
  countBotStorageEntriesAfterAdding,
  MAX_BOT_STORAGE_CHARACTERS_PER_OWNER,
  MAX_BOT_STORAGE_ENTRIES_PER_OWNER,
  MAX_BOT_STORAGE_ENTRIES_PER_REQUEST,
  makeBotStorageWritesAndGrowth,
  readBotStorageEntriesByPart,
} from './bot-storage.js';
export { NEW_HUMAN_MEMBER_DEFAULTS } from './fresh-account.js';
export {
  directSystemGroupIdsOfUser,
  directSystemGroupIdsShownToClients,
  FIRST_CUSTOM_GROUP_ID,
  formatUserGroupForApi,
  getEncodedUserGroupList,
  getUserGroupsOfDirectory,
  isInSystemGroup,
  MAX_USER_GROUPS,
  makeSystemGroups,
  SYSTEM_GROUP_IDS,
  SYSTEM_GROUP_NAME_BY_ID,
  systemGroupIdOfPolicy,
  systemGroupIdOfPostPolicy,
  UserGroupsWithMembers,
} from './groups.js';
export { isHotspotName, listNextHotspots, type TutorialState } from './hotspots.js';
export { getEncodedUserList } from './presenting/encoded-users.js';
export {
  BOT_TYPE,
  findDefaultStreamOfBot,
  formatBotDefaultStreamsForApi,
  formatBotServicesWithSealedToken,
  formatBotWithSealedSecrets,
  isBotOfOutgoingService,
  type StreamLookup,
  type TryUnsealText,
  withoutBotSecrets,
  withUnsealedBotSecrets,
} from './presenting/present-bot.js';
export {
  formatEmailDomainForApi,
  formatLinkifierForApi,
  formatPlaygroundForApi,
  MAX_LINKIFIER_FIELD_CHARACTERS,
  MAX_LINKIFIERS,
  MAX_PLAYGROUND_LANGUAGE_CHARACTERS,
  MAX_PLAYGROUND_NAME_CHARACTERS,
  MAX_PLAYGROUND_URL_PREFIX_CHARACTERS,
  MAX_PLAYGROUNDS,
} from './presenting/present-realm.js';
export {
  avatarUrlOfUser,
  EMPTY_PROFILE_SOURCE,
  formatAvatarFieldsForApi,
  formatUserForApi,
  gravatarUrlOfAddress,
} from './presenting/present-user.js';
export {
  API_PROFILE_FIELD_TYPES,
  type CheckedProfileField,
  computeOptionAddedVersions,
  DEFAULT_EXTERNAL_ACCOUNT_TYPES,
  formatProfileFieldForApi,
  isDefaultExternalAccountField,
  MARKDOWN_RENDERED_FIELD_TYPES,
  PROFILE_FIELD_TYPE,
  type ProfileFieldDataInput,
  requireRoomForProfileFields,
  requireRoomInProfileSummary,
  toCheckedProfileField,
  withProfileFieldsReordered,
  withPronounsAsShortText,
} from './profile/profile-fields.js';
export {
  formatProfileForApi,
  formatProfileValueForApi,
  listExistingProfileValues,
  type SchemaValidProfileValue,
  toCheckedStoredProfileValue,
} from './profile/profile-values.js';
export {
  checkMayManageBot,
  isAdminOrOwner,
  isAllowedByPolicy,
  isExactlyModerator,
  isFullMemberOrAbove,
  isGuest,
  isOwner,
  isWildcardMentionAllowed,
  maySeeRealEmail,
  seesBot,
  USER_ROLE,
  weakestRoleSeeingEmailOrZero,
} from './roles.js';
export {
  findSystemBotOrTemplate,
  isSystemBot,
  LAST_RESERVED_USER_ID,
  makeSystemBotRecords,
  NOTIFICATION_BOT_ID,
  SYSTEM_BOT_IDS_BY_EMAIL,
  WELCOME_BOT_ID,
} from './system-bots.js';
export {
  computeUserSetting,
  initialSettingsOfNewAccounts,
  MAX_ALERT_WORD_CHARACTERS,
  MAX_ALERT_WORDS_PER_USER,
  MAX_MUTED_USERS_PER_USER,
  readAllOrGroupUserSettings,
  readStreamNotificationSettings,
  readUserSetting,
  readUserSettingByUserId,
  requireDraftsEnabled,
} from './user-settings.js';
