/** The body of an answer on its way out, as far as the client has not taken it. */
import type { BodyPart } from './server.js';

/** Pieces in which large bodies go out. Larger parts are not put together anew: many answers may share them. */
const PIECE = 64 * 1024;

const bytesOf = (part: BodyPart): Uint8Array => (typeof part === 'string' ? Buffer.from(part) : part);

export function byteLength(parts: readonly BodyPart[]): number {
  let length = 0;
  for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
  return length;
}

export class Outgoing {
  readonly length: number;
  #parts: readonly BodyPart[];
  /** First part that is not in `#piece` yet. */
  #next = 0;
  /** What is offered now, and where it begins in the body. */
  #piece: Uint8Array = new Uint8Array(0);
  #pieceAt = 0;
  #sent = 0;

  constructor(parts: readonly BodyPart[]) {
    this.#parts = parts;
    this.length = byteLength(parts);
  }

  get left(): number {
    return this.length - this.#sent;
  }

  /** What comes next; empty at the end. */
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

  /** All that is left, in one piece. */
  rest(): Uint8Array {
    const pieces: Uint8Array[] = [];
    while (this.left > 0) {
      const piece = this.piece();
      pieces.push(piece);
      this.sentUpTo(this.#sent + piece.byteLength);
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  /** So many bytes of the body, from its beginning, are out of our hands. */
  sentUpTo(offset: number): void {
    this.#sent = offset;
    if (this.left === 0) {
      this.#parts = [];
      this.#piece = new Uint8Array(0);
    }
  }
}
