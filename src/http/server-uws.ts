/**
 * HttpServer on uWebSockets.js (measured here: 152k requests/s against 39k for node:http). Its rules: a request object
 * lives only while the handler runs; a handler that has not answered must have registered onAborted or the process dies;
 * writes outside the handler are corked, to leave in one packet; a response may not be touched after an abort. It cuts a
 * connection on which a second request arrives while the first is held: pipelining works for immediate answers only.
 */
import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { RealClock } from '../clock/index.js';
import { madeOnce } from '../core/index.js';
import { ConnectionGate } from './connection-gate.js';
import { byteLength, Outgoing } from './outgoing.js';
import { quietTurn } from './quiet-turn.js';
import { Received } from './received.js';
import {
  announcesBody,
  type BodyPart,
  EMPTY_BODY,
  type Headers,
  type HttpExchange,
  type HttpServer,
  type HttpServerFactory,
  type ListenOptions,
  MAX_HEADER_BYTES,
} from './server.js';
import { SlowTransfers, type Transfer } from './slow-transfers.js';
import { statusLine } from './status.js';

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

/** Name in the npm build, and the official one. */
interface Lines {
  readonly forEachHeader?: (each: (name: string, value: string) => void) => void;
  readonly forEach: (each: (name: string, value: string) => void) => void;
}

