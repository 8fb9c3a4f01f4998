/**
 * HttpServer on node:http, for platforms and Node versions that the native server (uWebSockets.js) has no build for.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { REAL_CLOCK } from '#base/clock';
import { RequestBody, ResponseBody } from './bodies.js';
import { waitForQuietEventLoopTurn } from './connection-gate.js';
import {
  DUPLICATE_HOST_FAULT,
  findHttpFramingFault,
  HTTP_VERSION_FAULT,
  type HttpFramingFault,
  REQUEST_TARGET_FAULT,
  TOO_MANY_HEADERS_FAULT,
} from './framing.js';
import { httpStatusLine } from './reply.js';
import {
  doesRequestAnnounceBody,
  EMPTY_BODY_BYTES,
  type HttpExchange,
  type HttpListenOptions,
  type HttpServer,
  type HttpServerFactory,
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
const KEEP_ALIVE_MS = 65_000;
/**
 * Milliseconds within which a whole request with its body must arrive. Answers may take longer: polls wait for minutes.
 */
const REQUEST_MS = 300_000;
/**
 * Number of bytes written to a connection at a time; each piece that the system takes shows that the client still
 * reads.
 */
const PIECE = 64 * 1024;

export const nodeHttpServerFactory: HttpServerFactory = { listen: (options) => NodeServer.listen(options) };

const PARSER_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_INVALID_METHOD: 501,
  HPE_INVALID_VERSION: 505,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

interface RequestTarget {
  readonly path: string;
  readonly query: string;
  /** Host of a URL in absolute form, which replaces the Host header. */
  readonly host: string | undefined;
}

