/** Writes tables of an export: each to a file of its own while rows come, then together into one file of JSON. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '#base';

/** Rows are written when this many characters wait. */
const BUFFERED = 262_144;

/** A file that is written in pieces. */
export class TextFile {
  #waiting: string[] = [];
  #size = 0;

  private constructor(private readonly handle: FileHandle) {}

  static async create(path: string): Promise<TextFile> {
    return new TextFile(await open(path, 'w', 0o600));
  }

  async add(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#size += text.length;
    if (this.#size >= BUFFERED) await this.#flush();
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
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#size = 0;
    if (text !== '') await this.handle.write(text);
  }
}

interface OpenTable {
  readonly file: TextFile;
  readonly path: string;
  rows: number;
}

/** Tables of one JSON file, whose rows come in any order of the tables. */
export class TableWriter {
  readonly #tables = new Map<string, OpenTable>();

  /** @param folder for the files of single tables, which are removed at the end */
  constructor(private readonly folder: string) {}

  /** Adds a row. @returns number of rows of the table */
  async add(table: string, row: Json): Promise<number> {
    const open = await this.#open(table);
    await open.file.add(`${open.rows === 0 ? '' : ',\n'}    ${JSON.stringify(row)}`);
    return ++open.rows;
  }

  async addAll(table: string, rows: Iterable<Json>): Promise<void> {
    await this.#open(table);
    for (const row of rows) await this.add(table, row);
  }

  /** Id for the next row of a table. */
  nextId(table: string): number {
    return (this.#tables.get(table)?.rows ?? 0) + 1;
  }

  /** Writes all tables into one file. @returns numbers of rows by table */
  async join(target: string): Promise<ReadonlyMap<string, number>> {
    const file = await TextFile.create(target);
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

  async #open(table: string): Promise<OpenTable> {
    let open = this.#tables.get(table);
    if (!open) {
      const path = join(this.folder, `${table}.partial`);
      open = { file: await TextFile.create(path), path, rows: 0 };
      this.#tables.set(table, open);
    }
    return open;
  }
}
