/** Response bodies (conventions.md § Response envelope): constant parts are encoded once, actors' parts are not touched. */

import type { JsonObject } from '#base';
import { Encoded, encodeParts, type Fields, type ReadyFields } from '#base';
import { type ErrorReply, PRODUCT } from '#model/errors';
import { CROSS_ORIGIN } from './cross-origin.js';
import { type BodyPart, Headers } from './server.js';

export const JSON_HEADERS = new Headers([
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'max-age=0, no-cache, no-store, must-revalidate, private'],
  // Any moment gone by; a constant spares formatting a date per response.
  ['Expires', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ...CROSS_ORIGIN,
]);
const HTML_HEADERS = JSON_HEADERS.with({ 'Content-Type': 'text/html; charset=utf-8' });
const UNAUTHORIZED_HEADERS = JSON_HEADERS.with({ 'WWW-Authenticate': `Basic realm="${PRODUCT}"` });
const RETRY_HEADERS = JSON_HEADERS.with({ 'Retry-After': '1' });

const PREFIX = '{"result":"success","msg":""';
const PREFIX_BYTES = Buffer.from(PREFIX);
const END_BYTES = Buffer.from('}\n');

const ignoredText = (ignored: readonly string[] | undefined): string =>
  ignored ? `,"ignored_parameters_unsupported":${JSON.stringify(ignored)}` : '';

/** Fields made here. `result` and `msg` among them take the place of the usual ones. */
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

/** Fields encoded before: each part is empty or starts with a comma. */
export function successOfParts(parts: readonly Uint8Array[], ignored: readonly string[] | undefined): BodyPart[] {
  return ignored ? [PREFIX, ignoredText(ignored), ...parts, END_BYTES] : [PREFIX_BYTES, ...parts, END_BYTES];
}

/** Fields in JSON, each after a comma. */
export const successOfText = (text: string, ignored: readonly string[] | undefined): BodyPart[] => [
  `${PREFIX}${ignoredText(ignored)}${text}}\n`,
];

/** The same of fields that are sent again and again: put together once. */
export function successOfReady(ready: ReadyFields, ignored: readonly string[] | undefined): BodyPart[] {
  if (ignored) return successOfParts(ready.parts, ignored);
  ready.body ??= Buffer.concat(successOfParts(ready.parts, undefined) as Uint8Array[]);
  return [ready.body];
}

/** The same, read again. */
export function fieldsOf(parts: readonly Uint8Array[]): JsonObject {
  const text = Buffer.concat(parts).toString('utf8');
  return JSON.parse(`{${text.slice(1)}}`) as JsonObject;
}
/** Some of the work is done (conventions.md § Response envelope); such an answer has no other fields. */
export const partialBody = (code: string): BodyPart[] => [
  `${JSON.stringify({ result: 'partially_completed', msg: '', code })}\n`,
];

export function errorBody(error: ErrorReply): BodyPart[] {
  const { code, msg, extra, html } = error;
  if (html) return [msg];
  return [`${JSON.stringify({ result: 'error', msg, ...extra, ...(code === undefined ? {} : { code }) })}\n`];
}

export function errorHeaders(error: ErrorReply): Headers {
  if (error.html) return HTML_HEADERS;
  switch (error.status) {
    case 401:
      return UNAUTHORIZED_HEADERS;
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
