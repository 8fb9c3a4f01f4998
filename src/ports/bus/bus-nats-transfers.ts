/**
 * Transfers: frames too large for one NATS message, sent in chunks of 256 KiB. The receiver grants credit and limits
 * the chunks in flight to 16 MiB in all, because NATS disconnects a consumer that reads too slowly, and messages in
 * flight to such a consumer are lost without notice.
 */
import { encodeTransferChunk, type TransferChunk } from './bus-nats-frame.js';

const TRANSFER_CHUNK_BYTES = 256 * 1024;
/**
 * Maximum number of chunks in flight to one receiver: WINDOW for each transfer, MAX_CHUNKS_IN_FLIGHT_IN_ALL for all
 * transfers together.
 */
const MAX_CHUNKS_IN_FLIGHT_PER_TRANSFER = 16;
const MAX_CHUNKS_IN_FLIGHT_IN_ALL = 64;
/** Milliseconds without progress after which a transfer fails. */
const TRANSFER_STALL_TIMEOUT_MS = 2_500;
/** Maximum size of a transfer, bytes. Larger transfers are refused: they would only exhaust the receiver's memory. */
const MAX_TRANSFER_BYTES = 512 * 1024 * 1024;
/**
 * Special credits: the receiver grants COMPLETE when all chunks have arrived, and REFUSED when it rejects the transfer
 * or lost a part.
 */
const TRANSFER_COMPLETE_CREDIT = 0xffffffff;
const TRANSFER_REFUSED_CREDIT = 0xfffffffe;

interface TransferMessageSender {
  /** Sends a chunk of a request to the receiver's control inbox. */
  request(to: string, data: Uint8Array): void;
  reply(to: string, data: Uint8Array): void;
  /** Grants credit: the sender may send the first `upTo` chunks of the transfer. */
  sendCredit(to: string, transfer: number, upTo: number): void;
}

interface OutgoingTransfer {
  readonly id: number;
  readonly direction: 'request' | 'reply';
  readonly body: Uint8Array;
  readonly chunkCount: number;
  nextChunkIndex: number;
  silentMs: number;
  readonly onDone: (complete: boolean) => void;
}

interface IncomingTransfer {
  readonly id: number;
  readonly senderId: string;
  readonly sizeBytes: number;
  readonly chunkCount: number;
  /** Buffer of the received bytes; allocated with the first credit. */
  receivedBody: Buffer | undefined;
  receivedChunkCount: number;
  grantedChunkCount: number;
  silentMs: number;
  readonly onDone: (body: Uint8Array | undefined) => void;
}

export class ChunkedBusTransfers {
  readonly #ownClientId: string;
  readonly #messageSender: TransferMessageSender;
  readonly #outgoingById = new Map<number, OutgoingTransfer>();
  readonly #incomingBySenderAndId = new Map<string, IncomingTransfer>();
  #lastTransferId = 0;
  #incomingChunkInFlightCount = 0;

  constructor(self: string, wire: TransferMessageSender) {
    this.#ownClientId = self;
    this.#messageSender = wire;
  }

  /** Returns the ids of the clients that are sending transfers to this one. */
  listIncomingSenderIds(): Set<string> {
    return new Set([...this.#incomingBySenderAndId.values()].map((t) => t.senderId));
  }

  /**
   * Starts a transfer. The caller announces it to the receiver under the returned id.
   * @param done called once; true if everything arrived
   */
  prepareOutgoingTransfer(direction: 'request' | 'reply', body: Uint8Array, done: (complete: boolean) => void): number {
    const id = ++this.#lastTransferId;
    const chunks = Math.ceil(body.byteLength / TRANSFER_CHUNK_BYTES);
    this.#outgoingById.set(id, {
      id,
      direction,
      body,
      chunkCount: chunks,
      nextChunkIndex: 0,
      silentMs: 0,
      onDone: done,
    });
    return id;
  }

  /** Fails an outgoing transfer whose receiver is gone. */
  abortOutgoingTransfer(id: number): void {
    const transfer = this.#outgoingById.get(id);
    if (!transfer) return;
    this.#outgoingById.delete(id);
    transfer.onDone(false);
  }

  handleCredit(from: string, id: number, upTo: number): void {
    const transfer = this.#outgoingById.get(id);
    if (!transfer) return;
    transfer.silentMs = 0;
    if (upTo === TRANSFER_REFUSED_CREDIT) {
      this.abortOutgoingTransfer(id);
      return;
    }
    if (upTo === TRANSFER_COMPLETE_CREDIT) {
      this.#outgoingById.delete(id);
      transfer.onDone(true);
      return;
    }
    for (const end = Math.min(upTo, transfer.chunkCount); transfer.nextChunkIndex < end; transfer.nextChunkIndex++) {
      const at = transfer.nextChunkIndex * TRANSFER_CHUNK_BYTES;
      const chunk = encodeTransferChunk(
        this.#ownClientId,
        id,
        transfer.nextChunkIndex,
        transfer.body.subarray(at, at + TRANSFER_CHUNK_BYTES),
      );
      this.#messageSender[transfer.direction](from, chunk);
    }
  }

