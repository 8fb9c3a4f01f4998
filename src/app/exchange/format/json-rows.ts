/**
 * Reads a JSON file of an export row by row: an object of tables (`{"zerver_stream": [{…}, …], …}`), or a list of rows.
 * Only one chunk of rows at a time is in memory, so a table of a million rows costs no more than one of ten thousand.
 * General streaming parsers make a token of every value; this one only finds the end of each row. Rows that lie
 * together in a chunk of the file are parsed by one call of `JSON.parse`, which costs less than a call for each. An
 * export has dozens of rows of whole numbers for each message: these can be read without making objects.
 */
import { createReadStream } from 'node:fs';
import type { Json, JsonObject } from '#base';
import { ExportFormatError } from './problem.js';

/** A row, or with `value` a field of the file's object that is not a list. */
export interface JsonRowOrFieldValue {
  /** Name of the row's table; '' in a file that is a list. */
  readonly table: string;
  readonly row?: JsonObject;
  readonly value?: Json;
}

/** A table whose rows have whole numbers in some columns. */
export interface JsonNumberTable {
  readonly name: string;
  readonly columns: readonly string[];
  /**
   * Takes the numbers of a row in the order of `columns`. The next row overwrites them. A row that has other values,
   * or lacks a column, comes with the batch like the rows of other tables.
   */
  takeNumbers(numbers: Float64Array): void;
}

export interface JsonRowReadOptions {
  /** Returns true for tables whose rows are skipped without being parsed. */
  readonly skips?: ((table: string) => boolean) | undefined;
  readonly numberTable?: JsonNumberTable | undefined;
  /** Table after which reading stops, without a check of the rest of the file. Default: the whole file is read. */
  readonly lastTable?: string | undefined;
}

/** Maximum size of one row, bytes. */
const MAX_ROW_BYTES = 64 * 1_048_576;
const READ_CHUNK_BYTES = 1_048_576;

const QUOTE_BYTE = 0x22;
const BACKSLASH_BYTE = 0x5c;
const OPEN_BRACE_BYTE = 0x7b;
const CLOSE_BRACE_BYTE = 0x7d;
const OPEN_BRACKET_BYTE = 0x5b;
const CLOSE_BRACKET_BYTE = 0x5d;
const COLON_BYTE = 0x3a;
const COMMA_BYTE = 0x2c;
const ZERO_BYTE = 0x30;
/** Bit in which `{` and `[`, and `}` and `]`, differ. */
const BRACE_BIT = 0x20;
/** Number of digits that every double holds exactly. */
const MAX_EXACT_DIGITS = 15;

const isJsonBlankByte = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Reads the rows of a file in batches, in their order.
 * @throws ExportFormatError if the file does not have this form or is truncated
 */
