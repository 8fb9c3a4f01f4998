/**
 * The format of what is stored: a number that grows when a program that knows only the one before would read something
 * wrongly (stored states and parts, records of messages, entries of the log, frames between processes).
 *
 * A program reads its own format and the one before, so that versions are upgraded one at a time. It refuses others:
 * a clear word at the start instead of states that nobody can repair.
 */

/** Of this program. Whatever raises it also says in docs/operations.md what it changes. */
export const FORMAT = 1;

/** What was stored before formats were written down. */
export const FIRST_FORMAT = 1;

export class FormatMismatch extends Error {
  override name = 'FormatMismatch';
}

/**
 * Whether the stored format is the program's own, or the one before, which it reads and can raise.
 * @param what is stored so, for the message
 * @throws FormatMismatch
 */
export function judgeFormat(what: string, stored: unknown, known: number = FORMAT): 'own' | 'before' {
  if (!Number.isSafeInteger(stored) || (stored as number) < FIRST_FORMAT) {
    throw new FormatMismatch(`${what} names no format that there could be (${JSON.stringify(stored)})`);
  }
  const format = stored as number;
  if (format === known) return 'own';
  if (format === known - 1) return 'before';
  throw new FormatMismatch(
    format > known
      ? `${what} is in format ${format}, this program knows up to ${known}: use the newer program that wrote it`
      : `${what} is in format ${format}, this program reads ${known - 1} and ${known}: upgrade one version at a time`,
  );
}
