/**
 * Parser of `application/x-www-form-urlencoded`, in bodies and query strings. Decoding never fails, as at the API's
 * original server: an invalid escape stays as it is, and bytes that are not UTF-8 become U+FFFD. The last value of a
 * name counts.
 */
import { apiError } from '#model/errors';

export type FormFields = ReadonlyMap<string, string>;

/** Maximum of fields of a form, the limit of the API's original server; real clients send far fewer. */
export const MAX_FORM_FIELDS = 1000;

export const NO_FORM_FIELDS: FormFields = new Map();

/**
 * Parses form-urlencoded text.
 * @throws ApiError MALFORMED_FORM for more than MAX_FORM_FIELDS fields, or for more than that number of empty fields
 */
export function parseUrlencodedForm(text: string): FormFields {
  if (text === '') return NO_FORM_FIELDS;
  const fields = new Map<string, string>();
  let count = 0;
  let blank = 0;
  for (let start = 0; start <= text.length; ) {
    let end = text.indexOf('&', start);
    if (end < 0) end = text.length;
    // The number of empty fields is limited: parsing 10 MiB of ampersands would take 90 ms.
    if (end === start && ++blank > MAX_FORM_FIELDS) throw apiError('MALFORMED_FORM');
    if (end > start) {
      if (++count > MAX_FORM_FIELDS) throw apiError('MALFORMED_FORM');
      // The search for '=' runs within the field: in a form without '=', each search would scan the whole rest.
      const field = text.slice(start, end);
      const equals = field.indexOf('=');
      if (equals < 0) fields.set(decodeFormText(field), '');
      else fields.set(decodeFormText(field.slice(0, equals)), decodeFormText(field.slice(equals + 1)));
    }
    start = end + 1;
  }
  return fields;
}

/** Parses a form-urlencoded body, whose bytes may change afterwards. @throws ApiError MALFORMED_FORM */
export function parseUrlencodedBody(body: Uint8Array): FormFields {
  return parseUrlencodedForm(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
}

/**
 * Maximum of characters of a text whose escapes are decoded by string functions. Longer texts are decoded as bytes,
 * because `replaceAll` takes 100 ns for each plus sign.
 */
const MAX_CHARACTERS_DECODED_AS_TEXT = 4096;

function decodeFormText(text: string): string {
  if (text.length > MAX_CHARACTERS_DECODED_AS_TEXT && (text.includes('+') || text.includes('%')))
    return decodeEscapesLeniently(text, true);
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return decodeEscapesLeniently(spaced);
  }
}

/** Decodes escapes and keeps invalid ones. @param spaces true if a plus sign stands for a space */
function decodeEscapesLeniently(text: string, spaces = false): string {
  const bytes = Buffer.from(text, 'utf8');
  let length = 0;
  for (let i = 0; i < bytes.length; i++, length++) {
    const high = bytes[i] === 37 ? hexDigitValue(bytes[i + 1]) : -1;
    const low = high < 0 ? -1 : hexDigitValue(bytes[i + 2]);
    if (low < 0) bytes[length] = spaces && bytes[i] === 43 ? 32 : bytes[i]!;
    else {
      bytes[length] = high * 16 + low;
      i += 2;
    }
  }
  return bytes.toString('utf8', 0, length);
}

function hexDigitValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
