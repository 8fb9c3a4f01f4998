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
const MAX_ROW_BYTES = 64 * 1_048_576;
const CHUNK_BYTES = 1_048_576;

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
  const splitter = new JsonRowSplitter(name, skips);
  const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES });
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

class JsonRowSplitter {
  /** Nesting depth at which rows begin: 1 in a list, 2 in an object of tables; 0 before the first bracket. */
  #rowDepth = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Position in the chunk at which the collected text began; -1 if no text is being collected. */
  #tokenStart = -1;
  /** Earlier chunks of the text that is being collected. */
  #earlierChunks: Buffer[] = [];
  #earlierBytes = 0;
  #currentTable = '';
  #isSkippingTable = false;
  /** The last string in the outer object, which is a name if a colon follows. */
  #lastString: string | undefined;
  #hasEnded = false;
  #rows: JsonFileItem[] = [];

  constructor(
    private readonly name: string,
    private readonly skips: (table: string) => boolean,
  ) {}

  push(chunk: Buffer): readonly JsonFileItem[] {
    this.#rows = [];
    if (this.#tokenStart >= 0) this.#tokenStart = 0;
    for (let i = 0; i < chunk.length; i++) {
      if (this.#isInString) {
        i = this.#findStringEnd(chunk, i);
        continue;
      }
      const byte = chunk[i]!;
      if (byte === QUOTE) this.#beginString(i);
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#openBracket(byte, i);
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#closeBracket(chunk, i);
      else if (this.#rowDepth === 0) {
        if (!isBlank(byte)) throw this.#makeFormatError('is no JSON');
      } else if (this.#depth === this.#rowDepth || this.#hasEnded) {
        if (byte !== COMMA && !isBlank(byte)) throw this.#makeFormatError('has something that is no row');
      } else if (this.#depth === 1) this.#readByteBetweenTokens(chunk, byte, i);
    }
    if (this.#tokenStart >= 0) this.#keepEarlierChunk(chunk.subarray(this.#tokenStart));
    return this.#rows;
  }

  /** Checks that the file has ended after a complete value. */
  end(): void {
    if (!this.#hasEnded) throw this.#makeFormatError('is truncated');
  }

  /** Skips to the end of a string, or of the chunk. @returns the position of the last byte read */
  #findStringEnd(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        this.#isInString = false;
        if (this.#depth === 1 && this.#rowDepth === 2)
          this.#lastString = this.#parseRowJson(this.#collectTokenText(chunk, i + 1)) as string;
        return i;
      }
    }
    return chunk.length;
  }

  #beginString(at: number): void {
    if (this.#hasEnded || this.#rowDepth === 0) throw this.#makeFormatError('is no JSON');
    if (this.#depth === this.#rowDepth) throw this.#makeFormatError('has a text in place of a row');
    this.#isInString = true;
    if (this.#depth === 1) this.#tokenStart = at;
  }

  #openBracket(byte: number, at: number): void {
    if (this.#hasEnded) throw this.#makeFormatError('goes on after its end');
    if (this.#rowDepth === 0) this.#rowDepth = byte === OPEN_LIST ? 1 : 2;
    else if (this.#depth === 1 && this.#rowDepth === 2) {
      if (byte !== OPEN_LIST) throw this.#makeFormatError(`has no list under ${this.#currentTable}`);
    } else if (this.#depth === this.#rowDepth) {
      if (byte !== OPEN_OBJECT) throw this.#makeFormatError('has a list in place of a row');
      this.#tokenStart = this.#isSkippingTable ? -1 : at;
    }
    this.#depth++;
  }

  #closeBracket(chunk: Buffer, at: number): void {
    if (this.#depth === 1 && this.#rowDepth === 2) this.#readScalar(chunk, at);
    this.#depth--;
    if (this.#depth < 0) throw this.#makeFormatError('is no JSON');
    if (this.#depth === 0) this.#hasEnded = true;
    else if (this.#depth === this.#rowDepth && !this.#isSkippingTable) {
      const row = this.#parseRowJson(this.#collectTokenText(chunk, at + 1)) as JsonObject;
      this.#rows.push({ table: this.#currentTable, row });
    }
  }

  /** Handles a byte of the outer object between its tables: names, colons and values that are not lists. */
  #readByteBetweenTokens(chunk: Buffer, byte: number, at: number): void {
    if (byte === COLON) {
      this.#currentTable = this.#lastString ?? '';
      this.#lastString = undefined;
      this.#isSkippingTable = this.skips(this.#currentTable);
    } else if (byte === COMMA) this.#readScalar(chunk, at);
    else if (!isBlank(byte) && this.#tokenStart < 0) this.#tokenStart = at;
  }

  /** Takes the value that ends at this position, if there is one: a field of the outer object that is not a list. */
  #readScalar(chunk: Buffer, end: number): void {
    if (this.#lastString !== undefined) this.#rows.push({ table: this.#currentTable, value: this.#lastString });
    else if (this.#tokenStart >= 0)
      this.#rows.push({ table: this.#currentTable, value: this.#parseRowJson(this.#collectTokenText(chunk, end)) });
    this.#lastString = undefined;
    this.#tokenStart = -1;
  }

  #keepEarlierChunk(part: Buffer): void {
    this.#earlierBytes += part.length;
    if (this.#earlierBytes > MAX_ROW_BYTES)
      throw this.#makeFormatError(`has a row of more than ${MAX_ROW_BYTES} bytes`);
    this.#earlierChunks.push(Buffer.from(part));
  }

  /** Returns the collected text, up to this position of the chunk. */
  #collectTokenText(chunk: Buffer, end: number): string {
    const last = chunk.subarray(this.#tokenStart, end);
    const whole = this.#earlierChunks.length === 0 ? last : Buffer.concat([...this.#earlierChunks, last]);
    this.#tokenStart = -1;
    this.#earlierChunks = [];
    this.#earlierBytes = 0;
    return whole.toString('utf8');
  }

  #parseRowJson(text: string): Json {
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw this.#makeFormatError(`has a part that is no JSON: ${JSON.stringify(text.slice(0, 60))}`);
    }
  }

  #makeFormatError(what: string): ExportFormatError {
    return new ExportFormatError(`${this.name} ${what}`);
  }
}
