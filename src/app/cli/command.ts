/** Types of the actions of commands, and the one way to report an error of the command line. */
import type { ServerConfig } from '#app/config';
import type { Logger } from '#base';
import type { CliCommandName, CliOptionsOf } from './declarations.js';

/**
 * Work of a command.
 * @param words the words after the command's name, as many as are declared
 * @returns exit code; undefined means 0
 */
export type CliCommandAction<N extends CliCommandName = CliCommandName> = (
  config: ServerConfig,
  options: CliOptionsOf<N>,
  logger: Logger,
  words: readonly string[],
) => Promise<number | void>;

/** Actions of the commands of one group, `user` or `store` for example, or of one command. */
export type CliActionsOf<Group extends string> = {
  readonly [N in Extract<CliCommandName, Group | `${Group} ${string}`>]: CliCommandAction<N>;
};

export function printErrorAndReturnExitCode(message: string, code: number): number {
  process.stderr.write(`conclave: ${message}\n`);
  return code;
}

/** Runs an action that the first SIGINT or SIGTERM aborts. A second one ends the process at once. */
export async function runUntilInterrupted<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, interrupt);
  try {
    return await action(interruption.signal);
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, interrupt);
  }
}
