/**
 * Configuration of a process: every setting is one row of `table.ts` (option, environment variable, default, parser,
 * description). `load.ts` turns command line and environment into a checked `ServerConfig`; the command line wins.
 * `parsers.ts` has the parsers of values; a parser throws the reason, and `load.ts` adds the setting's name.
 *
 * `--help`, `conclave check-config` and docs/configuration.md are made from the table.
 *
 * Invariants: `loadServerConfig` reports all wrong settings at once, and never shows the value of a secret one. Nothing
 * here looks at the machine: `app/server/preflight.ts` does.
 *
 * Importers: the rest of `app`.
 */
export {
  describeSettingsForHelp,
  isClusterConfig,
  loadServerConfig,
  RECOMMENDED_NODE_FLAGS,
  SETTING_COMMAND_LINE_OPTIONS,
  ServerConfigError,
} from './load.js';
export { checkRealmName } from './parsers.js';
export { SERVER_SETTING_DECLARATIONS, type ServerConfig, type ServerSettingName } from './table.js';
