export { SYSTEM_GROUP, SYSTEM_GROUP_NAMES } from './groups.js';
export { checkFullName, isEmail } from './names.js';
export { checkDraftsOn, isOn } from './own-settings.js';
export { avatarUrl, avatarUrlFor, defaultIcon, isoTime, presentUser, type UserOptions } from './present-user.js';
export { DEFAULT_REALM_SETTINGS } from './realm-settings.js';
export * from './roles.js';
export { NOTIFICATION_BOT } from './system-bots.js';
