/** Finds the command that the words name, and runs it with the checked configuration. */
import { hostname } from 'node:os';
import { pino } from 'pino';
import { loadServerConfig, SERVER_SETTING_DECLARATIONS, type ServerConfig, ServerConfigError } from '#app/config';
import { formatStartGreeting, runPreflightChecks, startServer } from '#app/server';
import type { Logger } from '#base';
import { REAL_CLOCK } from '#base/clock';
import { findAdminCommandRunner } from './admin-commands.js';
import { printErrorAndReturnExitCode } from './command.js';
import { findBackupOrRestoreCommand } from './data-commands.js';
import { findImportExportCommandRunner, refuseImportExportOptions } from './exchange-commands.js';
import { describeServerSecretMatch, findSecretChangedCommand } from './secret-commands.js';
import { findClusterStoreCommand } from './store-commands.js';

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
  const command = positionals.join(' ');
  try {
    const config = loadServerConfig(values, environment);
    const exchange = findImportExportCommandRunner(positionals);
    if (!exchange) refuseImportExportOptions(values, command);
    if (command === 'serve') return await runServerUntilSignal(config);
    if (command === 'check-config') return await checkAndPrintConfig(config);
    const data =
      findBackupOrRestoreCommand(positionals) ??
      findClusterStoreCommand(positionals) ??
      findSecretChangedCommand(positionals);
    if (data) {
      await data(config);
      return 0;
    }
    if (exchange) {
      await exchange(config, values as Record<string, string | undefined>, makeErrorOnlyLogger());
      return 0;
    }
    const admin = findAdminCommandRunner(positionals);
    if (!admin) return printErrorAndReturnExitCode(`no such command: ${command}. 'conclave --help' lists them.`, 2);
    return (await admin(config, values as Record<string, string | undefined>, makeErrorOnlyLogger())) ?? 0;
  } catch (error) {
    if (error instanceof ServerConfigError) return printErrorAndReturnExitCode(error.message, 2);
    return printErrorAndReturnExitCode(error instanceof Error ? error.message : String(error), 1);
  }
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

/** Waits for SIGTERM or SIGINT. A second signal ends the process at once. */
async function waitForStopSignal(): Promise<string> {
  const names = ['SIGTERM', 'SIGINT'] as const;
  const signal = await new Promise<string>((resolve) => {
    for (const name of names) process.once(name, resolve);
  });
  for (const name of names) process.on(name, () => process.exit(130));
  return signal;
}

/** Runs the server until SIGTERM or SIGINT. A signal during the start ends the process, as a crash would. */
async function runServerUntilSignal(config: ServerConfig): Promise<number> {
  await runPreflightChecks(config);
  // Name of this process in `conclave cluster status`.
  const base = { host: `${hostname()}/${process.pid}`, role: config.role };
  const destination = pino.destination({ dest: 2, sync: false });
  const logger = pino({ level: config.logLevel, base }, destination) as unknown as Logger;
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
