import { type FileResponseProperties, makeFileResponseHeaders, planRangeResponse } from '#domain/files';
import type { RawHttpAnswer } from '#model';
import { apiError } from '#model/errors';
import { BlobGoneError, type StoredBlobInfo } from '#ports/blobs';
import type { ApiCall } from './operation.js';

/** Name of a parameter in a query, decoded and in lower case; a broken escape stays as it is. */
function decodeLowerCaseParameterName(part: string): string {
  const name = part.split('=', 1)[0]!;
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}

/**
 * Returns the query of a redirect to another server: without API keys, and without characters that could end a header.
 */
const sanitizeQueryForRedirect = (query: string): string =>
  query
    .split('&')
    .filter((part) => part !== '' && decodeLowerCaseParameterName(part) !== 'api_key')
    .join('&')
    .replace(/[^\x21-\x7e]/gu, (char) =>
      [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
    );

/** Makes a redirect (302) to a URL that has a query already; the query of the request is appended. */
export const makeRedirectWithQuery = (url: string, query: string): RawHttpAnswer => {
  const more = sanitizeQueryForRedirect(query);
  return {
    status: 302,
    raw: new Uint8Array(0),
    headers: {
      Location: more === '' ? url : `${url}&${more}`,
      'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate, private',
    },
  };
};

/** Request headers for conditional and partial answers; each operation that serves files declares them. */
export const CONDITIONAL_REQUEST_HEADERS = ['range', 'if-range', 'if-none-match'];

/** Files up to this size are read at once; larger ones are read while they are sent, bytes. */
const MAX_BYTES_READ_AT_ONCE = 16 * 1_048_576;

interface PictureInMemory {
  readonly bytes: Uint8Array;
  /** Media type. */
  readonly type: string;
  /** Hash of the bytes. */
  readonly tag: string;
}

/** Answers with a picture: the whole picture, or the range that the request asks for. @param caching Cache-Control */
export function servePicture(
  call: ApiCall<unknown>,
  { bytes, type, tag }: PictureInMemory,
  caching: string,
): RawHttpAnswer {
  const { status, headers, start, end } = planRangeResponse(bytes.byteLength, tag, {
    range: call.header('range'),
    ifRange: call.header('if-range'),
    ifNoneMatch: call.header('if-none-match'),
  });
  return {
    status,
    raw: bytes.subarray(start, end),
    headers: {
      'Content-Type': type,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': caching,
      'Accept-Ranges': 'bytes',
      ETag: `"${tag}"`,
      ...headers,
    },
  };
}

/** Reads all bytes of a stored file. @throws ApiError if the file was deleted meanwhile */
export const readWholeFile = (blob: StoredBlobInfo): Promise<Uint8Array> =>
  blob.read().catch((error: unknown) => {
    throw error instanceof BlobGoneError ? apiError('FILE_NOT_FOUND') : error;
  });

/** Answers with a stored file: the whole file, or the range that the request asks for. @throws ApiError */
export async function makeStoredFileAnswer(
  call: ApiCall<unknown>,
  blob: StoredBlobInfo | undefined,
  served: Omit<FileResponseProperties, 'type'>,
): Promise<RawHttpAnswer> {
  if (!blob) throw apiError('FILE_NOT_FOUND');
  const { status, headers, start, end } = planRangeResponse(blob.sizeBytes, served.tag, {
    range: call.header('range'),
    ifRange: call.header('if-range'),
    ifNoneMatch: call.header('if-none-match'),
  });
  try {
    const length = end - start;
    const raw =
      length > MAX_BYTES_READ_AT_ONCE
        ? { length, read: (from: number, to: number) => blob.read(start + from, start + to) }
        : length === 0
          ? new Uint8Array(0)
          : await blob.read(start, end);
    return { status, raw, headers: { ...makeFileResponseHeaders({ ...served, type: blob.mediaType }), ...headers } };
  } catch (error) {
    if (error instanceof BlobGoneError) throw apiError('FILE_NOT_FOUND');
    throw error;
  }
}
