/**
 * The encoding of a message between two processes: kind (1 byte), length of the head (4), number of blobs (4), their
 * lengths (4 each), head (msgpack), blobs. Large byte arrays are blobs outside the head: each is carried once per
 * frame, and the encoder doesn't copy it.
 */
import { addExtension, Packr } from 'msgpackr';
import { endLeaseOfBytes, type Json } from '#base';
import { KeptBlobRef, type KeptBlobs, type SentBlobs } from './kept-blobs.js';

/** Estimated size above which a frame is closed, bytes. */
const FRAME_FULL_ABOVE_BYTES = 512 * 1024;
/** Size below which byte arrays stay in the head of a frame, bytes: a blob costs some 20 bytes of bookkeeping. */
const MIN_FRAME_BLOB_BYTES = 128;
const BLOB_REF_EXTENSION_TYPE = 0x62;
const KEPT_BLOB_REF_EXTENSION_TYPE = 0x6b;

class FrameBlobRef {
  constructor(readonly index: number) {}
}

const frameHeadPackr = new Packr({ useRecords: false });
let blobsOfFrameBeingDecoded: readonly Uint8Array[] = [];
let keptBlobsOfLinkBeingRead: KeptBlobs | undefined;

function packUint32(value: number): Buffer {
  const b = Buffer.allocUnsafe(4);
  b.writeUInt32LE(value);
  return b;
}

const unpackUint32 = (b: Uint8Array): number => Buffer.from(b.buffer, b.byteOffset, b.byteLength).readUInt32LE();

addExtension({
  Class: FrameBlobRef,
  type: BLOB_REF_EXTENSION_TYPE,
  pack: (ref: FrameBlobRef): Buffer => packUint32(ref.index),
  unpack: (b: Buffer): Uint8Array => blobsOfFrameBeingDecoded[unpackUint32(b)]!,
});

addExtension({
  Class: KeptBlobRef,
  type: KEPT_BLOB_REF_EXTENSION_TYPE,
  pack: (ref: KeptBlobRef): Buffer => packUint32(ref.number),
  unpack: (b: Buffer): Uint8Array => {
    if (!keptBlobsOfLinkBeingRead) throw new Error('a frame outside a link refers to kept bytes');
    return keptBlobsOfLinkBeingRead.get(unpackUint32(b));
  },
});

export type FrameHead = readonly unknown[];

/** Collects the values and blobs of a frame, and estimates its size. */
export class FrameWriter {
  readonly #frameBlobs: Uint8Array[] = [];
  #blobRefsByBytes: Map<Uint8Array, FrameBlobRef | KeptBlobRef> | undefined;
  #estimatedBytes = 0;

  /** @param sentBlobs byte arrays that the receiver keeps; absent: every byte array travels with its frame */
  constructor(private readonly sentBlobs?: SentBlobs) {}

  get isFull(): boolean {
    return this.#estimatedBytes > FRAME_FULL_ABOVE_BYTES;
  }

  /**
   * Returns the value in the form that goes into the head. Neither sender nor receiver ever changes values, so parts
   * are shared.
   */
  addValueAndExtractBlobs(value: Json | undefined): unknown {
    switch (typeof value) {
      case 'string':
        this.#estimatedBytes += value.length + 3;
        return value;
      case 'object':
        if (value === null) break;
        if (value instanceof Uint8Array) return this.#addByteArray(value);
        if (Array.isArray(value)) return this.#addArray(value);
        return this.#addObject(value as { readonly [key: string]: Json | undefined });
    }
    this.#estimatedBytes += 5;
    return value;
  }

  #addByteArray(value: Uint8Array): unknown {
    if (value.byteLength < MIN_FRAME_BLOB_BYTES) {
      this.#estimatedBytes += value.byteLength + 3;
      return value;
    }
    this.#blobRefsByBytes ??= new Map();
    let ref = this.#blobRefsByBytes.get(value);
    if (!ref) {
      ref = this.sentBlobs?.refOf(value);
      if (!ref) {
        ref = new FrameBlobRef(this.#frameBlobs.length);
        this.#frameBlobs.push(value);
        this.#estimatedBytes += value.byteLength;
      }
      this.#blobRefsByBytes.set(value, ref);
    }
    this.#estimatedBytes += 8;
    return ref;
  }

  #addArray(value: readonly Json[]): unknown {
    let copy: unknown[] | undefined;
    this.#estimatedBytes += 3;
    for (let i = 0; i < value.length; i++) {
      const taken = this.addValueAndExtractBlobs(value[i]);
      if (taken !== value[i]) {
        copy ??= value.slice();
        copy[i] = taken;
      }
    }
    return copy ?? value;
  }

  #addObject(value: { readonly [key: string]: Json | undefined }): unknown {
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      this.#estimatedBytes += key.length + 1;
      const taken = this.addValueAndExtractBlobs(value[key]);
      if (taken !== value[key]) {
        copy ??= { ...value };
        copy[key] = taken;
      }
    }
    return copy ?? value;
  }

  /**
   * @param prefixBytes bytes before the frame that the caller fills
   * @param allocate makes the memory of the frame
   */
  encodeFrame(kind: number, head: FrameHead, prefixBytes = 0, allocate = Buffer.allocUnsafe): Buffer {
    const packed = frameHeadPackr.pack(head);
    const blobs = this.#frameBlobs;
    const start = prefixBytes + 9 + 4 * blobs.length;
    let size = start + packed.byteLength;
    for (const blob of blobs) size += blob.byteLength;
    const out = allocate(size);
    out[prefixBytes] = kind;
    out.writeUInt32LE(packed.byteLength, prefixBytes + 1);
    out.writeUInt32LE(blobs.length, prefixBytes + 5);
    out.set(packed, start);
    let at = start + packed.byteLength;
    blobs.forEach((blob, i) => {
      out.writeUInt32LE(blob.byteLength, prefixBytes + 9 + 4 * i);
      out.set(blob, at);
      at += blob.byteLength;
      endLeaseOfBytes(blob);
    });
    return out;
  }
}

/** Encodes a message without blobs. */
export function encodeFrameWithoutBlobs(kind: number, head: FrameHead): Buffer {
  return new FrameWriter().encodeFrame(kind, head);
}

/**
 * Decodes the head of a message, with its blobs as views of `data`.
 * @param keptBlobs byte arrays that were kept from earlier frames of the link
 * @throws Error on malformed input
 */
export function decodeFrameHead(data: Uint8Array, keptBlobs?: KeptBlobs): FrameHead {
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
  blobsOfFrameBeingDecoded = blobs;
  keptBlobsOfLinkBeingRead = keptBlobs;
  try {
    // Decoding a Buffer, msgpackr would return byte arrays as Buffers, not as plain Uint8Arrays.
    return frameHeadPackr.unpack(bytes.subarray(start, start + length)) as FrameHead;
  } finally {
    blobsOfFrameBeingDecoded = [];
    keptBlobsOfLinkBeingRead = undefined;
  }
}