const ABSOLUTE = /^https?:\/\/([^/?#]+)/i;

function targetOf({ url = '/', method }: IncomingMessage): RequestTarget | HttpFramingFault {
  let host: string | undefined;
  let rest = url;
  if (!url.startsWith('/')) {
    if (url === '*' && method === 'OPTIONS') return { path: url, query: '', host };
    const found = ABSOLUTE.exec(url);
    if (!found) return REQUEST_TARGET_FAULT;
    host = found[1];
    rest = url.slice(found[0].length);
    if (!rest.startsWith('/')) rest = `/${rest}`;
  }
  const mark = rest.indexOf('?');
  return mark < 0 ? { path: rest, query: '', host } : { path: rest.slice(0, mark), query: rest.slice(mark + 1), host };
}

/** Finds the framing faults that Node's parser accepts. */
function faultOf({
  rawHeaders,
  headers,
  httpVersionMajor,
  httpVersionMinor,
}: IncomingMessage): HttpFramingFault | undefined {
  if (httpVersionMajor !== 1) return HTTP_VERSION_FAULT;
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
  if (httpVersionMinor === 0 && codings.length > 0) return HTTP_VERSION_FAULT;
  return findHttpFramingFault(lengths, codings, typeof headers.trailer === 'string' ? headers.trailer : '');
}

class NodeServer implements HttpServer {
  readonly kind = 'node';
  running = 0;
  closing = false;
  turnedAway = 0;
  readonly answers: SlowClientGuard;
  readonly bodies: SlowClientGuard;
  #server: Server;
  #accepted = 0;
  /** Connections that accept no further request, because one request was refused. */
  readonly #refused = new WeakSet<Duplex>();
  /** The latest request of each connection. */
  readonly #current = new WeakMap<Duplex, NodeExchange>();
  /** Resolves when the server has stopped listening and has no connection. */
  #closed: Promise<void> | undefined;

  private constructor(readonly options: HttpListenOptions) {
    this.answers = options.slowAnswers ?? new SlowClientGuard(REAL_CLOCK);
    this.bodies = options.slowBodies ?? new SlowClientGuard(REAL_CLOCK);
    this.#server = createServer(
      {
        maxHeaderSize: MAX_REQUEST_HEAD_BYTES,
        headersTimeout: REQUEST_RECEIVE_TIMEOUT_MS,
        requestTimeout: REQUEST_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: 5_000,
        noDelay: true,
      },
      (req, res) => this.#handle(req, res),
    );
    this.#server.on('connection', () => {
      this.#accepted++;
    });
    // The Expect header is ignored: the client gets the final answer without a "100 Continue".
    this.#server.on('checkExpectation', (req, res) => this.#handle(req, res));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#unreadable(error.code, socket));
    this.#server.timeout = 0;
    if (options.maxConnections !== undefined) this.#server.maxConnections = options.maxConnections;
    this.#server.on('drop', () => this.turnedAway++);
    this.#server.maxRequestsPerSocket = 0;
  }

  static listen(options: HttpListenOptions): Promise<NodeServer> {
    const server = new NodeServer(options);
    return new Promise((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen({ host: options.host, port: options.port, backlog: 4096 }, () => {
        server.#server.off('error', reject);
        server.#server.on('error', options.onError);
        resolve(server);
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  #handle(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    if (this.#refused.has(socket)) return;
    const target = faultOf(req) ?? targetOf(req);
    if ('status' in target) {
      this.#refuse(req, res, target);
      return;
    }
    if (target.path === '*') {
      res.writeHead(204).end();
      return;
    }
    const exchange = new NodeExchange(this, req, res, target);
    this.#current.set(socket, exchange);
    this.running++;
    try {
      this.options.handler(exchange);
    } catch (error) {
      this.options.onError(error);
      exchange.fail();
    }
  }

  #refuse(req: IncomingMessage, res: ServerResponse, { status, text }: HttpFramingFault): void {
    this.#refused.add(req.socket);
    req.on('error', ignore);
    res.on('error', ignore);
    res.writeHead(status, { 'Content-Type': 'text/plain', 'Content-Length': text.length, Connection: 'close' });
    res.end(text);
    req.resume();
  }

  /**
   * Answers a request that Node's parser can't read, with the same status as the native server where that server
   * answers.
   */
  #unreadable(code: string | undefined, socket: Duplex): void {
    const current = this.#current.get(socket);
    // An error answer must not be mixed into an unfinished answer.
    const free = !current?.answered || current.ended;
    if (!socket.writable || !free || this.#refused.has(socket)) {
      socket.destroy();
      return;
    }
    const status = PARSER_STATUS[code ?? ''] ?? 400;
    socket.end(`HTTP/1.1 ${httpStatusLine(status)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
      socket.destroy(),
    );
  }

  async refuse(): Promise<void> {
    this.closing = true;
    await waitForQuietEventLoopTurn(() => this.#accepted);
    this.#closed ??= new Promise((resolve) => {
      // The close method of the HTTP server would close idle connections, too.
      NetServer.prototype.close.call(this.#server, () => resolve());
    });
  }

  async close(graceMs = 0): Promise<void> {
    await this.refuse();
    if (graceMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, graceMs));
    this.#server.close();
    await this.#closed;
  }

  leave(): void {
    this.closing = true;
  }

  terminate(): void {
    this.closing = true;
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

class NodeExchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly hasBody: boolean;
  requestId = '';
  aborted = false;
  #server: NodeServer;
  #req: IncomingMessage;
  #res: ServerResponse;
  answered = false;
  /** True when the operating system has taken the whole answer, or the client has disconnected. */
  ended = false;
  #waiting: SlowClientGuardedTransfer | undefined;
  #received: RequestBody | undefined;
  #abortListener: (() => void) | undefined;

  readonly #host: string | undefined;

  constructor(server: NodeServer, req: IncomingMessage, res: ServerResponse, target: RequestTarget) {
    this.#server = server;
    this.#req = req;
    this.#res = res;
    this.method = req.method ?? 'GET';
    this.path = target.path;
    this.query = target.query;
    this.#host = target.host;
    this.hasBody = doesRequestAnnounceBody(this.header('content-length'), this.header('transfer-encoding'));
    res.on('close', () => this.#closed());
    res.on('finish', () => this.#over());
    // A broken connection ends in 'close'; an 'error' without a listener would be an uncaught exception.
    req.on('error', ignore);
    res.on('error', ignore);
  }

  header(name: string): string {
    if (name === 'host' && this.#host !== undefined) return this.#host;
    const value = this.#req.headers[name];
    return value === undefined ? '' : typeof value === 'string' ? value : value.join(', ');
  }

  headerLines(name: string): string {
    return this.header(name);
  }

  remoteAddress(): string {
    return this.#req.socket.remoteAddress ?? '';
  }

  readBody(done: (body: Uint8Array | undefined) => void, limit = this.#server.options.maxBodyBytes): void {
    if (!this.hasBody || Number(this.header('content-length') || 0) > limit) {
      done(this.hasBody ? undefined : EMPTY_BODY_BYTES);
      return;
    }
    const received = new RequestBody(limit, this.#server.bodies, () => this.#req.socket.destroy());
    this.#received = received;
    received.waitForMore();
    let finished = false;
    const finish = (body: Uint8Array | undefined): void => {
      finished = true;
      try {
        done(body);
      } catch (error) {
        this.#server.options.onError(error);
        this.fail();
      }
    };
    this.#req.on('data', (chunk: Buffer) => {
      if (finished || this.answered) return;
      if (received.add(chunk)) received.waitForMore();
      else finish(undefined);
    });
    this.#req.on('end', () => {
      if (!finished && !this.aborted && !this.answered) finish(received.take());
    });
  }

  /** Does nothing: Node keeps the path and query of the request anyway. */
  forget(): void {}

  reuseFor(next: HttpExchange): HttpExchange {
    return next;
  }

  identify(id: string, n?: number): void {
    this.requestId = n === undefined ? id : `${id}${n}`;
  }

  onAborted(listener: () => void): void {
    if (this.aborted) listener();
    else this.#abortListener = listener;
  }

  #closed(): void {
    if (this.answered) this.#over();
    if (this.answered || this.aborted) return;
    this.aborted = true;
    this.#received?.drop();
    this.#server.running--;
    this.#abortListener?.();
  }

  /** Ends the exchange: the operating system has taken the whole answer, or the client has disconnected. */
  #over(): void {
    if (this.ended) return;
    this.ended = true;
    this.#server.running--;
    if (this.#waiting) this.#server.answers.finished(this.#waiting);
  }

  fail(): void {
    if (!this.answered && !this.aborted) this.#end(500, [], []);
  }

  respond(status: number, headers: ResponseHeaders, parts: readonly ResponseBodyPart[], more = ''): void {
    if (!this.answered && !this.aborted) this.#end(status, [...headers.flat, ...pairsOf(more)], parts);
  }

  #end(status: number, flat: string[], parts: readonly ResponseBodyPart[]): void {
    this.answered = true;
    this.#abortListener = undefined;
    this.#received?.drop();
    const res = this.#res;
    if (this.requestId !== '') flat.push('X-Request-Id', this.requestId);
    if (this.#server.closing) flat.push('Connection', 'close');
    if (status === 204) {
      res.writeHead(status, flat);
      res.end();
    } else {
      const body = new ResponseBody(parts);
      flat.push('Content-Length', String(body.length));
      res.writeHead(status, flat);
      if (this.method === 'HEAD') res.end();
      else this.#send(body);
    }
    // The unread rest of the body is read and discarded, so that the connection can be reused.
    if (!this.#req.readableEnded) this.#req.resume();
  }

  /** Writes only as many bytes as the connection takes: Node would buffer all the rest. */
  #send(body: ResponseBody): void {
    const res = this.#res;
    while (body.left > PIECE) {
      const piece = body.piece().subarray(0, PIECE);
      body.sentUpTo(body.length - body.left + piece.byteLength);
      if (!res.write(piece)) {
        res.once('drain', () => this.#send(body));
        this.#wait(body);
        return;
      }
    }
    res.end(body.rest());
    if (res.writableLength > 0) this.#wait(body);
  }

  #wait(body: ResponseBody): void {
    const res = this.#res;
    this.#waiting ??= {
      bytes: body.length,
      get held() {
        return body.left + res.writableLength;
      },
      cut: () => this.#req.socket.destroy(),
    };
    this.#server.answers.progressed(this.#waiting);
  }
}

const pairsOf = (lines: string): string[] => (lines === '' ? [] : lines.slice(2).split(/: |\r\n/));
const ignore = (): void => {};
