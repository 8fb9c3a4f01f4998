/** Entry of the command line: parses the words, prints the help, and loads the commands when one is to run. */
import { parseArgs } from 'node:util';
import { SETTING_COMMAND_LINE_OPTIONS } from '#app/config';
import { SERVER_VERSION } from '#base';
import { printErrorAndReturnExitCode } from './command.js';
import { COMMAND_LINE_OPTIONS } from './declarations.js';
import { CLI_HELP_TEXT } from './help.js';
import { lowerPriorityOfThreads } from './priority.js';

/** Runs one `conclave` command. @returns exit code: 0 success, 1 failure, 2 wrong usage or configuration */
export async function runCommandLine(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({
      args: joinDashedSettingValues(argv),
      options: {
        ...SETTING_COMMAND_LINE_OPTIONS,
        ...COMMAND_LINE_OPTIONS,
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
      allowPositionals: true,
    });
  } catch (error) {
    return printErrorAndReturnExitCode((error as Error).message.split('\n')[0]!, 2);
  }
  const { values, positionals } = parsed;
  const command = positionals.join(' ');
  if (values.version && !values.help) {
    process.stdout.write(`conclave ${SERVER_VERSION}\n`);
    return 0;
  }
  if (values.help || command === 'help' || command === '') {
    process.stdout.write(CLI_HELP_TEXT);
    return command === '' && !values.help ? 2 : 0;
  }
  const [name] = positionals;
  // First of all: loading the commands takes half a second of CPU, which a server beside them would miss.
  if ((name === 'import' || name === 'export') && !values['usual-priority'])
    await lowerPriorityOfThreads(name === 'import');
  // The commands load the server, ten times the code of the help.
  const { runCommand } = await import('./run-command.js');
  return runCommand(values, positionals, environment);
}

/** Turns `--name -1` into `--name=-1`: the value then gets its own error instead of the parser's 'ambiguous'. */
function joinDashedSettingValues(argv: readonly string[]): string[] {
  const args: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const [arg, next] = [argv[i]!, argv[i + 1]];
    if (
      Object.hasOwn(SETTING_COMMAND_LINE_OPTIONS, arg.slice(2)) &&
      arg.startsWith('--') &&
      next !== undefined &&
      /^-(?!-)/.test(next)
    ) {
      args.push(`${arg}=${next}`);
      i++;
    } else args.push(arg);
  }
  return args;
}
