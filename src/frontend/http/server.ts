/**
 * The interface between the frontend and its HTTP servers: server-uws.ts (fast, native) or server-node.ts (any
 * platform). Both give the same answers: test/unit/http/server.test.ts runs against each.
 */
import type { AnswerSource } from '#model';
import type { SlowClientGuard } from './slow-client-guard.js';

/** Response headers, prepared once where they are constant. */
export class ResponseHeaders {
  /** Header names and values, alternating. */
  readonly flatNamesAndValues: readonly string[];
  /**
   * Name of a header that stands for all headers, for servers that copy header values verbatim: the name of the first
   * header, with everything after it as the value.
   */
  readonly combinedHeaderName: string;
  readonly combinedHeaderValue: string;

  constructor(readonly pairs: readonly (readonly [name: string, value: string])[]) {
    this.flatNamesAndValues = pairs.flat();
    const lines = pairs.map(([name, value]) => `${removeLineBreaks(name)}: ${removeLineBreaks(value)}`).join('\r\n');
    const colon = lines.indexOf(': ');
    this.combinedHeaderName = lines.slice(0, Math.max(0, colon));
    this.combinedHeaderValue = lines.slice(colon + 2);
  }

  withAddedOrReplaced(more: Readonly<Record<string, string>>): ResponseHeaders {
    const replaced = new Set(Object.keys(more).map((name) => name.toLowerCase()));
    return new ResponseHeaders([
      ...this.pairs.filter(([name]) => !replaced.has(name.toLowerCase())),
      ...Object.entries(more),
    ]);
  }
}

const removeLineBreaks = (text: string): string => text.replace(/[\r\n\0]/g, ' ');

export type ResponseBodyPart = string | Uint8Array;

export interface HttpExchange {
  /** Method of the request, in upper case. */
  readonly method: string;
  /** Path of the request as sent, percent-encoded, without the query. */
  readonly path: string;
  /** Query of the request as sent, without the question mark; '' when there is none. */
  readonly query: string;
  /** True if the client has disconnected; a response would be dropped. */
  readonly aborted: boolean;
  /** True once `respond` has been called. */
  readonly answered: boolean;
  /** Id of the request, sent as `X-Request-Id`; '' if the response has no such header. */
  readonly requestId: string;
  /**
   * Sets the request id.
   * @param n number that is appended to `id` only when the id is read, which saves a text for each request
   */
  setRequestId(id: string, n?: number): void;
  /** True if the request announces a body, possibly an empty one. */
  readonly hasBody: boolean;
  /**
   * Returns the value of a header; '' when absent. Must be called before the handler returns: the native server keeps
   * no headers.
   *
   * @param name in lower case
   */
  header(name: string): string;
  /**
   * Returns the values of all header lines with that name, separated by commas; '' when absent. Must be called before
   * the handler returns.
   */
  headerLines(name: string): string;
  /** Returns the IP address of the other end of the connection, as text. */
  remoteAddress(): string;
  /**
   * Collects the body. Must be called before the handler returns, at most once.
   *
   * @param done gets the whole body, valid only during that call, or undefined when the body exceeds the limit (the
   * rest is discarded). Not called when the client disconnects first.
   * @param limit maximum of bytes; default `maxBodyBytes`
   * @param onProgress called for each chunk, also the last, with the number of bytes that the body takes in memory so
   * far; when it answers the request, the body is dropped and `done` is not called
   */
  readBody(
    done: (body: Uint8Array | undefined) => void,
    limit?: number,
    onProgress?: (heldByteCount: number) => void,
  ): void;
  /** Frees the path and query of a request whose answer may take minutes. */
  releasePathAndQuery(): void;
  /**
   * Reuses this answered, long-lived object for the client's next request, where possible, and returns the object to
   * use. So one poll per minute does not promote a new object to V8's old generation.
   */
  reuseForNextRequestIfPossible(next: HttpExchange): HttpExchange;
  /**
   * Calls the listener if the client disconnects before the response, at once if it has disconnected already. One
   * listener only.
   */
  setAbortListener(listener: () => void): void;
  /**
   * Sends the response, once. For HEAD only the head is sent, after which the connection may close. 204 and 304 have no
   * parts.
   *
   * @param more headers of this response alone, as lines that each begin with CRLF: a list would cost more than all
   * other work on them. They must not contain anything that a client sent.
   */
  respond(status: number, headers: ResponseHeaders, parts: readonly ResponseBodyPart[], more?: string): void;
  /**
   * Sends the response as `respond` does; its body is read piece by piece, as the client takes it. If a read fails, the
   * connection is cut: the head may be sent already.
   */
  respondFromSource(status: number, headers: ResponseHeaders, source: AnswerSource, more?: string): void;
}

