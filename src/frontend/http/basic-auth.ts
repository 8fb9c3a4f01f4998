/** The Authorization header (conventions.md § Authentication). Whom the key belongs to is asked elsewhere. */
import { apiError } from '#model/errors';

export interface Credentials {
  /** Absent: the key alone says who calls. */
  readonly username?: string;
  /** 32 characters `[A-Za-z0-9]`. */
  readonly key: string;
}

const KEY = /^[A-Za-z0-9]{32}$/;

/** @throws ApiError API_KEY_MALFORMED */
export function checkKey(key: string): string {
  if (!KEY.test(key)) throw apiError('API_KEY_MALFORMED');
  return key;
}

/** `header` is '' when there is none. Throws NOT_LOGGED_IN, AUTH_HEADER, AUTH_SCHEME, API_KEY_MALFORMED, in this order. */
export function parseAuthorization(header: string): Credentials {
  const words = header.trim();
  if (words === '') throw apiError('NOT_LOGGED_IN');
  const space = words.indexOf(' ');
  const blank = space < 0 ? words.search(/\s/) : space;
  const payload = blank < 0 ? '' : words.slice(blank).trim();
  if (payload === '' || payload.includes(' ')) throw apiError('AUTH_HEADER');
  if (words.slice(0, blank).toLowerCase() !== 'basic') throw apiError('AUTH_SCHEME');
  const text = decodeBase64(payload);
  const colon = text.indexOf(':');
  if (colon < 0 || text.includes(':', colon + 1) || text.includes('\ufffd')) throw apiError('AUTH_HEADER');
  return { username: text.slice(0, colon).trim(), key: checkKey(text.slice(colon + 1).trim()) };
}

/** '' for what is no base64. Node skips foreign characters, so the length tells (a regular expression costs four times as much). */
function decodeBase64(payload: string): string {
  const padding = payload.endsWith('==') ? 2 : payload.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(payload, 'base64');
  return bytes.length === (payload.length / 4) * 3 - padding ? bytes.toString('utf8') : '';
}
