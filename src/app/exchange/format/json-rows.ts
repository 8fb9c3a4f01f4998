/**
 * Reads a JSON file of an export row by row: an object of tables (`{"zerver_stream": [{…}, …], …}`), or a list of rows.
 * Only one row at a time is in memory, so a table of a million rows costs no more memory than one of ten. General
 * streaming parsers make a token of every value; this one only finds the end of each row, which `JSON.parse` then
 * parses.
 */
import { createReadStream } from 'node:fs';
import type { Json, JsonObject } from '#base';
import { ExportFormatError } from './problem.js';

/** A row, or with `value` a field of the file's object that is not a list. */
export interface JsonFileItem {
  /** Name of the row's table; '' in a file that is a list. */
  readonly table: string;
  readonly row?: JsonObject;
  readonly value?: Json;
}

/** Maximum size of one row, bytes. */
const MAX_ROW = 64 * 1_048_576;
const CHUNK = 1_048_576;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Reads the rows of a file in batches, in their order.
 * @param skips returns true for tables whose rows are skipped without being parsed
 * @throws ExportFormatError if the file does not have this form or is truncated
 */
export async function* readJsonRows(
  file: string,
  name: string,
  skips: (table: string) => boolean = () => false,
): AsyncGenerator<readonly JsonFileItem[]> {
  const splitter = new RowSplitter(name, skips);
  const stream = createReadStream(file, { highWaterMark: CHUNK });
  try {
    for await (const chunk of stream) {
      const found = splitter.push(chunk as Buffer);
      if (found.length > 0) yield found;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new ExportFormatError(`${name} can't be read: ${code}`);
  } finally {
    stream.destroy();
  }
  splitter.end();
}

class RowSplitter {
  /** Nesting depth at which rows begin: 1 in a list, 2 in an object of tables; 0 before the first bracket. */
  #rowDepth = 0;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** Position in the chunk at which the collected text began; -1 if no text is being collected. */
  #from = -1;
  /** Earlier chunks of the text that is being collected. */
  #earlier: Buffer[] = [];
  #earlierBytes = 0;
  #table = '';
  #skipping = false;
  /** The last string in the outer object, which is a name if a colon follows. */
  #word: string | undefined;
  #ended = false;
  #rows: JsonFileItem[] = [];

  constructor(
    private readonly name: string,
    private readonly skips: (table: string) => boolean,
  ) {}

  push(chunk: Buffer): readonly JsonFileItem[] {
    this.#rows = [];
    if (this.#from >= 0) this.#from = 0;
    for (let i = 0; i < chunk.length; i++) {
      if (this.#inText) {
        i = this.#textEnd(chunk, i);
        continue;
      }
      const byte = chunk[i]!;
      if (byte === QUOTE) this.#beginText(i);
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(byte, i);
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#close(chunk, i);
      else if (this.#rowDepth === 0) {
        if (!isBlank(byte)) throw this.#problem('is no JSON');
      } else if (this.#depth === this.#rowDepth || this.#ended) {
        if (byte !== COMMA && !isBlank(byte)) throw this.#problem('has something that is no row');
      } else if (this.#depth === 1) this.#between(chunk, byte, i);
    }
    if (this.#from >= 0) this.#keep(chunk.subarray(this.#from));
    return this.#rows;
  }

  /** Checks that the file has ended after a complete value. */
  end(): void {
    if (!this.#ended) throw this.#problem('is truncated');
  }

  /** Skips to the end of a string, or of the chunk. @returns the position of the last byte read */
  #textEnd(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i];
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#inText = false;
        if (this.#depth === 1 && this.#rowDepth === 2)
          this.#word = this.#parse(this.#collected(chunk, i + 1)) as string;
        return i;
      }
    }
    return chunk.length;
  }

  #beginText(at: number): void {
    if (this.#ended || this.#rowDepth === 0) throw this.#problem('is no JSON');
    if (this.#depth === this.#rowDepth) throw this.#problem('has a text in place of a row');
    this.#inText = true;
    if (this.#depth === 1) this.#from = at;
  }

  #open(byte: number, at: number): void {
    if (this.#ended) throw this.#problem('goes on after its end');
    if (this.#rowDepth === 0) this.#rowDepth = byte === OPEN_LIST ? 1 : 2;
    else if (this.#depth === 1 && this.#rowDepth === 2) {
      if (byte !== OPEN_LIST) throw this.#problem(`has no list under ${this.#table}`);
    } else if (this.#depth === this.#rowDepth) {
      if (byte !== OPEN_OBJECT) throw this.#problem('has a list in place of a row');
      this.#from = this.#skipping ? -1 : at;
    }
    this.#depth++;
  }

  #close(chunk: Buffer, at: number): void {
    if (this.#depth === 1 && this.#rowDepth === 2) this.#scalar(chunk, at);
    this.#depth--;
    if (this.#depth < 0) throw this.#problem('is no JSON');
    if (this.#depth === 0) this.#ended = true;
    else if (this.#depth === this.#rowDepth && !this.#skipping) {
      const row = this.#parse(this.#collected(chunk, at + 1)) as JsonObject;
      this.#rows.push({ table: this.#table, row });
    }
  }

  /** Handles a byte of the outer object between its tables: names, colons and values that are not lists. */
  #between(chunk: Buffer, byte: number, at: number): void {
    if (byte === COLON) {
      this.#table = this.#word ?? '';
      this.#word = undefined;
      this.#skipping = this.skips(this.#table);
    } else if (byte === COMMA) this.#scalar(chunk, at);
    else if (!isBlank(byte) && this.#from < 0) this.#from = at;
  }

  /** Takes the value that ends at this position, if there is one: a field of the outer object that is not a list. */
  #scalar(chunk: Buffer, end: number): void {
    if (this.#word !== undefined) this.#rows.push({ table: this.#table, value: this.#word });
    else if (this.#from >= 0) this.#rows.push({ table: this.#table, value: this.#parse(this.#collected(chunk, end)) });
    this.#word = undefined;
    this.#from = -1;
  }

  #keep(part: Buffer): void {
    this.#earlierBytes += part.length;
    if (this.#earlierBytes > MAX_ROW) throw this.#problem(`has a row of more than ${MAX_ROW} bytes`);
    this.#earlier.push(Buffer.from(part));
  }

  /** Returns the collected text, up to this position of the chunk. */
  #collected(chunk: Buffer, end: number): string {
    const last = chunk.subarray(this.#from, end);
    const whole = this.#earlier.length === 0 ? last : Buffer.concat([...this.#earlier, last]);
    this.#from = -1;
    this.#earlier = [];
    this.#earlierBytes = 0;
    return whole.toString('utf8');
  }

  #parse(text: string): Json {
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw this.#problem(`has a part that is no JSON: ${JSON.stringify(text.slice(0, 60))}`);
    }
  }

  #problem(what: string): ExportFormatError {
    return new ExportFormatError(`${this.name} ${what}`);
  }
}
