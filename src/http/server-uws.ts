/**
 * HttpServer on uWebSockets.js (measured here: 152k requests/s against 39k for node:http). Its rules: a request object
 * lives only while the handler runs; a handler that has not answered must have registered onAborted or the process dies;
 * writes outside the handler are corked, to leave in one packet; a response may not be touched after an abort. It cuts a
 * connection on which a second request arrives while the first is held: pipelining works for immediate answers only.
 */
import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { REAL_CLOCK } from '../clock/index.js';
import { ConnectionGate } from './connection-gate.js';
import { type ExchangeOwner, UwsExchange } from './exchange-uws.js';
import { quietTurn } from './quiet-turn.js';
import { type HttpServer, type HttpServerFactory, type ListenOptions, MAX_HEADER_BYTES } from './server.js';
import { SlowTransfers } from './slow-transfers.js';

interface UwsModule {
  App(): TemplatedApp & { close?(): void };
  /** Official name, and the one of the npm build for Node 20. */
  us_listen_socket_close?(socket: us_listen_socket): void;
  closeSocket?(socket: us_listen_socket): void;
  us_socket_local_port?(socket: us_listen_socket): number;
  getSocketPort?(socket: us_listen_socket): number;
}

/** Throws where the native module is not installed or has no build for this Node version. */
export async function loadUws(): Promise<HttpServerFactory> {
  // Read by the module once, when it is loaded; its own 4 KiB would refuse long queries.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(MAX_HEADER_BYTES);
  const loaded = (await import('uWebSockets.js')) as unknown as { default?: UwsModule };
  const uws = loaded.default ?? (loaded as unknown as UwsModule);
  return { listen: (options) => UwsServer.listen(uws, options) };
}

class UwsServer implements HttpServer, ExchangeOwner {
  readonly kind = 'uws';
  port = 0;
  running = 0;
  closing = false;
  turnedAway = 0;
  readonly answers: SlowTransfers;
  readonly bodies: SlowTransfers;
  #socket: us_listen_socket | undefined;
  #gate: ConnectionGate | undefined;
  #idle: (() => void) | undefined;

  private constructor(
    readonly uws: UwsModule,
    readonly app: ReturnType<UwsModule['App']>,
    readonly options: ListenOptions,
  ) {
    this.answers = options.answers ?? new SlowTransfers(REAL_CLOCK);
    this.bodies = options.bodies ?? new SlowTransfers(REAL_CLOCK);
  }

  static async listen(uws: UwsModule, options: ListenOptions): Promise<UwsServer> {
    const app = uws.App();
    const server = new UwsServer(uws, app, options);
    // The method costs a native call, which most requests are spared.
    app.get('/*', (res, req) => server.#handle(res, req, 'GET'));
    app.post('/*', (res, req) => server.#handle(res, req, 'POST'));
    app.any('/*', (res, req) => server.#handle(res, req, req.getCaseSensitiveMethod()));
    await server.#listen(options.port);
    if (options.port === 0 && options.maxConnections !== undefined) {
      // A port that the system chose can be listened on again only while nobody is connected; one that was named, always.
      server.#closeListener();
      await new Promise((resolve) => setImmediate(resolve));
      await server.#listen(server.port);
    }
    server.#guard();
    return server;
  }

  /** @throws Error when the port is taken */
  #listen(port: number): Promise<void> {
    const { app, uws, options } = this;
    return new Promise((resolve, reject) => {
      // 1 = LIBUS_LISTEN_EXCLUSIVE_PORT: without it a second server on the port shares its connections silently.
      const listening = (socket: us_listen_socket | false): void => {
        if (!socket) {
          reject(new Error(`cannot listen on ${options.host}:${port}`));
          return;
        }
        this.#socket = socket;
        this.port = (uws.us_socket_local_port ?? uws.getSocketPort)!(socket);
        resolve();
      };
      const listen = app.listen as unknown as (
        this: typeof app,
        host: string,
        port: number,
        flags: number,
        done: typeof listening,
      ) => void;
      listen.call(app, options.host, port, 1, listening);
    });
  }

  /** The native server tells nobody of connections, and takes all: beyond the bound it does not listen for a while. */
  #guard(): void {
    const { maxConnections, onError } = this.options;
    if (maxConnections === undefined) return;
    this.#gate = new ConnectionGate(maxConnections, {
      shut: () => {
        this.turnedAway++;
        this.#closeListener();
      },
      open: () => void this.#listen(this.port).catch(onError),
    });
  }

  #closeListener(): void {
    if (this.#socket) (this.uws.us_listen_socket_close ?? this.uws.closeSocket)!(this.#socket);
    this.#socket = undefined;
  }

  #handle(res: HttpResponse, req: HttpRequest, method: string): void {
    const exchange = new UwsExchange(this, res, req, method);
    this.running++;
    try {
      this.options.handler(exchange);
    } catch (error) {
      this.options.onError(error);
      exchange.fail();
    }
    exchange.leave();
  }

  ended(): void {
    if (--this.running === 0) this.#idle?.();
  }

  #stopListening(): void {
    this.closing = true;
    this.#gate?.close();
    this.#closeListener();
  }

  async refuse(): Promise<void> {
    this.closing = true;
    await quietTurn(() => 0);
    this.#stopListening();
  }

  async close(graceMs = 0): Promise<void> {
    await this.refuse();
    if (graceMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, graceMs));
    if (this.running > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      // The last response is still in this turn's cork.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.app.close?.();
  }

  leave(): void {
    this.closing = true;
  }

  terminate(): void {
    this.#stopListening();
    this.app.close?.();
  }
}
