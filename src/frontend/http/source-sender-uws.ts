/** Sends an answer of uWebSockets.js from a source: a piece is read when the connection has taken the one before. */
import type { AnswerSource } from '#model';
import { SOURCE_PIECE_BYTES } from './bodies.js';
import type { SlowClientGuard, SlowClientGuardedTransfer } from './slow-client-guard.js';
import type { UwsResponse } from './uws-module.js';

export class UwsSourceSender implements SlowClientGuardedTransfer {
  #piece: Uint8Array = new Uint8Array(0);
  /** Offset of the piece in the body. */
  #pieceStart = 0;
  #isOver = false;

  /**
   * Makes the sender of one answer. @param writeHead writes status and headers
   * @param onOver called when the system has taken the whole answer, or the connection has ended
   */
  constructor(
    private readonly res: UwsResponse,
    private readonly source: AnswerSource,
    private readonly guard: SlowClientGuard,
    private readonly writeHead: () => void,
    private readonly onOver: () => void,
  ) {}

  start(): void {
    this.res.onAborted(() => this.#end());
    this.res.onWritable(() => this.#isOver || this.#sendPiece());
    void this.#sendFrom(0);
  }

  /** Each piece has a time limit of its own. */
  get timeLimitBytes(): number {
    return this.#piece.byteLength;
  }

  get heldBytes(): number {
    return this.#pieceEnd - this.res.getWriteOffset();
  }

  get #pieceEnd(): number {
    return this.#pieceStart + this.#piece.byteLength;
  }

  cutOff(): void {
    this.res.close();
  }

  async #sendFrom(start: number): Promise<void> {
    const { source, res } = this;
    let piece: Uint8Array;
    try {
      piece = await source.read(start, Math.min(start + SOURCE_PIECE_BYTES, source.length));
      if (piece.byteLength === 0) throw new Error('the source ended early');
    } catch {
      if (!this.#isOver) res.close();
      return;
    }
    if (this.#isOver) return;
    this.#piece = piece;
    this.#pieceStart = start;
    res.cork(() => {
      if (start === 0) this.writeHead();
      this.#sendPiece();
    });
  }

  /** Sends as many bytes of the piece as the connection takes. @returns false if the connection takes no more now */
  #sendPiece(): boolean {
    const { res, guard } = this;
    const sent = res.getWriteOffset();
    // The next piece is being read.
    if (sent >= this.#pieceEnd) return true;
    const [, isDone] = res.tryEnd(this.#piece.subarray(sent - this.#pieceStart), this.source.length);
    if (isDone) {
      this.#end();
      return true;
    }
    if (res.getWriteOffset() < this.#pieceEnd) {
      guard.noteWaitOrProgress(this);
      return false;
    }
    guard.removeTransfer(this);
    void this.#sendFrom(this.#pieceEnd);
    return true;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.guard.removeTransfer(this);
    this.#piece = new Uint8Array(0);
    this.onOver();
  }
}
