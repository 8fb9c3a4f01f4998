/** Fetches pictures from other hosts, with limits for networks, redirects, time and size. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { SERVER_VERSION } from '#base';
import type { Clock } from '#base/clock';
import type { AddressFilter } from '#domain/webhooks';
import { HEAD_BYTES, imageType } from './image-type.js';

/** Why there is no picture. */
export type ImageFault =
  /** Its server has no picture at this address. */
  | 'gone'
  /** No connection, a broken one, or a network that must not be reached. */
  | 'unreachable'
  /** Its server refused, failed, or redirected too often. */
  | 'refused'
  | 'no-picture'
  | 'too-large'
  | 'too-slow'
  /** Too many fetches are in progress. */
  | 'busy';

export class NoImage extends Error {
  override name = 'NoImage';

  constructor(readonly fault: ImageFault) {
    super(fault);
  }
}

export interface FetchedImage {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface FetchLimits {
  /** Bytes of one picture. */
  readonly maxBytes: number;
  /** Bytes of all fetches in progress together. */
  readonly memoryBytes: number;
  /** Milliseconds of one fetch, all redirects included. */
  readonly timeoutMs: number;
  readonly maxRedirects: number;
}

export const IMAGE_FETCH_LIMITS: FetchLimits = {
  maxBytes: 10 * 1024 * 1024,
  memoryBytes: 64 * 1024 * 1024,
  timeoutMs: 10_000,
  maxRedirects: 4,
};

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class ImageFetcher {
  #memory = 0;

  constructor(
    private readonly clock: Clock,
    private readonly filter: AddressFilter,
    private readonly limits: FetchLimits = IMAGE_FETCH_LIMITS,
  ) {}

  /** @throws NoImage, and nothing else */
  async fetch(address: string): Promise<FetchedImage> {
    const ended = new AbortController();
    const timer = this.clock.setTimeout(() => ended.abort(new NoImage('too-slow')), this.limits.timeoutMs);
    try {
      return await this.#follow(address, ended.signal);
    } catch (error) {
      if (ended.signal.aborted) throw ended.signal.reason;
      throw error instanceof NoImage ? error : new NoImage('unreachable');
    } finally {
      this.clock.clearTimeout(timer);
      ended.abort();
    }
  }

  async #follow(address: string, signal: AbortSignal): Promise<FetchedImage> {
    let target = parse(address, undefined);
    for (let hops = 0; hops <= this.limits.maxRedirects; hops++) {
      const response = await this.#request(target, signal);
      const { statusCode: status = 0, headers } = response;
      if (status === 200) return this.#read(response);
      response.destroy();
      if (!REDIRECTS.has(status)) throw new NoImage(status === 404 || status === 410 ? 'gone' : 'refused');
      target = parse(headers.location, target);
    }
    throw new NoImage('refused');
  }

  /** Sends one request, with nothing that identifies the reader. */
  #request(target: URL, signal: AbortSignal): Promise<IncomingMessage> {
    if (!this.filter.allowsUrl(target)) throw new NoImage('unreachable');
    const options: RequestOptions = {
      agent: false,
      lookup: this.filter.lookup,
      signal,
      headers: {
        accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif,image/bmp',
        'accept-encoding': 'identity',
        'user-agent': `ConclaveImageProxy/${SERVER_VERSION}`,
      },
    };
    return new Promise((resolve, reject) => {
      const request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, options);
      // This listener stays: a request that is aborted may report that later.
      request.on('error', reject);
      request.on('response', resolve);
      request.end();
    });
  }

  async #read(response: IncomingMessage): Promise<FetchedImage> {
    const { maxBytes, memoryBytes } = this.limits;
    const { 'content-length': announced, 'content-encoding': encoding = 'identity' } = response.headers;
    if (encoding !== 'identity') throw new NoImage('no-picture');
    if (Number(announced) > maxBytes) throw new NoImage('too-large');
    const chunks: Buffer[] = [];
    let size = 0;
    let type: string | undefined;
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        this.#memory += chunk.byteLength;
        size += chunk.byteLength;
        if (size > maxBytes) throw new NoImage('too-large');
        if (this.#memory > memoryBytes) throw new NoImage('busy');
        chunks.push(chunk);
        // Checked early: the rest of a file that is no picture is not read.
        if (type === undefined && size >= HEAD_BYTES) type = typeOf(chunks);
      }
      return { type: type ?? typeOf(chunks), bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) };
    } finally {
      this.#memory -= size;
      response.destroy();
    }
  }
}

/** @throws NoImage for anything but an http or https address */
function parse(address: string | undefined, from: URL | undefined): URL {
  if (address === undefined || !URL.canParse(address, from)) throw new NoImage('refused');
  const target = new URL(address, from);
  if (target.protocol !== 'http:' && target.protocol !== 'https:') throw new NoImage('refused');
  // The part before the @ would be sent as credentials.
  target.username = '';
  target.password = '';
  return target;
}

function typeOf(chunks: readonly Buffer[]): string {
  const type = imageType(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
  if (type === undefined) throw new NoImage('no-picture');
  return type;
}
