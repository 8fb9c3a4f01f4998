/** One request and its response on uWebSockets.js; server-uws.ts describes the constraints of the engine. */
import {
  byteLengthOfBodyParts,
  joinBodyParts,
  MAX_SMALL_RESPONSE_BODY_BYTES,
  RequestBody,
  ResponseBody,
} from './bodies.js';
import { httpStatusLine } from './reply.js';
import {
  doesRequestAnnounceBody,
  EMPTY_BODY_BYTES,
  type HttpExchange,
  type ResponseBodyPart,
  ResponseHeaders,
} from './server.js';
import type { SlowClientGuard, SlowClientGuardedTransfer } from './slow-client-guard.js';
import type { UwsRequest, UwsResponse } from './uws-module.js';

const NO_HEADERS = new ResponseHeaders([]);

/**
 * Sends the last answer of a connection. The engine would parse bytes behind the request as another request, even when
 * the answer closes the connection; while the answer is missing, the engine cuts the connection instead. So the answer
 * waits until the engine has read all bytes that it has received.
 *
 * @param write writes the answer; returns true if the connection is still to be closed
 * @param over called when the answer is sent or the connection has ended
 */
export function respondAndEndConnection(
  res: UwsResponse,
  write: (res: UwsResponse) => boolean,
  over: () => void,
): void {
  let gone = false;
  res.onAborted(() => {
    if (!gone) over();
    gone = true;
  });
  setImmediate(() => {
    if (gone) return;
    gone = true;
    over();
    let open = false;
    res.cork(() => {
      open = write(res);
    });
    if (open) res.close();
  });
}

/** The members of the server that its exchanges use. */
export interface UwsHttpExchangeOwner {
  readonly options: { readonly maxBodyBytes: number; readonly onError: (error: unknown) => void };
  readonly slowAnswers: SlowClientGuard;
  readonly slowBodies: SlowClientGuard;
  readonly engine: { readonly endsHead: boolean };
  /** True while the server shuts down: every response closes its connection. */
  readonly closing: boolean;
  /** Called when the operating system has taken the whole answer of an exchange, or its client has disconnected. */
  ended(): void;
}

export class UwsHttpExchange implements HttpExchange {
  path: string;
  query: string;
  readonly hasBody: boolean;
  aborted = false;
  answered = false;
  #id = '';
  /** Number appended to `#id` in the request id; -1: `#id` alone. */
  #idNumber = -1;
  #server: UwsHttpExchangeOwner;
  #res: UwsResponse;
  /** The engine's request object; undefined once the handler has returned. */
  #req: UwsRequest | undefined;
  /** True while the client has not taken the whole answer. */
  #sending = false;
  #received: RequestBody | undefined;
  #abortListener: (() => void) | undefined;
  /** Listener that the engine calls when the connection ends before the answer. */
  #onAborted: (() => void) | undefined;
  /**
   * The older exchange, reused for the client's next poll, that now stands for this request; undefined if there is
   * none.
   */
  #successor: UwsHttpExchange | undefined;

  /**
   * True for a chunked request. The engine reads chunks loosely, so bytes behind them must not be taken for a request:
   * the answer closes the connection.
   */
  readonly #chunked: boolean;

  /** Makes the exchange of one request. @param length Content-Length @param coding Transfer-Encoding */
  constructor(
    server: UwsHttpExchangeOwner,
    res: UwsResponse,
    req: UwsRequest,
    readonly method: string,
    length: string,
    coding: string,
  ) {
    this.#server = server;
    this.#res = res;
    this.#req = req;
    this.path = req.getUrl();
    this.query = req.getQuery() ?? '';
    this.hasBody = doesRequestAnnounceBody(length, coding);
    this.#chunked = coding !== '';
  }

  get requestId(): string {
    return this.#idNumber < 0 ? this.#id : `${this.#id}${this.#idNumber}`;
  }

