/**
 * Refuses requests whose end is ambiguous. A proxy that trusts another header line for the length would see other
 * requests on the connection than this server does, and one client could slip requests into the connection of another
 * (request smuggling; RFC 9112 § 6.3, 11.2). These refusals come before routing, so no operation names them: they stand
 * here and not in the catalogue of errors.
 */
import type { ApiErrorReply } from '#model/errors';

const makeFramingFault = (status: number, msg: string): ApiErrorReply => ({ code: 'BAD_REQUEST', status, msg });

const LENGTH_WITH_CODING_FAULT = makeFramingFault(400, 'Content-Length and Transfer-Encoding exclude each other');
const MULTIPLE_LENGTHS_FAULT = makeFramingFault(400, 'There is more than one Content-Length');
const INVALID_LENGTH_FAULT = makeFramingFault(400, 'Content-Length is not a number');
const EMPTY_CODING_FAULT = makeFramingFault(400, 'Transfer-Encoding has no value');
const MISPLACED_CHUNKED_FAULT = makeFramingFault(400, 'Transfer-Encoding must end with chunked, and have it once');
const UNSUPPORTED_CODING_FAULT = makeFramingFault(501, 'No Transfer-Encoding but chunked is understood');
const UNSUPPORTED_TRAILERS_FAULT = makeFramingFault(501, 'Trailers are not understood');
/** Content-Length of at most 15 digits: engines read longer numbers differently; a petabyte is too large anyway. */
const CONTENT_LENGTH_PATTERN = /^\d{1,15}$/;
export const UNKNOWN_HTTP_METHOD_FAULT = makeFramingFault(501, 'The method is not known');
export const UNSUPPORTED_HTTP_VERSION_FAULT = makeFramingFault(505, 'HTTP/1.1 is spoken here');
export const DUPLICATE_HOST_FAULT = makeFramingFault(400, 'There is more than one Host');
export const MALFORMED_REQUEST_TARGET_FAULT = makeFramingFault(400, 'The request target is not understood');
export const TOO_MANY_HEADERS_FAULT = makeFramingFault(431, 'There are too many headers');
export const TOO_LARGE_HEAD_FAULT = makeFramingFault(431, 'The head of the request is too large');
export const MALFORMED_REQUEST_FAULT = makeFramingFault(400, 'The request is malformed');
export const LATE_REQUEST_FAULT = makeFramingFault(408, 'The request did not arrive in time');

/**
 * Finds headers that leave the end of a request ambiguous.
 * @param lengths lines of Content-Length, in order
 * @param codings lines of Transfer-Encoding, in order
 * @param trailer the Trailer header; '' when absent
 * @returns the fault; undefined if the end is certain
 */
export function findHttpFramingFault(
  lengths: readonly string[],
  codings: readonly string[],
  trailer: string,
): ApiErrorReply | undefined {
  if (codings.length === 0) {
    if (lengths.length > 1) return MULTIPLE_LENGTHS_FAULT;
    return lengths.length === 1 && !CONTENT_LENGTH_PATTERN.test(lengths[0]!) ? INVALID_LENGTH_FAULT : undefined;
  }
  if (lengths.length > 0) return LENGTH_WITH_CODING_FAULT;
  const list = codings
    .join(',')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  if (list.includes('')) return EMPTY_CODING_FAULT;
  if (list.indexOf('chunked') !== list.length - 1) return MISPLACED_CHUNKED_FAULT;
  if (list.length > 1) return UNSUPPORTED_CODING_FAULT;
  return trailer === '' ? undefined : UNSUPPORTED_TRAILERS_FAULT;
}
