/** Finds the command that the words name, and runs it with the checked configuration. */
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import { pino } from 'pino';
import { InvalidArgumentError } from '#app/admin';
import { loadServerConfig, SERVER_SETTING_DECLARATIONS, type ServerConfig, ServerConfigError } from '#app/config';
import { formatStartGreeting, LogOutput, runPreflightChecks, startServer } from '#app/server';
import type { Logger } from '#base';
import { REAL_CLOCK } from '#base/clock';
import { REALM_AND_USER_COMMAND_ACTIONS } from './admin-commands.js';
import { CLUSTER_COMMAND_ACTIONS } from './cluster-commands.js';
import { type CliCommandAction, printErrorAndReturnExitCode } from './command.js';
import { DATA_DIR_COMMAND_ACTIONS } from './data-commands.js';
import type { CliCommandName, CliOptionsOf } from './declarations.js';
import { IMPORT_AND_EXPORT_COMMAND_ACTIONS } from './exchange-commands.js';
import { describeServerSecretMatch, SECRET_COMMAND_ACTIONS } from './secret-commands.js';
import { STORE_COMMAND_ACTIONS } from './store-commands.js';
import { CliUsageError, parseCommandCall } from './usage.js';

/** Time for the process to end by itself after the stop, ms. */
const FORCED_EXIT_AFTER_STOP_MS = 500;

/**
 * @param values options of the command line
 * @returns exit code: 0 success, 1 failure, 2 wrong usage or configuration
 */
export async function runCommand(
  values: Readonly<Record<string, unknown>>,
  positionals: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { name, words } = parseCommandCall(positionals, values);
    return (await runNamedCommand(name, loadServerConfig(values, environment), values, words)) ?? 0;
  } catch (error) {
    if ([ServerConfigError, CliUsageError, InvalidArgumentError].some((kind) => error instanceof kind))
      return printErrorAndReturnExitCode((error as Error).message, 2);
    return printErrorAndReturnExitCode(error instanceof Error ? error.message : String(error), 1);
  }
}

const COMMAND_ACTIONS: { readonly [N in CliCommandName]: CliCommandAction<N> } = {
  serve: (config) => runServerUntilSignal(config),
  'check-config': (config) => checkAndPrintConfig(config),
  ...REALM_AND_USER_COMMAND_ACTIONS,
  ...CLUSTER_COMMAND_ACTIONS,
  ...IMPORT_AND_EXPORT_COMMAND_ACTIONS,
  ...DATA_DIR_COMMAND_ACTIONS,
  ...STORE_COMMAND_ACTIONS,
  ...SECRET_COMMAND_ACTIONS,
};

function runNamedCommand<N extends CliCommandName>(
  name: N,
  config: ServerConfig,
  values: Readonly<Record<string, unknown>>,
  words: readonly string[],
): Promise<number | void> {
  // The options were checked against the command's declaration.
  return COMMAND_ACTIONS[name](config, values as CliOptionsOf<N>, makeErrorOnlyLogger(), words);
}

const makeErrorOnlyLogger = (): Logger => pino({ level: 'error' }, pino.destination(2)) as unknown as Logger;

async function checkAndPrintConfig(config: ServerConfig): Promise<number> {
  await runPreflightChecks(config);
  for (const [name, of] of Object.entries(SERVER_SETTING_DECLARATIONS)) {
    const value = config[name as keyof ServerConfig];
    const shown = value === undefined || value === '' ? '(not set)' : of.secret ? '(given)' : String(value);
    process.stdout.write(`${of.env.padEnd(20)} ${shown}\n`);
  }
  process.stdout.write(`the secret: ${await describeServerSecretMatch(config)}\n`);
  return 0;
}

const isAtTerminal = (): boolean => [0, 1, 2].some((fd) => isatty(fd));

/**
 * Waits for SIGTERM, SIGINT or, at a terminal, SIGHUP. A second SIGTERM or SIGINT ends the process at once; a second
 * SIGHUP does nothing, because a terminal that is closed may send several.
 */
async function waitForStopSignal(): Promise<string> {
  const hangUpSignals = isAtTerminal() ? (['SIGHUP'] as const) : [];
  const signal = await new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', ...hangUpSignals] as const) process.on(name, resolve);
  });
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => process.exit(130));
  return signal;
}

/**
 * Runs the server until a stop signal. A signal during the start ends the process, as a crash would. Without a terminal
 * SIGHUP is ignored, as `nohup` asks for: Node resets the signal handling that `nohup` has set up.
 */
async function runServerUntilSignal(config: ServerConfig): Promise<number> {
  if (!isAtTerminal() && process.listenerCount('SIGHUP') === 0) process.on('SIGHUP', () => undefined);
  await runPreflightChecks(config);
  // Name of this process in `conclave cluster status`.
  const base = { host: `${hostname()}/${process.pid}`, role: config.role };
  const logger = pino({ level: config.logLevel, base }, new LogOutput()) as unknown as Logger;
  const running = await startServer(config, REAL_CLOCK, logger);
  // Before the greeting, since a process manager may send a signal as soon as it has read it.
  const stopSignal = waitForStopSignal();
  if (running.site) process.stdout.write(formatStartGreeting(running.first, running.site));
  else process.stdout.write('Conclave actor host runs\n');
  process.stdout.write(`Health and metrics: ${running.ops}\n`);
  logger.info({ signal: await stopSignal }, 'stopping');
  await running.stop();
  // Everything is stored and handed over: nothing that is left may keep the process alive.
  setTimeout(() => {
    logger.warn({ resources: process.getActiveResourcesInfo() }, 'resources were still open after the stop');
    process.exit(0);
  }, FORCED_EXIT_AFTER_STOP_MS).unref();
  return 0;
}
