/** A stored file as an HTTP answer: all of it, or the part that was asked for. */

import { fileHeaders, partOf, type Served } from '#domain/files';
import type { RawAnswer } from '#model';
import { apiError } from '#model/errors';
import { type Blob, BlobGone } from '#ports/blobs';
import type { Call } from './operation.js';

/** Request headers that decide on the answer; operations that serve files declare them. */
export const CONDITIONS = ['range', 'if-range', 'if-none-match'];

/** @throws ApiError */
export async function serveBlob(
  call: Call<unknown>,
  blob: Blob | undefined,
  served: Omit<Served, 'type'>,
): Promise<RawAnswer> {
  if (!blob) throw apiError('FILE_NOT_FOUND');
  const { status, headers, start, end } = partOf(blob.size, served.tag, {
    range: call.header('range'),
    ifRange: call.header('if-range'),
    ifNoneMatch: call.header('if-none-match'),
  });
  try {
    const raw = start === end ? new Uint8Array(0) : await blob.read(start, end);
    return { status, raw, headers: { ...fileHeaders({ ...served, type: blob.type }), ...headers } };
  } catch (error) {
    if (error instanceof BlobGone) throw apiError('FILE_NOT_FOUND');
    throw error;
  }
}
