export { type AddressProblem, addressProblem, checkDomain, domainOf } from './domains.js';
export { encodedUsers } from './encoded-users.js';
export {
  FIRST_GROUP,
  inSystemGroup,
  presentGroup,
  SYSTEM_GROUP,
  SYSTEM_GROUP_NAMES,
  systemGroupsOf,
  UserGroups,
} from './groups.js';
export { LANGUAGES } from './languages.js';
export { checkFullName, FAKE_EMAIL_DOMAIN, isEmail, mailDomain } from './names.js';
export { checkDraftsOn, isOn } from './own-settings.js';
export { presentDomain, presentLinkifier, presentPlayground } from './present-realm.js';
export {
  avatarUrl,
  avatarUrlFor,
  defaultIcon,
  isoTime,
  NO_PROFILE,
  presentUser,
  type UserOptions,
} from './present-user.js';
export * from './profile-fields.js';
export * from './profile-values.js';
export * from './realm-setting-rules.js';
export { DEFAULT_REALM_SETTINGS, initialSettings, ORG_TYPES } from './realm-settings.js';
export * from './roles.js';
export * from './system-bots.js';
export * from './user-settings.js';
