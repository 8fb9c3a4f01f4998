/** Writes tables of an export: each table goes to a file of its own while rows come, then all into one JSON file. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '#base';

/** Number of buffered characters above which rows are written to the file. */
const FLUSH_AFTER_CHARACTERS = 262_144;

/** A file that is written in pieces. */
export class ExportTextFileWriter {
  #bufferedTexts: string[] = [];
  #bufferedCharacters = 0;

  private constructor(private readonly handle: FileHandle) {}

  static async create(path: string): Promise<ExportTextFileWriter> {
    return new ExportTextFileWriter(await open(path, 'w', 0o600));
  }

  async add(text: string): Promise<void> {
    this.#bufferedTexts.push(text);
    this.#bufferedCharacters += text.length;
    if (this.#bufferedCharacters >= FLUSH_AFTER_CHARACTERS) await this.#flush();
  }

  async addBytes(bytes: Uint8Array): Promise<void> {
    await this.#flush();
    await this.handle.write(bytes);
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.handle.close();
  }

  async #flush(): Promise<void> {
    const text = this.#bufferedTexts.join('');
    this.#bufferedTexts = [];
    this.#bufferedCharacters = 0;
    if (text !== '') await this.handle.write(text);
  }
}

interface OpenTableFile {
  readonly file: ExportTextFileWriter;
  readonly path: string;
  rows: number;
}

/** Writer of the tables of one JSON file; rows of different tables may come in any order. */
export class ExportTableWriter {
  readonly #tables = new Map<string, OpenTableFile>();

  /**
   * Makes the writer. @param folder folder for the files of single tables, which are removed at the end
   * @param pace called before each row; the row waits for its promise, if there is one
   */
  constructor(
    private readonly folder: string,
    private readonly pace: () => Promise<void> | undefined = () => undefined,
  ) {}

  /** Adds a row. @returns the new number of rows of the table */
  async add(table: string, row: Json): Promise<number> {
    const pause = this.pace();
    if (pause) await pause;
    const open = await this.#openTableFile(table);
    await open.file.add(`${open.rows === 0 ? '' : ',\n'}    ${JSON.stringify(row)}`);
    return ++open.rows;
  }

  async addAll(table: string, rows: Iterable<Json>): Promise<void> {
    await this.#openTableFile(table);
    for (const row of rows) await this.add(table, row);
  }

  /** Returns the id for the next row of a table. */
  nextId(table: string): number {
    return (this.#tables.get(table)?.rows ?? 0) + 1;
  }

  /** Writes all tables into one file. @returns numbers of rows by table */
  async joinTablesInto(target: string): Promise<ReadonlyMap<string, number>> {
    const file = await ExportTextFileWriter.create(target);
    let first = true;
    for (const [name, { file: part, path }] of this.#tables) {
      await part.close();
      await file.add(`${first ? '{\n' : ',\n'}  ${JSON.stringify(name)}: [\n`);
      first = false;
      for await (const chunk of createReadStream(path)) await file.addBytes(chunk as Buffer);
      await file.add('\n  ]');
      await rm(path);
    }
    await file.add(first ? '{}\n' : '\n}\n');
    await file.close();
    return new Map([...this.#tables].map(([name, { rows }]) => [name, rows]));
  }

  async #openTableFile(table: string): Promise<OpenTableFile> {
    let open = this.#tables.get(table);
    if (!open) {
      const path = join(this.folder, `${table}.partial`);
      open = { file: await ExportTextFileWriter.create(path), path, rows: 0 };
      this.#tables.set(table, open);
    }
    return open;
  }
}
