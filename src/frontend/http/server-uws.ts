/**
 * HttpServer on uWebSockets.js (measured here: 152k requests/s against 39k for node:http).
 *
 * Rules of the engine: a request object lives only while the handler runs; a handler that has not answered must have
 * registered onAborted, or the process dies; writes outside the handler are corked, to be sent in one packet; a
 * response must not be touched after an abort. The engine cuts a connection on which a second request arrives while the
 * first one waits: pipelining works for immediate answers only.
 */
import { METHODS } from 'node:http';
import { REAL_CLOCK } from '#base/clock';
import type { ApiErrorReply } from '#model/errors';
import { OpenConnectionLimiter, waitForQuietEventLoopTurn } from './connection-gate.js';
import { respondAfterReadingAndEndConnection, UwsHttpExchange, type UwsHttpExchangeOwner } from './exchange-uws.js';
import { findHttpFramingFault, UNKNOWN_HTTP_METHOD_FAULT } from './framing.js';
import { errorResponseHeaders, errorResponseText, httpStatusLine } from './reply.js';
import { type HttpListenOptions, type HttpServer, type HttpServerFactory, MAX_REQUEST_HEAD_BYTES } from './server.js';
import { SlowClientGuard } from './slow-client-guard.js';
import {
  loadUwsEngine,
  type UwsApp,
  type UwsEngine,
  type UwsListenSocket,
  type UwsRequest,
  type UwsResponse,
} from './uws-module.js';

/** Loads uWebSockets.js. @throws Error where the module is not installed or has no build for this Node version */
export function loadUwsHttpServerFactory(): HttpServerFactory {
  // uWebSockets.js reads this variable when it is loaded. Its default of 4 KiB would refuse long queries.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(MAX_REQUEST_HEAD_BYTES);
  const engine = loadUwsEngine();
  return { canSharePort: process.platform === 'linux', listen: (options) => UwsHttpServer.listen(engine, options) };
}

/** The HTTP methods of Node's parser: both HTTP servers refuse all others. */
const KNOWN_HTTP_METHODS: ReadonlySet<string> = new Set(METHODS);

/**
 * The headers that say where a request ends; one object serves all requests. All header lines are read, which takes 0.5
 * to 3 µs for 3 to 14 of them: the engine's getHeader returns only the first line of a name, so that an empty line
 * would hide the next one.
 */
class UwsFramingHeaders {
  #lengths: string[] = [];
  #codings: string[] = [];
  #trailer = '';

