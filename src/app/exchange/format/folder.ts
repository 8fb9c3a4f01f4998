/** An export as a folder: where its tables, message files and uploaded files are. */
import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isPlainPath } from './archive.js';
import { readJsonRows } from './json-rows.js';
import { ExchangeProblem } from './problem.js';
import { Row } from './row.js';

/** Maximum size of one uploaded file, bytes. */
const MAX_FILE = 2 ** 30;

export class ExportFolder {
  constructor(private readonly root: string) {}

  async has(name: string): Promise<boolean> {
    return (await lstat(join(this.root, name)).catch(() => undefined))?.isFile() ?? false;
  }

  /** Rows of a file in batches. @param skips tables whose rows are not needed */
  async *rows(name: string, skips?: (table: string) => boolean): AsyncGenerator<readonly Row[]> {
    for await (const batch of readJsonRows(join(this.root, name), name, skips)) {
      yield batch.flatMap(({ table, row }) => (row ? [new Row(table === '' ? name : table, row)] : []));
    }
  }

  /** Values of a file's object that are no tables. */
  async values(name: string): Promise<ReadonlyMap<string, unknown>> {
    const values = new Map<string, unknown>();
    for await (const batch of readJsonRows(join(this.root, name), name, () => true)) {
      for (const { table, value } of batch) if (value !== undefined) values.set(table, value);
    }
    return values;
  }

  /** Names of the message files, in their order. Reading stops at the first missing number, as at the peer. */
  async messageFiles(): Promise<string[]> {
    const names: string[] = [];
    for (;;) {
      const name = `messages-${String(names.length + 1).padStart(6, '0')}.json`;
      if (!(await this.has(name))) return names;
      names.push(name);
    }
  }

  /** Records of a folder of files; none if it has no list of them. */
  async records(folder: string): Promise<Row[]> {
    const name = `${folder}/records.json`;
    if (!(await this.has(name))) return [];
    const found: Row[] = [];
    for await (const batch of this.rows(name)) found.push(...batch);
    return found;
  }

  /**
   * Bytes of an uploaded file. @returns undefined if it is missing
   * @throws ExchangeProblem for a path that leads outside the folder, also by a link
   */
  async file(folder: string, path: string): Promise<Uint8Array | undefined> {
    if (!isPlainPath(path))
      throw new ExchangeProblem(`${folder}/records.json: ${JSON.stringify(path)} is no plain path`);
    const full = join(this.root, folder, path);
    const found = await lstat(full).catch(() => undefined);
    if (!found) return undefined;
    const root = await realpath(this.root);
    if (!found.isFile() || !(await realpath(full)).startsWith(`${root}${sep}`)) {
      throw new ExchangeProblem(`${folder}/${path} is no plain file of the export`);
    }
    if (found.size > MAX_FILE) throw new ExchangeProblem(`${folder}/${path} is larger than ${MAX_FILE} bytes`);
    return readFile(full);
  }
}
