/** Bodies on their way through an HTTP server: the received part of requests, and the unsent part of answers. */
import { EMPTY_BODY_BYTES, type ResponseBodyPart } from './server.js';
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

/** Size from which a received chunk is kept as it is, bytes. Smaller ones are copied into blocks. */
const MIN_KEPT_CHUNK_BYTES = 16 * 1024;
/** Sizes of the blocks, bytes: each block is as large as all parts before it, within these bounds. */
const MIN_BLOCK_BYTES = 1024;
const MAX_BLOCK_BYTES = 256 * 1024;

/**
 * Maximum number of chunks of a body, beside one for each 128 bytes. A chunk takes an engine 2 to 6 µs, and the engines
 * read megabytes without a pause: 900,000 chunks of one byte held the event loop for 6 s (uws) and 1 s (node:http).
 */
const MAX_SMALL_CHUNKS = 4_096;
const BYTES_PER_FURTHER_CHUNK = 128;

/**
 * Lifetime of the bytes of a received chunk. owned: as long as they are referenced; borrowed: during the call only;
 * last: until the body is taken, because the chunk is the last one.
 */
type ReceivedChunkLifetime = 'owned' | 'borrowed' | 'last';

/**
 * The received part of a request's body. A chunk object takes 100 to 200 bytes beside its content, so small chunks are
 * copied into blocks. The only chunk of a body is never copied.
 */
export class ReceivedRequestBody implements SlowClientGuardedTransfer {
  /** Chunks and blocks, in the order of their bytes. */
  #parts: Uint8Array[] = [];
  /** Number of bytes at the end of the last part that are not filled yet. */
  #freeByteCount = 0;
  #receivedByteCount = 0;
  #heldByteCount = 0;
  #chunkCount = 0;
  #isReceiving = true;
  /** True when the connection has been closed because of this body; further chunks are ignored. */
  isCutOff = false;

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

  /** Bytes of all parts with the free ones; at most the limit of the body. */
  get heldBytes(): number {
    return this.#heldByteCount;
  }

  cutOff(): void {
    this.isCutOff = true;
    this.#dropParts();
    this.abort();
  }

  /** Reports to the guard against slow clients that this body expects more bytes. */
  reportWaitForMore(): void {
    this.receiver.slowBodyGuard.noteWaitOrProgress(this);
  }

  /**
   * Adds a received chunk. A body with too many small chunks is cut off: the engine would go on with what it has read
   * of an answered request.
   * @returns false where the body exceeds the limit; the body is then dropped
   */
  addChunkOrDropBody(chunk: Uint8Array, lifetime: ReceivedChunkLifetime): boolean {
    this.countChunkOrCutOff(chunk.byteLength);
    if (this.isCutOff) return true;
    if (this.#receivedByteCount > this.limit) {
      this.stopReceiving();
      return false;
    }
    const rest = this.#freeByteCount > 0 ? this.#fillLastPart(chunk) : chunk;
    if (rest.byteLength === 0) return true;
    if (this.#parts.length === 0 || rest.byteLength >= MIN_KEPT_CHUNK_BYTES || lifetime === 'last')
      this.#addPart(lifetime === 'borrowed' ? new Uint8Array(rest) : rest);
    else this.#addBlock(rest);
    return true;
  }

  /** Counts a chunk, also one that is ignored because the request is answered. */
  countChunkOrCutOff(byteLength: number): void {
    this.#receivedByteCount += byteLength;
    if (++this.#chunkCount > MAX_SMALL_CHUNKS + this.#receivedByteCount / BYTES_PER_FURTHER_CHUNK) this.cutOff();
  }

  /** Copies as many bytes as the last part has room for. @returns the other bytes of the chunk */
  #fillLastPart(chunk: Uint8Array): Uint8Array {
    const block = this.#parts.at(-1)!;
    const room = this.#freeByteCount;
    const fits = chunk.byteLength <= room;
    block.set(fits ? chunk : chunk.subarray(0, room), block.byteLength - room);
    this.#freeByteCount = fits ? room - chunk.byteLength : 0;
    return fits ? EMPTY_BODY_BYTES : chunk.subarray(room);
  }

  #addBlock(bytes: Uint8Array): void {
    // Without free bytes, as many bytes are held as have arrived before these ones.
    const wanted = Math.min(Math.max(this.#heldByteCount, MIN_BLOCK_BYTES), MAX_BLOCK_BYTES);
    const most = this.limit - this.#receivedByteCount + bytes.byteLength;
    const block = Buffer.allocUnsafeSlow(Math.min(Math.max(wanted, bytes.byteLength), most));
    block.set(bytes);
    this.#addPart(block);
    this.#freeByteCount = block.byteLength - bytes.byteLength;
  }

  #addPart(part: Uint8Array): void {
    this.#parts.push(part);
    this.#heldByteCount += part.byteLength;
  }

  /** Returns the whole received body and drops its own reference to it. */
  takeReceivedBytes(): Uint8Array {
    const parts = this.#parts;
    if (this.#freeByteCount > 0) parts.push(parts.pop()!.subarray(0, -this.#freeByteCount));
    this.stopReceiving();
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** Drops the bytes, because the body is complete, too large or no longer wanted. May be called repeatedly. */
  stopReceiving(): void {
    this.#dropParts();
    if (!this.#isReceiving) return;
    this.#isReceiving = false;
    this.receiver.receivingRequestCount--;
    this.receiver.slowBodyGuard.removeTransfer(this);
  }

  #dropParts(): void {
    this.#parts = [];
    this.#freeByteCount = 0;
  }
}
