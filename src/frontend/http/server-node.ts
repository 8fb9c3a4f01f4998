/**
 * HttpServer on node:http, for platforms and Node versions that the native server (uWebSockets.js) has no build for.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { REAL_CLOCK } from '#base/clock';
import type { AnswerSource } from '#model';
import type { ApiErrorReply } from '#model/errors';
import { ReceivedRequestBody, SOURCE_PIECE_BYTES, UnsentResponseBody } from './bodies.js';
import { waitForQuietEventLoopTurn } from './connection-gate.js';
import {
  DUPLICATE_HOST_FAULT,
  findHttpFramingFault,
  LATE_REQUEST_FAULT,
  MALFORMED_REQUEST_FAULT,
  MALFORMED_REQUEST_TARGET_FAULT,
  TOO_LARGE_HEAD_FAULT,
  TOO_MANY_HEADERS_FAULT,
  UNKNOWN_HTTP_METHOD_FAULT,
  UNSUPPORTED_HTTP_VERSION_FAULT,
} from './framing.js';
import { errorResponseHeaders, errorResponseText, httpStatusLine } from './reply.js';
import {
  doesRequestAnnounceBody,
  EMPTY_BODY_BYTES,
  type HttpExchange,
  type HttpListenOptions,
  type HttpServer,
  type HttpServerFactory,
  isBodilessStatus,
  MAX_REQUEST_HEAD_BYTES,
  MAX_REQUEST_HEADER_LINES,
  REQUEST_RECEIVE_TIMEOUT_MS,
  type ResponseBodyPart,
  type ResponseHeaders,
} from './server.js';
import { SlowClientGuard, type SlowClientGuardedTransfer } from './slow-client-guard.js';

/**
 * Milliseconds for which idle connections are kept: a little longer than load balancers do (60 s), so that the
 * balancers close first.
 */
const IDLE_CONNECTION_KEEP_ALIVE_MS = 65_000;
/**
 * Milliseconds within which a whole request with its body must arrive. Answers may take longer: polls wait for minutes.
 */
const WHOLE_REQUEST_RECEIVE_TIMEOUT_MS = 300_000;
/**
 * Number of bytes written to a connection at a time; each piece that the system takes shows that the client still
 * reads.
 */
const WRITTEN_PIECE_BYTES = 64 * 1024;

export const nodeHttpServerFactory: HttpServerFactory = {
  canSharePort: false,
  listen: (options) => NodeHttpServer.listen(options),
};

const FAULT_BY_PARSER_ERROR: Readonly<Record<string, ApiErrorReply>> = {
  HPE_HEADER_OVERFLOW: TOO_LARGE_HEAD_FAULT,
  HPE_INVALID_METHOD: UNKNOWN_HTTP_METHOD_FAULT,
  HPE_INVALID_VERSION: UNSUPPORTED_HTTP_VERSION_FAULT,
  ERR_HTTP_REQUEST_TIMEOUT: LATE_REQUEST_FAULT,
};

interface ParsedRequestTarget {
  readonly path: string;
  readonly query: string;
  /** Host of a URL in absolute form, which replaces the Host header. */
  readonly host: string | undefined;
}

