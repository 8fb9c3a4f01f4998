/** One request and its response on uWebSockets.js; server-uws.ts describes the constraints of the engine. */
import { copyOutOfLease, endLeaseOfBytes } from '#base';
import type { AnswerSource } from '#model';
import {
  byteLengthOfBodyParts,
  joinBodyParts,
  MAX_SMALL_RESPONSE_BODY_BYTES,
  ReceivedRequestBody,
  type RequestBodyReceiver,
  UnsentResponseBody,
} from './bodies.js';
import { httpStatusLine } from './reply.js';
import {
  doesRequestAnnounceBody,
  EMPTY_BODY_BYTES,
  type HttpExchange,
  isBodilessStatus,
  type ResponseBodyPart,
  ResponseHeaders,
} from './server.js';
import type { SlowClientGuard, SlowClientGuardedTransfer } from './slow-client-guard.js';
import { UwsSourceSender } from './source-sender-uws.js';
import type { UwsRequest, UwsResponse } from './uws-module.js';

/**
 * Maximum size of a joined body that is copied for a client that reads slowly, bytes. Of a larger body the parts are
 * kept.
 */
const MAX_COPIED_WAITING_BODY_BYTES = 64 * 1024;

const NO_RESPONSE_HEADERS = new ResponseHeaders([]);

/**
 * Sends the last answer of a connection. The engine would parse bytes behind the request as another request, even when
 * the answer closes the connection; while the answer is missing, the engine cuts the connection instead. So the answer
 * waits until the engine has read all bytes that it has received.
 *
 * @param write writes the answer; returns true if the connection is still to be closed
 * @param over called when the answer is sent or the connection has ended
 */
