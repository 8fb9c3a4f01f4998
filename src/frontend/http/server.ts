/**
 * The seam between the frontend and whatever speaks HTTP: server-uws.ts (fast, native) or server-node.ts (anywhere).
 * Both give the same answers; test/unit/http/server.test.ts runs against each.
 */

import type { SlowTransfers } from './slow-transfers.js';

/** Response headers, prepared once where they are constant. */
export class Headers {
  /** Name, value, name, value … */
  readonly flat: readonly string[];
  /** All of them as one, for servers that copy a value as it is: the first name, and all that comes after it. */
  readonly name: string;
  readonly value: string;

  constructor(readonly pairs: readonly (readonly [name: string, value: string])[]) {
    this.flat = pairs.flat();
    const lines = pairs.map(([name, value]) => `${clean(name)}: ${clean(value)}`).join('\r\n');
    const colon = lines.indexOf(': ');
    this.name = lines.slice(0, Math.max(0, colon));
    this.value = lines.slice(colon + 2);
  }

  with(more: Readonly<Record<string, string>>): Headers {
    const replaced = new Set(Object.keys(more).map((name) => name.toLowerCase()));
    return new Headers([...this.pairs.filter(([name]) => !replaced.has(name.toLowerCase())), ...Object.entries(more)]);
  }
}

const clean = (text: string): string => text.replace(/[\r\n\0]/g, ' ');

export type BodyPart = string | Uint8Array;

export interface HttpExchange {
  /** Upper case. */
  readonly method: string;
  /** As sent, percent-encoded, without the query. */
  readonly path: string;
  /** As sent, without the question mark; '' when there is none. */
  readonly query: string;
  /** The client has gone: a response would reach nobody and is dropped. */
  readonly aborted: boolean;
  /** `respond` was called. */
  readonly answered: boolean;
  /** Goes out as `X-Request-Id`; '' = no such header. */
  readonly requestId: string;
  /** Gives it its id. @param n put behind the text when the id is asked for: a number costs nothing to keep */
  identify(id: string, n?: number): void;
  /** The request announces a body (possibly an empty one). */
  readonly hasBody: boolean;
  /**
   * Value of a header given in lower case, '' when absent. Only until the handler returns: the native server keeps no
   * headers, so read first what is needed.
   */
  header(name: string): string;
  /** The same, of a header that may stand on several lines: all of them, separated by commas. */
  headerLines(name: string): string;
  /** Textual IP address of the peer. */
  remoteAddress(): string;
  /**
   * Collect the body. Must be called before the handler returns, at most once. `done` gets all of it, valid only during
   * that call, or undefined when it exceeds `limit`, default `maxBodyBytes` (what follows is discarded). It is not called when the client
   * goes away first.
   */
  readBody(done: (body: Uint8Array | undefined) => void, limit?: number): void;
  /** Path and query are not asked for any more: the answer may be a long time coming. */
  forget(): void;
  /**
   * This one was answered, and another request of the same client begins: what stands for that one from now on. An object that has lived for
   * long takes it over, where that is possible, so that the young one need not live.
   */
  goOn(next: HttpExchange): HttpExchange;
  /** Called once if the client goes away before the response; at once if it has gone already. One listener only. */
  onAborted(listener: () => void): void;
  /**
   * Send the response, once: its head only for HEAD (after which the connection may close). 204 has no parts.
   * @param more headers of this response alone, as lines that each begin with CRLF: they are in many, and a list would cost more
   * than all else that is done for them. Nothing of what a client sends may be in them.
   */
  respond(status: number, headers: Headers, parts: readonly BodyPart[], more?: string): void;
}

export type Handler = (exchange: HttpExchange) => void;

export interface ListenOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Answers now or later. An exception is reported and answered with a bare 500. */
  readonly handler: Handler;
  readonly onError: (error: unknown) => void;
  /** Keep account of answers that their clients do not take, and of bodies that do not come; default: ones of the server's own. */
  readonly answers?: SlowTransfers;
  readonly bodies?: SlowTransfers;
  /** More are turned away as they come; default: as many as the system gives. */
  readonly maxConnections?: number;
}

export interface HttpServer {
  readonly kind: 'uws' | 'node';
  readonly port: number;
  /** Requests whose answers are not out of our hands yet. */
  readonly running: number;
  /** Connections that were one too many; of the native server, how often it stopped listening for a while. */
  readonly turnedAway: number;
  /** From now on every response ends its connection, so that clients come back elsewhere. */
  leave(): void;
  /**
   * Stop listening: new connections are refused from when it resolves. Open ones are served as after `leave`. Who answers
   * held requests does it afterwards, or their clients would be back at once.
   */
  refuse(): Promise<void>;
  /**
   * Stop listening, let running requests end (who holds some must answer them), then close all connections. From now on
   * every response ends its connection.
   *
   * @param graceMs connections without a request are kept for so long: one may be on its way on them. Default 0.
   */
  close(graceMs?: number): Promise<void>;
  /** Stop listening and cut all connections now; running requests are aborted. */
  terminate(): void;
}

export interface HttpServerFactory {
  listen(options: ListenOptions): Promise<HttpServer>;
}

/** How long a client may leave a started request unfinished. The native server has the same 10 s built in. */
export const RECEIVE_TIMEOUT_MS = 10_000;
/** Request line and headers together. Long narrows and id lists travel in the query. */
export const MAX_HEADER_BYTES = 128 * 1024;
/** Header lines of a request. The native server has the bound built in. */
export const MAX_HEADERS = 98;

export const EMPTY_BODY = new Uint8Array(0);

/** What these two headers say of it. */
export const announcesBody = (length: string, coding: string): boolean =>
  length === '' ? coding !== '' : length !== '0';