class UwsServer implements HttpServer {
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
    this.answers = options.answers ?? new SlowTransfers(new RealClock());
    this.bodies = options.bodies ?? new SlowTransfers(new RealClock());
  }

  static async listen(uws: UwsModule, options: ListenOptions): Promise<UwsServer> {
    const app = uws.App();
    const server = new UwsServer(uws, app, options);
    app.any('/*', (res, req) => server.#handle(res, req));
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

  #handle(res: HttpResponse, req: HttpRequest): void {
    const exchange = new UwsExchange(this, res, req);
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

class UwsExchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly hasBody: boolean;
  requestId = '';
  aborted = false;
  #server: UwsServer;
  #res: HttpResponse;
  /** Undefined once the handler has returned. */
  #req: HttpRequest | undefined;
  #answered = false;
  /** Answered, and the client has not taken all of it. */
  #sending = false;
  #received: Received | undefined;
  #abortListener: (() => void) | undefined;

  constructor(server: UwsServer, res: HttpResponse, req: HttpRequest) {
    this.#server = server;
    this.#res = res;
    this.#req = req;
    this.method = req.getCaseSensitiveMethod();
    this.path = req.getUrl();
    this.query = req.getQuery() ?? '';
    this.hasBody = announcesBody(this.method, (name) => req.getHeader(name));
  }

  header(name: string): string {
    if (!this.#req) throw new Error(`header ${name} read after the handler returned`);
    return this.#req.getHeader(name);
  }

  headerLines(name: string): string {
    if (!this.#req) throw new Error(`header ${name} read after the handler returned`);
    // getHeader gives the first line only.
    const found: string[] = [];
    const req = this.#req as HttpRequest & Lines;
    (req.forEachHeader ?? req.forEach).call(req, (key: string, value: string) => {
      if (key === name) found.push(value);
    });
    return found.join(', ');
  }

  remoteAddress(): string {
    return this.aborted || this.#answered ? '' : Buffer.from(this.#res.getRemoteAddressAsText()).toString('latin1');
  }

  readBody(done: (body: Uint8Array | undefined) => void, limit = this.#server.options.maxBodyBytes): void {
    if (!this.hasBody || Number(this.header('content-length') || 0) > limit) {
      done(this.hasBody ? undefined : EMPTY_BODY);
      return;
    }
    const received = new Received(limit, this.#server.bodies, () => this.#res.close());
    this.#received = received;
    let finished = false;
    this.#res.onData((chunk, isLast) => {
      if (finished || this.aborted || this.#answered) return;
      const bytes = new Uint8Array(chunk);
      // The bytes are gone when this callback returns.
      const fits = received.add(isLast ? bytes : Buffer.from(bytes));
      if (fits && !isLast) {
        received.wait();
        return;
      }
      finished = true;
      this.#guarded(done, fits ? received.take() : undefined);
    });
  }

  #guarded(done: (body: Uint8Array | undefined) => void, body: Uint8Array | undefined): void {
    try {
      done(body);
    } catch (error) {
      this.#server.options.onError(error);
      this.fail();
    }
  }

  onAborted(listener: () => void): void {
    if (this.aborted) listener();
    else this.#abortListener = listener;
  }

  /** The handler has returned: from here on everything is asynchronous. */
  leave(): void {
    this.#req = undefined;
    if (this.#answered) return;
    this.#res.onAborted(() => {
      if (this.#answered || this.aborted) return;
      this.aborted = true;
      this.#received?.drop();
      const listener = this.#abortListener;
      this.#abortListener = undefined;
      this.#server.ended();
      listener?.();
    });
  }

  fail(): void {
    if (!this.#answered && !this.aborted) this.#finish(() => this.#res.writeStatus(statusLine(500)).end());
  }

  respond(status: number, headers: Headers, parts: readonly BodyPart[], more = ''): void {
    if (this.aborted || this.#answered) return;
    if (this.#req) this.#finish(() => this.#write(status, headers, parts, more));
    else this.#finish(() => this.#res.cork(() => this.#write(status, headers, parts, more)));
  }

  #finish(send: () => void): void {
    this.#answered = true;
    this.#abortListener = undefined;
    this.#received?.drop();
    send();
    if (!this.#sending) this.#server.ended();
  }

  #write(status: number, headers: Headers, parts: readonly BodyPart[], more: string): void {
    const res = this.#res;
    if (status !== 200) res.writeStatus(statusLine(status));
    const block = joined(headers);
    // One native call for all: each costs more than the longer text.
    const id = this.requestId === '' ? '' : `\r\nX-Request-Id: ${this.requestId}`;
    if (block) res.writeHeader(block[0], block[1] + more + id);
    else if (id !== '') res.writeHeader('X-Request-Id', this.requestId);
    const closing = this.#server.closing;
    if (this.method === 'HEAD' && status !== 204) {
      // The build for Node 20 does not count this as an answer: it wants an abort handler and takes no further request.
      if (this.#req) res.onAborted(() => {});
      res.endWithoutBody(byteLength(parts), true);
    } else if (closing) {
      // The connection's last: nothing can pile up behind it.
      res.end(parts.length === 1 ? parts[0]! : whole(parts), true);
    } else this.#send(parts);
  }

  /** Only what the connection takes: a client that does not read would have the rest pile up where nobody sees it. */
  #send(parts: readonly BodyPart[]): void {
    const length = byteLength(parts);
    if (length === 0) this.#res.end();
    else if (length <= SMALL) {
      const body = parts.length === 1 ? parts[0]! : whole(parts);
      const [, done] = this.#res.tryEnd(body, length);
      // A copy: the next answer needs the scratch.
      if (!done) this.#sendLater(new Outgoing([typeof body === 'string' ? body : Buffer.from(body)]));
    } else {
      const body = new Outgoing(parts);
      if (!this.#sendMore(body)) this.#sendLater(body);
    }
  }

  /** True: all of it is out of our hands. */
  #sendMore(body: Outgoing): boolean {
    for (;;) {
      const [ok, done] = this.#res.tryEnd(body.piece(), body.length);
      if (done) return true;
      body.sentUpTo(this.#res.getWriteOffset());
      if (!ok) return false;
    }
  }

  #sendLater(body: Outgoing): void {
    const res = this.#res;
    const { answers } = this.#server;
    const answer: Transfer = {
      bytes: body.length,
      get held() {
        return body.left;
      },
      cut: () => res.close(),
    };
    const over = (): void => {
      answers.over(answer);
      this.#server.ended();
    };
    this.#sending = true;
    body.sentUpTo(res.getWriteOffset());
    res.onAborted(over);
    res.onWritable(() => {
      const done = this.#sendMore(body);
      if (done) over();
      else answers.waits(answer);
      return done;
    });
    answers.waits(answer);
  }
}

/** One native call for a whole block of headers: the module copies the value as it is. */
const joined = madeOnce((headers: Headers): readonly [string, string] | undefined => {
  const [first, ...rest] = headers.pairs;
  if (!first) return undefined;
  const clean = (text: string): string => text.replace(/[\r\n\0]/g, ' ');
  return [clean(first[0]), [clean(first[1]), ...rest.map(([n, v]) => `${clean(n)}: ${clean(v)}`)].join('\r\n')];
});

/** Assembled here, because the module copies synchronously: fresh memory for megabytes costs more than the copy. */
const SMALL = 64 * 1024;
let scratch = Buffer.allocUnsafeSlow(SMALL);
/** Larger ones come too seldom to keep memory for them. */
const LARGEST_SCRATCH = 16 * 1024 * 1024;
function whole(parts: readonly BodyPart[]): Uint8Array {
  const length = byteLength(parts);
  if (length > scratch.length && length <= LARGEST_SCRATCH) {
    scratch = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)));
  }
  const target = length <= scratch.length ? scratch : Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') at += target.write(part, at);
    else {
      target.set(part, at);
      at += part.byteLength;
    }
  }
  return target.subarray(0, length);
}
