/** Reads the configuration from command line and environment; the command line wins. */
import {
  SERVER_SETTING_DECLARATIONS,
  type ServerConfig,
  type ServerSettingDeclaration,
  type ServerSettingName,
} from './table.js';

/** Problems of a configuration, in words for the operator; one line per problem. */
export class ServerConfigError extends Error {
  override name = 'ServerConfigError';
}

const settingDeclarationEntries = Object.entries(SERVER_SETTING_DECLARATIONS) as [
  ServerSettingName,
  ServerSettingDeclaration<unknown>,
][];

/** Command-line options of all settings, in the form of `util.parseArgs`. */
export const SETTING_COMMAND_LINE_OPTIONS = Object.fromEntries(
  settingDeclarationEntries.map(([, of]) => [of.option, { type: 'string' as const }]),
);

/** Settings without a meaning for the embedded face. */
const CLUSTER_SETTING_NAMES = ['role', 'natsReplicas', 'logStreams', 'namespace'] as const;

/** Loads and checks all settings. @throws ServerConfigError that lists all problems */
export function loadServerConfig(
  options: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): ServerConfig {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, of] of settingDeclarationEntries) {
    const option = options[of.option] as string | undefined;
    const given = option ?? environment[of.env];
    config[name] = of.fallback;
    // Many tools set a variable to '' instead of leaving it out.
    if (given === undefined || (given === '' && option === undefined)) continue;
    try {
      config[name] = of.parse(given);
    } catch (error) {
      const where = option === undefined ? of.env : `--${of.option}`;
      problems.push(`${where}: ${(error as Error).message} (given: ${of.secret ? '…' : given})`);
    }
  }
  // Wrong values are reported alone: the checks below could fail only because of them.
  if (problems.length > 0) throw new ServerConfigError(problems.join('\n'));
  const loaded = config as ServerConfig;
  if ((loaded.nats === undefined) !== (loaded.mongodb === undefined)) {
    problems.push('a cluster needs both --nats and --mongodb; without both the embedded face runs');
  }
  for (const name of loaded.nats === undefined ? CLUSTER_SETTING_NAMES : []) {
    const { option, fallback } = SERVER_SETTING_DECLARATIONS[name];
    if (loaded[name] !== fallback)
      problems.push(`--${option} ${loaded[name]} needs a cluster: give --nats and --mongodb`);
  }
  if (loaded.pushGatewayToken !== undefined && loaded.pushGateway === undefined)
    problems.push('--push-gateway-token needs --push-gateway');
  // The body of an upload is a little larger than its file.
  if (loaded.uploadMemoryMib <= loaded.maxFileMib) {
    const { uploadMemoryMib: memory, maxFileMib: file } = loaded;
    problems.push(`--upload-memory-mib must be larger than --max-file-mib (given: ${memory} and ${file})`);
  }
  if (loaded.nats !== undefined && loaded.mongodb !== undefined && loaded.secret === undefined) {
    // Hosts with different secrets could not open each other's API keys.
    problems.push('a cluster needs --secret (or CONCLAVE_SECRET), the same for all its processes');
  }
  if (problems.length > 0) throw new ServerConfigError(problems.join('\n'));
  return loaded;
}

/** Help text on all settings, one line for each. */
export function describeSettingsForHelp(): string {
  const rows = settingDeclarationEntries.map(([, of]) => {
    const left = `  --${of.option} ${of.value}`.padEnd(30);
    const fallback = of.fallback === undefined || of.fallback === '' ? '' : ` [${String(of.fallback)}]`;
    return `${left} ${of.description}${fallback} (${of.env})`;
  });
  return rows.join('\n');
}

/** True if the process belongs to a cluster; otherwise it runs the embedded face. */
export const isClusterConfig = (config: ServerConfig): boolean => config.nats !== undefined;

/**
 * Node.js flags with which a server should be started (package.json, deploy/); Node can't change the size of its young
 * generation later. Objects of a request live until their group is flushed to disk, under load longer than V8's default
 * young generation of 16 MiB, and old objects are expensive to collect: 64 MiB gave 25 % more messages per second
 * embedded (docs/performance.md). Without the minimum, V8 shrinks the young generation of an idle process to 1 MiB,
 * which fills every 3 s, so that objects of waiting polls become old.
 */
export const RECOMMENDED_NODE_FLAGS: readonly string[] = ['--min-semi-space-size=16', '--max-semi-space-size=64'];
