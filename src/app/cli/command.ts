/** Shape of the administration commands. */
import type { Config } from '#app/config';
import type { Logger } from '#base';

/** Options of the command line besides the settings. */
export type CommandOptions = Readonly<Record<string, string | undefined>>;

/**
 * @param words the words after the command's name
 * @returns exit code; undefined means 0
 */
export type CommandAction = (
  config: Config,
  options: CommandOptions,
  logger: Logger,
  words: readonly string[],
) => Promise<number | void>;

export interface AdminCommand {
  /** Placeholders of the words after the name, in order. */
  readonly words: readonly string[];
  readonly run: CommandAction;
}
