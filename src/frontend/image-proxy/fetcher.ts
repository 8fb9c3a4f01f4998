/** Fetches pictures from other hosts, with limits for networks, redirects, time and size. */
import type { IncomingMessage } from 'node:http';
import { type OutgoingAddressFilter, SERVER_VERSION } from '#base';
import type { Clock } from '#base/clock';
import { getOkFollowingRedirects, HttpGetError, type HttpGetFault } from '#domain/webhooks';
import { detectImageType, IMAGE_TYPE_DETECTION_BYTES } from './image-type.js';

/** Reason why a picture could not be fetched. */
export type ImageFetchFailureReason =
  /** The other server has no picture at this URL. */
  | 'gone'
  /** The other server can't be reached, broke the connection, or is in a network that must not be reached. */
  | 'unreachable'
  /** The other server refused the request, failed, or redirected too often. */
  | 'refused'
  | 'no-picture'
  | 'too-large'
  | 'too-slow'
  /** The proxy has too many fetches in progress. */
  | 'busy';

export class ImageFetchError extends Error {
  override name = 'ImageFetchError';

  constructor(readonly fault: ImageFetchFailureReason) {
    super(fault);
  }
}

export interface FetchedImage {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface ImageFetchLimits {
  /** Maximum of bytes of one picture. */
  readonly maxBytes: number;
  /** Maximum of bytes of all fetches in progress together. */
  readonly maxMemoryBytes: number;
  /** Time limit of one fetch, all redirects included, ms. */
  readonly timeoutMs: number;
  readonly maxRedirects: number;
}

export const DEFAULT_IMAGE_FETCH_LIMITS: ImageFetchLimits = {
  maxBytes: 10 * 1024 * 1024,
  maxMemoryBytes: 64 * 1024 * 1024,
  timeoutMs: 10_000,
  maxRedirects: 4,
};

const FAILURE_REASON_BY_HTTP_FAULT: Readonly<Record<HttpGetFault, ImageFetchFailureReason>> = {
  address: 'refused',
  forbidden: 'unreachable',
  gone: 'gone',
  refused: 'refused',
};

/** Headers of the request for a picture. Nothing in them identifies the reader. */
const IMAGE_REQUEST_HEADERS = {
  accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif,image/bmp',
  'accept-encoding': 'identity',
  'user-agent': `ConclaveImageProxy/${SERVER_VERSION}`,
};

export class ImageFetcher {
  #totalBufferedBytes = 0;

  constructor(
    private readonly clock: Clock,
    private readonly filter: OutgoingAddressFilter,
    private readonly limits: ImageFetchLimits = DEFAULT_IMAGE_FETCH_LIMITS,
  ) {}

  /** Fetches a picture from another host. @throws ImageFetchError, and nothing else */
  async fetch(address: string): Promise<FetchedImage> {
    const ended = new AbortController();
    const timer = this.clock.setTimeout(() => ended.abort(new ImageFetchError('too-slow')), this.limits.timeoutMs);
    try {
      const { filter, limits } = this;
      const options = {
        filter,
        signal: ended.signal,
        headers: IMAGE_REQUEST_HEADERS,
        maxRedirects: limits.maxRedirects,
      };
      const { response } = await getOkFollowingRedirects(address, options);
      return await this.#readImage(response);
    } catch (error) {
      if (ended.signal.aborted) throw ended.signal.reason;
      if (error instanceof HttpGetError) throw new ImageFetchError(FAILURE_REASON_BY_HTTP_FAULT[error.fault]);
      throw error instanceof ImageFetchError ? error : new ImageFetchError('unreachable');
    } finally {
      this.clock.clearTimeout(timer);
      ended.abort();
    }
  }

  async #readImage(response: IncomingMessage): Promise<FetchedImage> {
    const { maxBytes, maxMemoryBytes } = this.limits;
    const { 'content-length': announced, 'content-encoding': encoding = 'identity' } = response.headers;
    if (encoding !== 'identity') throw new ImageFetchError('no-picture');
    if (Number(announced) > maxBytes) throw new ImageFetchError('too-large');
    const chunks: Buffer[] = [];
    let size = 0;
    let type: string | undefined;
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        this.#totalBufferedBytes += chunk.byteLength;
        size += chunk.byteLength;
        if (size > maxBytes) throw new ImageFetchError('too-large');
        if (this.#totalBufferedBytes > maxMemoryBytes) throw new ImageFetchError('busy');
        chunks.push(chunk);
        // The type is checked early, so that the rest of a file that is no picture is not read.
        if (type === undefined && size >= IMAGE_TYPE_DETECTION_BYTES) type = detectImageTypeOfChunksOrThrow(chunks);
      }
      return {
        type: type ?? detectImageTypeOfChunksOrThrow(chunks),
        bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks),
      };
    } finally {
      this.#totalBufferedBytes -= size;
      response.destroy();
    }
  }
}

function detectImageTypeOfChunksOrThrow(chunks: readonly Buffer[]): string {
  const type = detectImageType(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
  if (type === undefined) throw new ImageFetchError('no-picture');
  return type;
}
