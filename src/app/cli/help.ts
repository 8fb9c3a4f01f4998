import { describeSettingsForHelp } from '#app/config';
import {
  CLI_COMMAND_DECLARATIONS,
  type CliCommandName,
  declarationOfCommand,
  formatOptionUsage,
} from './declarations.js';

const COMMAND_COLUMNS = 30;
const LINE_COLUMNS = 120;

/** Breaks parts, which stay whole, into lines of the second column of the help text. */
function fillLines(parts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last === undefined || COMMAND_COLUMNS + last.length + 1 + part.length > LINE_COLUMNS) lines.push(part);
    else lines[lines.length - 1] = `${last} ${part}`;
  }
  return lines;
}

function describeCommand(name: CliCommandName): string {
  const { description, words = [], required = [], optional = [] } = declarationOfCommand(name);
  const options = [
    ...required.map((option) => formatOptionUsage(option, true)),
    ...optional.map((option) => formatOptionUsage(option, false)),
  ];
  const head = `  ${[name, ...words].join(' ')} `;
  const whole = [description, ...options].join(' ');
  const right =
    COMMAND_COLUMNS + whole.length <= LINE_COLUMNS
      ? [whole]
      : [...fillLines(description.split(' ')), ...fillLines(options)];
  // A long name has the first line for itself.
  const [first = '', ...more] = head.length > COMMAND_COLUMNS ? ['', ...right] : right;
  const lines = [head.padEnd(COMMAND_COLUMNS) + first, ...more.map((line) => ' '.repeat(COMMAND_COLUMNS) + line)];
  return lines.map((line) => line.trimEnd()).join('\n');
}

const describeCommands = (): string =>
  (Object.keys(CLI_COMMAND_DECLARATIONS) as CliCommandName[]).map(describeCommand).join('\n');

/** Text of `conclave --help`. */
export const CLI_HELP_TEXT = `Conclave, a team-chat server.

Usage: conclave COMMAND [OPTIONS]

Commands:
${describeCommands()}

--realm (--subdomain for export) may be left out while the server has one organization; --realm= is the one without
subdomain. For a cluster, give these commands the --nats, --mongodb and --secret of its servers. Without them they work
on the data directory, whose server may be running.

Options (in parentheses: the environment variable for the same setting):
${describeSettingsForHelp()}
  --help                        Show this text.
  --version                     Show the version of this program.

A cluster: start any number of 'conclave serve --role actors' and 'conclave serve --role http', all with the same
--nats, --mongodb and --secret; then 'conclave realm create' with the same three.
`;