export type HttpRequestHandler = (exchange: HttpExchange) => void;

export interface HttpListenOptions {
  readonly host: string;
  /** Port to listen on; 0: any free port. */
  readonly port: number;
  /**
   * True if other processes listen on the port, too: the system spreads the connections over them. Only for servers
   * whose factory has `canSharePort`. Default: false.
   */
  readonly sharesPort?: boolean;
  readonly maxBodyBytes: number;
  /** Answers a request, now or later. An exception goes to `onError` and is answered with a bare 500. */
  readonly handler: HttpRequestHandler;
  readonly onError: (error: unknown) => void;
  /**
   * Guards that cut off clients that read their answers, or send their bodies, too slowly; default: guards of this
   * server's own.
   */
  readonly slowAnswerGuard?: SlowClientGuard;
  readonly slowBodyGuard?: SlowClientGuard;
  /** Maximum of connections; further ones are refused. Default: the system's limit. */
  readonly maxConnections?: number;
}

export interface HttpServer {
  readonly kind: 'uws' | 'node';
  readonly port: number;
  /** Number of requests whose answers the operating system has not taken yet. */
  readonly unansweredRequestCount: number;
  /**
   * Number of requests that have arrived completely and whose answers are still being made. Clients that send bodies or
   * read answers slowly do not raise it.
   */
  readonly processedRequestCount: number;
  /**
   * Number of connections that were refused; for the native server, the number of times it stopped listening for a
   * while.
   */
  readonly refusedConnectionOrPauseCount: number;
  /** Makes every response from now on close its connection, so that clients reconnect to another server. */
  closeConnectionAfterEachResponse(): void;
  /**
   * Stops listening: when the promise resolves, new connections are refused. Open connections are served as after
   * `closeConnectionAfterEachResponse`. Waiting polls must be answered afterwards, or their clients would reconnect at
   * once.
   */
  refuseNewConnections(): Promise<void>;
  /**
   * Stops listening, lets running requests end (the caller must answer waiting polls), then closes all connections.
   * From now on every response closes its connection.
   *
   * @param graceMs time for which connections without a request are kept: a request may be on its way. Default 0.
   */
  closeGracefully(graceMs?: number): Promise<void>;
  /** Stops listening and closes all connections now; running requests are aborted. */
  closeImmediately(): void;
}

export interface HttpServerFactory {
  /** True if several processes can listen on one port with servers of this factory. */
  readonly canSharePort: boolean;
  listen(options: HttpListenOptions): Promise<HttpServer>;
}

/**
 * Milliseconds within which a client must complete a request that it has begun. The native server has the same 10 s
 * built in.
 */
export const REQUEST_RECEIVE_TIMEOUT_MS = 10_000;
/** Maximum of bytes of request line and headers together. Long narrows and id lists travel in the query. */
export const MAX_REQUEST_HEAD_BYTES = 128 * 1024;
/** Maximum of header lines of a request. The native server has the same bound built in. */
export const MAX_REQUEST_HEADER_LINES = 98;

export const EMPTY_BODY_BYTES = new Uint8Array(0);

/**
 * True if responses with this status have no body. They have no Content-Length either: for 304, a length of 0 would
 * contradict the response with 200 (RFC 9110 § 8.6).
 */
export const isBodilessStatus = (status: number): boolean => status === 204 || status === 304;

/** True for a request that has a body. @param length Content-Length @param coding Transfer-Encoding */
export const doesRequestAnnounceBody = (length: string, coding: string): boolean =>
  length === '' ? coding !== '' : length !== '0';
