/**
 * `application/x-www-form-urlencoded`, in bodies and query strings. Decoding never fails, as at the peer: an escape that
 * is none stays as it is, bytes that are no UTF-8 become U+FFFD. Of a name sent twice the last value stays.
 */
import { apiError } from '#model/errors';

export type Fields = ReadonlyMap<string, string>;

/** The peer's limit; nobody sends that many. */
export const MAX_FIELDS = 1000;

export const NO_FIELDS: Fields = new Map();

/** Throws MALFORMED_FORM for more than MAX_FIELDS fields, or as many places without one. */
export function parseForm(text: string): Fields {
  if (text === '') return NO_FIELDS;
  const fields = new Map<string, string>();
  let count = 0;
  let blank = 0;
  for (let start = 0; start <= text.length; ) {
    let end = text.indexOf('&', start);
    if (end < 0) end = text.length;
    // 10 MiB of ampersands would take 90 ms.
    if (end === start && ++blank > MAX_FIELDS) throw apiError('MALFORMED_FORM');
    if (end > start) {
      if (++count > MAX_FIELDS) throw apiError('MALFORMED_FORM');
      // Looked for in the field alone: in forms without any, each search would go through all the rest.
      const field = text.slice(start, end);
      const equals = field.indexOf('=');
      if (equals < 0) fields.set(unescaped(field), '');
      else fields.set(unescaped(field.slice(0, equals)), unescaped(field.slice(equals + 1)));
    }
    start = end + 1;
  }
  return fields;
}

/** As parseForm; the bytes are not kept. */
export function parseFormBody(body: Uint8Array): Fields {
  return parseForm(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
}

/** From here on a string is decoded as bytes: `replaceAll` takes 100 ns for each plus sign. */
const LONG = 4096;

function unescaped(text: string): string {
  if (text.length > LONG && (text.includes('+') || text.includes('%'))) return lenient(text, true);
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return lenient(spaced);
  }
}

/** @param spaces a plus sign stands for a space */
function lenient(text: string, spaces = false): string {
  const bytes = Buffer.from(text, 'utf8');
  let length = 0;
  for (let i = 0; i < bytes.length; i++, length++) {
    const high = bytes[i] === 37 ? hex(bytes[i + 1]) : -1;
    const low = high < 0 ? -1 : hex(bytes[i + 2]);
    if (low < 0) bytes[length] = spaces && bytes[i] === 43 ? 32 : bytes[i]!;
    else {
      bytes[length] = high * 16 + low;
      i += 2;
    }
  }
  return bytes.toString('utf8', 0, length);
}

function hex(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
