/** A request without a server. */

import type { HttpExchange, ResponseHeaders } from '#frontend/http';
import type { ResponseBodyPart } from '../../../src/frontend/http/server.js';

export class FakeExchange implements HttpExchange {
  readonly path: string;
  readonly query: string;
  aborted = false;
  requestId = '';
  /** True after the body was read. */
  read = false;
  answers = 0;
  answered = false;
  status = 0;
  headers: Record<string, string> = {};
  text = '';
  #abort: () => void = () => {};

  constructor(
    readonly method: string,
    url: string,
    readonly sent: Record<string, string> = {},
    readonly body: string | undefined = undefined,
  ) {
    const mark = url.indexOf('?');
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
  }

  get hasBody(): boolean {
    return this.body !== undefined;
  }
  // biome-ignore lint/suspicious/noExplicitAny: whatever was answered
  get json(): any {
    return JSON.parse(this.text);
  }
  header(name: string): string {
    return this.sent[name] ?? '';
  }
  headerLines(name: string): string {
    return this.header(name);
  }
  remoteAddress(): string {
    return '127.0.0.1';
  }
  readBody(
    done: (body: Uint8Array | undefined) => void,
    limit = Number.POSITIVE_INFINITY,
    onProgress?: (heldByteCount: number) => void,
  ): void {
    this.read = true;
    const body = Buffer.from(this.body ?? '');
    if (body.length <= limit) onProgress?.(body.length);
    if (!this.answered) done(body.length > limit ? undefined : body);
  }
  releasePathAndQuery(): void {}
  reuseForNextRequestIfPossible(next: HttpExchange): HttpExchange {
    return next;
  }

  setRequestId(id: string, n?: number): void {
    this.requestId = n === undefined ? id : `${id}${n}`;
  }

  setAbortListener(listener: () => void): void {
    this.#abort = listener;
  }
  abort(): void {
    this.aborted = true;
    this.#abort();
  }
  respondFromSource(): void {
    throw new Error('no answer of these tests has a source');
  }

  respond(status: number, headers: ResponseHeaders, parts: readonly ResponseBodyPart[]): void {
    this.answers++;
    this.answered = true;
    this.status = status;
    this.headers = Object.fromEntries(headers.pairs);
    this.text = parts.map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString())).join('');
  }
}
