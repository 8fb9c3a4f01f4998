/** Error of an archive that can't be imported. The message is for the operator and names the table and row. */
export class ExportFormatError extends Error {
  override name = 'ExportFormatError';
}

/** Names the file in an error about a row of it. Errors about the form of a file have its name already. */
export const nameFileInFormatError = (error: unknown, file: string): unknown =>
  error instanceof ExportFormatError && !error.message.startsWith(file)
    ? new ExportFormatError(`${file}: ${error.message}`)
    : error;

/** Makes the error of one row. @param table name of the table or file */
export const makeExportRowError = (table: string, id: unknown, what: string): ExportFormatError =>
  new ExportFormatError(`${table}, row ${String(id)}: ${what}`);
