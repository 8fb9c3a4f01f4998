export { ConfigError, describeSettings, loadConfig, OPTIONS } from './load.js';
export { type Config, SETTINGS, type SettingName } from './table.js';
