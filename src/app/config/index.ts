/**
 * Configuration of a process: every setting is one row of `table.ts` (option, environment variable, default, parser,
 * description). `load.ts` turns command line and environment into a checked `Config`; the command line wins.
 * `parsers.ts` has the parsers of values; a parser throws the reason, and `load.ts` adds the setting's name.
 *
 * `--help`, `conclave check-config` and docs/configuration.md are made from the table.
 *
 * Invariants: `loadConfig` reports all wrong settings at once, and never shows the value of a secret one. Nothing here
 * looks at the machine: `app/server/preflight.ts` does.
 *
 * Importers: the rest of `app`.
 */
export {
  COMMAND_LINE_OPTIONS,
  ConfigError,
  describeSettings,
  isClusterConfig,
  loadConfig,
  RECOMMENDED_NODE_FLAGS,
} from './load.js';
export { type Config, SETTINGS, type SettingName } from './table.js';
