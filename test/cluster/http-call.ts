/** One HTTP request of a simulated client, and the network between it and its frontend. */
import type { HttpExchange } from '#frontend/http';
import type { Scheduler } from './scheduler.js';
import type { SimProcess } from './sim-process.js';

export type Params = Readonly<Record<string, string | number | boolean | object | null>>;

/** 'lost': the frontend went away, and what became of the request is not known. */
export interface HttpAnswer {
  readonly status: number | 'lost';
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
  readonly body: any;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Params;
  readonly authorization: string;
  /** Further headers, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the trace. */
  readonly label: string;
}

const formOf = (params: Params): string =>
  Object.entries(params)
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return `${name}=${encodeURIComponent(text)}`;
    })
    .join('&');

export class HttpCall implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly hasBody: boolean;
  aborted = false;
  requestId = '';
  answered = false;
  #over = false;
  #onAborted: (() => void) | undefined;
  readonly #body: string;

  constructor(
    private readonly request: HttpRequest,
    readonly front: SimProcess,
    private readonly scheduler: Scheduler,
    private readonly tell: (answer: HttpAnswer) => void,
  ) {
    const form = formOf(request.params);
    this.method = request.method;
    this.path = `/api/v1${request.path}`;
    this.hasBody = request.method !== 'GET';
    this.query = this.hasBody ? '' : form;
    this.#body = this.hasBody ? form : '';
    scheduler.add(`${request.label} > ${front.name}`, front, () => {
      if (!this.aborted) front.frontend!.handleRequest(this);
    });
  }

  /** The client goes away. */
  abort(): void {
    if (this.#over) return;
    this.#over = true;
    const tell = (): void => {
      this.aborted = true;
      this.#onAborted?.();
    };
    this.scheduler.add(`${this.request.label} gives up`, this.front, tell);
  }

  /** The frontend is dead: the connection breaks. */
  reset(): void {
    if (this.#over) return;
    this.#over = true;
    this.scheduler.add(`${this.request.label} reset`, undefined, () => this.tell({ status: 'lost', body: undefined }));
  }

  headerLines(name: string): string {
    return this.header(name);
  }

  header(name: string): string {
    if (name === 'authorization') return this.request.authorization;
    if (name === 'host') return 'localhost';
    if (name === 'content-type' && this.hasBody) return 'application/x-www-form-urlencoded';
    return this.request.headers?.[name] ?? '';
  }

  remoteAddress(): string {
    return '127.0.0.1';
  }

  readBody(done: (body: Uint8Array | undefined) => void): void {
    done(new TextEncoder().encode(this.#body));
  }

  releasePathAndQuery(): void {}
  reuseForNextRequestIfPossible(next: HttpExchange): HttpExchange {
    return next;
  }

  setRequestId(id: string, n?: number): void {
    this.requestId = n === undefined ? id : `${id}${n}`;
  }

  setAbortListener(listener: () => void): void {
    this.#onAborted = listener;
    if (this.aborted) listener();
  }

  respondFromSource(): void {
    throw new Error('no answer of these tests has a source');
  }

  respond(status: number, _headers: unknown, parts: readonly (string | Uint8Array)[]): void {
    if (this.#over || this.aborted) return;
    this.answered = true;
    const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    this.scheduler.add(`${this.request.label} = ${status}`, undefined, () => {
      if (this.#over) return;
      this.#over = true;
      const body = bytes.length === 0 ? undefined : JSON.parse(bytes.toString());
      if (status >= 400) this.scheduler.note(`${this.request.label}: ${this.scheduler.short(String(body?.msg))}`);
      this.tell({ status, body });
    });
  }
}
