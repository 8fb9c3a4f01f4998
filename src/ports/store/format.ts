/**
 * The storage format: a number raised whenever a program that knows only the previous format would misread stored
 * states and parts, message records, log entries, or frames between processes.
 *
 * A program reads its own format and the previous one, so versions are upgraded one at a time. With any other format it
 * refuses to start, before it can write states that can't be repaired.
 */

/** Storage format that this program writes. A change that raises it must be described in docs/operations.md. */
export const CURRENT_STORAGE_FORMAT = 2;

/** Storage format of data written before formats were recorded. */
export const FIRST_STORAGE_FORMAT = 1;

export class StorageFormatMismatchError extends Error {
  override name = 'StorageFormatMismatchError';
}

/**
 * Returns 'own' for the program's own format, 'before' for the previous one, which the program reads and can raise.
 * @param what name of the data, for the error message
 * @throws StorageFormatMismatchError for any other format
 */
export function checkReadableStorageFormat(
  what: string,
  stored: unknown,
  known: number = CURRENT_STORAGE_FORMAT,
): 'own' | 'before' {
  if (!Number.isSafeInteger(stored) || (stored as number) < FIRST_STORAGE_FORMAT) {
    throw new StorageFormatMismatchError(`${what} has no valid format (${JSON.stringify(stored)})`);
  }
  const format = stored as number;
  if (format === known) return 'own';
  if (format === known - 1) return 'before';
  throw new StorageFormatMismatchError(
    format > known
      ? `${what} is in format ${format}, this program knows up to ${known}: use the newer program that wrote it`
      : `${what} is in format ${format}, this program reads ${known - 1} and ${known}: upgrade one version at a time`,
  );
}
