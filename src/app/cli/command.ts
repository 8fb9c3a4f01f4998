import type { Config } from '#app/config';
import type { Logger } from '#base';

/** What was given on the command line beside the configuration. */
export type Options = Readonly<Record<string, string | undefined>>;

/**
 * @param words those that follow the command's name
 * @returns exit code; nothing: 0
 */
export type Action = (
  config: Config,
  options: Options,
  logger: Logger,
  words: readonly string[],
) => Promise<number | void>;

export interface AdminCommand {
  /** What the words after the name are, in their order. */
  readonly words: readonly string[];
  readonly run: Action;
}
