/** Finds the command that the words name, and refuses words and options that it does not take. */
import {
  CLI_COMMAND_DECLARATIONS,
  CLI_OPTION_DECLARATIONS,
  type CliCommandName,
  type CliOptionName,
  declarationOfCommand,
} from './declarations.js';

/** Wrong use of the command line, in words for its user. */
export class CliUsageError extends Error {
  override name = 'CliUsageError';
}

interface CliCommandCall {
  readonly name: CliCommandName;
  /** The words after the command's name. */
  readonly words: readonly string[];
}

const isCommandName = (name: string): name is CliCommandName => Object.hasOwn(CLI_COMMAND_DECLARATIONS, name);

/**
 * @param given options of the command line, with the settings
 * @throws CliUsageError when no command has this name, or when it takes other words or options
 */
export function parseCommandCall(given: readonly string[], options: Readonly<Record<string, unknown>>): CliCommandCall {
  const name = [given.slice(0, 2).join(' '), given[0] ?? ''].find(isCommandName);
  if (name === undefined) throw new CliUsageError(describeUnknownCommand(given));
  const words = given.slice(name.split(' ').length);
  const { words: placeholders = [], required = [], optional = [] } = declarationOfCommand(name);
  const least = placeholders.filter((word) => !word.startsWith('[')).length;
  if (words.length < least || words.length > placeholders.length)
    throw new CliUsageError(`usage: conclave ${[name, ...placeholders].join(' ')}`);
  const missing = required.find((option) => options[option] === undefined);
  if (missing !== undefined) throw new CliUsageError(`--${missing} is required`);
  const taken = new Set<string>([...required, ...optional]);
  const useless = (Object.keys(CLI_OPTION_DECLARATIONS) as CliOptionName[]).find(
    (option) => options[option] !== undefined && !taken.has(option),
  );
  if (useless === undefined) return { name, words };
  throw new CliUsageError(
    `--${useless} has no meaning for ${name}${taken.size === 0 ? '' : `, which takes ${listOptions(taken)}`}`,
  );
}

function describeUnknownCommand(given: readonly string[]): string {
  const group = `${given[0]} `;
  const commands = Object.keys(CLI_COMMAND_DECLARATIONS).filter((name) => name.startsWith(group));
  if (commands.length === 0) return `no such command: ${given.join(' ')}. 'conclave --help' lists them.`;
  const others = commands.map((name) => name.slice(group.length)).join(', ');
  return given.length === 1
    ? `usage: conclave ${group}COMMAND. Commands: ${others}`
    : `no such command: ${given.slice(0, 2).join(' ')}. Commands of ${given[0]}: ${others}`;
}

const listOptions = (names: Iterable<string>): string => Array.from(names, (name) => `--${name}`).join(', ');