export function respondAfterReadingAndEndConnection(
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
export interface UwsHttpExchangeOwner extends RequestBodyReceiver {
  readonly options: { readonly maxBodyBytes: number; readonly onError: (error: unknown) => void };
  readonly slowAnswerGuard: SlowClientGuard;
  readonly engine: { readonly endsHead: boolean };
  /** True while the server shuts down: every response closes its connection. */
  readonly isClosing: boolean;
  /** Called when the operating system has taken the whole answer of an exchange, or its client has disconnected. */
  onExchangeEnded(): void;
}

/**
 * Returns the parts of a body whose client reads slowly, in memory that later answers don't reuse: a copy of the joined
 * body, whose memory belongs to `joinBodyParts`, or the parts themselves, which answers to several slow clients may
 * share.
 */
const copyBodyForSlowClient = (
  parts: readonly ResponseBodyPart[],
  joined: ResponseBodyPart,
): readonly ResponseBodyPart[] =>
  joined.length <= MAX_COPIED_WAITING_BODY_BYTES
    ? [typeof joined === 'string' ? joined : Buffer.from(joined)]
    : parts.map((part) => (typeof part === 'string' ? part : copyOutOfLease(part)));

export class UwsHttpExchange implements HttpExchange {
  path: string;
  query: string;
  readonly hasBody: boolean;
  aborted = false;
  answered = false;
  #requestIdPrefix = '';
  /** Number appended to `#requestIdPrefix` in the request id; -1: `#requestIdPrefix` alone. */
  #requestIdNumber = -1;
  #server: UwsHttpExchangeOwner;
  #res: UwsResponse;
  /** The engine's request object; undefined once the handler has returned. */
  #req: UwsRequest | undefined;
  /** True while the client has not taken the whole answer. */
  #isBodyUnsent = false;
  #bodyBeingReceived: ReceivedRequestBody | undefined;
  #abortListener: (() => void) | undefined;
  /** Listener that the engine calls when the connection ends before the answer. */
  #engineAbortListener: (() => void) | undefined;
  /**
   * The older exchange, reused for the client's next poll, that now stands for this request; undefined if there is
   * none.
   */
  #olderExchangeInUse: UwsHttpExchange | undefined;

  /**
   * True for a chunked request. The engine reads chunks loosely, so bytes behind them must not be taken for a request:
   * the answer closes the connection.
   */
  readonly #isChunkedRequest: boolean;

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
    this.#isChunkedRequest = coding !== '';
  }

  get requestId(): string {
    return this.#requestIdNumber < 0 ? this.#requestIdPrefix : `${this.#requestIdPrefix}${this.#requestIdNumber}`;
  }

  setRequestId(id: string, n = -1): void {
    this.#requestIdPrefix = id;
    this.#requestIdNumber = n;
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

  readBody(
    done: (body: Uint8Array | undefined) => void,
    limit = this.#server.options.maxBodyBytes,
    onProgress?: (heldByteCount: number) => void,
  ): void {
    if (!this.hasBody || Number(this.header('content-length') || 0) > limit) {
      done(this.hasBody ? undefined : EMPTY_BODY_BYTES);
      return;
    }
    const res = this.#res;
    const received = new ReceivedRequestBody(limit, this.#server, () => res.close());
    this.#bodyBeingReceived = received;
    let finished = false;
    res.onData((chunk, isLast) => {
      if (this.aborted || received.isCutOff) return;
      if (finished || this.answered) {
        // The answer to a chunked request waits until the engine has read all that it has received.
        if (this.#isChunkedRequest) received.countChunkOrCutOff(chunk.byteLength);
        return;
      }
      // The engine's bytes are valid during this callback only.
      const fits = received.addChunkOrDropBody(new Uint8Array(chunk), isLast ? 'last' : 'borrowed');
      if (received.isCutOff) return;
      if (fits) onProgress?.(received.heldBytes);
      if (this.answered) return;
      if (fits && !isLast) {
        received.reportWaitForMore();
        return;
      }
      finished = true;
      this.#passBodySafely(done, fits ? received.takeReceivedBytes() : undefined);
    });
  }

  #passBodySafely(done: (body: Uint8Array | undefined) => void, body: Uint8Array | undefined): void {
    try {
      done(body);
    } catch (error) {
      this.#server.options.onError(error);
      this.respondWithServerError();
    }
  }

  releasePathAndQuery(): void {
    this.path = '';
    this.query = '';
  }

  reuseForNextRequestIfPossible(next: HttpExchange): HttpExchange {
    const mine = next instanceof UwsHttpExchange && next.#req !== undefined && !next.answered && !next.hasBody;
    if (!mine || !this.answered || this.#isBodyUnsent || this.#req || next.method !== this.method) return next;
    this.#res = next.#res;
    this.setRequestId(next.#requestIdPrefix, next.#requestIdNumber);
    this.aborted = false;
    this.answered = false;
    next.#olderExchangeInUse = this;
    return this;
  }

  setAbortListener(listener: () => void): void {
    if (this.aborted) listener();
    else this.#abortListener = listener;
  }

  /** Called when the handler has returned; from now on the exchange is answered asynchronously. */
  onHandlerReturned(): void {
    this.#req = undefined;
    const heir = this.#olderExchangeInUse;
    if (heir) {
      heir.onHandlerReturned();
      return;
    }
    if (this.answered) return;
    // The engine drops the listener once the answer is sent: a later end of the connection doesn't reach the listener.
    this.#engineAbortListener ??= () => this.#handleAbort();
    this.#res.onAborted(this.#engineAbortListener);
  }

  #handleAbort(): void {
    if (this.answered || this.aborted) return;
    this.aborted = true;
    this.#bodyBeingReceived?.stopReceiving();
    const listener = this.#abortListener;
    this.#abortListener = undefined;
    this.#server.onExchangeEnded();
    listener?.();
  }

  respondWithServerError(): void {
    if (this.#olderExchangeInUse) {
      this.#olderExchangeInUse.respondWithServerError();
      return;
    }
    if (this.answered || this.aborted) return;
    this.#markAnswered();
    if (this.#isChunkedRequest) this.#respondWithLastAnswer(httpStatusLine(500), NO_RESPONSE_HEADERS, [], '');
    else {
      this.#res.writeStatus(httpStatusLine(500)).end();
      this.#server.onExchangeEnded();
    }
  }

  respond(status: number, headers: ResponseHeaders, parts: readonly ResponseBodyPart[], more = ''): void {
    if (this.aborted || this.answered) return;
    this.#markAnswered();
    if (this.#isChunkedRequest || (this.method === 'HEAD' && !isBodilessStatus(status))) {
      this.#respondWithLastAnswer(httpStatusLine(status), headers, parts, more);
      return;
    }
    if (this.#req) this.#writeResponse(status, headers, parts, more);
    else this.#res.cork(() => this.#writeResponse(status, headers, parts, more));
    if (!this.#isBodyUnsent) this.#server.onExchangeEnded();
  }

  /** Sends the last answer of a connection, for HEAD and chunked requests. @param status the status line */
  #respondWithLastAnswer(
    status: string,
    headers: ResponseHeaders,
    parts: readonly ResponseBodyPart[],
    more: string,
    length = byteLengthOfBodyParts(parts),
  ): void {
    const { requestId } = this;
    const id = requestId === '' ? '' : `\r\nX-Request-Id: ${requestId}`;
    const head = this.method === 'HEAD';
    const { engine, isClosing } = this.#server;
    // Keep a copy: the joined bytes are valid during this call only.
    const body = head ? '' : Buffer.from(joinBodyParts(parts));
    respondAfterReadingAndEndConnection(
      this.#res,
      (res) => {
        res.writeStatus(status);
        if (headers.combinedHeaderName !== '')
          res.writeHeader(headers.combinedHeaderName, headers.combinedHeaderValue + more + id);
        if (!head || length === 0) res.end(body, true);
        else if (engine.endsHead) res.endWithoutBody(length, isClosing);
        else {
          res.writeHeader('Connection', 'close').tryEnd('', length);
          return true;
        }
        return false;
      },
      () => this.#server.onExchangeEnded(),
    );
  }

  respondFromSource(status: number, headers: ResponseHeaders, source: AnswerSource, more = ''): void {
    if (this.aborted || this.answered) return;
    this.#markAnswered();
    if (this.method === 'HEAD' || source.length === 0) {
      this.#respondWithLastAnswer(httpStatusLine(status), headers, [], more, source.length);
      return;
    }
    // A request to read is not chunked. The answer would be the last of its connection, and is not worth the case.
    if (this.#isChunkedRequest) {
      this.#respondWithLastAnswer(httpStatusLine(400), NO_RESPONSE_HEADERS, [], '');
      return;
    }
    this.#isBodyUnsent = true;
    const over = (): void => this.#server.onExchangeEnded();
    const writeHead = (): void => this.#writeHead(status, headers, more);
    new UwsSourceSender(this.#res, source, this.#server.slowAnswerGuard, writeHead, over).start();
  }

  #markAnswered(): void {
    this.answered = true;
    this.#abortListener = undefined;
    this.#bodyBeingReceived?.stopReceiving();
  }

  #writeResponse(status: number, headers: ResponseHeaders, parts: readonly ResponseBodyPart[], more: string): void {
    this.#writeHead(status, headers, more);
    const closing = this.#server.isClosing;
    if (isBodilessStatus(status)) {
      // The engine closes only connections whose answer has a length, so the client has to close this one.
      if (closing) this.#res.writeHeader('Connection', 'close');
      this.#res.endWithoutBody();
    } else if (closing) {
      // The answer closes the connection, so no later answer can pile up behind it.
      this.#res.end(parts.length === 1 ? parts[0]! : joinBodyParts(parts), true);
    } else this.#sendBody(parts);
  }

  #writeHead(status: number, headers: ResponseHeaders, more: string): void {
    const res = this.#res;
    if (status !== 200) res.writeStatus(httpStatusLine(status));
    // Write all headers in one native call: a call costs more than the longer text.
    const { requestId } = this;
    const id = requestId === '' ? '' : `\r\nX-Request-Id: ${requestId}`;
    if (headers.combinedHeaderName !== '')
      res.writeHeader(headers.combinedHeaderName, headers.combinedHeaderValue + more + id);
    else if (id !== '') res.writeHeader('X-Request-Id', requestId);
  }

  /**
   * Sends only as many bytes as the connection takes: the engine would buffer the rest for a client that doesn't read.
   */
  #sendBody(parts: readonly ResponseBodyPart[]): void {
    const [only] = parts;
    if (parts.length === 1 && typeof only !== 'string') {
      if (only!.byteLength === 0) this.#res.end();
      else if (!this.#res.tryEnd(only!, only!.byteLength)[1]) this.#sendRestWhenWritable(new UnsentResponseBody(parts));
      return;
    }
    const length = byteLengthOfBodyParts(parts);
    if (length === 0) this.#res.end();
    else if (length <= MAX_SMALL_RESPONSE_BODY_BYTES) {
      const body = parts.length === 1 ? only! : joinBodyParts(parts);
      if (!this.#res.tryEnd(body, length)[1])
        this.#sendRestWhenWritable(new UnsentResponseBody(copyBodyForSlowClient(parts, body)));
      for (const part of parts) if (typeof part !== 'string') endLeaseOfBytes(part);
    } else {
      const body = new UnsentResponseBody(parts);
      if (!this.#sendWritableBodyPieces(body)) this.#sendRestWhenWritable(body);
    }
  }

  /** Sends as many bytes as the connection takes. @returns true when the system has taken the whole body */
  #sendWritableBodyPieces(body: UnsentResponseBody): boolean {
    for (;;) {
      const [ok, done] = this.#res.tryEnd(body.peekNextPiece(), body.length);
      if (done) return true;
      body.markSentUpTo(this.#res.getWriteOffset());
      if (!ok) return false;
    }
  }

  #sendRestWhenWritable(body: UnsentResponseBody): void {
    const res = this.#res;
    const { slowAnswerGuard } = this.#server;
    const answer: SlowClientGuardedTransfer = {
      timeLimitBytes: body.length,
      get heldBytes() {
        return body.unsentByteCount;
      },
      sharedBuffers: body.collectBuffers(),
      cutOff: () => res.close(),
    };
    const over = (): void => {
      slowAnswerGuard.removeTransfer(answer);
      this.#server.onExchangeEnded();
    };
    this.#isBodyUnsent = true;
    body.markSentUpTo(res.getWriteOffset());
    res.onAborted(over);
    res.onWritable(() => {
      const done = this.#sendWritableBodyPieces(body);
      if (done) over();
      else slowAnswerGuard.noteWaitOrProgress(answer);
      return done;
    });
    slowAnswerGuard.noteWaitOrProgress(answer);
  }
}
