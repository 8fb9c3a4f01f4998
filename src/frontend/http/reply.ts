/**
 * Response bodies and headers (conventions.md § Response envelope). Constant parts are encoded once; actors' parts are
 * sent as they are.
 */
import { STATUS_CODES } from 'node:http';
import { Encoded, encodeParts, type Fields, type JsonObject, type ReadyFields } from '#base';
import { ActorRefused, ApiError, apiError, type ErrorReply, PRODUCT } from '#model/errors';
import { BlobsUnavailable } from '#ports/blobs';
import { type BodyPart, Headers } from './server.js';

/**
 * CORS headers of every answer, errors included: without them a browser keeps the answer from its script. Every origin
 * is admitted, since for other origins only an API key gives access: `*` excludes the cookies that a browser would add
 * by itself, and the header with which a session counts (browser.ts) is not among those that other origins may send.
 */
export const CROSS_ORIGIN: readonly (readonly [name: string, value: string])[] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Allow-Headers', 'Authorization'],
  ['Access-Control-Allow-Methods', 'GET, POST, DELETE, PUT, PATCH, HEAD'],
  [
    'Access-Control-Expose-Headers',
    'Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id',
  ],
];

/** Seconds for which a browser remembers a preflight; without it the browser asks before every call. */
const PREFLIGHT_AGE_S = 86_400;

/** Headers of the answer to OPTIONS, the question of a browser before the call itself. */
export const preflightHeaders = (allow: readonly string[], page: boolean): Headers =>
  new Headers([
    ['Allow', allow.join(', ')],
    ...(page ? [] : [...CROSS_ORIGIN, ['Access-Control-Max-Age', String(PREFLIGHT_AGE_S)] as const]),
  ]);

export const JSON_HEADERS = new Headers([
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'max-age=0, no-cache, no-store, must-revalidate, private'],
  // Any past date; a constant spares formatting one per response.
  ['Expires', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ...CROSS_ORIGIN,
]);
const HTML_HEADERS = JSON_HEADERS.with({ 'Content-Type': 'text/html; charset=utf-8' });
const UNAUTHORIZED_HEADERS = JSON_HEADERS.with({ 'WWW-Authenticate': `Basic realm="${PRODUCT}"` });
const SIGNED_OUT_HEADERS = JSON_HEADERS.with({ 'WWW-Authenticate': `Session realm="${PRODUCT}"` });
const RETRY_HEADERS = JSON_HEADERS.with({ 'Retry-After': '1' });

const PREFIX = '{"result":"success","msg":""';
const PREFIX_BYTES = Buffer.from(PREFIX);
const END_BYTES = Buffer.from('}\n');

const ignoredText = (ignored: readonly string[] | undefined): string =>
  ignored ? `,"ignored_parameters_unsupported":${JSON.stringify(ignored)}` : '';

/** Fields made by an operation. `result` and `msg` among them replace the usual ones. */
export function successOfFields(fields: Fields, ignored: readonly string[] | undefined): BodyPart[] {
  for (const name in fields) if (fields[name] instanceof Encoded) return successOfParts(encodeParts(fields), ignored);
  if (fields.result !== undefined || fields.msg !== undefined) {
    const all = { result: 'success', msg: '', ...fields };
    return [`${JSON.stringify(all).slice(0, -1)}${ignoredText(ignored)}}\n`];
  }
  const text = JSON.stringify(fields);
  return [
    text === '{}' ? `${PREFIX}${ignoredText(ignored)}}\n` : `${PREFIX}${ignoredText(ignored)},${text.slice(1)}\n`,
  ];
}

/** Encoded fields, such as those of an actor: each part is empty or starts with a comma. */
export function successOfParts(parts: readonly Uint8Array[], ignored: readonly string[] | undefined): BodyPart[] {
  return ignored ? [PREFIX, ignoredText(ignored), ...parts, END_BYTES] : [PREFIX_BYTES, ...parts, END_BYTES];
}

/** @param text fields in JSON, each after a comma */
export const successOfText = (text: string, ignored: readonly string[] | undefined): BodyPart[] => [
  `${PREFIX}${ignoredText(ignored)}${text}}\n`,
];

/** Fields that are sent again and again: their body is put together once. */
export function successOfReady(ready: ReadyFields, ignored: readonly string[] | undefined): BodyPart[] {
  if (ignored) return successOfParts(ready.parts, ignored);
  ready.body ??= Buffer.concat(successOfParts(ready.parts, undefined) as Uint8Array[]);
  return [ready.body];
}

/** Parses encoded fields. */
export function fieldsOf(parts: readonly Uint8Array[]): JsonObject {
  const text = Buffer.concat(parts).toString('utf8');
  return JSON.parse(`{${text.slice(1)}}`) as JsonObject;
}

/** Only a part of the work is done (conventions.md § Response envelope); such an answer has no other fields. */
export const partialBody = (code: string): BodyPart[] => [
  `${JSON.stringify({ result: 'partially_completed', msg: '', code })}\n`,
];

export function errorBody(error: ErrorReply): BodyPart[] {
  const { code, msg, extra, html } = error;
  if (html) return [msg];
  return [`${JSON.stringify({ result: 'error', msg, ...extra, ...(code === undefined ? {} : { code }) })}\n`];
}

/** @param fromWebClient a browser must not ask for a password by itself, as it does for the scheme Basic */
export function errorHeaders(error: ErrorReply, fromWebClient = false): Headers {
  if (error.html) return HTML_HEADERS;
  switch (error.status) {
    case 401:
      return fromWebClient ? SIGNED_OUT_HEADERS : UNAUTHORIZED_HEADERS;
    case 405:
      return JSON_HEADERS.with({ Allow: String(error.extra?.allowed_methods).replaceAll(',', ', ') });
    case 429: {
      const after = error.extra?.['retry-after'];
      return typeof after === 'number' ? JSON_HEADERS.with({ 'Retry-After': String(Math.ceil(after)) }) : JSON_HEADERS;
    }
    case 503:
      return RETRY_HEADERS;
    default:
      return JSON_HEADERS;
  }
}

/** The refusal that an exception stands for; undefined: the exception is a fault of the server. */
export function refusalOf(error: unknown): ErrorReply | undefined {
  if (error instanceof ApiError) return error.toReply();
  if (error instanceof ActorRefused) return error.reply;
  if (error instanceof BlobsUnavailable) return apiError('SERVICE_UNAVAILABLE').toReply();
  return undefined;
}

const statusLines = new Map<number, string>();

/** '404 Not Found' */
export function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
    statusLines.set(status, line);
  }
  return line;
}
