/** An export as a folder with tables, message files and uploaded files. */
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isSafeArchivePath } from './archive-paths.js';
import { type JsonRowReadOptions, readJsonRowBatches } from './json-rows.js';
import { ExportFormatError } from './problem.js';
import { CheckedExportRow } from './row.js';

/** Maximum size of one uploaded file, bytes. */
const MAX_BYTES_PER_EXPORTED_FILE = 2 ** 30;

/**
 * Size up to which reading a file blocks the thread, bytes: each asynchronous call wakes another thread, which takes
 * ten times as long as the call itself.
 */
const MAX_BLOCKING_BYTES = 65_536;

const MESSAGE_FILE_PREFIX = 'messages-';

/** Name of a message file. @param number counted from 1 */
export const nameOfMessageFile = (number: number): string =>
  `${MESSAGE_FILE_PREFIX}${String(number).padStart(6, '0')}.json`;

export interface UploadedExportFile {
  /** Bytes. */
  readonly size: number;
  readAll(): Promise<Uint8Array>;
}

export class ExportFolder {
  /** Path of the folder without symbolic links. */
  #realRoot: string | undefined;

  /** @param messageRoot folder of the message files, if it is another one */
  constructor(
    private readonly root: string,
    readonly messageRoot: string = root,
  ) {}

  /** The same export with the message files of another folder. */
  withMessagesOf(messageRoot: string): ExportFolder {
    return new ExportFolder(this.root, messageRoot);
  }

  async hasPlainFile(name: string): Promise<boolean> {
    return (await this.findSizeOfPlainFile(name)) !== undefined;
  }

  /** Finds the size of a file, bytes; undefined if there is no such file. */
  async findSizeOfPlainFile(name: string): Promise<number | undefined> {
    const found = await lstat(this.pathOf(name)).catch(() => undefined);
    return found?.isFile() ? found.size : undefined;
  }

  /** Reads the rows of a file in batches. */
  async *readRowBatches(name: string, options?: JsonRowReadOptions): AsyncGenerator<readonly CheckedExportRow[]> {
    for await (const batch of readJsonRowBatches(this.pathOf(name), name, options)) {
      yield batch.flatMap(({ table, row }) => (row ? [new CheckedExportRow(table === '' ? name : table, row)] : []));
    }
  }

  /** Reads the fields of a file's object that are not tables. */
  async readNonTableValues(name: string): Promise<ReadonlyMap<string, unknown>> {
    const values = new Map<string, unknown>();
    for await (const batch of readJsonRowBatches(join(this.root, name), name, { skips: () => true })) {
      for (const { table, value } of batch) if (value !== undefined) values.set(table, value);
    }
    return values;
  }

  /**
   * Lists the names of the message files, in their order. The list ends at the first missing number, as at the API's
   * original server.
   */
  async listConsecutiveMessageFiles(): Promise<string[]> {
    const names: string[] = [];
    for (;;) {
      const name = nameOfMessageFile(names.length + 1);
      if (!(await this.hasPlainFile(name))) return names;
      names.push(name);
    }
  }

  /** Reads the list of records of a folder of files; empty if the folder has no list. */
  async readFileRecords(folder: string): Promise<CheckedExportRow[]> {
    const name = `${folder}/records.json`;
    if (!(await this.hasPlainFile(name))) return [];
    const found: CheckedExportRow[] = [];
    for await (const batch of this.readRowBatches(name)) found.push(...batch);
    // Records of files have no ids: errors name them by their position.
    return found.map(({ table, fields }, i) => new CheckedExportRow(table, fields, String(i + 1)));
  }

  /**
   * Reads the bytes of an uploaded file.
   * @returns undefined if the file is missing
   * @throws ExportFormatError for a path that leads outside the folder, also by a link
   */
  async readUploadedFile(folder: string, path: string): Promise<Uint8Array | undefined> {
    return (await this.findUploadedFile(folder, path))?.readAll();
  }

  /** Finds an uploaded file; undefined if the export does not contain it. @throws ExportFormatError */
  async findUploadedFile(folder: string, path: string): Promise<UploadedExportFile | undefined> {
    if (!isSafeArchivePath(path))
      throw new ExportFormatError(`${folder}/records.json: ${JSON.stringify(path)} is no plain path`);
    const full = join(this.root, folder, path);
    const found = lstatSync(full, { throwIfNoEntry: false });
    if (!found) return undefined;
    this.#realRoot ??= await realpath(this.root);
    if (!found.isFile() || !realpathSync.native(full).startsWith(`${this.#realRoot}${sep}`)) {
      throw new ExportFormatError(`${folder}/${path} is no plain file of the export`);
    }
    if (found.size > MAX_BYTES_PER_EXPORTED_FILE)
      throw new ExportFormatError(`${folder}/${path} is larger than ${MAX_BYTES_PER_EXPORTED_FILE} bytes`);
    const { size } = found;
    return { size, readAll: async () => (size <= MAX_BLOCKING_BYTES ? readFileSync(full) : readFile(full)) };
  }

  /** Path of a file of tables or messages. */
  pathOf(name: string): string {
    return join(name.startsWith(MESSAGE_FILE_PREFIX) ? this.messageRoot : this.root, name);
  }
}
