/** Types of administration commands, and the one way to report an error of the command line. */
import type { ServerConfig } from '#app/config';
import type { Logger } from '#base';

/** Options of a command besides the settings, as given on the command line. */
export type CliNonSettingOptions = Readonly<Record<string, string | undefined>>;

/**
 * Work of an administration command.
 * @param words the words after the command's name
 * @returns exit code; undefined means 0
 */
export type AdminCommandAction = (
  config: ServerConfig,
  options: CliNonSettingOptions,
  logger: Logger,
  words: readonly string[],
) => Promise<number | void>;

export interface AdminCommand {
  /** Placeholders of the words after the command's name, in order. */
  readonly words: readonly string[];
  readonly run: AdminCommandAction;
}

export function printErrorAndReturnExitCode(message: string, code: number): number {
  process.stderr.write(`conclave: ${message}\n`);
  return code;
}
