/** Bodies on their way through an HTTP server: the received part of requests, and the unsent part of answers. */
import type { ResponseBodyPart } from './server.js';
import type { SlowClientGuard, SlowClientGuardedTransfer } from './slow-client-guard.js';

/**
 * Size of the pieces in which large bodies are sent, bytes. Larger parts are not copied: many answers may share them.
 */
const PIECE = 64 * 1024;

const bytesOf = (part: ResponseBodyPart): Uint8Array => (typeof part === 'string' ? Buffer.from(part) : part);

export function byteLengthOfBodyParts(parts: readonly ResponseBodyPart[]): number {
  let length = 0;
  for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
  return length;
}

/** The body of an answer, handed to the connection in pieces. */
export class ResponseBody {
  readonly length: number;
  #parts: readonly ResponseBodyPart[];
  /** Index of the first part of the body that `#piece` doesn't contain yet. */
  #next = 0;
  /** The bytes offered to the connection now, and their offset in the body. */
  #piece: Uint8Array = new Uint8Array(0);
  #pieceAt = 0;
  #sent = 0;

  constructor(parts: readonly ResponseBodyPart[]) {
    this.#parts = parts;
    this.length = byteLengthOfBodyParts(parts);
  }

  get left(): number {
    return this.length - this.#sent;
  }

  /** Returns the next bytes to send; empty at the end of the body. */
  piece(): Uint8Array {
    while (this.#sent >= this.#pieceAt + this.#piece.byteLength && this.#next < this.#parts.length) {
      this.#pieceAt += this.#piece.byteLength;
      this.#piece = this.#collect();
    }
    return this.#piece.subarray(this.#sent - this.#pieceAt);
  }

  #collect(): Uint8Array {
    const parts: Uint8Array[] = [];
    let size = 0;
    while (this.#next < this.#parts.length && size < PIECE) {
      const part = bytesOf(this.#parts[this.#next]!);
      if (size > 0 && part.byteLength >= PIECE) break;
      this.#next++;
      size += part.byteLength;
      parts.push(part);
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** Takes all remaining bytes of the body, in one piece. */
  rest(): Uint8Array {
    const pieces: Uint8Array[] = [];
    while (this.left > 0) {
      const piece = this.piece();
      pieces.push(piece);
      this.sentUpTo(this.#sent + piece.byteLength);
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  /** Records that the connection has taken the body up to this offset. */
  sentUpTo(offset: number): void {
    this.#sent = offset;
    if (this.left === 0) {
      this.#parts = [];
      this.#piece = new Uint8Array(0);
    }
  }
}

/** Maximum of bytes of a small body; most answers are no larger. */
export const MAX_SMALL_RESPONSE_BODY_BYTES = 64 * 1024;
/** Buffer that every call of `joinBodyParts` reuses: fresh memory for megabytes costs more than the copy. */
let scratch = Buffer.allocUnsafeSlow(MAX_SMALL_RESPONSE_BODY_BYTES);
/** Maximum of bytes of the `scratch` buffer: larger bodies are too rare to keep memory for them. */
const MAX_SCRATCH = 16 * 1024 * 1024;

/**
 * Joins the parts of a body into one piece, in memory that the next call reuses. So the callee must copy the piece
 * before it returns, as the HTTP engine does.
 */
export function joinBodyParts(parts: readonly ResponseBodyPart[]): Uint8Array {
  const length = byteLengthOfBodyParts(parts);
  if (length > scratch.length && length <= MAX_SCRATCH) {
    scratch = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)));
  }
  const target = length <= scratch.length ? scratch : Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') at += target.write(part, at);
    else {
      target.set(part, at);
      at += part.byteLength;
    }
  }
  return target.subarray(0, length);
}

/** The received part of a request's body. */
export class RequestBody implements SlowClientGuardedTransfer {
  #chunks: Uint8Array[] = [];
  #size = 0;

  /** Makes the body of a request. @param abort closes the connection */
  constructor(
    private readonly limit: number,
    private readonly slow: SlowClientGuard,
    private readonly abort: () => void,
  ) {}

  get bytes(): number {
    return this.#size;
  }

  get held(): number {
    return this.#size;
  }

  cut(): void {
    this.#chunks = [];
    this.abort();
  }

  /** Reports to the guard against slow clients that this body expects more bytes. */
  waitForMore(): void {
    this.slow.progressed(this);
  }

  /**
   * Adds a received chunk.
   * @param chunk kept without a copy
   * @returns false where the body exceeds the limit; the body is then dropped
   */
  add(chunk: Uint8Array): boolean {
    this.#size += chunk.byteLength;
    if (this.#size > this.limit) {
      this.drop();
      return false;
    }
    this.#chunks.push(chunk);
    return true;
  }

  /** Returns the whole received body and drops its own reference to it. */
  take(): Uint8Array {
    const chunks = this.#chunks;
    this.drop();
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  drop(): void {
    this.#chunks = [];
    this.slow.finished(this);
  }
}
