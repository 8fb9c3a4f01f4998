/**
 * The messages between two NatsBus clients: frames of `#ports/wire`, and chunks of frames that are too large for one
 * NATS message.
 */
export const BUS_FRAME_KIND_REQUESTS = 1;
export const BUS_FRAME_KIND_REPLIES = 2;
export const BUS_FRAME_KIND_OPEN_TRANSFER = 3;
export const BUS_FRAME_KIND_CONTROL = 4;
export const BUS_FRAME_KIND_CHUNK = 5;

/** Returns the NATS inbox of a client for replies and chunks of replies (on its reply connection). */
export const replyInboxOfBusClient = (client: string): string => `cb.r.${client}`;
/** Returns the NATS inbox of a client for control messages and chunks of requests (on its request connection). */
export const controlInboxOfBusClient = (client: string): string => `cb.h.${client}`;
/** NATS subject on which newly served subjects are announced to all clients. */
export const SERVED_SUBJECTS_ANNOUNCEMENT_SUBJECT = 'cb.s';
/** Returns the inbox to which NATS reports that the subject of frame number `n` has no server. */
export const noResponderInboxOfFrame = (client: string, n: number | '*'): string => `cb.n.${client}.${n}`;

/** Maximum size of a frame in one NATS message, bytes; larger frames are split (NATS refuses messages over 1 MiB). */
export const MAX_UNSPLIT_BUS_FRAME_BYTES = 900 * 1024;
const CHUNK_FIXED_HEADER_BYTES = 9;

/** Encodes one chunk of a transfer: kind, transfer (4 bytes), index (4 bytes), sender, data. */
export function encodeTransferChunk(from: string, transfer: number, index: number, data: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(CHUNK_FIXED_HEADER_BYTES + 1 + from.length + data.byteLength);
  out[0] = BUS_FRAME_KIND_CHUNK;
  out.writeUInt32LE(transfer, 1);
  out.writeUInt32LE(index, 5);
  out[CHUNK_FIXED_HEADER_BYTES] = from.length;
  out.write(from, CHUNK_FIXED_HEADER_BYTES + 1, 'latin1');
  out.set(data, CHUNK_FIXED_HEADER_BYTES + 1 + from.length);
  return out;
}

export interface TransferChunk {
  readonly senderId: string;
  readonly transferId: number;
  readonly chunkIndex: number;
  readonly data: Uint8Array;
}

export function decodeTransferChunk(data: Uint8Array): TransferChunk {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const start = CHUNK_FIXED_HEADER_BYTES + 1 + buffer[CHUNK_FIXED_HEADER_BYTES]!;
  return {
    senderId: buffer.toString('latin1', CHUNK_FIXED_HEADER_BYTES + 1, start),
    transferId: buffer.readUInt32LE(1),
    chunkIndex: buffer.readUInt32LE(5),
    data: data.subarray(start),
  };
}
