/**
 * Response bodies and headers (conventions.md § Response envelope). Constant parts are encoded once; actors' parts are
 * sent as they are.
 */
import { STATUS_CODES } from 'node:http';
import {
  type CachedResponseFields,
  EncodedJson,
  encodeResponseFieldParts,
  type JsonObject,
  memoizeByObject,
  type ResponseFields,
} from '#base';
import {
  ActorRefusedError,
  ApiError,
  type ApiErrorReply,
  apiError,
  PRODUCT_NAME,
  retryAfterSecondsOf,
} from '#model/errors';
import { BlobStorageUnavailableError } from '#ports/blobs';
import { byteLengthOfBodyParts } from './bodies.js';
import { type ResponseBodyPart, ResponseHeaders } from './server.js';

/**
 * CORS headers of every answer, errors included: without them a browser keeps the answer from its script. Every origin
 * is admitted, since for other origins only an API key gives access: `*` excludes the cookies that a browser would add
 * by itself, and the header with which a session counts (browser.ts) is not among those that other origins may send.
 */
export const CORS_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Allow-Headers', 'Authorization, X-Conclave-Api-Level'],
  ['Access-Control-Allow-Methods', 'GET, POST, DELETE, PUT, PATCH, HEAD'],
  [
    'Access-Control-Expose-Headers',
    [
      'Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id',
      'ETag, Content-Disposition, Content-Range, Accept-Ranges',
    ].join(', '),
  ],
];

/**
 * Seconds for which a browser remembers a preflight; without this header the browser sends a preflight before every
 * call.
 */
const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

