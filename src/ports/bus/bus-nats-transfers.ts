/**
 * Transfers: frames too large for one NATS message, sent in chunks of 256 KiB. The receiver grants credit and limits
 * the chunks in flight to 16 MiB in all, because NATS disconnects a consumer that reads too slowly, and messages in
 * flight to such a consumer are lost without notice.
 */
import { encodeTransferChunk, type TransferChunk } from './bus-nats-frame.js';

const CHUNK_BYTES = 256 * 1024;
/**
 * Maximum number of chunks in flight to one receiver: WINDOW for each transfer, WINDOW_ALL for all transfers together.
 */
const WINDOW = 16;
const WINDOW_ALL = 64;
/** Milliseconds without progress after which a transfer fails. */
const STALLED_MS = 2_500;
/** Maximum size of a transfer, bytes. Larger transfers are refused: they would only exhaust the receiver's memory. */
const MAX_TRANSFER_BYTES = 512 * 1024 * 1024;
/**
 * Special credits: the receiver grants COMPLETE when all chunks have arrived, and REFUSED when it rejects the transfer
 * or lost a part.
 */
const COMPLETE = 0xffffffff;
const REFUSED = 0xfffffffe;

interface TransferWire {
  /** Sends a chunk of a request to the receiver's control inbox. */
  request(to: string, data: Uint8Array): void;
  reply(to: string, data: Uint8Array): void;
  /** Grants credit: the sender may send the first `upTo` chunks of the transfer. */
  credit(to: string, transfer: number, upTo: number): void;
}

interface OutgoingTransfer {
  readonly id: number;
  readonly direction: 'request' | 'reply';
  readonly body: Uint8Array;
  readonly chunks: number;
  next: number;
  silent: number;
  readonly done: (complete: boolean) => void;
}

interface IncomingTransfer {
  readonly id: number;
  readonly from: string;
  readonly size: number;
  readonly chunks: number;
  /** Buffer of the received bytes; allocated with the first credit. */
  body: Buffer | undefined;
  got: number;
  granted: number;
  silent: number;
  readonly done: (body: Uint8Array | undefined) => void;
}

export class ChunkedBusTransfers {
  readonly #self: string;
  readonly #wire: TransferWire;
  readonly #out = new Map<number, OutgoingTransfer>();
  readonly #in = new Map<string, IncomingTransfer>();
  #ids = 0;
  #inFlight = 0;

  constructor(self: string, wire: TransferWire) {
    this.#self = self;
    this.#wire = wire;
  }

  /** Returns the ids of the clients that are sending transfers to this one. */
  senders(): Set<string> {
    return new Set([...this.#in.values()].map((t) => t.from));
  }

  /**
   * Starts a transfer. The caller announces it to the receiver under the returned id.
   * @param done called once; true if everything arrived
   */
  send(direction: 'request' | 'reply', body: Uint8Array, done: (complete: boolean) => void): number {
    const id = ++this.#ids;
    const chunks = Math.ceil(body.byteLength / CHUNK_BYTES);
    this.#out.set(id, { id, direction, body, chunks, next: 0, silent: 0, done });
    return id;
  }

  /** Fails an outgoing transfer whose receiver is gone. */
  abort(id: number): void {
    const transfer = this.#out.get(id);
    if (!transfer) return;
    this.#out.delete(id);
    transfer.done(false);
  }

  credit(from: string, id: number, upTo: number): void {
    const transfer = this.#out.get(id);
    if (!transfer) return;
    transfer.silent = 0;
    if (upTo === REFUSED) {
      this.abort(id);
      return;
    }
    if (upTo === COMPLETE) {
      this.#out.delete(id);
      transfer.done(true);
      return;
    }
    for (const end = Math.min(upTo, transfer.chunks); transfer.next < end; transfer.next++) {
      const at = transfer.next * CHUNK_BYTES;
      const chunk = encodeTransferChunk(this.#self, id, transfer.next, transfer.body.subarray(at, at + CHUNK_BYTES));
      this.#wire[transfer.direction](from, chunk);
    }
  }

  /**
   * Prepares to receive an announced transfer.
   * @param done called once, with the body, or undefined if the transfer failed
   */
  expect(from: string, id: number, size: number, done: (body: Uint8Array | undefined) => void): void {
    if (size > MAX_TRANSFER_BYTES) {
      this.#wire.credit(from, id, REFUSED);
      done(undefined);
      return;
    }
    const chunks = Math.ceil(size / CHUNK_BYTES);
    const transfer: IncomingTransfer = { id, from, size, chunks, body: undefined, got: 0, granted: 0, silent: 0, done };
    this.#in.set(`${from}/${id}`, transfer);
    this.#grant(transfer);
  }

  chunk(chunk: TransferChunk): void {
    const transfer = this.#in.get(`${chunk.from}/${chunk.transfer}`);
    if (!transfer?.body) return;
    if (chunk.index !== transfer.got || chunk.index * CHUNK_BYTES + chunk.data.byteLength > transfer.size) {
      this.#end(transfer, false);
      return;
    }
    transfer.body.set(chunk.data, chunk.index * CHUNK_BYTES);
    transfer.got++;
    transfer.silent = 0;
    this.#inFlight--;
    if (transfer.got === transfer.chunks) this.#end(transfer, true);
    else if (transfer.granted - transfer.got <= WINDOW / 2) this.#grant(transfer);
  }

  /**
   * Checks the transfers for progress.
   * @param elapsed milliseconds since the last call in which this process could have received messages
   */
  tick(elapsed: number): void {
    for (const transfer of [...this.#out.values()]) {
      transfer.silent += elapsed;
      // The sender waits for twice the limit, because the receiver may be serving other transfers first.
      if (transfer.silent > 2 * STALLED_MS) this.abort(transfer.id);
    }
    for (const transfer of [...this.#in.values()]) {
      if (transfer.granted === transfer.got) {
        // The incoming transfer waits for its turn; repeating its credit keeps the sender from giving up.
        this.#wire.credit(transfer.from, transfer.id, transfer.granted);
        continue;
      }
      transfer.silent += elapsed;
      if (transfer.silent > STALLED_MS) this.#end(transfer, false);
    }
  }

  /** Fails all transfers: the connection is lost. */
  clear(): void {
    for (const transfer of [...this.#out.values()]) this.abort(transfer.id);
    for (const transfer of [...this.#in.values()]) this.#end(transfer, false);
  }

  #grant(transfer: IncomingTransfer): void {
    const room = WINDOW_ALL - this.#inFlight;
    const more = Math.min(transfer.chunks, transfer.got + WINDOW, transfer.granted + room) - transfer.granted;
    if (more <= 0) return;
    transfer.body ??= Buffer.allocUnsafeSlow(transfer.size);
    transfer.granted += more;
    this.#inFlight += more;
    this.#wire.credit(transfer.from, transfer.id, transfer.granted);
  }

  #end(transfer: IncomingTransfer, complete: boolean): void {
    this.#in.delete(`${transfer.from}/${transfer.id}`);
    this.#inFlight -= transfer.granted - transfer.got;
    this.#wire.credit(transfer.from, transfer.id, complete ? COMPLETE : REFUSED);
    for (const other of this.#in.values()) {
      if (this.#inFlight >= WINDOW_ALL) break;
      if (other.granted - other.got <= WINDOW / 2) this.#grant(other);
    }
    transfer.done(complete ? transfer.body : undefined);
  }
}
