export { ConfigError, describeSettings, loadConfig, OPTIONS } from './load.js';
export { type Config, SETTINGS } from './table.js';