const ABSOLUTE_URL_PATTERN = /^https?:\/\/([^/?#]+)/i;

function parseRequestTarget({ url = '/', method }: IncomingMessage): ParsedRequestTarget | ApiErrorReply {
  let host: string | undefined;
  let rest = url;
  if (!url.startsWith('/')) {
    if (url === '*' && method === 'OPTIONS') return { path: url, query: '', host };
    const found = ABSOLUTE_URL_PATTERN.exec(url);
    if (!found) return MALFORMED_REQUEST_TARGET_FAULT;
    host = found[1];
    rest = url.slice(found[0].length);
    if (!rest.startsWith('/')) rest = `/${rest}`;
  }
  const mark = rest.indexOf('?');
  return mark < 0 ? { path: rest, query: '', host } : { path: rest.slice(0, mark), query: rest.slice(mark + 1), host };
}

/** Finds the framing faults that Node's parser accepts. */
function findFramingFaultOfNodeRequest({
  rawHeaders,
  headers,
  httpVersionMajor,
  httpVersionMinor,
}: IncomingMessage): ApiErrorReply | undefined {
  if (httpVersionMajor !== 1) return UNSUPPORTED_HTTP_VERSION_FAULT;
  if (rawHeaders.length > 2 * MAX_REQUEST_HEADER_LINES) return TOO_MANY_HEADERS_FAULT;
  const lengths: string[] = [];
  const codings: string[] = [];
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4) hosts += name.toLowerCase() === 'host' ? 1 : 0;
    else if (name.length === 14 && name.toLowerCase() === 'content-length') lengths.push(rawHeaders[i + 1]!.trim());
    else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') codings.push(rawHeaders[i + 1]!);
  }
  if (hosts > 1) return DUPLICATE_HOST_FAULT;
  // HTTP/1.0 has no Transfer-Encoding: a proxy may have passed the header on without reading it.
  if (httpVersionMinor === 0 && codings.length > 0) return UNSUPPORTED_HTTP_VERSION_FAULT;
  return findHttpFramingFault(lengths, codings, typeof headers.trailer === 'string' ? headers.trailer : '');
}