export async function* readJsonRowBatches(
  file: string,
  name: string,
  options: JsonRowReadOptions = {},
): AsyncGenerator<readonly JsonRowOrFieldValue[]> {
  const splitter = new StreamingJsonRowSplitter(name, options);
  const stream = createReadStream(file, { highWaterMark: READ_CHUNK_BYTES });
  try {
    for await (const chunk of stream) {
      const found = splitter.takeItemsOfChunk(chunk as Buffer);
      if (found.length > 0) yield found;
      if (splitter.isPastLastTable) return;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new ExportFormatError(`${name} can't be read: ${code}`);
  } finally {
    stream.destroy();
  }
  splitter.requireCompleteFile();
}

class StreamingJsonRowSplitter {
  /** Nesting depth at which rows begin: 1 in a list, 2 in an object of tables; 0 before the first bracket. */
  #rowNestingDepth = 0;
  #currentDepth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Position in the chunk at which the collected text began; -1 if no text is being collected. */
  #collectedTextStart = -1;
  /** Earlier chunks of the text that is being collected. */
  #collectedEarlierChunks: Buffer[] = [];
  #collectedEarlierBytes = 0;
  #currentTable = '';
  #isSkippingTable = false;
  /** The last string in the outer object, which is a name if a colon follows. */
  #pendingFieldNameOrString: string | undefined;
  #hasOuterValueEnded = false;
  #isPastLastTable = false;
  #itemsOfChunk: JsonRowOrFieldValue[] = [];
  /** Begins and ends of rows in the chunk that are not parsed yet: alternately, of one table. */
  #unparsedRowBounds: number[] = [];
  readonly #numberRows: NumberRowReader | undefined;
  #isNumberTable = false;

  constructor(
    private readonly name: string,
    private readonly options: JsonRowReadOptions,
  ) {
    const { numberTable } = options;
    this.#numberRows = numberTable && new NumberRowReader(numberTable);
  }

  takeItemsOfChunk(chunk: Buffer): readonly JsonRowOrFieldValue[] {
    this.#itemsOfChunk = [];
    if (this.#collectedTextStart >= 0) this.#collectedTextStart = 0;
    for (let i = 0; i < chunk.length && !this.#isPastLastTable; i++) {
      if (this.#isInString) {
        i = this.#skipToStringEnd(chunk, i);
        continue;
      }
      if (this.#currentDepth > this.#rowNestingDepth) i = this.#skipToRowEnd(chunk, i);
      if (i === chunk.length) break;
      const byte = chunk[i]!;
      if (byte === QUOTE_BYTE) this.#beginStringAt(i);
      else if (byte === OPEN_BRACE_BYTE || byte === OPEN_BRACKET_BYTE) i = this.#handleOpeningBracket(chunk, byte, i);
      else if (byte === CLOSE_BRACE_BYTE || byte === CLOSE_BRACKET_BYTE) this.#handleClosingBracket(chunk, i);
      else if (this.#rowNestingDepth === 0) {
        if (!isJsonBlankByte(byte)) throw this.#makeFileFormatError('is no JSON');
      } else if (this.#currentDepth === this.#rowNestingDepth || this.#hasOuterValueEnded) {
        if (byte !== COMMA_BYTE && !isJsonBlankByte(byte))
          throw this.#makeFileFormatError('has something that is no row');
      } else if (this.#currentDepth === 1) this.#handleOuterObjectByte(chunk, byte, i);
    }
    this.#parseFoundRows(chunk);
    if (this.#collectedTextStart >= 0) this.#keepCollectedChunk(chunk.subarray(this.#collectedTextStart));
    return this.#itemsOfChunk;
  }

  /** True once `lastTable` has ended. */
  get isPastLastTable(): boolean {
    return this.#isPastLastTable;
  }

  /** Checks that the file has ended after a complete value. */
  requireCompleteFile(): void {
    if (!this.#hasOuterValueEnded) throw this.#makeFileFormatError('is truncated');
  }

  /**
   * Skips the inside of a row, where only strings and brackets matter.
   * @returns the position of the bracket that ends the row, or the length of the chunk
   */
  #skipToRowEnd(chunk: Buffer, from: number): number {
    const { length } = chunk;
    const rowDepth = this.#rowNestingDepth + 1;
    let depth = this.#currentDepth;
    let i = from;
    for (; i < length; i++) {
      const byte = chunk[i]!;
      if (byte === QUOTE_BYTE) {
        let inside = chunk[++i];
        while (inside !== QUOTE_BYTE && i < length) {
          if (inside === BACKSLASH_BYTE) i++;
          inside = chunk[++i];
        }
        if (i >= length) {
          this.#isInString = true;
          // The backslash is the last byte of the chunk: the next chunk begins with the byte that it escapes.
          this.#isEscaped = i > length;
          i = length;
          break;
        }
      } else {
        const bracket = byte | BRACE_BIT;
        if (bracket === OPEN_BRACE_BYTE) depth++;
        else if (bracket === CLOSE_BRACE_BYTE && depth-- === rowDepth) {
          depth++;
          break;
        }
      }
    }
    this.#currentDepth = depth;
    return i;
  }

  /** Skips to the end of a string, or of the chunk. @returns the position of the last byte read */
  #skipToStringEnd(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH_BYTE) this.#isEscaped = true;
      else if (byte === QUOTE_BYTE) {
        this.#isInString = false;
        if (this.#currentDepth === 1 && this.#rowNestingDepth === 2)
          this.#pendingFieldNameOrString = this.#parseJsonPart(this.#takeCollectedText(chunk, i + 1)) as string;
        return i;
      }
    }
    return chunk.length;
  }

  #beginStringAt(at: number): void {
    if (this.#hasOuterValueEnded || this.#rowNestingDepth === 0) throw this.#makeFileFormatError('is no JSON');
    if (this.#currentDepth === this.#rowNestingDepth) throw this.#makeFileFormatError('has a text in place of a row');
    this.#isInString = true;
    if (this.#currentDepth === 1) this.#collectedTextStart = at;
  }

  /**
   * @returns the position of the last byte read: the end of the rows of numbers that begin here, otherwise the bracket
   */
  #handleOpeningBracket(chunk: Buffer, byte: number, at: number): number {
    if (this.#hasOuterValueEnded) throw this.#makeFileFormatError('goes on after its end');
    if (this.#rowNestingDepth === 0) this.#rowNestingDepth = byte === OPEN_BRACKET_BYTE ? 1 : 2;
    else if (this.#currentDepth === 1 && this.#rowNestingDepth === 2) {
      if (byte !== OPEN_BRACKET_BYTE) throw this.#makeFileFormatError(`has no list under ${this.#currentTable}`);
    } else if (this.#currentDepth === this.#rowNestingDepth) {
      if (byte !== OPEN_BRACE_BYTE) throw this.#makeFileFormatError('has a list in place of a row');
      if (this.#isNumberTable) {
        const end = this.#numberRows!.takeRowsOfNumbers(chunk, at);
        if (end > 0) {
          // Rows that are parsed together must not have other rows between them.
          this.#parseFoundRows(chunk);
          return end - 1;
        }
      }
      this.#collectedTextStart = this.#isSkippingTable ? -1 : at;
    }
    this.#currentDepth++;
    return at;
  }

  #handleClosingBracket(chunk: Buffer, at: number): void {
    if (this.#currentDepth === 1 && this.#rowNestingDepth === 2) this.#takeOuterFieldValueIfAny(chunk, at);
    this.#currentDepth--;
    if (this.#currentDepth < 0) throw this.#makeFileFormatError('is no JSON');
    if (this.#currentDepth < this.#rowNestingDepth) {
      this.#parseFoundRows(chunk);
      this.#isPastLastTable = this.#currentDepth === 1 && this.#currentTable === this.options.lastTable;
    }
    if (this.#currentDepth === 0) this.#hasOuterValueEnded = true;
    else if (this.#currentDepth === this.#rowNestingDepth && !this.#isSkippingTable) {
      if (this.#collectedEarlierChunks.length > 0) {
        const row = this.#parseJsonPart(this.#takeCollectedText(chunk, at + 1)) as JsonObject;
        this.#itemsOfChunk.push({ table: this.#currentTable, row });
      } else {
        this.#unparsedRowBounds.push(this.#collectedTextStart, at + 1);
        this.#collectedTextStart = -1;
      }
    }
  }

  /** Parses the rows that were found in the chunk. Between them are only commas and blanks. */
  #parseFoundRows(chunk: Buffer): void {
    const bounds = this.#unparsedRowBounds;
    if (bounds.length === 0) return;
    this.#unparsedRowBounds = [];
    const table = this.#currentTable;
    for (const row of this.#parseRowsTogether(chunk, bounds)) this.#itemsOfChunk.push({ table, row });
  }

  #parseRowsTogether(chunk: Buffer, bounds: readonly number[]): JsonObject[] {
    try {
      return JSON.parse(`[${chunk.toString('utf8', bounds[0], bounds.at(-1))}]`) as JsonObject[];
    } catch {
      // One of the rows is damaged, or a comma is missing or doubled: alone each row is read, or named by the error.
      const rows: JsonObject[] = [];
      for (let i = 0; i < bounds.length; i += 2)
        rows.push(this.#parseJsonPart(chunk.toString('utf8', bounds[i], bounds[i + 1])) as JsonObject);
      return rows;
    }
  }

  /** Handles a byte of the outer object between its tables: names, colons and values that are not lists. */
  #handleOuterObjectByte(chunk: Buffer, byte: number, at: number): void {
    if (byte === COLON_BYTE) {
      this.#currentTable = this.#pendingFieldNameOrString ?? '';
      this.#pendingFieldNameOrString = undefined;
      const { skips, numberTable } = this.options;
      this.#isSkippingTable = skips?.(this.#currentTable) ?? false;
      this.#isNumberTable = !this.#isSkippingTable && this.#currentTable === numberTable?.name;
    } else if (byte === COMMA_BYTE) this.#takeOuterFieldValueIfAny(chunk, at);
    else if (!isJsonBlankByte(byte) && this.#collectedTextStart < 0) this.#collectedTextStart = at;
  }

  /** Takes the value that ends at this position, if there is one: a field of the outer object that is not a list. */
  #takeOuterFieldValueIfAny(chunk: Buffer, end: number): void {
    if (this.#pendingFieldNameOrString !== undefined)
      this.#itemsOfChunk.push({ table: this.#currentTable, value: this.#pendingFieldNameOrString });
    else if (this.#collectedTextStart >= 0)
      this.#itemsOfChunk.push({
        table: this.#currentTable,
        value: this.#parseJsonPart(this.#takeCollectedText(chunk, end)),
      });
    this.#pendingFieldNameOrString = undefined;
    this.#collectedTextStart = -1;
  }

  #keepCollectedChunk(part: Buffer): void {
    this.#collectedEarlierBytes += part.length;
    if (this.#collectedEarlierBytes > MAX_ROW_BYTES)
      throw this.#makeFileFormatError(`has a row of more than ${MAX_ROW_BYTES} bytes`);
    this.#collectedEarlierChunks.push(Buffer.from(part));
  }

  /** Returns the collected text, up to this position of the chunk. */
  #takeCollectedText(chunk: Buffer, end: number): string {
    const last = chunk.subarray(this.#collectedTextStart, end);
    const whole =
      this.#collectedEarlierChunks.length === 0 ? last : Buffer.concat([...this.#collectedEarlierChunks, last]);
    this.#collectedTextStart = -1;
    this.#collectedEarlierChunks = [];
    this.#collectedEarlierBytes = 0;
    return whole.toString('utf8');
  }

  #parseJsonPart(text: string): Json {
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw this.#makeFileFormatError(`has a part that is no JSON: ${JSON.stringify(text.slice(0, 60))}`);
    }
  }

  #makeFileFormatError(what: string): ExportFormatError {
    return new ExportFormatError(`${this.name} ${what}`);
  }
}

/** A byte sequence that is compared four bytes at a time. */
class FixedBytes {
  readonly length: number;
  readonly #words: Uint32Array;
  readonly #rest: Uint8Array;

  constructor(chunk: Buffer, from: number, end: number) {
    this.length = end - from;
    this.#words = Uint32Array.from({ length: Math.floor(this.length / 4) }, (_, i) => chunk.readUInt32LE(from + 4 * i));
    this.#rest = Uint8Array.from(chunk.subarray(from + 4 * this.#words.length, end));
  }

  /** True if the view has these bytes at the position. */
  isAt(view: DataView, from: number): boolean {
    if (from + this.length > view.byteLength) return false;
    const words = this.#words;
    let at = from;
    for (let i = 0; i < words.length; i++, at += 4) if (view.getUint32(at, true) !== words[i]) return false;
    const rest = this.#rest;
    for (let i = 0; i < rest.length; i++) if (view.getUint8(at + i) !== rest[i]) return false;
    return true;
  }
}

/** The bytes around the numbers of a row; they are mostly the same in all rows of a file. */
interface NumberRowLayout {
  /** Bytes before each number. */
  readonly before: readonly FixedBytes[];
  /** Bytes from the last number to the bracket that ends the row. */
  readonly after: FixedBytes;
  /**
   * For each number, the index of its column in `JsonNumberTable.columns`; -1 for a column that is not listed there.
   */
  readonly columns: readonly number[];
}

/** Reads rows whose values are all whole numbers. */
class NumberRowReader {
  readonly #columnNames: readonly Buffer[];
  readonly #numbers: Float64Array;
  readonly #allColumnsMask: number;
  /** Layout of the last row. */
  #layout: NumberRowLayout | undefined;

  constructor(private readonly table: JsonNumberTable) {
    this.#columnNames = table.columns.map((name) => Buffer.from(name));
    this.#numbers = new Float64Array(table.columns.length);
    this.#allColumnsMask = 2 ** table.columns.length - 1;
  }

  /**
   * Reads the row whose bracket is at `start`, and the following rows as long as all of their values are whole numbers.
   * @returns the position behind the last row read; -1 if the first row has another form, or continues in the next
   * chunk
   */
  takeRowsOfNumbers(chunk: Buffer, start: number): number {
    const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
    let end = -1;
    for (let at = start; chunk[at] === OPEN_BRACE_BYTE; ) {
      let next = this.#layout ? this.#takeRowOfLayout(view, at, this.#layout) : -1;
      if (next < 0) next = this.#takeRowOfUnknownLayout(chunk, at);
      if (next < 0) break;
      end = next;
      at = skipJsonBlanks(chunk, end);
      if (chunk[at] !== COMMA_BYTE) break;
      at = skipJsonBlanks(chunk, at + 1);
    }
    return end;
  }

  #takeRowOfLayout(view: DataView, start: number, { before, after, columns }: NumberRowLayout): number {
    const length = view.byteLength;
    let at = start;
    for (let i = 0; i < before.length; i++) {
      const bytes = before[i]!;
      if (!bytes.isAt(view, at)) return -1;
      at += bytes.length;
      const numberStart = at;
      let number = 0;
      for (; at < length; at++) {
        const digit = view.getUint8(at) - ZERO_BYTE;
        if (digit < 0 || digit > 9) break;
        number = number * 10 + digit;
      }
      const digits = at - numberStart;
      if (digits === 0 || digits > MAX_EXACT_DIGITS) return -1;
      if (digits > 1 && view.getUint8(numberStart) === ZERO_BYTE) return -1;
      const column = columns[i]!;
      if (column >= 0) this.#numbers[column] = number;
    }
    if (!after.isAt(view, at)) return -1;
    this.table.takeNumbers(this.#numbers);
    return at + after.length;
  }

  #takeRowOfUnknownLayout(chunk: Buffer, start: number): number {
    let found = 0;
    let at = start;
    let textStart = start;
    const before: FixedBytes[] = [];
    const columns: number[] = [];
    for (;;) {
      at = skipJsonBlanks(chunk, at + 1);
      if (chunk[at] !== QUOTE_BYTE) return -1;
      let nameEnd = at + 1;
      while (nameEnd < chunk.length && chunk[nameEnd] !== QUOTE_BYTE) nameEnd++;
      const column = this.#columnNamed(chunk, at + 1, nameEnd);
      at = skipJsonBlanks(chunk, nameEnd + 1);
      if (chunk[at] !== COLON_BYTE) return -1;
      const numberStart = skipJsonBlanks(chunk, at + 1);
      let number = 0;
      for (at = numberStart; ; at++) {
        const digit = chunk[at]! - ZERO_BYTE;
        // False at the end of the chunk, too.
        if (!(digit >= 0 && digit <= 9)) break;
        number = number * 10 + digit;
      }
      if (!isPlainNumberText(chunk, numberStart, at - numberStart)) return -1;
      before.push(new FixedBytes(chunk, textStart, numberStart));
      columns.push(column);
      textStart = at;
      if (column >= 0) {
        this.#numbers[column] = number;
        found |= 1 << column;
      }
      at = skipJsonBlanks(chunk, at);
      if (chunk[at] === CLOSE_BRACE_BYTE) break;
      if (chunk[at] !== COMMA_BYTE) return -1;
    }
    if (found !== this.#allColumnsMask) return -1;
    this.#layout = { before, after: new FixedBytes(chunk, textStart, at + 1), columns };
    this.table.takeNumbers(this.#numbers);
    return at + 1;
  }

  #columnNamed(chunk: Buffer, from: number, end: number): number {
    const names = this.#columnNames;
    for (let column = 0; column < names.length; column++) {
      const name = names[column]!;
      if (name.length !== end - from) continue;
      let i = 0;
      while (i < name.length && name[i] === chunk[from + i]) i++;
      if (i === name.length) return column;
    }
    return -1;
  }
}

/** True if these digits are a number in JSON, and small enough to be read exactly. */
const isPlainNumberText = (chunk: Buffer, start: number, digits: number): boolean =>
  digits > 0 && digits <= MAX_EXACT_DIGITS && (digits === 1 || chunk[start] !== ZERO_BYTE);

function skipJsonBlanks(chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length && isJsonBlankByte(chunk[at]!)) at++;
  return at;
}
