/** Writes tables of an export: each table goes to a file of its own while rows come, then all into one JSON file. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '#base';

/** Size of the pieces in which a table is written, bytes. An export has some forty tables open. */
const TABLE_PIECE_BYTES = 65_536;
/** Size of the pieces in which other files are written, bytes. */
export const LARGE_PIECE_BYTES = 262_144;
const MAX_BYTES_PER_CODE_UNIT = 3;

/** A file that is written in pieces: one fills up while the one before is written. */
export class BufferedExportFileWriter {
  #piece: Buffer;
  #usedBytes = 0;
  #otherPiece: Buffer | undefined;
  #writing: Promise<void> | undefined;

  private constructor(
    private readonly handle: FileHandle,
    private readonly pieceBytes: number,
  ) {
    this.#piece = Buffer.allocUnsafeSlow(pieceBytes);
  }

  static async create(path: string, pieceBytes = LARGE_PIECE_BYTES): Promise<BufferedExportFileWriter> {
    return new BufferedExportFileWriter(await open(path, 'w', 0o600), pieceBytes);
  }

  /** Opens an existing file to append to it. */
  static async openToAppend(path: string): Promise<BufferedExportFileWriter> {
    return new BufferedExportFileWriter(await open(path, 'a'), LARGE_PIECE_BYTES);
  }

  /** Appends a text. @returns a promise to await before the next call; undefined if none is needed */
  appendText(text: string): Promise<void> | undefined {
    if (text.length * MAX_BYTES_PER_CODE_UNIT > this.pieceBytes - this.#usedBytes) {
      return text.length * MAX_BYTES_PER_CODE_UNIT > this.pieceBytes
        ? this.appendBytes(Buffer.from(text))
        : this.#beginNextPiece().then(() => this.appendText(text));
    }
    this.#usedBytes += this.#piece.write(text, this.#usedBytes);
    return undefined;
  }

  /** Copies bytes to the end. @returns a promise to await before the next call; undefined if none is needed */
  appendBytes(bytes: Uint8Array): Promise<void> | undefined {
    if (bytes.length > this.pieceBytes - this.#usedBytes) return this.#appendBytesInPieces(bytes);
    this.#piece.set(bytes, this.#usedBytes);
    this.#usedBytes += bytes.length;
    return undefined;
  }

  async #appendBytesInPieces(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; from += this.pieceBytes) {
      const part = bytes.subarray(from, from + this.pieceBytes);
      if (part.length > this.pieceBytes - this.#usedBytes) await this.#beginNextPiece();
      await this.appendBytes(part);
    }
  }

  /**
   * Writes the remaining bytes, flushes the file to disk and closes it. A flush by a server on the same file system
   * also waits for unflushed bytes of other files, so each file is flushed when it is complete.
   */
  syncAndClose(): Promise<void> {
    return this.flushAndClose(true);
  }

  async flushAndClose(isSynced = false): Promise<void> {
    try {
      await this.#beginNextPiece();
      await this.#writing;
      if (isSynced) await this.handle.datasync();
    } finally {
      await this.handle.close();
    }
  }

  /** Closes the file and drops bytes that were not written yet. Does nothing if the file is closed. */
  async abandon(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    await this.handle.close();
  }

  /** Begins to write the present piece, as soon as the one before is written. */
  async #beginNextPiece(): Promise<void> {
    await this.#writing;
    const full = this.#piece;
    this.#writing = this.#writeBytes(full.subarray(0, this.#usedBytes));
    // A failure is reported where the promise is awaited.
    this.#writing.catch(() => undefined);
    this.#piece = this.#otherPiece ?? Buffer.allocUnsafeSlow(this.pieceBytes);
    this.#otherPiece = full;
    this.#usedBytes = 0;
  }

  async #writeBytes(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) at += (await this.handle.write(bytes, at)).bytesWritten;
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

  addRow(table: string, row: Json): Promise<void> {
    return this.ensureTableAndAddRows(table, [row]);
  }

  /** Adds rows to a table, which is in the export even without rows. Each row may be made when it is asked for. */
  async ensureTableAndAddRows(table: string, rows: Iterable<Json>): Promise<void> {
    const open = this.#partialFileByTable.get(table) ?? (await this.#openPartialFile(table));
    for (const row of rows) {
      const pause = this.pace();
      if (pause) await pause;
      const full = open.file.appendText(`${open.rows === 0 ? '' : ',\n'}    ${JSON.stringify(row)}`);
      if (full) await full;
      open.rows++;
    }
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

  /** Closes the files of tables after a failure. */
  async abandon(): Promise<void> {
    for (const { file } of this.#partialFileByTable.values()) await file.abandon();
  }

  async #openPartialFile(table: string): Promise<PartialTableFile> {
    const path = join(this.folder, `${table}.partial`);
    const open = { file: await BufferedExportFileWriter.create(path, TABLE_PIECE_BYTES), path, rows: 0 };
    this.#partialFileByTable.set(table, open);
    return open;
  }
}