  readonly #keepIfFraming = (name: string, value: string): void => {
    if (name === 'content-length') this.#lengths.push(value);
    else if (name === 'transfer-encoding') this.#codings.push(value);
    else if (name === 'trailer') this.#trailer = value;
  };

  /** Reads the headers of a request in place of those of the previous one. */
  readFrom(req: UwsRequest): void {
    if (this.#lengths.length > 0) this.#lengths = [];
    if (this.#codings.length > 0) this.#codings = [];
    this.#trailer = '';
    req.forEach(this.#keepIfFraming);
  }

  /** Content-Length of a well-formed request; '' when absent. */
  get length(): string {
    return this.#lengths[0] ?? '';
  }

  /** Transfer-Encoding of a well-formed request; '' when absent. */
  get coding(): string {
    return this.#codings[0] ?? '';
  }

  findFault(): ApiErrorReply | undefined {
    return findHttpFramingFault(this.#lengths, this.#codings, this.#trailer);
  }
}

/** Options of the engine for listening: without `LISTEN_EXCLUSIVELY` a second server on the port gets connections. */
const LISTEN_SHARED = 0;
const LISTEN_EXCLUSIVELY = 1;

class UwsHttpServer implements HttpServer, UwsHttpExchangeOwner {
  readonly kind = 'uws';
  port = 0;
  unansweredRequestCount = 0;
  receivingRequestCount = 0;
  isClosing = false;
  refusedConnectionOrPauseCount = 0;
  readonly slowAnswerGuard: SlowClientGuard;
  readonly slowBodyGuard: SlowClientGuard;
  readonly #framingHeaders = new UwsFramingHeaders();
  #listenSocket: UwsListenSocket | undefined;
  #connectionLimiter: OpenConnectionLimiter | undefined;
  #allAnsweredListener: (() => void) | undefined;

  private constructor(
    readonly engine: UwsEngine,
    readonly app: UwsApp,
    readonly options: HttpListenOptions,
  ) {
    this.slowAnswerGuard = options.slowAnswerGuard ?? new SlowClientGuard(REAL_CLOCK);
    this.slowBodyGuard = options.slowBodyGuard ?? new SlowClientGuard(REAL_CLOCK);
  }

  static async listen(engine: UwsEngine, options: HttpListenOptions): Promise<UwsHttpServer> {
    const app = engine.uws.App();
    const server = new UwsHttpServer(engine, app, options);
    // Separate routes for GET and POST spare most requests a native call to read the method.
    app.get('/*', (res, req) => server.#handleRequest(res, req, 'GET'));
    app.post('/*', (res, req) => server.#handleRequest(res, req, 'POST'));
    app.any('/*', (res, req) => {
      const method = req.getCaseSensitiveMethod();
      if (KNOWN_HTTP_METHODS.has(method)) server.#handleRequest(res, req, method);
      else server.#refuseRequest(res, UNKNOWN_HTTP_METHOD_FAULT);
    });
    await server.#listenOnPort(options.port);
    if (options.port === 0 && options.maxConnections !== undefined) {
      // Reopen now: a port that the system chose can be reopened only while it has no connections, unlike a configured
      // port.
      server.#closeListener();
      await new Promise((resolve) => setImmediate(resolve));
      await server.#listenOnPort(server.port);
    }
    server.#startConnectionLimiter();
    return server;
  }

  get processedRequestCount(): number {
    return this.unansweredRequestCount - this.receivingRequestCount - this.slowAnswerGuard.waitingTransferCount;
  }

  /** Listens on a port. @throws Error when the port is taken */
  #listenOnPort(port: number): Promise<void> {
    const { app, engine, options } = this;
    return new Promise((resolve, reject) => {
      const listening = (socket: UwsListenSocket | false): void => {
        if (!socket) {
          reject(new Error(`cannot listen on ${options.host}:${port}`));
          return;
        }
        this.#listenSocket = socket;
        this.port = engine.uws.us_socket_local_port(socket);
        resolve();
      };
      app.listen(options.host, port, options.sharesPort ? LISTEN_SHARED : LISTEN_EXCLUSIVELY, listening);
    });
  }

  /**
   * Limits the number of connections: the engine neither reports nor limits them, so beyond the limit the server stops
   * listening for a while.
   */
  #startConnectionLimiter(): void {
    const { maxConnections, onError } = this.options;
    if (maxConnections === undefined) return;
    this.#connectionLimiter = new OpenConnectionLimiter(maxConnections, {
      shut: () => {
        this.refusedConnectionOrPauseCount++;
        this.#closeListener();
      },
      open: () => void this.#listenOnPort(this.port).catch(onError),
    });
  }

  #closeListener(): void {
    if (this.#listenSocket) this.engine.uws.us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = undefined;
  }

  #handleRequest(res: UwsResponse, req: UwsRequest, method: string): void {
    const framing = this.#framingHeaders;
    framing.readFrom(req);
    const fault = framing.findFault();
    if (fault) {
      this.#refuseRequest(res, fault);
      return;
    }
    const exchange = new UwsHttpExchange(this, res, req, method, framing.length, framing.coding);
    this.unansweredRequestCount++;
    try {
      this.options.handler(exchange);
    } catch (error) {
      this.options.onError(error);
      exchange.respondWithServerError();
    }
    exchange.onHandlerReturned();
  }

  #refuseRequest(res: UwsResponse, fault: ApiErrorReply): void {
    this.unansweredRequestCount++;
    respondAfterReadingAndEndConnection(
      res,
      () => {
        const { combinedHeaderName, combinedHeaderValue } = errorResponseHeaders(fault);
        res.writeStatus(httpStatusLine(fault.status)).writeHeader(combinedHeaderName, combinedHeaderValue);
        res.end(errorResponseText(fault), true);
        return false;
      },
      () => this.onExchangeEnded(),
    );
  }

  onExchangeEnded(): void {
    if (--this.unansweredRequestCount === 0) this.#allAnsweredListener?.();
  }

  #stopListening(): void {
    this.isClosing = true;
    this.#connectionLimiter?.stopChecks();
    this.#closeListener();
  }

  async refuseNewConnections(): Promise<void> {
    this.isClosing = true;
    await waitForQuietEventLoopTurn(() => 0);
    this.#stopListening();
  }

  async closeGracefully(graceMs = 0): Promise<void> {
    await this.refuseNewConnections();
    if (graceMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, graceMs));
    for (;;) {
      // In a process without CPU, timers fire before the requests are read that arrived meanwhile.
      await waitForQuietEventLoopTurn(() => 0);
      if (this.unansweredRequestCount === 0) break;
      await new Promise<void>((resolve) => {
        this.#allAnsweredListener = resolve;
      });
    }
    this.app.close();
  }

  closeConnectionAfterEachResponse(): void {
    this.isClosing = true;
  }

  closeImmediately(): void {
    this.#stopListening();
    this.app.close();
  }
}
