/** Bodies on their way through an HTTP server: the received part of requests, and the unsent part of answers. */
import type { ResponseBodyPart } from './server.js';
import type { SlowClientGuard, SlowClientGuardedTransfer } from './slow-client-guard.js';

/**
 * Size of the pieces in which large bodies are sent, bytes. Larger parts are not copied: many answers may share them.
 */
const BODY_PIECE_BYTES = 64 * 1024;

/** Size of the pieces in which a source of an answer is read: a client takes each in the time that a stall may last. */
export const SOURCE_PIECE_BYTES = 256 * 1024;

const bytesOfBodyPart = (part: ResponseBodyPart): Uint8Array => (typeof part === 'string' ? Buffer.from(part) : part);

export function byteLengthOfBodyParts(parts: readonly ResponseBodyPart[]): number {
  let length = 0;
  for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
  return length;
}

/** The body of an answer, handed to the connection in pieces. */
export class UnsentResponseBody {
  readonly length: number;
  #parts: readonly Uint8Array[];
  /** Index of the first part of the body that `#currentPiece` doesn't contain yet. */
  #nextPartIndex = 0;
  /** The bytes offered to the connection now, and their offset in the body. */
  #currentPiece: Uint8Array = new Uint8Array(0);
  #currentPieceOffset = 0;
  #sentByteCount = 0;

  constructor(parts: readonly ResponseBodyPart[]) {
    this.#parts = parts.map(bytesOfBodyPart);
    this.length = byteLengthOfBodyParts(this.#parts);
  }

  get unsentByteCount(): number {
    return this.length - this.#sentByteCount;
  }

  /** Buffers that contain the unsent parts; other answers may hold the same ones. */
  collectBuffers(): ReadonlySet<ArrayBufferLike> {
    const buffers = new Set<ArrayBufferLike>([this.#currentPiece.buffer]);
    for (const { buffer } of this.#parts) buffers.add(buffer);
    return buffers;
  }

  /** Returns the next bytes to send; empty at the end of the body. */
  peekNextPiece(): Uint8Array {
    while (
      this.#sentByteCount >= this.#currentPieceOffset + this.#currentPiece.byteLength &&
      this.#nextPartIndex < this.#parts.length
    ) {
      this.#currentPieceOffset += this.#currentPiece.byteLength;
      this.#currentPiece = this.#collectNextPiece();
    }
    return this.#currentPiece.subarray(this.#sentByteCount - this.#currentPieceOffset);
  }

  #collectNextPiece(): Uint8Array {
    const parts: Uint8Array[] = [];
    let size = 0;
    while (this.#nextPartIndex < this.#parts.length && size < BODY_PIECE_BYTES) {
      const part = this.#parts[this.#nextPartIndex]!;
      if (size > 0 && part.byteLength >= BODY_PIECE_BYTES) break;
      this.#nextPartIndex++;
      size += part.byteLength;
      parts.push(part);
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** Takes all remaining bytes of the body, in one piece. */
  takeUnsentBytes(): Uint8Array {
    const pieces: Uint8Array[] = [];
    while (this.unsentByteCount > 0) {
      const piece = this.peekNextPiece();
      pieces.push(piece);
      this.markSentUpTo(this.#sentByteCount + piece.byteLength);
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  /** Records that the connection has taken the body up to this offset. */
  markSentUpTo(offset: number): void {
    this.#sentByteCount = offset;
    if (this.unsentByteCount === 0) {
      this.#parts = [];
      this.#currentPiece = new Uint8Array(0);
    }
  }
}

/**
 * Maximum size of a body that is joined into one piece, bytes; most answers are no larger. Each further piece is a
 * system call, which costs more than copying these bytes.
 */
export const MAX_SMALL_RESPONSE_BODY_BYTES = 256 * 1024;
/** Buffer that every call of `joinBodyParts` reuses: fresh memory for megabytes costs more than the copy. */
let joinScratchBuffer = Buffer.allocUnsafeSlow(MAX_SMALL_RESPONSE_BODY_BYTES);
/** Maximum size of `joinScratchBuffer`, bytes: larger bodies are too rare to keep memory for them. */
const MAX_SCRATCH_BUFFER_BYTES = 16 * 1024 * 1024;

/**
 * Joins the parts of a body into one piece, in memory that the next call reuses. So the callee must copy the piece
 * before it returns, as the HTTP engine does.
 */
export function joinBodyParts(parts: readonly ResponseBodyPart[]): Uint8Array {
  const length = byteLengthOfBodyParts(parts);
  if (length > joinScratchBuffer.length && length <= MAX_SCRATCH_BUFFER_BYTES) {
    joinScratchBuffer = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)));
  }
  const target = length <= joinScratchBuffer.length ? joinScratchBuffer : Buffer.allocUnsafe(length);
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

/** Members of an HTTP server that the bodies of its requests use. */
export interface RequestBodyReceiver {
  readonly slowBodyGuard: SlowClientGuard;
  /** Number of requests whose bodies are still arriving. */
  receivingRequestCount: number;
}

/** The received part of a request's body. */
export class ReceivedRequestBody implements SlowClientGuardedTransfer {
  #chunks: Uint8Array[] = [];
  #receivedByteCount = 0;
  #isReceiving = true;

  /** Counts the request as receiving until `stopReceiving`. @param abort closes the connection */
  constructor(
    private readonly limit: number,
    private readonly receiver: RequestBodyReceiver,
    private readonly abort: () => void,
  ) {
    receiver.receivingRequestCount++;
  }

  get timeLimitBytes(): number {
    return this.#receivedByteCount;
  }

  get heldBytes(): number {
    return this.#receivedByteCount;
  }

  cutOff(): void {
    this.#chunks = [];
    this.abort();
  }

  /** Reports to the guard against slow clients that this body expects more bytes. */
  reportWaitForMore(): void {
    this.receiver.slowBodyGuard.noteWaitOrProgress(this);
  }

  /**
   * Adds a received chunk.
   * @param chunk kept without a copy
   * @returns false where the body exceeds the limit; the body is then dropped
   */
  addChunkOrDropBody(chunk: Uint8Array): boolean {
    this.#receivedByteCount += chunk.byteLength;
    if (this.#receivedByteCount > this.limit) {
      this.stopReceiving();
      return false;
    }
    this.#chunks.push(chunk);
    return true;
  }

  /** Returns the whole received body and drops its own reference to it. */
  takeReceivedBytes(): Uint8Array {
    const chunks = this.#chunks;
    this.stopReceiving();
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  /** Drops the chunks, because the body is complete, too large or no longer wanted. May be called repeatedly. */
  stopReceiving(): void {
    this.#chunks = [];
    if (!this.#isReceiving) return;
    this.#isReceiving = false;
    this.receiver.receivingRequestCount--;
    this.receiver.slowBodyGuard.removeTransfer(this);
  }
}
