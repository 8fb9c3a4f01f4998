/**
 * Byte arrays whose memory is used again. The bytes of a typed array lie outside of V8's heap, and V8 collects its
 * whole heap each time when some 64 MB of them have been given out: with new memory for each answer of 75 KB, every 800
 * answers.
 *
 * A lease has one reader at a time. The last reader ends the lease after copying the bytes; from then on another answer
 * may have the memory. An array whose lease is never ended is collected as any other is.
 */

export const LEASED_BUFFER_BYTES = 256 * 1024;
/** Most buffers that are kept for the next leases. */
const MAX_FREE_BUFFERS = 32;
/** Smaller arrays are never leased; finding the buffer of an array takes longer than this comparison. */
export const MIN_LEASED_BYTES = 1_024;

class LeasedBuffer extends ArrayBuffer {
  isLeased = false;
}

const freeBuffers: LeasedBuffer[] = [];

/** Leases an array of `LEASED_BUFFER_BYTES`. Its contents are undefined. */
export function leaseBytes(): Uint8Array<ArrayBuffer> {
  const buffer = freeBuffers.pop() ?? new LeasedBuffer(LEASED_BUFFER_BYTES);
  buffer.isLeased = true;
  return new Uint8Array(buffer);
}

/** Ends the lease of an array or of a view of it. Does nothing for other arrays. */
export function endLeaseOfBytes(bytes: Uint8Array): void {
  if (bytes.byteLength < MIN_LEASED_BYTES) return;
  const { buffer } = bytes;
  if (!(buffer instanceof LeasedBuffer) || !buffer.isLeased) return;
  buffer.isLeased = false;
  if (freeBuffers.length < MAX_FREE_BUFFERS) freeBuffers.push(buffer);
}

/** Returns the array, or a copy of a leased one, whose lease ends: for a reader that needs the bytes for long. */
export function copyOutOfLease(bytes: Uint8Array): Uint8Array {
  const { buffer } = bytes;
  if (!(buffer instanceof LeasedBuffer) || !buffer.isLeased) return bytes;
  const copy = bytes.slice();
  endLeaseOfBytes(bytes);
  return copy;
}

/** Takes an array or a view of it out of its lease: the bytes have several readers, and none may end the lease. */
export function keepLeasedBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof LeasedBuffer) buffer.isLeased = false;
}
