/** Frames over a stream socket between two processes of one machine. */
import { type OnReadOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endLeaseOfBytes, type Json, LEASED_BUFFER_BYTES, leaseBytes } from '#base';
import { decodeFrameHead, FrameWriter } from './frame.js';
import { type KeptBlobChanges, KeptBlobs, SentBlobs } from './kept-blobs.js';

/** Kind of the frames of a link; the byte is there because the encoding is shared with NATS. */
const LINK_FRAME_KIND = 0;
const LENGTH_PREFIX_BYTES = 4;
/** Channel of the link's own messages: changes of the kept byte arrays. */
const KEPT_BLOBS_LINK_CHANNEL = 0;

/** Values of a message: plain data, which neither side changes. */
export type LinkMessage = readonly Json[];
type LinkMessageHandler = (message: LinkMessage) => void;

/** Collects the pieces that arrive on a socket into whole frames. */
class FrameAssembler {
  readonly #lengthPrefix = Buffer.alloc(LENGTH_PREFIX_BYTES);
  #lengthPrefixByteCount = 0;
  /** The frame that has begun and not ended, and the number of its bytes that have arrived. */
  #frame: Buffer | undefined;
  #frameByteCount = 0;

  /** Adds bytes that arrived. @param isMemoryReused true if the piece is overwritten after this call */
  addPiece(piece: Buffer, isMemoryReused: boolean, onFrame: (frame: Uint8Array) => void): void {
    let at = 0;
    while (at < piece.byteLength) {
      if (this.#frame) {
        const copied = piece.copy(this.#frame, this.#frameByteCount, at);
        at += copied;
        this.#frameByteCount += copied;
        if (this.#frameByteCount < this.#frame.byteLength) return;
        const frame = this.#frame;
        this.#frame = undefined;
        onFrame(frame);
        continue;
      }
      const copied = piece.copy(this.#lengthPrefix, this.#lengthPrefixByteCount, at);
      at += copied;
      this.#lengthPrefixByteCount += copied;
      if (this.#lengthPrefixByteCount < LENGTH_PREFIX_BYTES) return;
      this.#lengthPrefixByteCount = 0;
      const length = this.#lengthPrefix.readUInt32LE(0);
      if (!isMemoryReused && piece.byteLength - at >= length) {
        onFrame(piece.subarray(at, at + length));
        at += length;
      } else {
        this.#frame = Buffer.allocUnsafe(length);
        this.#frameByteCount = 0;
      }
    }
  }
}

/** Size from which the memory of a frame is leased, bytes: smaller frames share memory that Node allocates at once. */
const MIN_LEASED_FRAME_BYTES = 8 * 1024;

/**
 * Leases memory for a large frame. The lease ends when the socket reports the write: the operating system then has a
 * copy.
 */
const leaseFrame = (byteLength: number): Buffer<ArrayBuffer> => {
  if (byteLength < MIN_LEASED_FRAME_BYTES || byteLength > LEASED_BUFFER_BYTES) return Buffer.allocUnsafe(byteLength);
  return Buffer.from(leaseBytes().buffer, 0, byteLength);
};

/** Size of the memory that a link reads into again and again, bytes. */
const READ_BUFFER_BYTES = 64 * 1024;

/**
 * One end of a link: sends messages on numbered channels, in order. The messages of an event-loop turn travel in one
 * frame, and a byte array that several of them share is carried once. One that is sent again and again is kept by the
 * other end and referred to (kept-blobs.ts). A link that closes loses the messages under way.
 */
export class ProcessLink {
  readonly #handlersByChannel = new Map<number, LinkMessageHandler>();
  readonly #closeListeners: (() => void)[] = [];
  readonly #assembler = new FrameAssembler();
  readonly #sentBlobs = new SentBlobs();
  readonly #keptBlobs = new KeptBlobs();
  #queuedMessages: (readonly [channel: number, message: LinkMessage])[] = [];
  #closed = false;

  constructor(private readonly socket: Duplex) {
    socket.on('data', (piece: Buffer) => this.#addPiece(piece, false));
    // An error is followed by 'close': the other process has ended.
    socket.on('error', () => undefined);
    socket.on('end', () => this.close());
    socket.on('close', () => this.close());
  }

  /**
   * Makes a link whose socket reads into memory that is used again. With new memory for each read and for each frame, a
   * worker that passed on answers of 75 KB spent half of its time collecting it.
   *
   * @param openSocket makes the socket with this option of its constructor
   */
  static openWithReadBuffer(openSocket: (onread: OnReadOpts) => Duplex): ProcessLink {
    const callback = (byteCount: number, memory: Uint8Array): boolean => {
      link.#addPiece(Buffer.from(memory.buffer, memory.byteOffset, byteCount), true);
      return true;
    };
    const link: ProcessLink = new ProcessLink(
      openSocket({ buffer: Buffer.allocUnsafeSlow(READ_BUFFER_BYTES), callback }),
    );
    return link;
  }

  get isOpen(): boolean {
    return !this.#closed;
  }

  /** Number of bytes that the other process has not taken yet. */
  get unsentBytes(): number {
    return this.socket.writableLength;
  }

  /** Sets the handler of a channel. Messages of a channel without handler are dropped. */
  setHandler(channel: number, handler: LinkMessageHandler): void {
    this.#handlersByChannel.set(channel, handler);
  }

  /** Calls `fn` once when the link is closed, by either side. */
  onClose(fn: () => void): void {
    if (this.#closed) queueMicrotask(fn);
    else this.#closeListeners.push(fn);
  }

  /** Sends a message after the poll phase of this event-loop turn; drops it if the link is closed. */
  send(channel: number, message: LinkMessage): void {
    if (this.#closed) return;
    this.#queuedMessages.push([channel, message]);
    if (this.#queuedMessages.length === 1) setImmediate(() => this.flush());
  }

  /** Sends the queued messages now. */
  flush(): void {
    const queued = this.#queuedMessages;
    this.#queuedMessages = [];
    if (this.#closed) return;
    let sent = 0;
    while (sent < queued.length) {
      const writer = new FrameWriter(this.#sentBlobs);
      const head: unknown[] = [];
      while (sent < queued.length && !writer.isFull) {
        const [channel, message] = queued[sent++]!;
        head.push([channel, writer.addValueAndExtractBlobs(message as Json)]);
      }
      const changes = this.#sentBlobs.takeChanges();
      if (changes) head.push([KEPT_BLOBS_LINK_CHANNEL, writer.addValueAndExtractBlobs(changes as unknown as Json)]);
      const allocate = this.socket instanceof Socket ? leaseFrame : Buffer.allocUnsafe;
      const frame = writer.encodeFrame(LINK_FRAME_KIND, head, LENGTH_PREFIX_BYTES, allocate);
      frame.writeUInt32LE(frame.byteLength - LENGTH_PREFIX_BYTES);
      this.socket.write(frame, () => endLeaseOfBytes(frame));
    }
  }

  /** Sends what is queued and closes the link. The other side notices. */
  close(): void {
    if (this.#closed) return;
    this.flush();
    this.#closed = true;
    this.socket.end(() => this.socket.destroy());
    for (const fn of this.#closeListeners.splice(0)) fn();
  }

  #addPiece(piece: Buffer, isMemoryReused: boolean): void {
    this.#assembler.addPiece(piece, isMemoryReused, (frame) => {
      for (const [channel, message] of decodeFrameHead(frame, this.#keptBlobs) as readonly [number, LinkMessage][])
        this.#callHandler(channel, message);
    });
  }

  /** Calls the handler of a message. An exception is a bug and ends the process, but not in the middle of a frame. */
  #callHandler(channel: number, message: LinkMessage): void {
    if (channel === KEPT_BLOBS_LINK_CHANNEL) {
      this.#keptBlobs.apply(message as unknown as KeptBlobChanges);
      return;
    }
    try {
      this.#handlersByChannel.get(channel)?.(message);
    } catch (error) {
      setImmediate(() => {
        throw error;
      });
    }
  }
}
