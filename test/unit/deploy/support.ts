/** Files of deploy/, read as the programs that use them read them. */
import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { loadServerConfig, SERVER_SETTING_DECLARATIONS, SETTING_COMMAND_LINE_OPTIONS } from '#app/config';

/** A manifest; the tests look at some of its fields only. */
// biome-ignore lint/suspicious/noExplicitAny: manifests have no schema here, and what is not there must fail loudly.
export type Yaml = any;

export const DEPLOY = 'deploy';
const VARIABLES = new Set<string>(Object.values(SERVER_SETTING_DECLARATIONS).map(({ env }) => env));
/** Variables read by Node.js and by libraries. */
const OF_NODE = new Set(['NODE_ENV', 'NODE_OPTIONS']);

/** @throws for anything that YAML does not allow, a key given twice among it */
export async function documents(file: string): Promise<Yaml[]> {
  const parsed = parseAllDocuments(await readFile(`${DEPLOY}/${file}`, 'utf8'), { merge: true });
  if (!Array.isArray(parsed)) throw new Error(`${file} is empty`);
  return parsed.map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw new Error(`${file}: ${problem.message}`);
    return document.toJS() as Yaml;
  });
}

/** The configuration of a process. @throws ServerConfigError, or for an unknown variable or option */
export function configOf(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const unknown = Object.keys(environment).filter((name) => !VARIABLES.has(name) && !OF_NODE.has(name));
  if (unknown.length > 0) throw new Error(`no such settings: ${unknown.join(', ')}`);
  if (args[0] !== 'serve') throw new Error(`not a command that runs: ${args.join(' ')}`);
  const options: Record<string, string> = {};
  for (let i = 1; i < args.length; i += 2) {
    const [name, value] = [args[i] as string, args[i + 1]];
    if (!name.startsWith('--') || !Object.hasOwn(SETTING_COMMAND_LINE_OPTIONS, name.slice(2)) || value === undefined) {
      throw new Error(`no such option: ${name}`);
    }
    options[name.slice(2)] = value;
  }
  return loadServerConfig(options, environment);
}

/** `NAME=value` lines, as systemd and Docker read them. */
export function variables(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      if (at < 1) throw new Error(`not a variable: ${line}`);
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}
