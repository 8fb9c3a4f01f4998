/**
 * The messages between two NatsBus clients: type (1 byte), length of the head (4), number of blobs (4), their lengths
 * (4 each), head (msgpack), blobs. Large byte arrays are blobs outside the head: each is carried once per frame, and
 * the encoder doesn't copy it.
 */
import { addExtension, Packr } from 'msgpackr';
import type { Json } from '#base';

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
export const SERVED_SUBJECTS_ANNOUNCEMENT = 'cb.s';
/** Returns the inbox to which NATS reports that the subject of frame number `n` has no server. */
export const noResponderInboxOfFrame = (client: string, n: number | '*'): string => `cb.n.${client}.${n}`;

/** Maximum size of a frame in one NATS message, bytes; larger frames are split (NATS refuses messages over 1 MiB). */
export const MAX_BUS_FRAME_BYTES = 900 * 1024;
/** Estimated size above which a frame is closed, bytes. */
const FULL_BYTES = 512 * 1024;
/** Size below which byte arrays stay in the head of a frame, bytes: a blob costs some 20 bytes of bookkeeping. */
const MIN_BLOB_BYTES = 128;
const BLOB_TYPE = 0x62;

class BlobRef {
  constructor(readonly index: number) {}
}

const packr = new Packr({ useRecords: false });
let currentBlobs: readonly Uint8Array[] = [];

addExtension({
  Class: BlobRef,
  type: BLOB_TYPE,
  pack(ref: BlobRef): Buffer {
    const b = Buffer.allocUnsafe(4);
    b.writeUInt32LE(ref.index);
    return b;
  },
  unpack(b: Buffer): Uint8Array {
    return currentBlobs[Buffer.from(b.buffer, b.byteOffset, b.byteLength).readUInt32LE()]!;
  },
});

export type BusFrameHead = readonly unknown[];

/** Collects the values and blobs of a frame, and estimates its size. */
export class BusFrameWriter {
  readonly #blobs: Uint8Array[] = [];
  #refs: Map<Uint8Array, BlobRef> | undefined;
  #size = 0;

  get full(): boolean {
    return this.#size > FULL_BYTES;
  }

  /**
   * Returns the value in the form that goes into the head. Neither sender nor receiver ever changes values, so parts
   * are shared.
   */
  take(value: Json | undefined): unknown {
    switch (typeof value) {
      case 'string':
        this.#size += value.length + 3;
        return value;
      case 'object':
        if (value === null) break;
        if (value instanceof Uint8Array) return this.#bytes(value);
        if (Array.isArray(value)) return this.#array(value);
        return this.#object(value as { readonly [key: string]: Json | undefined });
    }
    this.#size += 5;
    return value;
  }

  #bytes(value: Uint8Array): unknown {
    if (value.byteLength < MIN_BLOB_BYTES) {
      this.#size += value.byteLength + 3;
      return value;
    }
    this.#refs ??= new Map();
    let ref = this.#refs.get(value);
    if (!ref) {
      ref = new BlobRef(this.#blobs.length);
      this.#refs.set(value, ref);
      this.#blobs.push(value);
      this.#size += value.byteLength;
    }
    this.#size += 8;
    return ref;
  }

  #array(value: readonly Json[]): unknown {
    let copy: unknown[] | undefined;
    this.#size += 3;
    for (let i = 0; i < value.length; i++) {
      const taken = this.take(value[i]);
      if (taken !== value[i]) {
        copy ??= value.slice();
        copy[i] = taken;
      }
    }
    return copy ?? value;
  }

  #object(value: { readonly [key: string]: Json | undefined }): unknown {
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      this.#size += key.length + 1;
      const taken = this.take(value[key]);
      if (taken !== value[key]) {
        copy ??= { ...value };
        copy[key] = taken;
      }
    }
    return copy ?? value;
  }

  finish(kind: number, head: BusFrameHead): Buffer {
    const packed = packr.pack(head);
    const blobs = this.#blobs;
    const start = 9 + 4 * blobs.length;
    let size = start + packed.byteLength;
    for (const blob of blobs) size += blob.byteLength;
    const out = Buffer.allocUnsafe(size);
    out[0] = kind;
    out.writeUInt32LE(packed.byteLength, 1);
    out.writeUInt32LE(blobs.length, 5);
    out.set(packed, start);
    let at = start + packed.byteLength;
    blobs.forEach((blob, i) => {
      out.writeUInt32LE(blob.byteLength, 9 + 4 * i);
      out.set(blob, at);
      at += blob.byteLength;
    });
    return out;
  }
}

/** Encodes a message without blobs. */
export function encodeBusFrameHead(kind: number, head: BusFrameHead): Buffer {
  return new BusFrameWriter().finish(kind, head);
}

/**
 * Decodes the head of a message, with its blobs as views of `data`.
 * @throws Error on malformed input
 */
export function decodeBusFrameHead(data: Uint8Array): BusFrameHead {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const length = buffer.readUInt32LE(1);
  const count = buffer.readUInt32LE(5);
  const start = 9 + 4 * count;
  const blobs: Uint8Array[] = [];
  let at = start + length;
  for (let i = 0; i < count; i++) {
    const end = at + buffer.readUInt32LE(9 + 4 * i);
    blobs.push(bytes.subarray(at, end));
    at = end;
  }
  currentBlobs = blobs;
  try {
    // Decoding a Buffer, msgpackr would return byte arrays as Buffers, not as plain Uint8Arrays.
    return packr.unpack(bytes.subarray(start, start + length)) as BusFrameHead;
  } finally {
    currentBlobs = [];
  }
}

const CHUNK_HEAD = 9;

/** Encodes one chunk of a transfer: kind, transfer (4 bytes), index (4 bytes), sender, data. */
export function encodeTransferChunk(from: string, transfer: number, index: number, data: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(CHUNK_HEAD + 1 + from.length + data.byteLength);
  out[0] = BUS_FRAME_KIND_CHUNK;
  out.writeUInt32LE(transfer, 1);
  out.writeUInt32LE(index, 5);
  out[CHUNK_HEAD] = from.length;
  out.write(from, CHUNK_HEAD + 1, 'latin1');
  out.set(data, CHUNK_HEAD + 1 + from.length);
  return out;
}

export interface TransferChunk {
  readonly from: string;
  readonly transfer: number;
  readonly index: number;
  readonly data: Uint8Array;
}

export function decodeTransferChunk(data: Uint8Array): TransferChunk {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const start = CHUNK_HEAD + 1 + buffer[CHUNK_HEAD]!;
  return {
    from: buffer.toString('latin1', CHUNK_HEAD + 1, start),
    transfer: buffer.readUInt32LE(1),
    index: buffer.readUInt32LE(5),
    data: data.subarray(start),
  };
}
