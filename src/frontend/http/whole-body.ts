/** A body in one piece, for modules that copy it at once. */
import { byteLength } from './outgoing.js';
import type { BodyPart } from './server.js';

/** Most answers are no larger. */
export const SMALL = 64 * 1024;
/** Fresh memory for megabytes costs more than the copy. */
let scratch = Buffer.allocUnsafeSlow(SMALL);
/** Larger ones come too seldom to keep memory for them. */
const LARGEST_SCRATCH = 16 * 1024 * 1024;
/** Valid until the next call. */
export function whole(parts: readonly BodyPart[]): Uint8Array {
  const length = byteLength(parts);
  if (length > scratch.length && length <= LARGEST_SCRATCH) {
    scratch = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)));
  }
  const target = length <= scratch.length ? scratch : Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') at += target.write(part, at);
    else {
      target.set(part, at);
      at += part.byteLength;
    }
  }
  return target.subarray(0, length);
}
