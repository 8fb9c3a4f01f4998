/** From command line and environment to a checked configuration; the command line wins. */
import { type Config, SETTINGS, type Setting, type SettingName } from './table.js';

/** What is wrong, in words for the person at the terminal; one line per problem. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const entries = Object.entries(SETTINGS) as [SettingName, Setting<unknown>][];

/** Options of the table for `util.parseArgs`. */
export const OPTIONS = Object.fromEntries(entries.map(([, of]) => [of.option, { type: 'string' as const }]));

export function loadConfig(
  options: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, of] of entries) {
    const option = options[of.option] as string | undefined;
    const given = option ?? environment[of.env];
    config[name] = of.fallback;
    // An empty variable is how many tools leave one out.
    if (given === undefined || (given === '' && option === undefined)) continue;
    try {
      config[name] = of.parse(given);
    } catch (error) {
      const where = option === undefined ? of.env : `--${of.option}`;
      problems.push(`${where}: ${(error as Error).message} (given: ${of.secret ? '…' : given})`);
    }
  }
  // What follows from options that are wrong themselves would only hide them.
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  const loaded = config as Config;
  if ((loaded.nats === undefined) !== (loaded.mongodb === undefined)) {
    problems.push('a cluster needs both --nats and --mongodb; without both the embedded face runs');
  }
  if (loaded.role !== 'all' && loaded.nats === undefined) {
    problems.push(`--role ${loaded.role} needs a cluster: give --nats and --mongodb`);
  }
  if (loaded.nats !== undefined && loaded.mongodb !== undefined && loaded.secret === undefined) {
    // Made up by each host on its own, it would make each host's keys unknown to the others.
    problems.push('a cluster needs --secret (or CONCLAVE_SECRET), the same for all its processes');
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return loaded;
}

/** Help for the options of the table. */
export function describeSettings(): string {
  const rows = entries.map(([, of]) => {
    const left = `  --${of.option} ${of.value}`.padEnd(30);
    const fallback = of.fallback === undefined || of.fallback === '' ? '' : ` [${String(of.fallback)}]`;
    return `${left} ${of.description}${fallback} (${of.env})`;
  });
  return rows.join('\n');
}
