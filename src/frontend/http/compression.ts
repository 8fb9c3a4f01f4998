/**
 * Compression of answers. Only gzip is used: its blocks can be composed (gzip.ts), and all clients know it. Brotli
 * would save a few more bytes at several times the work, for each answer again.
 */

import type { Logger } from '#base';
import type { MetricCounterSeries, MetricsRegistry } from '#base/metrics';
import { byteLengthOfBodyParts } from './bodies.js';
import { DeflatePool, GzipBodyComposer } from './gzip.js';
import type { HttpExchange, ResponseBodyPart, ResponseHeaders } from './server.js';

/** Minimum of bytes of a compressed body; smaller bodies fit into one or two packets uncompressed. */
const MIN_COMPRESSED_BYTES = 1024;
/** Compression level of zlib, chosen by the figures in docs/performance/sending.md. */
const DEFLATE_LEVEL = 3;
/** Maximum of answers that wait for compression, each with its body; further answers are sent uncompressed. */
const MAX_ANSWERS_WAITING_FOR_COMPRESSION = 10_000;

const VARY_HEADER_LINE = '\r\nVary: Accept-Encoding';
const GZIP_HEADER_LINES = `\r\nContent-Encoding: gzip${VARY_HEADER_LINE}`;
const ignoreAbort = (): void => {};

export class ResponseCompressor {
  readonly #bodyComposer = new GzipBodyComposer(new DeflatePool(DEFLATE_LEVEL));
  readonly #refusedCompressionCounter: MetricCounterSeries;
  readonly #uncompressedBytesCounter: MetricCounterSeries;
  readonly #compressedBytesCounter: MetricCounterSeries;
  #answersBeingCompressedCount = 0;

  constructor(
    metrics: MetricsRegistry,
    private readonly log: Logger,
  ) {
    this.#refusedCompressionCounter = metrics.findOrCreateCounter('conclave_http_compression_refused_total');
    this.#uncompressedBytesCounter = metrics.findOrCreateCounter('conclave_http_compressed_bytes_total', 'before');
    this.#compressedBytesCounter = metrics.findOrCreateCounter('conclave_http_compressed_bytes_total', 'after');
  }

  /**
   * Sends the answer compressed; uncompressed where the client doesn't take gzip, the compressor is busy, or the answer
   * is small.
   *
   * @param accepted true if the client takes gzip
   * @param more further header lines, as for HttpExchange.respond
   * @param coded headers of the compressed answer, where they differ
   */
  respondCompressedIfSmaller(
    exchange: HttpExchange,
    accepted: boolean,
    status: number,
    headers: ResponseHeaders,
    body: readonly ResponseBodyPart[],
    more: string,
    coded = headers,
  ): void {
    const plain = (): void => exchange.respond(status, headers, body, more + VARY_HEADER_LINE);
    if (!accepted) {
      plain();
      return;
    }
    const blocks =
      this.#answersBeingCompressedCount < MAX_ANSWERS_WAITING_FOR_COMPRESSION
        ? this.#bodyComposer.tryComposeGzipBody(body)
        : undefined;
    if (!blocks) {
      this.#refusedCompressionCounter.n++;
      plain();
      return;
    }
    const send = (done: readonly Uint8Array[]): void => {
      const before = byteLengthOfBodyParts(body);
      const after = byteLengthOfBodyParts(done);
      if (after >= before) {
        plain();
        return;
      }
      this.#uncompressedBytesCounter.n += before;
      this.#compressedBytesCounter.n += after;
      exchange.respond(status, coded, done, more + GZIP_HEADER_LINES);
    };
    if (!(blocks instanceof Promise)) {
      send(blocks);
      return;
    }
    // The answer is decided, so nothing is left to cancel when the client disconnects during compression.
    exchange.setAbortListener(ignoreAbort);
    this.#answersBeingCompressedCount++;
    blocks.then(
      (done) => {
        this.#answersBeingCompressedCount--;
        send(done);
      },
      (error: unknown) => {
        this.#answersBeingCompressedCount--;
        this.log.error(
          { requestId: exchange.requestId, err: error },
          'compression failed; the answer goes out as it is',
        );
        plain();
      },
    );
  }
}

/** True if the body is large enough to be worth compressing. */
export function isBodyWorthCompressing(body: readonly ResponseBodyPart[]): boolean {
  let length = 0;
  for (const part of body) length += part.length;
  return length >= MIN_COMPRESSED_BYTES;
}

/** The last Accept-Encoding header, cached with its verdict: clients send the same few texts. */
let lastAcceptEncoding = '';
let lastAcceptsGzip = false;

/**
 * True if the client accepts gzip and does not prefer an answer without it.
 * @param header Accept-Encoding (RFC 9110 § 12.5.3)
 */
export function acceptsGzip(header: string): boolean {
  if (header === '') return false;
  if (header === lastAcceptEncoding) return lastAcceptsGzip;
  lastAcceptsGzip = parseAcceptsGzip(header);
  lastAcceptEncoding = header;
  return lastAcceptsGzip;
}

function parseAcceptsGzip(header: string): boolean {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weightOfCoding(parameters));
  }
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  // Unless the header names 'identity', that coding is accepted, but ranks below every coding that is named.
  const plain = weights.get('identity') ?? 0;
  return gzip > 0 && gzip >= plain;
}

/**
 * Returns the weight of a coding in Accept-Encoding. A malformed weight counts as 0: an uncompressed answer is always
 * safe.
 */
function weightOfCoding(parameters: readonly string[]): number {
  if (parameters.length === 0) return 1;
  const found = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameters[0]!);
  return found && parameters.length === 1 ? Number(found[1]) : 0;
}
