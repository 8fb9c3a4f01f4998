/**
 * HTTP client of tests over keep-alive connections, with control over raw bodies, headers and aborts. A request takes
 * 30 µs of CPU in a process that has just started; `node:http` takes 330 and undici 240.
 */
import { channel } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { type Answered, AnswerReader } from './http-answers.js';

export interface ExchangeRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** All headers, including Host. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ExchangeAnswer {
  readonly status: number;
  /** Header values by lower-case name; `set-cookie` is a list. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/**
 * Diagnostics channel with each request and its response, read by tools/compare-answers/record.mjs. Without a
 * subscriber nothing is published.
 */
const exchanges = channel('conclave:test-exchange');
/** Timeout of a call, longer than any heartbeat interval. Without it a lost response would hang the run silently. */
const MAX_CALL_MS = 60_000;
/** Maximum idle time of a reused connection: servers close idle connections after a few seconds. */
const MAX_IDLE_MS = 2_000;
/** Read buffer that all connections share: its contents are consumed before the next read. */
const SHARED_READ_BUFFER: Buffer = Buffer.allocUnsafeSlow(65_536);

function headersOf(head: string): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers[name];
    if (name === 'set-cookie') headers[name] = [...(before ?? []), value];
    else headers[name] = before === undefined ? value : `${before as string}, ${value}`;
  }
  return headers;
}

interface Pending {
  readonly request: ExchangeRequest;
  readonly resolve: (answer: ExchangeAnswer) => void;
  readonly reject: (error: Error) => void;
  /** Closes the connection before the response arrives. */
  readonly leave: () => void;
}

/** Keep-alive connection that carries one request at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader(true, (answer) => this.#answered(answer));
  #pending: Pending | undefined;
  #error: Error | undefined;
  #idleSince = 0;

  constructor(
    host: string,
    port: number,
    private readonly idle: Connection[],
  ) {
    const callback = (size: number): boolean => {
      this.#received(SHARED_READ_BUFFER.subarray(0, size));
      return true;
    };
    this.#socket = connect({ host, port, noDelay: true, onread: { buffer: SHARED_READ_BUFFER, callback } });
    this.#socket.setTimeout(MAX_CALL_MS, () => this.#late());
    this.#socket.on('error', (error) => {
      this.#error ??= error;
    });
    this.#socket.on('close', () => this.#closed());
  }

  get isStale(): boolean {
    return performance.now() - this.#idleSince > MAX_IDLE_MS;
  }

  send(request: ExchangeRequest): Promise<ExchangeAnswer> {
    return new Promise((resolve, reject) => {
      const leave = (): void => void this.#socket.destroy(request.signal?.reason as Error);
      this.#pending = { request, resolve, reject, leave };
      request.signal?.addEventListener('abort', leave);
      this.#reader.isOfHead = request.method === 'HEAD';
      this.#socket.ref();
      this.#write(request);
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #write({ method, path, headers, body }: ExchangeRequest): void {
    let head = `${method} ${path} HTTP/1.1\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    if (body === undefined) {
      this.#socket.write(`${head}\r\n`, 'latin1');
      return;
    }
    const length = Buffer.byteLength(body);
    head += 'content-length' in headers ? '\r\n' : `content-length: ${length}\r\n\r\n`;
    if (typeof body === 'string' && body.length === length) {
      this.#socket.write(head + body, 'latin1');
      return;
    }
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    this.#socket.write(body);
    this.#socket.uncork();
  }

  #received(bytes: Buffer): void {
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }

  #taken(): Pending | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.request.signal?.removeEventListener('abort', pending.leave);
    return pending;
  }

  #answered({ status, head, body }: Answered): void {
    const pending = this.#taken();
    const headers = headersOf(head);
    // A server may refuse a request before its whole body is sent. Such a connection can't be used again.
    if (!pending || headers.connection === 'close' || this.#socket.writableLength > 0) this.#socket.destroy();
    else this.#becomeIdle();
    this.#socket.unref();
    if (!pending) return;
    const answer = { status, headers, bytes: Buffer.from(body) };
    exchanges.publish({ request: pending.request, answer });
    pending.resolve(answer);
  }

  #becomeIdle(): void {
    this.#idleSince = performance.now();
    this.idle.push(this);
  }

  #late(): void {
    const { method, path } = this.#pending?.request ?? {};
    this.#socket.destroy(method ? new Error(`no answer within ${MAX_CALL_MS} ms: ${method} ${path}`) : undefined);
  }

  #closed(): void {
    const at = this.idle.indexOf(this);
    if (at >= 0) this.idle.splice(at, 1);
    this.#taken()?.reject(this.#error ?? Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
  }
}

/** Idle connections by server address. */
const idleAt = new Map<string, Connection[]>();

export function exchangeWith(host: string, port: number, request: ExchangeRequest): Promise<ExchangeAnswer> {
  if (request.signal?.aborted) return Promise.reject(request.signal.reason);
  const address = `${host}:${port}`;
  let idle = idleAt.get(address);
  if (!idle) {
    idle = [];
    idleAt.set(address, idle);
  }
  const last = idle.pop();
  if (last && !last.isStale) return last.send(request);
  // The last one is the most recently used; if it is stale, the others are stale too.
  last?.destroy();
  for (const stale of idle.splice(0)) stale.destroy();
  return new Connection(host, port, idle).send(request);
}

/** Closes idle connections, which would delay the close of a server. */
export function closeIdleConnections(): void {
  for (const idle of idleAt.values()) for (const connection of idle.splice(0)) connection.destroy();
  idleAt.clear();
}
