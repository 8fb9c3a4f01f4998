/** Settings of organizations and users: one table each, and the lists that their rows name. */
export { LANGUAGES } from './languages.js';
export * from './realm-settings.js';
export { canonicalZone } from './time-zones.js';
export * from './user-settings.js';
