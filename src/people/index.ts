export * from './address-rules.js';
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
export { presentLinkifier, presentPlayground } from './present-realm.js';
export { avatarUrl, avatarUrlFor, defaultIcon, isoTime, presentUser, type UserOptions } from './present-user.js';
export * from './realm-setting-rules.js';
export { DEFAULT_REALM_SETTINGS } from './realm-settings.js';
export * from './roles.js';
export * from './system-bots.js';
export * from './user-settings.js';
