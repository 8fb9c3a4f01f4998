/**
 * Compressed answers. Only gzip: its blocks can be composed (gzip.ts), and all clients know it. Brotli would save a few
 * more bytes at several times the work, for each answer again.
 */

import type { Logger } from '#base';
import type { CounterSeries, Metrics } from '#base/metrics';
import { byteLength } from './bodies.js';
import { DeflatePool, GzipBodies } from './gzip.js';
import type { BodyPart, Headers, HttpExchange } from './server.js';

/** Bytes; smaller bodies fit into a packet or two as they are. */
export const MIN_COMPRESSED = 1024;
/** Chosen by the figures in docs/performance.md. */
const LEVEL = 3;
/** Answers that wait for compression, each with its body; beyond it, answers go out as they are. */
const MAX_WAITING = 10_000;

const VARY = '\r\nVary: Accept-Encoding';
const GZIP = `\r\nContent-Encoding: gzip${VARY}`;
const nothing = (): void => {};

export class ResponseCompressor {
  readonly #bodies = new GzipBodies(new DeflatePool(LEVEL));
  readonly #plain: CounterSeries;
  readonly #in: CounterSeries;
  readonly #out: CounterSeries;
  #waiting = 0;

  constructor(
    metrics: Metrics,
    private readonly log: Logger,
  ) {
    this.#plain = metrics.counter('conclave_http_compression_refused_total');
    this.#in = metrics.counter('conclave_http_compressed_bytes_total', 'before');
    this.#out = metrics.counter('conclave_http_compressed_bytes_total', 'after');
  }

  /**
   * Sends the answer compressed, or as it is where compression is not accepted, too busy, or no gain.
   *
   * @param accepted the client takes gzip
   * @param more as for HttpExchange.respond
   * @param coded headers of the compressed answer, where they differ
   */
  respond(
    exchange: HttpExchange,
    accepted: boolean,
    status: number,
    headers: Headers,
    body: readonly BodyPart[],
    more: string,
    coded = headers,
  ): void {
    const plain = (): void => exchange.respond(status, headers, body, more + VARY);
    if (!accepted) {
      plain();
      return;
    }
    const blocks = this.#waiting < MAX_WAITING ? this.#bodies.of(body) : undefined;
    if (!blocks) {
      this.#plain.n++;
      plain();
      return;
    }
    const send = (done: readonly Uint8Array[]): void => {
      const before = byteLength(body);
      const after = byteLength(done);
      if (after >= before) {
        plain();
        return;
      }
      this.#in.n += before;
      this.#out.n += after;
      exchange.respond(status, coded, done, more + GZIP);
    };
    if (!(blocks instanceof Promise)) {
      send(blocks);
      return;
    }
    // The request counts as answered; a client that leaves meanwhile concerns the HTTP server alone.
    exchange.onAborted(nothing);
    this.#waiting++;
    blocks.then(
      (done) => {
        this.#waiting--;
        send(done);
      },
      (error: unknown) => {
        this.#waiting--;
        this.log.error(
          { requestId: exchange.requestId, err: error },
          'compression failed; the answer goes out as it is',
        );
        plain();
      },
    );
  }
}

/** The body is worth compressing. */
export function isLarge(body: readonly BodyPart[]): boolean {
  let length = 0;
  for (const part of body) length += part.length;
  return length >= MIN_COMPRESSED;
}

/** The last Accept-Encoding and its verdict: clients send a few texts again and again. */
let lastText = '';
let lastAnswer = false;

/**
 * The client accepts gzip and does not prefer an answer without it.
 *
 * @param header Accept-Encoding (RFC 9110 § 12.5.3)
 */
export function takesGzip(header: string): boolean {
  if (header === '') return false;
  if (header === lastText) return lastAnswer;
  lastAnswer = judge(header);
  lastText = header;
  return lastAnswer;
}

function judge(header: string): boolean {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weightOf(parameters));
  }
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  // Unless named, 'identity' is accepted, but ranks below every coding that is named.
  const plain = weights.get('identity') ?? 0;
  return gzip > 0 && gzip >= plain;
}

/** A malformed weight counts as 0: an uncompressed answer is always safe. */
function weightOf(parameters: readonly string[]): number {
  if (parameters.length === 0) return 1;
  const found = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameters[0]!);
  return found && parameters.length === 1 ? Number(found[1]) : 0;
}