  identify(id: string, n = -1): void {
    this.#id = id;
    this.#idNumber = n;
  }

  header(name: string): string {
    if (!this.#req) throw new Error(`header ${name} read after the handler returned`);
    return this.#req.getHeader(name);
  }

  headerLines(name: string): string {
    if (!this.#req) throw new Error(`header ${name} read after the handler returned`);
    // The engine's getHeader returns the first line of a repeated header only.
    const found: string[] = [];
    this.#req.forEach((key, value) => {
      if (key === name) found.push(value);
    });
    return found.join(', ');
  }

  remoteAddress(): string {
    return this.aborted || this.answered ? '' : Buffer.from(this.#res.getRemoteAddressAsText()).toString('latin1');
  }

  readBody(done: (body: Uint8Array | undefined) => void, limit = this.#server.options.maxBodyBytes): void {
    if (!this.hasBody || Number(this.header('content-length') || 0) > limit) {
      done(this.hasBody ? undefined : EMPTY_BODY_BYTES);
      return;
    }
    const received = new RequestBody(limit, this.#server.slowBodies, () => this.#res.close());
    this.#received = received;
    let finished = false;
    this.#res.onData((chunk, isLast) => {
      if (finished || this.aborted || this.answered) return;
      const bytes = new Uint8Array(chunk);
      // Keep a copy: the engine's bytes are valid during this callback only.
      const fits = received.add(isLast ? bytes : Buffer.from(bytes));
      if (fits && !isLast) {
        received.waitForMore();
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

  forget(): void {
    this.path = '';
    this.query = '';
  }

  reuseFor(next: HttpExchange): HttpExchange {
    const mine = next instanceof UwsHttpExchange && next.#req !== undefined && !next.answered && !next.hasBody;
    if (!mine || !this.answered || this.#sending || this.#req || next.method !== this.method) return next;
    this.#res = next.#res;
    this.identify(next.#id, next.#idNumber);
    this.aborted = false;
    this.answered = false;
    next.#successor = this;
    return this;
  }

  onAborted(listener: () => void): void {
    if (this.aborted) listener();
    else this.#abortListener = listener;
  }

  /** Called when the handler has returned; from now on the exchange is answered asynchronously. */
  leave(): void {
    this.#req = undefined;
    const heir = this.#successor;
    if (heir) {
      heir.leave();
      return;
    }
    if (this.answered) return;
    // The engine drops the listener once the answer is sent: a later end of the connection doesn't reach the listener.
    this.#onAborted ??= () => this.#abort();
    this.#res.onAborted(this.#onAborted);
  }

  #abort(): void {
    if (this.answered || this.aborted) return;
    this.aborted = true;
    this.#received?.drop();
    const listener = this.#abortListener;
    this.#abortListener = undefined;
    this.#server.ended();
    listener?.();
  }

  fail(): void {
    if (this.#successor) {
      this.#successor.fail();
      return;
    }
    if (this.answered || this.aborted) return;
    this.#answering();
    if (this.#chunked) this.#respondLast(httpStatusLine(500), NO_HEADERS, [], '');
    else {
      this.#res.writeStatus(httpStatusLine(500)).end();
      this.#server.ended();
    }
  }

  respond(status: number, headers: ResponseHeaders, parts: readonly ResponseBodyPart[], more = ''): void {
    if (this.aborted || this.answered) return;
    this.#answering();
    if (this.#chunked || this.method === 'HEAD') {
      this.#respondLast(httpStatusLine(status), headers, parts, more);
      return;
    }
    if (this.#req) this.#write(status, headers, parts, more);
    else this.#res.cork(() => this.#write(status, headers, parts, more));
    if (!this.#sending) this.#server.ended();
  }

  /** Sends the last answer of a connection, for HEAD and chunked requests. @param status the status line */
  #respondLast(status: string, headers: ResponseHeaders, parts: readonly ResponseBodyPart[], more: string): void {
    const { requestId } = this;
    const id = requestId === '' ? '' : `\r\nX-Request-Id: ${requestId}`;
    const head = this.method === 'HEAD';
    const { engine, closing } = this.#server;
    const length = byteLengthOfBodyParts(parts);
    // Keep a copy: the joined bytes are valid during this call only.
    const body = head ? '' : Buffer.from(joinBodyParts(parts));
    respondAndEndConnection(
      this.#res,
      (res) => {
        res.writeStatus(status);
        if (headers.name !== '') res.writeHeader(headers.name, headers.value + more + id);
        if (!head || length === 0) res.end(body, true);
        else if (engine.endsHead) res.endWithoutBody(length, closing);
        else {
          res.writeHeader('Connection', 'close').tryEnd('', length);
          return true;
        }
        return false;
      },
      () => this.#server.ended(),
    );
  }

  #answering(): void {
    this.answered = true;
    this.#abortListener = undefined;
    this.#received?.drop();
  }

  #write(status: number, headers: ResponseHeaders, parts: readonly ResponseBodyPart[], more: string): void {
    const res = this.#res;
    if (status !== 200) res.writeStatus(httpStatusLine(status));
    // Write all headers in one native call: a call costs more than the longer text.
    const { requestId } = this;
    const id = requestId === '' ? '' : `\r\nX-Request-Id: ${requestId}`;
    if (headers.name !== '') res.writeHeader(headers.name, headers.value + more + id);
    else if (id !== '') res.writeHeader('X-Request-Id', requestId);
    const closing = this.#server.closing;
    if (closing) {
      // The answer closes the connection, so no later answer can pile up behind it.
      res.end(parts.length === 1 ? parts[0]! : joinBodyParts(parts), true);
    } else this.#send(parts);
  }

  /**
   * Sends only as many bytes as the connection takes: the engine would buffer the rest for a client that doesn't read.
   */
  #send(parts: readonly ResponseBodyPart[]): void {
    const [only] = parts;
    if (parts.length === 1 && typeof only !== 'string') {
      if (only!.byteLength === 0) this.#res.end();
      else if (!this.#res.tryEnd(only!, only!.byteLength)[1]) this.#sendLater(new ResponseBody(parts));
      return;
    }
    const length = byteLengthOfBodyParts(parts);
    if (length === 0) this.#res.end();
    else if (length <= MAX_SMALL_RESPONSE_BODY_BYTES) {
      const body = parts.length === 1 ? only! : joinBodyParts(parts);
      if (this.#res.tryEnd(body, length)[1]) return;
      // Keep a copy: the next answer reuses the memory of `joinBodyParts`.
      this.#sendLater(new ResponseBody([typeof body === 'string' ? body : Buffer.from(body)]));
    } else {
      const body = new ResponseBody(parts);
      if (!this.#sendMore(body)) this.#sendLater(body);
    }
  }

  /** Sends as many bytes as the connection takes. @returns true when the system has taken the whole body */
  #sendMore(body: ResponseBody): boolean {
    for (;;) {
      const [ok, done] = this.#res.tryEnd(body.piece(), body.length);
      if (done) return true;
      body.sentUpTo(this.#res.getWriteOffset());
      if (!ok) return false;
    }
  }

  #sendLater(body: ResponseBody): void {
    const res = this.#res;
    const { slowAnswers } = this.#server;
    const answer: SlowClientGuardedTransfer = {
      bytes: body.length,
      get held() {
        return body.left;
      },
      cut: () => res.close(),
    };
    const over = (): void => {
      slowAnswers.finished(answer);
      this.#server.ended();
    };
    this.#sending = true;
    body.sentUpTo(res.getWriteOffset());
    res.onAborted(over);
    res.onWritable(() => {
      const done = this.#sendMore(body);
      if (done) over();
      else slowAnswers.progressed(answer);
      return done;
    });
    slowAnswers.progressed(answer);
  }
}
