/** Parses HTTP/1.1 responses from the bytes of a keep-alive connection, framed by Content-Length or in chunks. */

const HEAD_END = Buffer.from('\r\n\r\n');
/**
 * Spellings of the header by uWebSockets.js and by node:http with lower-case names. Other spellings are found by a
 * slower search.
 */
const LENGTHS = [Buffer.from('Content-Length: '), Buffer.from('content-length: ')] as const;
const EMPTY_BUFFER: Buffer = Buffer.alloc(0);
const LF = 10;
/** Limit of a response head and of a chunk's size line; longer ones are an error. */
const MAX_HEAD_BYTES = 65_536;

export interface Answered {
  readonly status: number;
  /** Header lines without the status line. Empty unless the reader keeps whole responses or the status is not 200. */
  readonly head: string;
  /** Response body; empty in the same cases as `head`. Valid until the next bytes arrive. */
  readonly body: Buffer;
}

/** Framing of the rest of the current response. */
type Rest = { readonly kind: 'length'; missing: number } | { readonly kind: 'chunks'; readonly reader: ChunkReader };

export class AnswerReader {
  /** True if the next responses answer HEAD requests: they have a Content-Length, but no body. */
  isOfHead = false;
  /** Copied bytes of an incomplete head. */
  #pending: Buffer = EMPTY_BUFFER;
  #rest: Rest | undefined;
  #status = 0;
  #head = '';
  #isKept = true;
  #parts: Buffer[] = [];

  /** @param keep pass on whole responses; otherwise heads and bodies of errors only */
  constructor(
    private readonly keep: boolean,
    private readonly answered: (answer: Answered) => void,
  ) {}

  /** @throws Error if the bytes are not HTTP/1.1 */
  push(bytes: Buffer): void {
    let data = bytes;
    while (data.length > 0) {
      const rest = this.#rest;
      if (rest === undefined) data = this.#begin(data);
      else if (rest.kind === 'length') data = this.#counted(rest, data);
      else data = this.#chunked(rest.reader, data);
    }
  }

  /** @returns the bytes after the head, or after the response if it has arrived whole */
  #begin(bytes: Buffer): Buffer {
    const data = this.#pending.length > 0 ? Buffer.concat([this.#pending, bytes]) : bytes;
    const end = data.indexOf(HEAD_END);
    if (end < 0) {
      if (data.length > MAX_HEAD_BYTES) throw new Error('no end of an HTTP head');
      this.#pending = Buffer.from(data);
      return EMPTY_BUFFER;
    }
    this.#pending = EMPTY_BUFFER;
    this.#status = statusOf(data);
    this.#isKept = this.keep || this.#status !== 200;
    this.#head = this.#isKept ? data.toString('latin1', data.indexOf(LF) + 1, end) : '';
    const body = data.subarray(end + 4);
    const bodiless = this.isOfHead || this.#status === 204 || this.#status === 304;
    const length = bodiless ? 0 : lengthOf(data, end);
    if (length === undefined) {
      this.#rest = { kind: 'chunks', reader: new ChunkReader() };
      return body.length > 0 ? body : EMPTY_BUFFER;
    }
    if (body.length >= length) {
      // Fast path: the whole body is in this read and needs no copy.
      this.#answer(body.subarray(0, length));
      return body.subarray(length);
    }
    this.#rest = { kind: 'length', missing: length };
    return body;
  }

  #counted(rest: { missing: number }, data: Buffer): Buffer {
    const taken = Math.min(rest.missing, data.length);
    rest.missing -= taken;
    if (this.#isKept) this.#parts.push(Buffer.from(data.subarray(0, taken)));
    if (rest.missing === 0) this.#finish();
    return data.subarray(taken);
  }

  #chunked(reader: ChunkReader, data: Buffer): Buffer {
    const left = reader.push(data, (part) => {
      if (this.#isKept) this.#parts.push(Buffer.from(part));
    });
    if (left === undefined) return EMPTY_BUFFER;
    this.#finish();
    return left;
  }

  #finish(): void {
    const parts = this.#parts;
    this.#parts = [];
    this.#rest = undefined;
    this.#answer(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
  }

  #answer(body: Buffer): void {
    this.answered({ status: this.#status, head: this.#head, body: this.#isKept ? body : EMPTY_BUFFER });
  }
}

/** Decoder of `Transfer-Encoding: chunked`, which proxies often send. */
class ChunkReader {
  #line = '';
  /** Bytes missing of the current chunk, including its line end. Undefined while a size line is expected. */
  #missing: number | undefined;
  #trailer = false;

  /** @returns the bytes after the response; undefined while the response is incomplete */
  push(bytes: Buffer, part: (bytes: Buffer) => void): Buffer | undefined {
    let at = 0;
    while (at < bytes.length) {
      if (this.#missing !== undefined) {
        const taken = Math.min(this.#missing, bytes.length - at);
        // The last two bytes of a chunk are its line end.
        const content = Math.min(taken, this.#missing - 2);
        if (content > 0) part(bytes.subarray(at, at + content));
        at += taken;
        this.#missing -= taken;
        if (this.#missing === 0) this.#missing = undefined;
        continue;
      }
      const end = bytes.indexOf(LF, at);
      this.#line += bytes.toString('latin1', at, end < 0 ? bytes.length : end);
      if (this.#line.length > MAX_HEAD_BYTES) throw new Error('no end of a chunk size');
      if (end < 0) return undefined;
      at = end + 1;
      const line = this.#line.trim();
      this.#line = '';
      if (this.#trailer) {
        if (line === '') return bytes.subarray(at);
        continue;
      }
      const size = Number.parseInt(line, 16);
      if (!(size >= 0)) throw new Error(`not a chunk size: ${line.slice(0, 40)}`);
      if (size === 0) this.#trailer = true;
      else this.#missing = size + 2;
    }
    return undefined;
  }
}

/** Status code of a status line such as `HTTP/1.1 200 OK`. */
function statusOf(data: Buffer): number {
  const status = (data[9]! - 48) * 100 + (data[10]! - 48) * 10 + data[11]! - 48;
  if (data[0] !== 0x48 || !(status >= 100 && status < 600)) throw new Error('not an answer of HTTP/1.1');
  return status;
}

/** Length of the body; undefined for a chunked body. */
function lengthOf(data: Buffer, end: number): number | undefined {
  // Search the head only: bodies can be long.
  const head = data.subarray(0, end + 2);
  for (const name of LENGTHS) {
    const at = head.indexOf(name);
    if (at < 0) continue;
    let n = 0;
    for (let i = at + name.length; head[i]! >= 48; i++) n = n * 10 + head[i]! - 48;
    return n;
  }
  const text = head.toString('latin1');
  const named = /^content-length: *(\d+)/im.exec(text);
  if (named) return Number(named[1]);
  return /^transfer-encoding: *.*chunked/im.test(text) ? undefined : 0;
}
