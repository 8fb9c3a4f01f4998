/**
 * Compressed answers for clients that take them. Only gzip: its blocks can be put together (gzip-body.ts), and all clients know it; Brotli would
 * save some bytes more at several times the work, anew for each answer.
 */
import type { Count, Metrics } from '#base/metrics';
import { Deflating } from './deflating.js';
import { GzipBodies } from './gzip-body.js';
import { byteLength } from './outgoing.js';
import type { BodyPart, Headers, HttpExchange } from './server.js';
import type { Log } from './services.js';

/** Smaller bodies fit into a packet or two as they are. */
export const LEAST_COMPRESSED = 1024;
/** docs/performance.md has the figures by which it was chosen. */
const LEVEL = 3;
/** Answers that wait; with more, the plain body goes out. Each keeps what it is made of. */
const MOST_WAITING = 10_000;

const VARY = '\r\nVary: Accept-Encoding';
const GZIP = `\r\nContent-Encoding: gzip${VARY}`;
const nothing = (): void => {};

export class Compressing {
  readonly #bodies = new GzipBodies(new Deflating(LEVEL));
  readonly #plain: Count;
  readonly #in: Count;
  readonly #out: Count;
  #waiting = 0;

  constructor(
    metrics: Metrics,
    private readonly log: Log,
  ) {
    this.#plain = metrics.counter('conclave_http_compression_refused_total');
    this.#in = metrics.counter('conclave_http_compressed_bytes_total', 'before');
    this.#out = metrics.counter('conclave_http_compressed_bytes_total', 'after');
  }

  /**
   * @param accepted the client takes gzip
   * @param more as for HttpExchange.respond
   * @param coded headers with which it goes out compressed, where they differ
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
    const blocks = this.#waiting < MOST_WAITING ? this.#bodies.of(body) : undefined;
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
    // It is counted as answered: that its client leaves meanwhile concerns the server alone.
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

/** It is worth the work. */
export function isLarge(body: readonly BodyPart[]): boolean {
  let length = 0;
  for (const part of body) length += part.length;
  return length >= LEAST_COMPRESSED;
}
