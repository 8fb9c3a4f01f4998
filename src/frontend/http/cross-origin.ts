/**
 * CORS: browser clients may be served by any origin. Every origin is admitted, since an API key is all that counts here: there are no
 * cookies that a browser would add by itself, and credentials of the browser's own are not admitted with `*`.
 */
import { Headers } from './server.js';

/** In every answer, errors included: a browser keeps from a script what comes without them. */
export const CROSS_ORIGIN: readonly (readonly [name: string, value: string])[] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Allow-Headers', 'Authorization'],
  ['Access-Control-Allow-Methods', 'GET, POST, DELETE, PUT, PATCH, HEAD'],
  [
    'Access-Control-Expose-Headers',
    'Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id',
  ],
];

/** Seconds for which a browser need not ask again: else it asks before every call. */
const PREFLIGHT_AGE_S = 86_400;

/** Of the answer to OPTIONS, which is a browser's question before the call itself. */
export const preflightHeaders = (allow: readonly string[], page: boolean): Headers =>
  new Headers([
    ['Allow', allow.join(', ')],
    ...(page ? [] : [...CROSS_ORIGIN, ['Access-Control-Max-Age', String(PREFLIGHT_AGE_S)] as const]),
  ]);