/** Makes the refusal of the last request on a connection. */
function makeRefusalOfConnection(fault: ApiErrorReply): { readonly headers: ResponseHeaders; readonly body: string } {
  const body = errorResponseText(fault);
  const last = { 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' };
  return { headers: errorResponseHeaders(fault).withAddedOrReplaced(last), body };
}

class NodeHttpServer implements HttpServer {
  readonly kind = 'node';
  unansweredRequestCount = 0;
  receivingRequestCount = 0;
  isClosing = false;
  refusedConnectionOrPauseCount = 0;
  readonly slowAnswerGuard: SlowClientGuard;
  readonly slowBodyGuard: SlowClientGuard;
  #server: Server;
  #acceptedConnectionCount = 0;
  /** Connections that accept no further request, because one request was refused. */
  readonly #connectionsOfRefusedRequests = new WeakSet<Duplex>();
  /** The latest request of each connection. */
  readonly #latestExchangeByConnection = new WeakMap<Duplex, NodeHttpExchange>();
  /** Resolves when the server has stopped listening and has no connection. */
  #allConnectionsClosed: Promise<void> | undefined;

  private constructor(readonly options: HttpListenOptions) {
    this.slowAnswerGuard = options.slowAnswerGuard ?? new SlowClientGuard(REAL_CLOCK);
    this.slowBodyGuard = options.slowBodyGuard ?? new SlowClientGuard(REAL_CLOCK);
    this.#server = createServer(
      {
        maxHeaderSize: MAX_REQUEST_HEAD_BYTES,
        headersTimeout: REQUEST_RECEIVE_TIMEOUT_MS,
        requestTimeout: WHOLE_REQUEST_RECEIVE_TIMEOUT_MS,
        keepAliveTimeout: IDLE_CONNECTION_KEEP_ALIVE_MS,
        connectionsCheckingInterval: 5_000,
        noDelay: true,
      },
      (req, res) => this.#handleRequest(req, res),
    );
    this.#server.on('connection', () => {
      this.#acceptedConnectionCount++;
    });
    // The Expect header is ignored: the client gets the final answer without a "100 Continue".
    this.#server.on('checkExpectation', (req, res) => this.#handleRequest(req, res));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#answerUnreadableRequest(error.code, socket),
    );
    this.#server.timeout = 0;
    if (options.maxConnections !== undefined) this.#server.maxConnections = options.maxConnections;
    this.#server.on('drop', () => this.refusedConnectionOrPauseCount++);
    this.#server.maxRequestsPerSocket = 0;
  }

  static listen(options: HttpListenOptions): Promise<NodeHttpServer> {
    const server = new NodeHttpServer(options);
    return new Promise((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen({ host: options.host, port: options.port, backlog: 4096 }, () => {
        server.#server.off('error', reject);
        server.#server.on('error', options.onError);
        resolve(server);
      });
    });
  }

  get processedRequestCount(): number {
    return this.unansweredRequestCount - this.receivingRequestCount - this.slowAnswerGuard.waitingTransferCount;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  #handleRequest(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    if (this.#connectionsOfRefusedRequests.has(socket)) return;
    const target = findFramingFaultOfNodeRequest(req) ?? parseRequestTarget(req);
    if ('status' in target) {
      this.#refuseRequest(req, res, target);
      return;
    }
    if (target.path === '*') {
      res.writeHead(204).end();
      return;
    }
    const exchange = new NodeHttpExchange(this, req, res, target);
    this.#latestExchangeByConnection.set(socket, exchange);
    this.unansweredRequestCount++;
    try {
      this.options.handler(exchange);
    } catch (error) {
      this.options.onError(error);
      exchange.respondWithServerError();
    }
  }

  #refuseRequest(req: IncomingMessage, res: ServerResponse, fault: ApiErrorReply): void {
    this.#connectionsOfRefusedRequests.add(req.socket);
    req.on('error', ignoreError);
    res.on('error', ignoreError);
    const { headers, body } = makeRefusalOfConnection(fault);
    res.writeHead(fault.status, [...headers.flatNamesAndValues]);
    res.end(body);
    req.resume();
  }

  /**
   * Answers a request that Node's parser can't read, with the same status as the native server where that server
   * answers.
   */
  #answerUnreadableRequest(code: string | undefined, socket: Duplex): void {
    const current = this.#latestExchangeByConnection.get(socket);
    // An error answer must not be mixed into an unfinished answer.
    const free = !current?.answered || current.isAnswerTakenOrClientGone;
    if (!socket.writable || !free || this.#connectionsOfRefusedRequests.has(socket)) {
      socket.destroy();
      return;
    }
    const fault = FAULT_BY_PARSER_ERROR[code ?? ''] ?? MALFORMED_REQUEST_FAULT;
    const { headers, body } = makeRefusalOfConnection(fault);
    const { combinedHeaderName, combinedHeaderValue } = headers;
    const head = `HTTP/1.1 ${httpStatusLine(fault.status)}\r\n${combinedHeaderName}: ${combinedHeaderValue}\r\n\r\n`;
    socket.end(head + body, () => socket.destroy());
  }

  async refuseNewConnections(): Promise<void> {
    this.isClosing = true;
    await waitForQuietEventLoopTurn(() => this.#acceptedConnectionCount);
    this.#allConnectionsClosed ??= new Promise((resolve) => {
      // The close method of the HTTP server would close idle connections, too.
      NetServer.prototype.close.call(this.#server, () => resolve());
    });
  }

  async closeGracefully(graceMs = 0): Promise<void> {
    await this.refuseNewConnections();
    if (graceMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, graceMs));
    // In a process without CPU, timers fire before the requests are read that arrived meanwhile.
    await waitForQuietEventLoopTurn(() => this.#acceptedConnectionCount);
    this.#server.close();
    await this.#allConnectionsClosed;
  }

  closeConnectionAfterEachResponse(): void {
    this.isClosing = true;
  }

  closeImmediately(): void {
    this.isClosing = true;
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

class NodeHttpExchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly hasBody: boolean;
  requestId = '';
  aborted = false;
  #server: NodeHttpServer;
  #req: IncomingMessage;
  #res: ServerResponse;
  answered = false;
  /** True when the operating system has taken the whole answer, or the client has disconnected. */
  isAnswerTakenOrClientGone = false;
  #unsentAnswerTransfer: SlowClientGuardedTransfer | undefined;
  #bodyBeingReceived: ReceivedRequestBody | undefined;
  #abortListener: (() => void) | undefined;

  readonly #absoluteUrlHost: string | undefined;

  constructor(server: NodeHttpServer, req: IncomingMessage, res: ServerResponse, target: ParsedRequestTarget) {
    this.#server = server;
    this.#req = req;
    this.#res = res;
    this.method = req.method ?? 'GET';
    this.path = target.path;
    this.query = target.query;
    this.#absoluteUrlHost = target.host;
    this.hasBody = doesRequestAnnounceBody(this.header('content-length'), this.header('transfer-encoding'));
    res.on('close', () => this.#handleClose());
    res.on('finish', () => this.#markAnswerTaken());
    // A broken connection ends in 'close'; an 'error' without a listener would be an uncaught exception.
    req.on('error', ignoreError);
    res.on('error', ignoreError);
  }

  header(name: string): string {
    if (name === 'host' && this.#absoluteUrlHost !== undefined) return this.#absoluteUrlHost;
    const value = this.#req.headers[name];
    return value === undefined ? '' : typeof value === 'string' ? value : value.join(', ');
  }

  headerLines(name: string): string {
    return this.header(name);
  }

  remoteAddress(): string {
    return this.#req.socket.remoteAddress ?? '';
  }

  readBody(
    done: (body: Uint8Array | undefined) => void,
    limit = this.#server.options.maxBodyBytes,
    onProgress?: (heldByteCount: number) => void,
  ): void {
    if (!this.hasBody || Number(this.header('content-length') || 0) > limit) {
      done(this.hasBody ? undefined : EMPTY_BODY_BYTES);
      return;
    }
    const received = new ReceivedRequestBody(limit, this.#server, () => this.#req.socket.destroy());
    this.#bodyBeingReceived = received;
    received.reportWaitForMore();
    let finished = false;
    const finish = (body: Uint8Array | undefined): void => {
      finished = true;
      try {
        done(body);
      } catch (error) {
        this.#server.options.onError(error);
        this.respondWithServerError();
      }
    };
    this.#req.on('data', (chunk: Buffer) => {
      if (received.isCutOff) return;
      if (finished || this.answered) {
        received.countChunkOrCutOff(chunk.byteLength);
        return;
      }
      if (!received.addChunkOrDropBody(chunk, 'owned')) {
        finish(undefined);
        return;
      }
      if (received.isCutOff) return;
      onProgress?.(received.heldBytes);
      if (!this.answered) received.reportWaitForMore();
    });
    this.#req.on('end', () => {
      if (!finished && !this.aborted && !this.answered && !received.isCutOff) finish(received.takeReceivedBytes());
    });
  }

  /** Does nothing: Node keeps the path and query of the request anyway. */
  releasePathAndQuery(): void {}

  reuseForNextRequestIfPossible(next: HttpExchange): HttpExchange {
    return next;
  }

  setRequestId(id: string, n?: number): void {
    this.requestId = n === undefined ? id : `${id}${n}`;
  }

  setAbortListener(listener: () => void): void {
    if (this.aborted) listener();
    else this.#abortListener = listener;
  }

  #handleClose(): void {
    if (this.answered) this.#markAnswerTaken();
    if (this.answered || this.aborted) return;
    this.aborted = true;
    this.#bodyBeingReceived?.stopReceiving();
    this.#server.unansweredRequestCount--;
    this.#abortListener?.();
  }

  /** Ends the exchange: the operating system has taken the whole answer, or the client has disconnected. */
  #markAnswerTaken(): void {
    if (this.isAnswerTakenOrClientGone) return;
    this.isAnswerTakenOrClientGone = true;
    this.#server.unansweredRequestCount--;
    if (this.#unsentAnswerTransfer) this.#server.slowAnswerGuard.removeTransfer(this.#unsentAnswerTransfer);
  }

  respondWithServerError(): void {
    if (!this.answered && !this.aborted) this.#writeResponse(500, [], []);
  }

  respond(status: number, headers: ResponseHeaders, parts: readonly ResponseBodyPart[], more = ''): void {
    if (!this.answered && !this.aborted)
      this.#writeResponse(status, [...headers.flatNamesAndValues, ...parseHeaderLines(more)], parts);
  }

  respondFromSource(status: number, headers: ResponseHeaders, source: AnswerSource, more = ''): void {
    if (!this.answered && !this.aborted)
      this.#writeResponse(status, [...headers.flatNamesAndValues, ...parseHeaderLines(more)], source);
  }

  #writeResponse(status: number, flat: string[], of: readonly ResponseBodyPart[] | AnswerSource): void {
    this.answered = true;
    this.#abortListener = undefined;
    this.#bodyBeingReceived?.stopReceiving();
    const res = this.#res;
    if (this.requestId !== '') flat.push('X-Request-Id', this.requestId);
    if (this.#server.isClosing) flat.push('Connection', 'close');
    if (isBodilessStatus(status)) {
      res.writeHead(status, flat);
      res.end();
    } else {
      const body = 'read' in of ? of : new UnsentResponseBody(of);
      flat.push('Content-Length', String(body.length));
      res.writeHead(status, flat);
      if (this.method === 'HEAD') res.end();
      else if (body instanceof UnsentResponseBody) this.#sendBodyAsAccepted(body);
      else void this.#sendSource(body);
    }
    // The unread rest of the body is read and discarded, so that the connection can be reused.
    if (!this.#req.readableEnded) this.#req.resume();
  }

  /** Writes only as many bytes as the connection takes: Node would buffer all the rest. */
  #sendBodyAsAccepted(body: UnsentResponseBody): void {
    const res = this.#res;
    while (body.unsentByteCount > WRITTEN_PIECE_BYTES) {
      const piece = body.peekNextPiece().subarray(0, WRITTEN_PIECE_BYTES);
      body.markSentUpTo(body.length - body.unsentByteCount + piece.byteLength);
      if (!res.write(piece)) {
        res.once('drain', () => this.#sendBodyAsAccepted(body));
        this.#reportUnsentBodyToGuard(body);
        return;
      }
    }
    res.end(body.takeUnsentBytes());
    if (res.writableLength > 0) this.#reportUnsentBodyToGuard(body);
  }

  async #sendSource(source: AnswerSource): Promise<void> {
    const res = this.#res;
    try {
      for (let at = 0; at < source.length && !res.destroyed; ) {
        const piece = await source.read(at, Math.min(at + SOURCE_PIECE_BYTES, source.length));
        if (piece.byteLength === 0) throw new Error('the source ended early');
        at += piece.byteLength;
        if (!res.destroyed && !res.write(piece)) await this.#waitUntilPieceIsTaken();
      }
      if (!res.destroyed) res.end();
    } catch {
      this.#req.socket.destroy();
    }
  }

  /** Waits until the client has taken the piece that was written last, or has gone. */
  async #waitUntilPieceIsTaken(): Promise<void> {
    const res = this.#res;
    const { slowAnswerGuard } = this.#server;
    const piece: SlowClientGuardedTransfer = {
      timeLimitBytes: res.writableLength,
      get heldBytes() {
        return res.writableLength;
      },
      cutOff: () => this.#req.socket.destroy(),
    };
    slowAnswerGuard.noteWaitOrProgress(piece);
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        res.off('drain', settle).off('close', settle);
        resolve();
      };
      res.on('drain', settle).on('close', settle);
    });
    slowAnswerGuard.removeTransfer(piece);
  }

  #reportUnsentBodyToGuard(body: UnsentResponseBody): void {
    const res = this.#res;
    this.#unsentAnswerTransfer ??= {
      timeLimitBytes: body.length,
      get heldBytes() {
        return body.unsentByteCount + res.writableLength;
      },
      // At the end of the body the connection alone holds the rest.
      ...(body.unsentByteCount > 0 ? { sharedBuffers: body.collectBuffers() } : {}),
      cutOff: () => this.#req.socket.destroy(),
    };
    this.#server.slowAnswerGuard.noteWaitOrProgress(this.#unsentAnswerTransfer);
  }
}

const parseHeaderLines = (lines: string): string[] => (lines === '' ? [] : lines.slice(2).split(/: |\r\n/));
const ignoreError = (): void => {};
