/**
 * Memory for encoded log entries, in a few large buffers: an entry that is kept as bytes is no work for the garbage
 * collector, other than its decoded form, which is a dozen objects.
 */

/** Sizes of the buffers, bytes: a realm with few entries begins small, and each further buffer is twice as large. */
const FIRST_CHUNK_BYTES = 1_024;
const MAX_CHUNK_BYTES = 256 * 1_024;
/** Number of dropped buffers that are kept for further entries: a new buffer costs a page fault for each 4 KiB. */
const MAX_SPARE_CHUNKS = 8;

/** One buffer. It is dropped when the last entry in it is dropped. */
export class EncodedEntryChunk {
  usedBytes = 0;
  entryCount = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** Copies an entry out of the buffer, which may be used for others as soon as its entries are dropped. */
  copy(start: number, end: number): Uint8Array {
    return this.bytes.slice(start, end);
  }
}

/** Dropped buffers of the largest size, for all realms of a process. */
export class SpareEncodedEntryChunks {
  readonly #spare: Uint8Array[] = [];

  allocate(byteLength: number): Uint8Array {
    const spare = byteLength === MAX_CHUNK_BYTES ? this.#spare.pop() : undefined;
    return spare ?? new Uint8Array(Buffer.allocUnsafeSlow(byteLength).buffer);
  }

  keep(bytes: Uint8Array): void {
    if (bytes.byteLength === MAX_CHUNK_BYTES && this.#spare.length < MAX_SPARE_CHUNKS) this.#spare.push(bytes);
  }
}

/** The buffers of one realm. */
export class EncodedEntryChunks {
  #newest: EncodedEntryChunk | undefined;

  /** @param onSizeChange called with the bytes by which all buffers together grow or shrink */
  constructor(
    private readonly spare: SpareEncodedEntryChunks,
    private readonly onSizeChange: (bytes: number) => void,
  ) {}

  /** Copies an entry into the newest buffer, where it ends at the buffer's `usedBytes`. */
  add(entry: Uint8Array): EncodedEntryChunk {
    let chunk = this.#newest;
    if (!chunk || chunk.usedBytes + entry.byteLength > chunk.bytes.byteLength) {
      const size = chunk ? Math.min(2 * chunk.bytes.byteLength, MAX_CHUNK_BYTES) : FIRST_CHUNK_BYTES;
      chunk = new EncodedEntryChunk(this.spare.allocate(Math.max(size, entry.byteLength)));
      this.#newest = chunk;
      this.onSizeChange(chunk.bytes.byteLength);
    }
    chunk.bytes.set(entry, chunk.usedBytes);
    chunk.usedBytes += entry.byteLength;
    chunk.entryCount++;
    return chunk;
  }

  /** Drops one entry of a buffer. */
  drop(chunk: EncodedEntryChunk): void {
    chunk.entryCount--;
    if (chunk.entryCount > 0) return;
    if (chunk === this.#newest) this.#newest = undefined;
    this.onSizeChange(-chunk.bytes.byteLength);
    this.spare.keep(chunk.bytes);
  }
}
