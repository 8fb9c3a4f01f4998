/** Writes tables of an export: each table goes to a file of its own while rows come, then all into one JSON file. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '#base';

/** Number of buffered characters above which rows are written to the file. */
const FLUSH_AT_BUFFERED_CHARACTERS = 262_144;

/** A file that is written in pieces. */
export class BufferedExportFileWriter {
  #bufferedTextPieces: string[] = [];
  #bufferedCharacters = 0;

  private constructor(private readonly handle: FileHandle) {}

  static async create(path: string): Promise<BufferedExportFileWriter> {
    return new BufferedExportFileWriter(await open(path, 'w', 0o600));
  }

  async appendText(text: string): Promise<void> {
    this.#bufferedTextPieces.push(text);
    this.#bufferedCharacters += text.length;
    if (this.#bufferedCharacters >= FLUSH_AT_BUFFERED_CHARACTERS) await this.#flushBufferedText();
  }

  async appendBytes(bytes: Uint8Array): Promise<void> {
    await this.#flushBufferedText();
    await this.handle.write(bytes);
  }

  async flushAndClose(): Promise<void> {
    await this.#flushBufferedText();
    await this.handle.close();
  }

  async #flushBufferedText(): Promise<void> {
    const text = this.#bufferedTextPieces.join('');
    this.#bufferedTextPieces = [];
    this.#bufferedCharacters = 0;
    if (text !== '') await this.handle.write(text);
  }
}

interface PartialTableFile {
  readonly file: BufferedExportFileWriter;
  readonly path: string;
  rows: number;
}

/** Writer of the tables of one JSON file; rows of different tables may come in any order. */
export class ExportTableWriter {
  readonly #partialFileByTable = new Map<string, PartialTableFile>();

  /**
   * Makes the writer. @param folder folder for the files of single tables, which are removed at the end
   * @param pace called before each row; the row waits for its promise, if there is one
   */
  constructor(
    private readonly folder: string,
    private readonly pace: () => Promise<void> | undefined = () => undefined,
  ) {}

  /** Adds a row. @returns the new number of rows of the table */
  async addRow(table: string, row: Json): Promise<number> {
    const pause = this.pace();
    if (pause) await pause;
    const open = await this.#getOrOpenPartialFile(table);
    await open.file.appendText(`${open.rows === 0 ? '' : ',\n'}    ${JSON.stringify(row)}`);
    return ++open.rows;
  }

  async ensureTableAndAddRows(table: string, rows: Iterable<Json>): Promise<void> {
    await this.#getOrOpenPartialFile(table);
    for (const row of rows) await this.addRow(table, row);
  }

  /** Returns the id for the next row of a table. */
  nextRowId(table: string): number {
    return (this.#partialFileByTable.get(table)?.rows ?? 0) + 1;
  }

  /** Writes all tables into one file. @returns numbers of rows by table */
  async joinTablesIntoAndRemoveParts(target: string): Promise<ReadonlyMap<string, number>> {
    const file = await BufferedExportFileWriter.create(target);
    let first = true;
    for (const [name, { file: part, path }] of this.#partialFileByTable) {
      await part.flushAndClose();
      await file.appendText(`${first ? '{\n' : ',\n'}  ${JSON.stringify(name)}: [\n`);
      first = false;
      for await (const chunk of createReadStream(path)) await file.appendBytes(chunk as Buffer);
      await file.appendText('\n  ]');
      await rm(path);
    }
    await file.appendText(first ? '{}\n' : '\n}\n');
    await file.flushAndClose();
    return new Map([...this.#partialFileByTable].map(([name, { rows }]) => [name, rows]));
  }

  async #getOrOpenPartialFile(table: string): Promise<PartialTableFile> {
    let open = this.#partialFileByTable.get(table);
    if (!open) {
      const path = join(this.folder, `${table}.partial`);
      open = { file: await BufferedExportFileWriter.create(path), path, rows: 0 };
      this.#partialFileByTable.set(table, open);
    }
    return open;
  }
}
