/**
 * Texts with memory of their own. A decoder hands out texts as slices of larger ones, which stay in memory with them: a
 * text of 30 characters takes 150 bytes that way, and 48 as a copy.
 */

/** Memory through which texts are copied: a buffer for each of 400,000 texts would keep the collector busy. */
const scratch = Buffer.allocUnsafeSlow(4_096);
const MAX_UTF8_BYTES_PER_CHARACTER = 3;

export function copyText(text: string): string {
  if (text.length * MAX_UTF8_BYTES_PER_CHARACTER > scratch.length) return Buffer.from(text).toString();
  return scratch.toString('utf8', 0, scratch.write(text));
}

const HASH_PATTERN = /^[0-9a-f]{64}$/;
const HASH_BYTES = 32;

/** A hexadecimal hash in half of its characters; undefined for another text. */
export function packHash(text: string): string | undefined {
  if (!HASH_PATTERN.test(text)) return undefined;
  scratch.write(text, 'hex');
  return scratch.toString('latin1', 0, HASH_BYTES);
}

export function unpackHash(packed: string): string {
  scratch.write(packed, 'latin1');
  return scratch.toString('hex', 0, HASH_BYTES);
}
