/**
 * Byte arrays whose memory is reused. The bytes of a typed array lie outside of V8's heap, and V8 collects its whole
 * heap after each 64 MB or so of such allocations: with new memory for each answer of 75 KB, every 800 answers.
 *
 * A lease has one reader at a time. The last reader ends the lease after copying the bytes; from then on another answer
 * may use the memory. An array whose lease is never ended is garbage-collected like any other.
 */

export const LEASED_BUFFER_BYTES = 256 * 1024;
/** Maximum number of buffers that are kept for later leases. */
const MAX_FREE_BUFFERS = 32;
/** Minimum size of a leased array: a comparison with it costs less than finding the buffer of an array. */
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

/** For a reader that keeps the bytes: returns the array itself, or, if it is leased, a copy, and ends the lease. */
export function copyOutOfLease(bytes: Uint8Array): Uint8Array {
  const { buffer } = bytes;
  if (!(buffer instanceof LeasedBuffer) || !buffer.isLeased) return bytes;
  const copy = bytes.slice();
  endLeaseOfBytes(bytes);
  return copy;
}

/** Withdraws an array or a view of it from leasing: the bytes have several readers, so their memory is never reused. */
export function keepLeasedBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof LeasedBuffer) buffer.isLeased = false;
}
