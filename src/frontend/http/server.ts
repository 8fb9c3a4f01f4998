/**
 * The seam between the frontend and whatever speaks HTTP: server-uws.ts (fast, native) or server-node.ts (anywhere).
 * Both give the same answers: test/unit/http/server.test.ts runs against each.
 */
import type { SlowClientGuard } from './slow-client-guard.js';

/** Response headers, prepared once where they are constant. */
export class ResponseHeaders {
  /** Header names and values, alternating. */
  readonly flat: readonly string[];
  /**
   * All headers as one, for servers that copy a value as it is: the first header's name, and everything after it as its
   * value.
   */
  readonly name: string;
  readonly value: string;

  constructor(readonly pairs: readonly (readonly [name: string, value: string])[]) {
    this.flat = pairs.flat();
    const lines = pairs.map(([name, value]) => `${clean(name)}: ${clean(value)}`).join('\r\n');
    const colon = lines.indexOf(': ');
    this.name = lines.slice(0, Math.max(0, colon));
    this.value = lines.slice(colon + 2);
  }

  with(more: Readonly<Record<string, string>>): ResponseHeaders {
    const replaced = new Set(Object.keys(more).map((name) => name.toLowerCase()));
    return new ResponseHeaders([
      ...this.pairs.filter(([name]) => !replaced.has(name.toLowerCase())),
      ...Object.entries(more),
    ]);
  }
}

const clean = (text: string): string => text.replace(/[\r\n\0]/g, ' ');

export type ResponseBodyPart = string | Uint8Array;

export interface HttpExchange {
  /** Method of the request, in upper case. */
  readonly method: string;
  /** Path of the request as sent, percent-encoded, without the query. */
  readonly path: string;
  /** Query of the request as sent, without the question mark; '' when there is none. */
  readonly query: string;
  /** True if the client has left; a response would be dropped. */
  readonly aborted: boolean;
  /** True once `respond` was called. */
  readonly answered: boolean;
  /** Id of the request, sent as `X-Request-Id`; '': no such header. */
  readonly requestId: string;
  /** Sets the request id. @param n appended to the text when the id is read: a number costs nothing to keep */
  identify(id: string, n?: number): void;
  /** True if the request announces a body, possibly an empty one. */
  readonly hasBody: boolean;
  /**
   * Value of a header; '' when absent. Only until the handler returns: the native server keeps no headers.
   *
   * @param name in lower case
   */
  header(name: string): string;
  /** Values of all header lines with that name, separated by commas; otherwise as `header`. */
  headerLines(name: string): string;
  /** Textual IP address of the peer. */
  remoteAddress(): string;
  /**
   * Collects the body. Must be called before the handler returns, at most once.
   *
   * @param done gets the whole body, valid only during that call, or undefined when the body exceeds the limit (the
   * rest is discarded). It is not called when the client leaves first.
   * @param limit bytes; default `maxBodyBytes`
   */
  readBody(done: (body: Uint8Array | undefined) => void, limit?: number): void;
  /** Frees path and query of a request whose answer may take minutes. */
  forget(): void;
  /**
   * Reuses this answered, long-lived object for the client's next request, where possible, and returns the object to
   * use. So one poll per minute does not promote a new object to V8's old generation.
   */
  reuseFor(next: HttpExchange): HttpExchange;
  /**
   * Calls the listener if the client leaves before the response, at once if the client has left already. One listener
   * only.
   */
  onAborted(listener: () => void): void;
  /**
   * Sends the response, once. HEAD gets the head only, after which the connection may close. 204 has no parts.
   *
   * @param more headers of this response alone, as lines that each begin with CRLF: a list would cost more than
   * everything else that is done for them. They must not contain anything that a client sent.
   */
  respond(status: number, headers: ResponseHeaders, parts: readonly ResponseBodyPart[], more?: string): void;
}

export type HttpHandler = (exchange: HttpExchange) => void;

export interface HttpListenOptions {
  readonly host: string;
  /** Port to listen on; 0: any free port. */
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Answers a request, now or later. An exception goes to `onError` and is answered with a bare 500. */
  readonly handler: HttpHandler;
  readonly onError: (error: unknown) => void;
  /** Guards for answers that clients do not take and bodies that do not arrive; default: own ones of this server. */
  readonly slowAnswers?: SlowClientGuard;
  readonly slowBodies?: SlowClientGuard;
  /** Maximum of connections; further ones are turned away. Default: the system's limit. */
  readonly maxConnections?: number;
}

export interface HttpServer {
  readonly kind: 'uws' | 'node';
  readonly port: number;
  /** Number of requests whose answers are not handed over to the system yet. */
  readonly running: number;
  /** Number of connections that were turned away; for the native server, how often it stopped listening for a while. */
  readonly turnedAway: number;
  /** Makes every response from now on close its connection, so that clients come back to another server. */
  leave(): void;
  /**
   * Stops listening: when it resolves, new connections are refused. Open ones are served as after `leave`. Waiting
   * polls are answered afterwards, or their clients would be back at once.
   */
  refuse(): Promise<void>;
  /**
   * Stops listening, lets running requests end (waiting polls must be answered for this), then closes all connections.
   * From now on every response closes its connection.
   *
   * @param graceMs for which connections without a request are kept: a request may be on its way. Default 0.
   */
  close(graceMs?: number): Promise<void>;
  /** Stops listening and cuts all connections now; running requests are aborted. */
  terminate(): void;
}

export interface HttpServerFactory {
  listen(options: HttpListenOptions): Promise<HttpServer>;
}

/** Time for a client to complete a started request. The native server has the same 10 s built in. */
export const REQUEST_RECEIVE_TIMEOUT_MS = 10_000;
/** Maximum of bytes of request line and headers together. Long narrows and id lists travel in the query. */
export const MAX_REQUEST_HEAD_BYTES = 128 * 1024;
/** Maximum of header lines of a request. The native server has the same bound built in. */
export const MAX_HEADER_LINES = 98;

export const EMPTY_BODY = new Uint8Array(0);

/** True for a request that has a body. @param length Content-Length @param coding Transfer-Encoding */
export const announcesBody = (length: string, coding: string): boolean =>
  length === '' ? coding !== '' : length !== '0';