  /**
   * Prepares to receive an announced transfer.
   * @param done called once, with the body, or undefined if the transfer failed
   */
  expectTransfer(from: string, id: number, size: number, done: (body: Uint8Array | undefined) => void): void {
    if (size > MAX_TRANSFER_BYTES) {
      this.#messageSender.sendCredit(from, id, TRANSFER_REFUSED_CREDIT);
      done(undefined);
      return;
    }
    const chunks = Math.ceil(size / TRANSFER_CHUNK_BYTES);
    const transfer: IncomingTransfer = {
      id,
      senderId: from,
      sizeBytes: size,
      chunkCount: chunks,
      receivedBody: undefined,
      receivedChunkCount: 0,
      grantedChunkCount: 0,
      silentMs: 0,
      onDone: done,
    };
    this.#incomingBySenderAndId.set(`${from}/${id}`, transfer);
    this.#grantCredit(transfer);
  }

  receiveChunk(chunk: TransferChunk): void {
    const transfer = this.#incomingBySenderAndId.get(`${chunk.senderId}/${chunk.transferId}`);
    if (!transfer?.receivedBody) return;
    if (
      chunk.chunkIndex !== transfer.receivedChunkCount ||
      chunk.chunkIndex * TRANSFER_CHUNK_BYTES + chunk.data.byteLength > transfer.sizeBytes
    ) {
      this.#endIncomingTransfer(transfer, false);
      return;
    }
    transfer.receivedBody.set(chunk.data, chunk.chunkIndex * TRANSFER_CHUNK_BYTES);
    transfer.receivedChunkCount++;
    transfer.silentMs = 0;
    this.#incomingChunkInFlightCount--;
    if (transfer.receivedChunkCount === transfer.chunkCount) this.#endIncomingTransfer(transfer, true);
    else if (transfer.grantedChunkCount - transfer.receivedChunkCount <= MAX_CHUNKS_IN_FLIGHT_PER_TRANSFER / 2)
      this.#grantCredit(transfer);
  }

  /**
   * Checks the transfers for progress.
   * @param elapsed milliseconds since the last call in which this process could have received messages
   */
  failStalledAndRepeatCredits(elapsed: number): void {
    for (const transfer of [...this.#outgoingById.values()]) {
      transfer.silentMs += elapsed;
      // The sender waits for twice the limit, because the receiver may be serving other transfers first.
      if (transfer.silentMs > 2 * TRANSFER_STALL_TIMEOUT_MS) this.abortOutgoingTransfer(transfer.id);
    }
    for (const transfer of [...this.#incomingBySenderAndId.values()]) {
      if (transfer.grantedChunkCount === transfer.receivedChunkCount) {
        // The incoming transfer waits for its turn; repeating its credit keeps the sender from giving up.
        this.#messageSender.sendCredit(transfer.senderId, transfer.id, transfer.grantedChunkCount);
        continue;
      }
      transfer.silentMs += elapsed;
      if (transfer.silentMs > TRANSFER_STALL_TIMEOUT_MS) this.#endIncomingTransfer(transfer, false);
    }
  }

  /** Fails all transfers: the connection is lost. */
  failAllTransfers(): void {
    for (const transfer of [...this.#outgoingById.values()]) this.abortOutgoingTransfer(transfer.id);
    for (const transfer of [...this.#incomingBySenderAndId.values()]) this.#endIncomingTransfer(transfer, false);
  }

  #grantCredit(transfer: IncomingTransfer): void {
    const room = MAX_CHUNKS_IN_FLIGHT_IN_ALL - this.#incomingChunkInFlightCount;
    const more =
      Math.min(
        transfer.chunkCount,
        transfer.receivedChunkCount + MAX_CHUNKS_IN_FLIGHT_PER_TRANSFER,
        transfer.grantedChunkCount + room,
      ) - transfer.grantedChunkCount;
    if (more <= 0) return;
    transfer.receivedBody ??= Buffer.allocUnsafeSlow(transfer.sizeBytes);
    transfer.grantedChunkCount += more;
    this.#incomingChunkInFlightCount += more;
    this.#messageSender.sendCredit(transfer.senderId, transfer.id, transfer.grantedChunkCount);
  }

  #endIncomingTransfer(transfer: IncomingTransfer, complete: boolean): void {
    this.#incomingBySenderAndId.delete(`${transfer.senderId}/${transfer.id}`);
    this.#incomingChunkInFlightCount -= transfer.grantedChunkCount - transfer.receivedChunkCount;
    this.#messageSender.sendCredit(
      transfer.senderId,
      transfer.id,
      complete ? TRANSFER_COMPLETE_CREDIT : TRANSFER_REFUSED_CREDIT,
    );
    for (const other of this.#incomingBySenderAndId.values()) {
      if (this.#incomingChunkInFlightCount >= MAX_CHUNKS_IN_FLIGHT_IN_ALL) break;
      if (other.grantedChunkCount - other.receivedChunkCount <= MAX_CHUNKS_IN_FLIGHT_PER_TRANSFER / 2)
        this.#grantCredit(other);
    }
    transfer.onDone(complete ? transfer.receivedBody : undefined);
  }
}