/** Makes the headers of the answer to OPTIONS, the preflight of a browser before the call itself. */
export const makeOptionsAnswerHeaders = (allow: readonly string[], page: boolean): ResponseHeaders =>
  new ResponseHeaders([
    ['Allow', allow.join(', ')],
    ...(page ? [] : [...CORS_HEADERS, ['Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS)] as const]),
  ]);

export const JSON_RESPONSE_HEADERS = new ResponseHeaders([
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'max-age=0, no-cache, no-store, must-revalidate, private'],
  // Any past date disables caching; a constant saves formatting one for each response.
  ['Expires', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ...CORS_HEADERS,
]);
const asHtmlHeaders = memoizeByObject((headers: ResponseHeaders) =>
  headers.withAddedOrReplaced({ 'Content-Type': 'text/html; charset=utf-8' }),
);
const UNAUTHORIZED_HEADERS = JSON_RESPONSE_HEADERS.withAddedOrReplaced({
  'WWW-Authenticate': `Basic realm="${PRODUCT_NAME}"`,
});
const UNAUTHORIZED_FROM_OWN_PAGE_HEADERS = JSON_RESPONSE_HEADERS.withAddedOrReplaced({
  'WWW-Authenticate': `Session realm="${PRODUCT_NAME}"`,
});
const RETRY_AFTER_HEADERS = JSON_RESPONSE_HEADERS.withAddedOrReplaced({ 'Retry-After': '1' });

const SUCCESS_BODY_PREFIX = '{"result":"success","msg":""';
const SUCCESS_BODY_PREFIX_BYTES = Buffer.from(SUCCESS_BODY_PREFIX);
const SUCCESS_BODY_END_BYTES = Buffer.from('}\n');

const formatIgnoredParametersField = (ignored: readonly string[] | undefined): string =>
  ignored ? `,"ignored_parameters_unsupported":${JSON.stringify(ignored)}` : '';

/**
 * Makes the body of a success from the fields of an operation. `result` and `msg` among them replace the usual ones.
 */
export function successBodyOfFields(
  fields: ResponseFields,
  ignored: readonly string[] | undefined,
): ResponseBodyPart[] {
  for (const name in fields)
    if (fields[name] instanceof EncodedJson)
      return successBodyOfEncodedFields(encodeResponseFieldParts(fields), ignored);
  if (fields.result !== undefined || fields.msg !== undefined) {
    const all = { result: 'success', msg: '', ...fields };
    return [`${JSON.stringify(all).slice(0, -1)}${formatIgnoredParametersField(ignored)}}\n`];
  }
  const text = JSON.stringify(fields);
  return [
    text === '{}'
      ? `${SUCCESS_BODY_PREFIX}${formatIgnoredParametersField(ignored)}}\n`
      : `${SUCCESS_BODY_PREFIX}${formatIgnoredParametersField(ignored)},${text.slice(1)}\n`,
  ];
}

/**
 * Makes the body of a success from encoded fields, such as those of an actor: each part is empty or starts with a
 * comma.
 */
export function successBodyOfEncodedFields(
  parts: readonly Uint8Array[],
  ignored: readonly string[] | undefined,
): ResponseBodyPart[] {
  return ignored
    ? [SUCCESS_BODY_PREFIX, formatIgnoredParametersField(ignored), ...parts, SUCCESS_BODY_END_BYTES]
    : [SUCCESS_BODY_PREFIX_BYTES, ...parts, SUCCESS_BODY_END_BYTES];
}

const joinSharedBodyIfSmall = (parts: readonly Uint8Array[]): readonly Uint8Array[] =>
  byteLengthOfBodyParts(parts) <= MAX_JOINED_SHARED_BODY_BYTES ? [Buffer.concat(parts)] : parts;

/** Makes the body of a success from fields as JSON text. @param text the fields, each after a comma */
export const successBodyOfFieldsText = (text: string, ignored: readonly string[] | undefined): ResponseBodyPart[] => [
  `${SUCCESS_BODY_PREFIX}${formatIgnoredParametersField(ignored)}${text}}\n`,
];

/**
 * Maximum size of a shared body that is joined into one piece. A larger one is sent part by part: joining the list of
 * 100,000 accounts again after each change of one would copy 36 MB.
 */
const MAX_JOINED_SHARED_BODY_BYTES = 1024 * 1024;

/** Makes the body of a success whose fields many answers share; the bytes of a small one are joined once and kept. */
export function successBodyOfCachedFields(
  ready: CachedResponseFields,
  ignored: readonly string[] | undefined,
): readonly ResponseBodyPart[] {
  if (ignored) return successBodyOfEncodedFields(ready.encodedParts, ignored);
  ready.completeBody ??= joinSharedBodyIfSmall(
    successBodyOfEncodedFields(ready.encodedParts, undefined) as Uint8Array[],
  );
  return ready.completeBody;
}

/** Parses encoded fields, such as those of an actor's reply. */
export function parseEncodedFields(parts: readonly Uint8Array[]): JsonObject {
  const text = Buffer.concat(parts).toString('utf8');
  return JSON.parse(`{${text.slice(1)}}`) as JsonObject;
}

/**
 * Makes the body for a call whose work is done only in part (conventions.md § Response envelope); it has no other
 * fields.
 */
export const partialSuccessBody = (code: string): ResponseBodyPart[] => [
  `${JSON.stringify({ result: 'partially_completed', msg: '', code })}\n`,
];

export function errorResponseText({ code, msg, extra, html }: ApiErrorReply): string {
  if (html) return msg;
  return `${JSON.stringify({ result: 'error', msg, ...extra, ...(code === undefined ? {} : { code }) })}\n`;
}

export const errorResponseBody = (error: ApiErrorReply): ResponseBodyPart[] => [errorResponseText(error)];

/**
 * Makes the headers of an error response.
 * @param fromPage true for a page of this server: the browser must not show its own password prompt, as it does for the
 * scheme Basic
 */
export function errorResponseHeaders(error: ApiErrorReply, fromPage = false): ResponseHeaders {
  const headers = headersOfErrorStatus(error, fromPage);
  return error.html ? asHtmlHeaders(headers) : headers;
}

function headersOfErrorStatus(error: ApiErrorReply, fromPage: boolean): ResponseHeaders {
  switch (error.status) {
    case 401:
      return fromPage ? UNAUTHORIZED_FROM_OWN_PAGE_HEADERS : UNAUTHORIZED_HEADERS;
    case 405:
      return JSON_RESPONSE_HEADERS.withAddedOrReplaced({
        Allow: String(error.extra?.allowed_methods).replaceAll(',', ', '),
      });
    case 429: {
      const after = retryAfterSecondsOf(error);
      return after === undefined
        ? JSON_RESPONSE_HEADERS
        : JSON_RESPONSE_HEADERS.withAddedOrReplaced({ 'Retry-After': String(after) });
    }
    case 503:
      return RETRY_AFTER_HEADERS;
    default:
      return JSON_RESPONSE_HEADERS;
  }
}

/** Returns the API refusal that an exception stands for; undefined if the exception is a fault of the server. */
export function toApiErrorReply(error: unknown): ApiErrorReply | undefined {
  if (error instanceof ApiError) return error.toReply();
  if (error instanceof ActorRefusedError) return error.reply;
  if (error instanceof BlobStorageUnavailableError) return apiError('SERVICE_UNAVAILABLE').toReply();
  return undefined;
}

const statusLineCache = new Map<number, string>();

/** Status code with its text, e.g. '404 Not Found'. */
export function httpStatusLine(status: number): string {
  let line = statusLineCache.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
    statusLineCache.set(status, line);
  }
  return line;
}
