/** A request body as far as it has come. */
import type { SlowTransfers, Transfer } from './slow-transfers.js';

export class Received implements Transfer {
  #chunks: Uint8Array[] = [];
  #size = 0;

  /** @param abort ends the connection */
  constructor(
    private readonly limit: number,
    private readonly slow: SlowTransfers,
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

  /** More will come. */
  wait(): void {
    this.slow.waits(this);
  }

  /** False: it is too large, and is forgotten. @param chunk kept as it is */
  add(chunk: Uint8Array): boolean {
    this.#size += chunk.byteLength;
    if (this.#size > this.limit) {
      this.drop();
      return false;
    }
    this.#chunks.push(chunk);
    return true;
  }

  /** All of it. */
  take(): Uint8Array {
    const chunks = this.#chunks;
    this.drop();
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  drop(): void {
    this.#chunks = [];
    this.slow.over(this);
  }
}
