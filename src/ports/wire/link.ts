/** Frames over a stream socket between two processes of one machine. */
import type { Duplex } from 'node:stream';
import type { Json } from '#base';
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
  #pieces: Buffer[] = [];
  #byteCount = 0;
  /** Number of bytes up to the end of the next frame, or of its length prefix while that is incomplete. */
  #neededBytes = LENGTH_PREFIX_BYTES;

  addPiece(piece: Buffer, onFrame: (frame: Uint8Array) => void): void {
    this.#pieces.push(piece);
    this.#byteCount += piece.byteLength;
    while (this.#byteCount >= this.#neededBytes) {
      let bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
      const end = LENGTH_PREFIX_BYTES + bytes.readUInt32LE(0);
      if (bytes.byteLength >= end) {
        const frame = bytes.subarray(LENGTH_PREFIX_BYTES, end);
        bytes = bytes.subarray(end);
        this.#neededBytes = LENGTH_PREFIX_BYTES;
        this.#pieces = bytes.byteLength > 0 ? [bytes] : [];
        this.#byteCount = bytes.byteLength;
        onFrame(frame);
      } else {
        this.#neededBytes = end;
        this.#pieces = [bytes];
      }
    }
  }
}

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
    socket.on('data', (piece: Buffer) =>
      this.#assembler.addPiece(piece, (frame) => {
        for (const [channel, message] of decodeFrameHead(frame, this.#keptBlobs) as readonly [number, LinkMessage][])
          this.#callHandler(channel, message);
      }),
    );
    // An error is followed by 'close': the other process has ended.
    socket.on('error', () => undefined);
    socket.on('end', () => this.close());
    socket.on('close', () => this.close());
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
      const frame = writer.encodeFrame(LINK_FRAME_KIND, head, LENGTH_PREFIX_BYTES);
      frame.writeUInt32LE(frame.byteLength - LENGTH_PREFIX_BYTES);
      this.socket.write(frame);
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
